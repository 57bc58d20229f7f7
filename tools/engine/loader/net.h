// A network plugin as the engine uses it, whatever version of ncclNet stands behind it: the newest version's
// calls, with what an older one lacks left out by the adapter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/abi/common.h"
#include "tools/engine/ns_engine.h"

namespace netsense::engine {

inline constexpr size_t kHandleBytes = 128;  // NCCL_NET_HANDLE_MAXSIZE
using Handle = std::array<std::byte, kHandleBytes>;

enum class MemoryKind : int { kHost = 1, kCuda = 2 };  // NCCL_PTR_*

// The request on entry of an irecv whose completion nobody needs (NCCL_NET_OPTIONAL_RECV_COMPLETION).
inline void* const kCompletionOptional = reinterpret_cast<void*>(0x1);

struct DeviceProperties {
  std::string name;
  std::string pci_path;  // empty: none
  uint64_t guid = 0;
  int pointer_support = 0;  // bit mask of MemoryKind and NCCL_PTR_DMABUF
  int reg_is_global = 0;
  int force_flush = 0;
  int speed = 0;  // Mbit/s
  int port = 0;
  float latency = 0;  // microseconds
  int max_comms = 0;
  int max_recvs = 1;
  int device_type = 0;
  size_t max_p2p_bytes = size_t{1} << 30;
  size_t max_coll_bytes = size_t{1} << 30;
  int max_multi_request_size = 1;
};

// Hints on what comes (v11 and newer); kUndefined where NCCL does not say.
struct TrafficHint {
  int32_t max_peers = 0;
  int32_t min_peers = 0;
  int32_t max_flows = 0;
  int32_t min_flows = 0;
  bool operator==(const TrafficHint&) const = default;
};
inline constexpr int32_t kUndefined = -1;
struct NetAttributes {
  TrafficHint send{kUndefined, kUndefined, kUndefined, kUndefined};
  TrafficHint recv{kUndefined, kUndefined, kUndefined, kUndefined};
  uint32_t op = static_cast<uint32_t>(kUndefined);     // bits by Function
  uint32_t algo = static_cast<uint32_t>(kUndefined);   // bits by Algorithm
  uint32_t proto = static_cast<uint32_t>(kUndefined);  // bits by Protocol
  bool operator==(const NetAttributes&) const = default;
};

struct NetInit {
  uint64_t comm_id = 0;
  int traffic_class = -1;
  abi::ProfilerCallback profiler = nullptr;
};

// Where calls of irecv and iflush put their arrays.
struct RecvBuffers {
  int count = 0;
  void** data = nullptr;
  size_t* bytes = nullptr;
  int* tags = nullptr;
  void** memory = nullptr;
  void** phandles = nullptr;
};

class Net {
 public:
  Net() = default;
  Net(const Net&) = delete;
  Net& operator=(const Net&) = delete;
  virtual ~Net() = default;

  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual int version() const = 0;
  [[nodiscard]] bool has_contexts() const { return version() >= 11; }
  [[nodiscard]] virtual bool has_attributes() const = 0;

  virtual ns_result init(const NetInit& init, void** context) = 0;
  virtual ns_result finalize(void* context) = 0;
  virtual ns_result devices(int* count) = 0;
  virtual ns_result properties(int device, DeviceProperties* properties) = 0;
  virtual ns_result set_attributes(void* context, const NetAttributes& attributes) = 0;
  virtual ns_result listen(void* context, int device, Handle* handle, void** listener) = 0;
  // *comm stays null until the peer has answered.
  virtual ns_result connect(void* context, int device, Handle* handle, void** comm) = 0;
  virtual ns_result accept(void* listener, void** comm) = 0;
  virtual ns_result register_memory(void* comm, void* data, size_t bytes, MemoryKind kind, void** memory) = 0;
  virtual ns_result deregister_memory(void* comm, void* memory) = 0;
  virtual ns_result isend(void* comm, void* data, size_t bytes, int tag, void* memory, void* phandle,
                          void** request) = 0;
  virtual ns_result irecv(void* comm, const RecvBuffers& buffers, void** request) = 0;
  virtual ns_result iflush(void* comm, int count, void** data, int* bytes, void** memory, void** request) = 0;
  // sizes: null, or room for as many as the request has buffers.
  virtual ns_result test(void* request, int* done, int* sizes) = 0;
  virtual ns_result close_send(void* comm) = 0;
  virtual ns_result close_recv(void* comm) = 0;
  virtual ns_result close_listen(void* listener) = 0;
};

}  // namespace netsense::engine
