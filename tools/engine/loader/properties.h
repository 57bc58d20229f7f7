// Device properties of any version in the form of the newest.
#pragma once

#include "plugin/abi/common.h"
#include "tools/engine/loader/net.h"

namespace netsense::engine {

template <typename Properties>
DeviceProperties convert_properties(const Properties& theirs) {
  DeviceProperties ours;
  ours.name = theirs.name == nullptr ? "" : theirs.name;
  ours.pci_path = theirs.pci_path == nullptr ? "" : theirs.pci_path;
  ours.guid = theirs.guid;
  ours.pointer_support = theirs.ptr_support;
  ours.speed = theirs.speed_mbps;
  ours.port = theirs.port;
  ours.latency = theirs.latency_us;
  ours.max_comms = theirs.max_comms;
  ours.max_recvs = theirs.max_recvs;
  ours.max_p2p_bytes = abi::kMaxNetBytes;
  ours.max_coll_bytes = abi::kMaxCollNetBytes;
  if constexpr (requires { theirs.reg_is_global; }) ours.reg_is_global = theirs.reg_is_global;
  if constexpr (requires { theirs.force_flush; }) ours.force_flush = theirs.force_flush;
  if constexpr (requires { theirs.device_type; }) ours.device_type = theirs.device_type;
  if constexpr (requires { theirs.max_p2p_bytes; }) {
    ours.max_p2p_bytes = theirs.max_p2p_bytes;
    ours.max_coll_bytes = theirs.max_coll_bytes;
  }
  if constexpr (requires { theirs.max_multi_request; })
    ours.max_multi_request_size = theirs.max_multi_request;
  return ours;
}

}  // namespace netsense::engine
