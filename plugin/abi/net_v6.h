// ncclNet_v6.
#pragma once

#include "plugin/abi/net_functions.h"

namespace netsense::abi {

struct NetPropertiesV6 {
  char* name;
  char* pci_path;  // in /sys, or null
  uint64_t guid;   // equal for the functions of one card
  int ptr_support;
  int speed_mbps;
  int port;
  float latency_us;
  int max_comms;
  int max_recvs;  // buffers in one irecv
};
static_assert(sizeof(NetPropertiesV6) == 48);
static_assert(offsetof(NetPropertiesV6, ptr_support) == 24 && offsetof(NetPropertiesV6, max_recvs) == 44);

struct NetV6 {
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV6> get_properties;
  NetListenV6 listen;
  Result (*connect)(int device, void* handle, void** send_comm);
  Result (*accept)(void* listen_comm, void** recv_comm);
  NetRegMr<int> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  NetIsend<int> isend;
  NetIrecv<int> irecv;
  NetIflush iflush;
  NetTest test;
  NetClose close_send;
  NetClose close_recv;
  NetClose close_listen;
};
static_assert(sizeof(NetV6) == 17 * 8);
static_assert(offsetof(NetV6, reg_mr) == 7 * 8 && offsetof(NetV6, close_listen) == 16 * 8);

}  // namespace netsense::abi
