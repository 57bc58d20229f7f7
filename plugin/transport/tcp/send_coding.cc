#include "plugin/transport/tcp/send_coding.h"

#include <algorithm>
#include <bit>

#include "plugin/adapt/byte_type.h"
#include "plugin/core/profile.h"
#include "plugin/transport/tcp/trace_records.h"
#include "probe/peer_estimate.h"

namespace netsense::tcp {
namespace {

// The bytes are looked at again after so many blocks: a class may carry one type now and another later.
constexpr unsigned kBlocksPerLook = 64;
// The path is looked at more often than a trace needs it.
constexpr std::chrono::milliseconds kTraceEvery{2};

size_t class_of(size_t message_bytes, size_t classes) {
  constexpr int kSmallest = 16;  // log2
  const int log2 = std::bit_width(message_bytes) - 1;
  return std::min(static_cast<size_t>(std::max(0, log2 - kSmallest)) / 2, classes - 1);
}

}  // namespace

SendCoding::SendCoding(const CodingRules& rules, bool peer_decodes, size_t streams, bool traced)
    : rules_(rules),
      on_(rules.mode != config::Mode::kOff && peer_decodes),
      traced_(traced),
      senses_(traced),
      looks_(streams),
      estimates_(streams) {
  traffic_.reserve(kClasses);
  for (size_t i = 0; i < kClasses; ++i) traffic_.emplace_back(rules.codec);
}

SendCoding::~SendCoding() {
  if (wants_types_) core::want_traffic_info(false);
}

adapt::Reason SendCoding::held_back(const void* data, size_t bytes, const transport::Region* region,
                                    const transport::MessageHints& hints) {
  if (!on_) return adapt::Reason::kOff;
  if (hints.content != transport::Content::kUnknown && !senses()) {
    senses_.store(true, std::memory_order_relaxed);
  }
  if (hints.content == transport::Content::kCoded) return adapt::Reason::kCoded;
  if (bytes < rules_.min_bytes) return adapt::Reason::kTooSmall;
  if (hints.content == transport::Content::kPlain) return adapt::Reason::kNone;
  if (region == nullptr) return adapt::Reason::kUnregistered;
  if (region->kind() != transport::BufferKind::kSimple || (hints.low_latency && !region->surely_simple())) {
    return adapt::Reason::kLowLatency;
  }
  if (adapt::looks_like_ll(data, bytes)) return adapt::Reason::kLowLatency;
  if (!senses()) senses_.store(true, std::memory_order_relaxed);
  return adapt::Reason::kNone;
}

void SendCoding::sensed(probe::Time now, size_t stream, const StreamLook& look, telemetry::Counters* counters,
                        const telemetry::ConnectionTrace& trace) {
  if (!deciding_.try_lock()) return;
  looks_[stream] = look;
  std::ranges::transform(looks_, estimates_.begin(), &StreamLook::path);
  const bool any_backed_up = std::ranges::any_of(looks_, &StreamLook::backed_up);
  const probe::Estimate whole = probe::combine(estimates_);
  congestion_.update(now, whole, any_backed_up);
  uint64_t delivered = 0;
  for (const StreamLook& one : looks_) delivered += one.delivered_bytes;
  published_.delivered_bytes.store(delivered, std::memory_order_relaxed);
  published_.rtprop_seconds.store(probe::to_seconds(whole.rtprop), std::memory_order_relaxed);
  if (congestion_.present(now) && adapt::Congestion::is_sign(whole, any_backed_up)) {
    published_.congested_at.store(now, std::memory_order_relaxed);
  }
  counters->sensed({.rtprop = whole.rtprop,
                    .rtt = whole.rtt,
                    .btlbw_bytes_per_second = whole.btlbw,
                    .delivery_bytes_per_second = whole.delivery_rate,
                    .bdp_bytes = whole.bdp_bytes,
                    .host_queue = whole.host_queue,
                    .network_queue = whole.network_queue});
  if (trace.on() && now - last_traced_ >= kTraceEvery) {
    last_traced_ = now;
    trace.put(now, stream,
              trace_of({.path = whole,
                        .backed_up = any_backed_up,
                        .receiver_limited = std::ranges::any_of(looks_, &StreamLook::receiver_limited)},
                       congestion_.present(now)));
  }
  deciding_.unlock();
}

transport::PathView SendCoding::path() const {
  return {.delivered_bytes = published_.delivered_bytes.load(std::memory_order_relaxed),
          .rtprop_seconds = published_.rtprop_seconds.load(std::memory_order_relaxed),
          .congested_at = published_.congested_at.load(std::memory_order_relaxed)};
}

void SendCoding::review(probe::Time now) {
  if (!on_ || !senses() || !deciding_.try_lock()) return;
  const bool coding = rules_.codec != config::CodecChoice::kAuto || congestion_.present(now);
  deciding_.unlock();
  if (coding == wants_types_) return;
  wants_types_ = coding;
  core::want_traffic_info(coding);
}

SendCoding::Decision SendCoding::decide(probe::Time now, const Block& block) {
  Decision decision{.traffic_class = class_of(block.request->bytes, kClasses)};
  decision.reason = adapt::Reason::kBusy;
  if (!deciding_.try_lock()) return decision;
  Traffic& traffic = traffic_[decision.traffic_class];
  decision.action = traffic.controller.choose(now, congestion_, block.bytes);
  decision.reason = traffic.controller.reason();
  if (traced_) {
    for (size_t i = 0; i < decision.expected.size(); ++i) {
      decision.expected[i] = static_cast<float>(
          traffic.controller.expected(static_cast<adapt::Action>(i), congestion_, block.bytes));
    }
  }
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
