// Any version of the exported CollNet table behind one set of functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "plugin/abi/collnet_v12.h"

namespace netsense::testing {

struct CollCall {
  void* send = nullptr;
  void* recv = nullptr;
  size_t count = 0;
  int type = 7;  // f32
  int op = 0;    // sum
};

// A window of what all ranks' parts make up.
struct CollWindow {
  size_t bytes_per_rank = 0;
  size_t offset = 0;
  size_t bytes = 0;
};

class CollApi {
 public:
  CollApi() = default;
  CollApi(const CollApi&) = delete;
  CollApi& operator=(const CollApi&) = delete;
  virtual ~CollApi() = default;
  virtual int init(uint64_t comm_id, void** context) = 0;
  virtual int finalize(void* context) = 0;
  virtual int devices(int* count) = 0;
  virtual int listen(void* context, int device, void* handle, void** listener) = 0;
  virtual int connect(void* handles[], int ranks, int rank, void* listener, void** comm) = 0;
  virtual int reduce_support(int type, int op, int* supported) = 0;
  virtual int reg_mr(void* comm, void* data, size_t bytes, void** region) = 0;
  virtual int dereg_mr(void* comm, void* region) = 0;
  virtual int iallreduce(void* comm, const CollCall& call, void** request) = 0;
  // Only where the version has them.
  virtual int iallgather(void* comm, void* send, void* recv, const CollWindow& window, void** request) = 0;
  virtual int ireducescatter(void* comm, const CollCall& call, const CollWindow& window, void** request) = 0;
  virtual int test(void* request, int* done, int* size) = 0;
  virtual int close(void* comm) = 0;
  virtual int close_listen(void* listener) = 0;
};

// Throws when the library has no such version.
std::unique_ptr<CollApi> find_coll_api(void* library, int version);

}  // namespace netsense::testing
