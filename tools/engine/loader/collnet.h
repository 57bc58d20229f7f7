// A CollNet plugin as the engine uses it (CollNet v11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/engine/loader/net.h"
#include "tools/engine/ns_engine.h"

namespace netsense::engine {

struct CollNetReduction {
  void* send = nullptr;
  void* recv = nullptr;
  size_t count = 0;
  ns_type type = ns_float32;
  ns_op op = ns_sum;
  void* send_memory = nullptr;
  void* recv_memory = nullptr;
};

class CollNet {
 public:
  CollNet() = default;
  CollNet(const CollNet&) = delete;
  CollNet& operator=(const CollNet&) = delete;
  virtual ~CollNet() = default;

  [[nodiscard]] virtual const char* name() const = 0;
  virtual ns_result init(uint64_t comm_id, void** context) = 0;
  virtual ns_result finalize(void* context) = 0;
  virtual ns_result devices(int* count) = 0;
  virtual ns_result properties(int device, DeviceProperties* properties) = 0;
  virtual ns_result listen(void* context, int device, Handle* handle, void** listener) = 0;
  // Waits for all ranks. handles: by rank.
  virtual ns_result connect(std::vector<Handle>& handles, int rank, void* listener, void** comm) = 0;
  virtual ns_result reduce_support(ns_type type, ns_op op, int* supported) = 0;
  virtual ns_result register_memory(void* comm, void* data, size_t bytes, MemoryKind kind, void** memory) = 0;
  virtual ns_result deregister_memory(void* comm, void* memory) = 0;
  virtual ns_result iallreduce(void* comm, const CollNetReduction& reduction, void** request) = 0;
  virtual ns_result iflush(void* comm, void* data, int bytes, void* memory, void** request) = 0;
  virtual ns_result test(void* request, int* done, int* size) = 0;
  virtual ns_result close(void* comm) = 0;
  virtual ns_result close_listen(void* listener) = 0;
};

// ncclCollNetPlugin_v11 of a loaded library, which must outlive the result; null when there is none.
std::shared_ptr<CollNet> find_collnet(void* library);

}  // namespace netsense::engine
