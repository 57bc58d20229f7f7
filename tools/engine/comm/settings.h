// The environment variables that change what a plugin sees, read when a communicator is made.
#pragma once

#include <string>

#include "tools/engine/loader/net.h"
#include "tools/engine/plan/plan.h"

namespace netsense::engine {

struct EngineSettings {
  PlanSettings plan;
  ChannelLimits channels;
  Choices choices;
  bool completion_optional = true;  // NCCL_NET_OPTIONAL_RECV_COMPLETION
  bool gpu_direct_allowed = false;  // NCCL_NET_GDR_LEVEL set, and not to LOC or 0
  bool collnet = false;             // NCCL_COLLNET_ENABLE
  int usable_devices = 1;           // NCCL_NETDEVS_POLICY: AUTO (one), ALL, MAX:n
};

// Throws ns_invalid_usage for values of NCCL_ALGO or NCCL_PROTO that mean nothing.
EngineSettings read_settings();

}  // namespace netsense::engine
