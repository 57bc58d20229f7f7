// What every version of NCCL's plugin ABIs shares. The declarations here and in the other headers of this
// folder are ours; the layout is NCCL's, for LP64 (x86-64 and aarch64), and held by static_asserts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugin/core/log_level.h"
#include "plugin/core/status.h"

namespace netsense::abi {

static_assert(sizeof(void*) == 8 && sizeof(int) == 4 && sizeof(size_t) == 8,
              "the layouts below are for LP64");

// ncclResult_t.
using Result = Status;
static_assert(sizeof(Result) == sizeof(int));

inline constexpr size_t kNetHandleBytes = 128;           // NCCL_NET_HANDLE_MAXSIZE
inline constexpr int kMaxDevicesPerNicV9 = 4;            // NCCL_NET_MAX_DEVS_PER_NIC up to net v11
inline constexpr int kMaxDevicesPerNicV12 = 8;           // and from net v12
inline constexpr size_t kMaxNetBytes = size_t{1} << 30;  // what NCCL assumes of v6 to v8, which do not say
inline constexpr size_t kMaxCollNetBytes = size_t{1} << 29;  // the same for collective networks

// Value of *request on entry to irecv (net v9 and newer): the reader polls flags inside the data, so NCCL may
// never ask whether this request has finished.
inline constexpr uintptr_t kOptionalRecvCompletion = 0x1;  // NCCL_NET_OPTIONAL_RECV_COMPLETION

// NCCL_PTR_HOST and NCCL_PTR_DMABUF: bits in the properties, values in regMr.
inline constexpr int kPtrHost = 0x1;
inline constexpr int kPtrDmaBuf = 0x4;

// A traffic class, attribute or rail that nobody has set.
inline constexpr int kUndefined = -1;

using DebugLogger = LogFunction;

// By which a network reports events of its own. type: 0 start, 1 stop, 2 update, 3 update and stop.
using ProfilerCallback = Result (*)(void** event, int type, void* parent, int64_t plugin_id, void* data);

// ncclDataType_t, ncclRedOp_t and ncclFunc_t travel as plain numbers.
using DataType = int;
using ReduceOp = int;
using Function = int;

// A network that moves data by device code. Only a host network (0) exists here.
inline constexpr int kNetDeviceHost = 0;

struct NetDeviceHandle {
  int device_type;
  int device_version;
  void* handle;
  size_t size;
  int needs_proxy_progress;
};
static_assert(sizeof(NetDeviceHandle) == 32 && offsetof(NetDeviceHandle, needs_proxy_progress) == 24);

}  // namespace netsense::abi
