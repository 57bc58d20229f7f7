// ncclNet_v8: regions of any size, and registration that is not tied to one comm.
#pragma once

#include "plugin/abi/net_v7.h"

namespace netsense::abi {

struct NetPropertiesV8 {
  char* name;
  char* pci_path;
  uint64_t guid;
  int ptr_support;
  int reg_is_global;
  int speed_mbps;
  int port;
  float latency_us;
  int max_comms;
  int max_recvs;
  int device_type;
  int device_version;
};
static_assert(sizeof(NetPropertiesV8) == 64);
static_assert(offsetof(NetPropertiesV8, speed_mbps) == 32 && offsetof(NetPropertiesV8, device_version) == 56);

using NetV8 = NetTableV7<NetPropertiesV8, size_t>;
static_assert(sizeof(NetV8) == sizeof(NetV7));

}  // namespace netsense::abi
