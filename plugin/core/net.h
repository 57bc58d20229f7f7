// The one internal API behind every version of ncclNet: plugin/abi translates each version to these calls.
// Every function is noexcept: an exception ends here as an error and a WARN, never in NCCL.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugin/core/log.h"
#include "plugin/core/status.h"
#include "plugin/transport/transport.h"

namespace netsense::core {

// One per communicator (net v11 and newer), or one shared by all (v6 to v10, where NCCL passes no context).
struct Context;

struct InitArgs {
  int abi_version = 0;        // which ncclNetPlugin_vN NCCL chose
  LogFunction log = nullptr;  // may be null
};

// NCCL calls init once per communicator (v11+), or possibly once in all (v6 to v10).
Status net_init(const InitArgs& args, Context** context) noexcept;
Status net_finalize(Context* context) noexcept;
// What NCCL says of the traffic that comes next (setNetAttr): bit masks of ncclFunc_t and NCCL_PROTO_*.
Status net_announce(Context* context, uint32_t functions, uint32_t protocols) noexcept;

Status net_devices(int* count) noexcept;
// The strings stay valid until the process ends.
Status net_properties(int device, const transport::DeviceInfo** info) noexcept;

// handle: transport::kHandleSize bytes. context may be null (v6 to v10).
Status net_listen(Context* context, int device, void* handle, void** listener) noexcept;
Status net_connect(Context* context, int device, void* handle, void** send_comm) noexcept;
Status net_accept(void* listener, void** recv_comm) noexcept;
Status net_close_listen(void* listener) noexcept;
Status net_close_send(void* comm) noexcept;
Status net_close_recv(void* comm) noexcept;

// type: NCCL_PTR_HOST and so on. comm: from net_connect or net_accept.
Status net_reg_mr(void* comm, void* data, size_t bytes, int type, void** region) noexcept;
Status net_dereg_mr(void* comm, void* region) noexcept;

// On entry *request may hold NCCL's hint NCCL_NET_OPTIONAL_RECV_COMPLETION (net_irecv, v9 and newer: the
// adapter passes it as completion_optional). On return null means "not now, call again".
// phandle: of the profiler's event of this transfer, or null (before v10).
Status net_isend(void* comm, void* data, size_t bytes, int tag, void* region, const void* phandle,
                 void** request) noexcept;
Status net_irecv(void* comm, int count, void** data, const size_t* bytes, const int* tags, void** regions,
                 bool completion_optional, void** request) noexcept;
Status net_iflush(void* comm, int count, void** data, const int* bytes, void** regions,
                  void** request) noexcept;
// bytes: null, or as many entries as the request had buffers.
Status net_test(void* request, int* done, int* bytes) noexcept;

}  // namespace netsense::core
