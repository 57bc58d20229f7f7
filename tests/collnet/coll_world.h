// Some ranks in one process, each a communicator of its own, over the exported symbols. A rank runs on a
// thread of its own, as NCCL's proxies do; errors and waits that do not end become exceptions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/abi/net_api.h"
#include "tests/collnet/coll_api.h"

namespace netsense::testing {

class CollWorld;

class CollRank {
 public:
  CollRank(CollWorld& world, int rank) : world_(world), rank_(rank) {}
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const;
  [[nodiscard]] CollApi& api() const;
  [[nodiscard]] void* comm() const { return comm_; }

  // Polls as NCCL does until there is a request.
  void* post(const std::function<int(void** request)>& call);
  void* post_all_reduce(const CollCall& call);
  // Waits; gives the size that is reported.
  int wait(void* request);
  int all_reduce(const CollCall& call) { return wait(post_all_reduce(call)); }
  // Closes the comm.
  void leave();

 private:
  friend class CollWorld;
  CollWorld& world_;
  int rank_;
  void* comm_ = nullptr;
};

class CollWorld {
 public:
  CollWorld(const std::string& library, int version, int ranks);
  CollWorld(const CollWorld&) = delete;
  CollWorld& operator=(const CollWorld&) = delete;
  // Closes as NCCL does.
  ~CollWorld();

  // Every rank on its thread; the first exception comes out.
  void run(const std::function<void(CollRank&)>& body);
  [[nodiscard]] CollApi& api() const { return *api_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] void* library() const { return library_.get(); }

 private:
  Library library_;
  std::unique_ptr<CollApi> api_;
  std::vector<CollRank> members_;
  std::vector<void*> contexts_;
};

}  // namespace netsense::testing
