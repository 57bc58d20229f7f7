// The entries of the net tables by type, each named after the first version that has it in this form.
#pragma once

#include "plugin/abi/common.h"

namespace netsense::abi {

using NetInitV6 = Result (*)(DebugLogger logger);
using NetDevices = Result (*)(int* count);
template <typename Properties>
using NetGetProperties = Result (*)(int device, Properties* properties);
using NetListenV6 = Result (*)(int device, void* handle, void** listen_comm);
using NetListenV11 = Result (*)(void* context, int device, void* handle, void** listen_comm);
// connect and accept are called again until they hand back a comm, so that nothing blocks.
using NetConnectV7 = Result (*)(int device, void* handle, void** send_comm, NetDeviceHandle** device_handle);
using NetAcceptV7 = Result (*)(void* listen_comm, void** recv_comm, NetDeviceHandle** device_handle);

template <typename Size>
using NetRegMr = Result (*)(void* comm, void* data, Size bytes, int type, void** region);
using NetRegMrDmaBuf = Result (*)(void* comm, void* data, size_t bytes, int type, uint64_t offset, int fd,
                                  void** region);
using NetDeregMr = Result (*)(void* comm, void* region);

template <typename Size>
using NetIsend = Result (*)(void* comm, void* data, Size bytes, int tag, void* region, void** request);
template <typename Size>
using NetIrecv = Result (*)(void* comm, int count, void** data, Size* bytes, int* tags, void** regions,
                            void** request);
// parent, parents: what profiler events of this transfer belong to.
using NetIsendV10 = Result (*)(void* comm, void* data, size_t bytes, int tag, void* region, void* parent,
                               void** request);
using NetIrecvV10 = Result (*)(void* comm, int count, void** data, size_t* bytes, int* tags, void** regions,
                               void** parents, void** request);
using NetIflush = Result (*)(void* comm, int count, void** data, int* bytes, void** regions, void** request);
using NetTest = Result (*)(void* request, int* done, int* bytes);
using NetClose = Result (*)(void* comm);

using NetGetDeviceMr = Result (*)(void* comm, void* region, void** device_region);
using NetIrecvConsumed = Result (*)(void* comm, int count, void* request);
template <typename VirtualDevice>
using NetMakeVDevice = Result (*)(int* device, VirtualDevice* properties);
using NetFinalize = Result (*)(void* context);

}  // namespace netsense::abi
