#include "plugin/transport/tcp/send_coding.h"

#include <algorithm>
#include <bit>

#include "plugin/adapt/byte_type.h"
#include "plugin/core/profile.h"
#include "probe/peer_estimate.h"

namespace netsense::tcp {
namespace {

// The bytes are looked at again after so many blocks: a class may carry one type now and another later.
constexpr unsigned kBlocksPerLook = 64;

size_t class_of(size_t message_bytes, size_t classes) {
  constexpr int kSmallest = 16;  // log2
  const int log2 = std::bit_width(message_bytes) - 1;
  return std::min(static_cast<size_t>(std::max(0, log2 - kSmallest)) / 2, classes - 1);
}

}  // namespace

SendCoding::SendCoding(const CodingRules& rules, bool peer_decodes, size_t streams)
    : rules_(rules),
      on_(rules.mode != config::Mode::kOff && peer_decodes),
      paths_(streams),
      estimates_(streams) {
  traffic_.reserve(kClasses);
  for (size_t i = 0; i < kClasses; ++i) traffic_.emplace_back(rules.codec);
}

SendCoding::~SendCoding() {
  if (wants_types_) core::want_traffic_info(false);
}

bool SendCoding::codable(const void* data, size_t bytes, const transport::Region* region,
                         const transport::MessageHints& hints) {
  if (!on_ || bytes < rules_.min_bytes || region == nullptr) return false;
  if (region->kind() != transport::BufferKind::kSimple || (hints.low_latency && !region->surely_simple())) {
    return false;
  }
  if (adapt::looks_like_ll(data, bytes)) return false;
  if (!senses()) senses_.store(true, std::memory_order_relaxed);
  return true;
}

void SendCoding::sensed(probe::Time now, size_t stream, const probe::Estimate& path, bool backed_up,
                        telemetry::Counters* counters) {
  if (!deciding_.try_lock()) return;
  paths_[stream] = {path, backed_up};
  std::ranges::transform(paths_, estimates_.begin(), &StreamPath::path);
  const bool any_backed_up = std::ranges::any_of(paths_, &StreamPath::backed_up);
  const probe::Estimate whole = probe::combine(estimates_);
  congestion_.update(now, whole, any_backed_up);
  counters->sensed({.rtprop = whole.rtprop,
                    .rtt = whole.rtt,
                    .btlbw_bytes_per_second = whole.btlbw,
                    .delivery_bytes_per_second = whole.delivery_rate,
                    .bdp_bytes = whole.bdp_bytes,
                    .host_queue = whole.host_queue,
                    .network_queue = whole.network_queue});
  deciding_.unlock();
}

void SendCoding::review(probe::Time now) {
  if (!senses() || !deciding_.try_lock()) return;
  const bool coding = rules_.codec != config::CodecChoice::kAuto || congestion_.present(now);
  deciding_.unlock();
  if (coding == wants_types_) return;
  wants_types_ = coding;
  core::want_traffic_info(coding);
}

SendCoding::Decision SendCoding::decide(probe::Time now, const Block& block) {
  Decision decision{.traffic_class = class_of(block.request->bytes, kClasses)};
  if (!deciding_.try_lock()) return decision;
  Traffic& traffic = traffic_[decision.traffic_class];
  decision.action = traffic.controller.choose(now, congestion_, block.bytes);
  if (decision.action == adapt::Action::kRaw) {
    deciding_.unlock();
    return decision;
  }
  if (const auto known = adapt::type_of(block.request->coding.data_type)) {
    decision.type = *known;
  } else {
    if (traffic.blocks_until_look == 0) {
      traffic.type = adapt::guess_type(block.request->data, block.request->bytes);
      traffic.blocks_until_look = kBlocksPerLook;
    }
    --traffic.blocks_until_look;
    decision.type = traffic.type;
  }
  deciding_.unlock();
  return decision;
}

void SendCoding::coded(probe::Time now, const Decision& decision, size_t raw_bytes, size_t coded_bytes,
                       probe::Duration took) {
  if (!deciding_.try_lock()) return;
  traffic_[decision.traffic_class].controller.coded(now, decision.action, raw_bytes, coded_bytes, took);
  deciding_.unlock();
}

}  // namespace netsense::tcp
