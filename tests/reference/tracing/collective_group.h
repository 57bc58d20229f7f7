// The all-reduce of the conformance plugin's CollNet: every rank sends to rank 0, which sums and sends back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "plugin/core/status.h"
#include "tests/reference/tcp/connection.h"
#include "tests/reference/tcp/endpoint.h"

namespace netsense::reference {

enum class ElementType : uint8_t { kFloat32, kFloat64 };

class CollectiveGroup;

struct CollectiveRequest {
  CollectiveGroup* group = nullptr;
  std::byte* result = nullptr;
  size_t bytes = 0;
  ElementType type = ElementType::kFloat32;
  std::vector<std::vector<std::byte>> contributions;  // at rank 0: what the others sent
  std::vector<Request*> receives;                     // null: finished
  std::vector<Request*> sends;
  bool summed = false;
};

class CollectiveGroup {
 public:
  // Blocks until the group is joined, at most kJoinTimeout. Handles of all ranks, listener: this rank's own.
  static Status join(std::span<Handle* const> handles, int rank, Listener* listener,
                     std::unique_ptr<CollectiveGroup>* group);

  // *request is null when too many are under way.
  Status iallreduce(const void* send, void* receive, size_t bytes, ElementType type,
                    std::unique_ptr<CollectiveRequest>* request);
  Status test(CollectiveRequest* request, bool* done);

 private:
  explicit CollectiveGroup(bool root) : root_(root) {}
  Status send_result(CollectiveRequest* request);

  bool root_;
  int under_way_ = 0;
  std::vector<std::unique_ptr<SendConnection>> sends_;
  std::vector<std::unique_ptr<RecvConnection>> receives_;
};

}  // namespace netsense::reference
