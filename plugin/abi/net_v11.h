// ncclNet_v11: one context per communicator, and hints about the traffic to come.
#pragma once

#include "plugin/abi/net_v10.h"

namespace netsense::abi {

using NetConfigV11 = NetConfigV10;

struct NetPropertiesV11 : NetPropertiesV9 {
  int max_multi_request;
};
static_assert(sizeof(NetPropertiesV11) == 112);

struct NetPeerAttributesV11 {
  int32_t max_concurrent_peers;
  int32_t min_concurrent_peers;
  int32_t max_flows_per_peer;
  int32_t min_flows_per_peer;
};

struct NetAttributesV11 {
  NetPeerAttributesV11 send;
  NetPeerAttributesV11 recv;
  uint32_t op;         // bit mask of ncclFunc_t
  uint32_t algorithm;  // bit masks of NCCL_ALGO_* and NCCL_PROTO_*
  uint32_t protocol;
};
static_assert(sizeof(NetAttributesV11) == 44 && offsetof(NetAttributesV11, op) == 32);

// v11 and v12 differ in the properties and in how many NICs can be merged.
template <typename Properties, typename Virtual>
struct NetTableV11 {
  const char* name;
  Result (*init)(void** context, uint64_t comm_id, NetConfigV11* config, DebugLogger logger,
                 ProfilerCallback profiler);
  NetDevices devices;
  NetGetProperties<Properties> get_properties;
  NetListenV11 listen;
  Result (*connect)(void* context, int device, void* handle, void** send_comm,
                    NetDeviceHandle** device_handle);
  NetAcceptV7 accept;
  NetRegMr<size_t> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  NetIsendV10 isend;
  NetIrecvV10 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose close_send;
  NetClose close_recv;
  NetClose close_listen;
  NetGetDeviceMr get_device_mr;
  NetIrecvConsumed irecv_consumed;
  NetMakeVDevice<Virtual> make_vdevice;
  NetFinalize finalize;
  Result (*set_net_attributes)(void* context, NetAttributesV11* attributes);
};

using NetV11 = NetTableV11<NetPropertiesV11, VirtualDeviceV9>;
static_assert(sizeof(NetV11) == 22 * 8 && offsetof(NetV11, set_net_attributes) == 21 * 8);

}  // namespace netsense::abi
