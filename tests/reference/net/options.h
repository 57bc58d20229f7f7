// What sets the two plugins built here apart: the plain one keeps the defaults, the conformance plugin can be
// told by REFNET_ variables of the environment to behave as plugins may.
#pragma once

#include "tests/reference/tcp/connection.h"

namespace netsense::reference {

struct Options {
  const char* device_name = "";  // the device's number follows; empty: the interface's name
  int speed_mbps = 0;            // of every device; 0: the interface's
  int devices = 1;               // REFNET_DEVICES: 1 to 2, all on the same interface
  bool cuda_pointers = false;    // REFNET_CUDA: offers NCCL_PTR_CUDA; the memory is host memory all the same
  int grouped_receives = 1;      // REFNET_MAX_RECVS: 1 to kMaxGroupedReceives
  int connect_refusals = 0;      // REFNET_CONNECT_LATER: how often each connect says "not yet" at first
  int isend_refusals = 0;        // REFNET_ISEND_NULL: how often each isend says "not yet" at first
  int irecv_refusals = 0;        // REFNET_IRECV_NULL: the same for irecv
  OnPeerClose on_peer_close = OnPeerClose::kError;  // conformance: silent unless REFNET_EOF=error
  int profiler_mask = 0;  // REFNET_PROFILER=1 asks for the usual events, REFNET_PROFILER_MASK for any
};

// Each plugin library defines its own.
Options read_options();

}  // namespace netsense::reference
