// Runs one program over its connections without ever blocking, as one group of threads of a kernel does.
#pragma once

#include <memory>
#include <vector>

#include "tools/engine/device/call.h"
#include "tools/engine/device/reduce.h"
#include "tools/engine/fifo.h"

namespace netsense::engine {

struct GroupSetup {
  std::unique_ptr<Program> program;
  std::vector<ConnectionFifo*> recv;
  std::vector<ConnectionFifo*> send;
  Arithmetic arithmetic;
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  Protocol protocol = Protocol::kSimple;
  size_t step_bytes = 0;  // of the Simple buffer
  int slice_steps = 1;
  int slices_per_chunk = 1;
};

class Group {
 public:
  enum class Progress { kBlocked, kMoved, kFinished, kAborted };

  explicit Group(GroupSetup setup);
  // Does at most one slice.
  Progress poll();

 private:
  void align_steps();
  bool next_call();
  bool aborted() const;
  bool poll_simple();
  bool poll_low_latency();
  bool may_send(uint64_t steps) const;
  void combine_slice(size_t count, size_t offset);
  void add_user_buffers(size_t offset);
  static std::byte* slot_data(const ConnectionFifo& fifo, Protocol protocol);

  GroupSetup setup_;
  Call call_;
  bool in_call_ = false;
  int slice_ = 0;
  size_t slice_count_ = 0;  // elements
  size_t offset_ = 0;       // elements of this call that are done

  std::vector<size_t> arrived_;                   // LL: lines, by receiving connection
  std::vector<std::vector<std::byte>> received_;  // LL: data, by receiving connection
  std::vector<std::byte> to_send_;                // LL
  std::vector<const std::byte*> sources_;
  std::vector<std::byte*> destinations_;
};

}  // namespace netsense::engine
