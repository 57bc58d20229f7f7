// ncclNet_v9: sizes are size_t, the plugin states the largest transfer, and NICs can be merged.
#pragma once

#include "plugin/abi/net_functions.h"

namespace netsense::abi {

template <int kMaxDevices>
struct VirtualDevice {
  int device_count;
  int devices[kMaxDevices];
};
using VirtualDeviceV9 = VirtualDevice<kMaxDevicesPerNicV9>;
static_assert(sizeof(VirtualDeviceV9) == 20);

template <typename Virtual>
struct NetPropertiesSinceV9 {
  char* name;
  char* pci_path;
  uint64_t guid;
  int ptr_support;
  int reg_is_global;  // a region is good for every comm
  int force_flush;
  int speed_mbps;
  int port;
  float latency_us;
  int max_comms;
  int max_recvs;
  int device_type;
  int device_version;
  Virtual virtual_device;
  size_t max_p2p_bytes;
  size_t max_coll_bytes;
};
using NetPropertiesV9 = NetPropertiesSinceV9<VirtualDeviceV9>;
static_assert(sizeof(NetPropertiesV9) == 104);
static_assert(offsetof(NetPropertiesV9, virtual_device) == 64 &&
              offsetof(NetPropertiesV9, max_p2p_bytes) == 88);

// v9 and v10 differ in four entries.
template <typename Init, typename Connect, typename Isend, typename Irecv>
struct NetTableV9 {
  const char* name;
  Init init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV9> get_properties;
  NetListenV6 listen;
  Connect connect;
  NetAcceptV7 accept;
  NetRegMr<size_t> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  Isend isend;
  Irecv irecv;
  NetIflush iflush;
  NetTest test;
  NetClose close_send;
  NetClose close_recv;
  NetClose close_listen;
  NetGetDeviceMr get_device_mr;
  NetIrecvConsumed irecv_consumed;
  NetMakeVDevice<VirtualDeviceV9> make_vdevice;
};

using NetV9 = NetTableV9<NetInitV6, NetConnectV7, NetIsend<size_t>, NetIrecv<size_t>>;
static_assert(sizeof(NetV9) == 20 * 8 && offsetof(NetV9, make_vdevice) == 19 * 8);

}  // namespace netsense::abi
