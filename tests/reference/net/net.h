// What the plugins built here do, whatever the version of the ABI: the adapters translate to these calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "plugin/core/log.h"
#include "plugin/core/status.h"

namespace netsense::reference {

// NCCL's ncclProfilerCallback_t: (eHandle, type, pHandle, pluginId, extData).
using ProfilerCallback = Status (*)(void** event, int type, void* parent, int64_t plugin_id, void* data);

struct Device {
  std::string name;
  std::string pci_path;
  int pointer_types = 1;  // NCCL_PTR_*
  int speed_mbps = 0;
  int grouped_receives = 1;
};

Status net_init(LogFunction log, ProfilerCallback profiler);
Status net_devices(int* count);
// Null when there is no such device. Valid until the process ends.
const Device* net_device(int number);

Status net_listen(int device, void* handle, void** listener);
Status net_connect(int device, void* handle, void** send_comm);
Status net_accept(void* listener, void** recv_comm);
Status net_close_listen(void* listener);
Status net_close_send(void* comm);
Status net_close_recv(void* comm);

Status net_register(int type, void** region);
Status net_deregister(void* region);

// *request is null when the caller shall try again. profiler_handle may be null.
Status net_isend(void* comm, void* data, size_t bytes, int tag, void* profiler_handle, void** request);
Status net_irecv(void* comm, int count, void** data, const size_t* bytes, const int* tags,
                 void** profiler_handles, void** request);
Status net_iflush(void* comm, void** request);
Status net_test(void* request, int* done, int* sizes);

}  // namespace netsense::reference
