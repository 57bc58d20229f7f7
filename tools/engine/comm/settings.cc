#include "tools/engine/comm/settings.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "tools/engine/base/env.h"
#include "tools/engine/base/error.h"

namespace netsense::engine {
namespace {

int usable_devices(const std::string& policy) {
  constexpr std::string_view kMax = "MAX:";
  if (policy == "ALL") return std::numeric_limits<int>::max();
  int count = 1;
  if (policy.starts_with(kMax)) {
    std::from_chars(policy.data() + kMax.size(), policy.data() + policy.size(), count);
  }
  return std::max(count, 1);
}

}  // namespace

EngineSettings read_settings() {
  EngineSettings settings;
  PlanSettings& plan = settings.plan;
  auto& buffers = plan.buffer_bytes;
  const auto bytes = [](const char* name, size_t otherwise) {
    const int64_t value = env_int(name, -2);
    return value > 0 ? static_cast<size_t>(value) : otherwise;
  };
  buffers[static_cast<size_t>(Protocol::kLL)] = bytes("NCCL_LL_BUFFSIZE", buffers[0]);
  buffers[static_cast<size_t>(Protocol::kLL128)] = bytes("NCCL_LL128_BUFFSIZE", buffers[1]);
  buffers[static_cast<size_t>(Protocol::kSimple)] = bytes("NCCL_BUFFSIZE", buffers[2]);
  const size_t step = buffers[static_cast<size_t>(Protocol::kSimple)] / kSteps;
  plan.p2p_chunk_bytes = std::min(bytes("NCCL_P2P_NET_CHUNKSIZE", plan.p2p_chunk_bytes), step);
  plan.chunk_bytes = bytes("NCCL_CHUNK_SIZE", 0);
  plan.p2p_ll_threshold =
      static_cast<size_t>(env_int("NCCL_P2P_LL_THRESHOLD", static_cast<int64_t>(plan.p2p_ll_threshold)));
  plan.p2p_ll_buffers = env_int("NCCL_ALLOC_P2P_NET_LL_BUFFERS", 0) != 0;

  ChannelLimits& channels = settings.channels;
  const auto limit = [](const char* name, int otherwise) {
    const int64_t value = env_int(name, -2);
    return value > 0 ? static_cast<int>(value) : otherwise;
  };
  channels.min_channels = limit("NCCL_MIN_NCHANNELS", limit("NCCL_MIN_CTAS", 0));
  channels.max_channels = limit("NCCL_MAX_NCHANNELS", limit("NCCL_MAX_CTAS", 0));
  channels.min_p2p_channels = limit("NCCL_MIN_P2P_NCHANNELS", channels.min_p2p_channels);
  channels.max_p2p_channels = limit("NCCL_MAX_P2P_NCHANNELS", channels.max_p2p_channels);
  channels.p2p_channels_per_peer = limit("NCCL_NCHANNELS_PER_NET_PEER", 0);

  std::string error;
  const ns_result parsed = parse_choices(env_string("NCCL_ALGO").value_or(""),
                                         env_string("NCCL_PROTO").value_or(""), settings.choices, error);
  if (parsed != ns_success) fail(parsed, "{}", error);

  settings.completion_optional = env_int("NCCL_NET_OPTIONAL_RECV_COMPLETION", 1) != 0;
  const std::string level = env_string("NCCL_NET_GDR_LEVEL").value_or("LOC");
  settings.gpu_direct_allowed = level != "LOC" && level != "0";
  settings.collnet = env_int("NCCL_COLLNET_ENABLE", 0) != 0;
  settings.usable_devices = usable_devices(env_string("NCCL_NETDEVS_POLICY").value_or("AUTO"));
  return settings;
}

}  // namespace netsense::engine
