#include "plugin/transport/tcp/trace_records.h"

#include <algorithm>

namespace netsense::tcp {
namespace {

uint32_t narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX));
}

uint32_t narrow(probe::Duration time) {
  return narrow(static_cast<uint64_t>(std::max<int64_t>(0, std::chrono::nanoseconds(time).count())));
}

float seconds(probe::Duration time) {
  return static_cast<float>(probe::to_seconds(time));
}

}  // namespace

telemetry::TraceBlock trace_of(const Block& block, const SendCoding::Decision& decision, probe::Duration took,
                               size_t payload_bytes) {
  return {.action = static_cast<uint8_t>(decision.action),
          .reason = static_cast<uint8_t>(decision.reason),
          .data_type = static_cast<uint8_t>(decision.type),
          .traffic_class = static_cast<uint8_t>(decision.traffic_class),
          .message = static_cast<uint32_t>(block.request->sequence),
          .message_bytes = narrow(block.request->bytes),
          .raw_bytes = narrow(block.bytes),
          .coded_bytes = narrow(payload_bytes),
          .raw_s = decision.expected[static_cast<size_t>(adapt::Action::kRaw)],
          .fast_s = decision.expected[static_cast<size_t>(adapt::Action::kFast)],
          .tight_s = decision.expected[static_cast<size_t>(adapt::Action::kTight)],
          .took_ns = narrow(took)};
}

telemetry::TracePath trace_of(const SendCoding::StreamLook& look, bool congested) {
  const probe::Estimate& path = look.path;
  const auto flags = (congested ? telemetry::kPathCongested : 0) |
                     (look.backed_up ? telemetry::kPathBackedUp : 0) |
                     (look.receiver_limited ? telemetry::kPathReceiverLimited : 0) |
                     (path.active ? telemetry::kPathActive : 0);
  return {.flags = static_cast<uint8_t>(flags),
          .rtprop_s = seconds(path.rtprop),
          .rtt_s = seconds(path.rtt),
          .host_queue_s = seconds(path.host_queue),
          .network_queue_s = seconds(path.network_queue),
          .delivery_bytes_per_s = static_cast<float>(path.delivery_rate),
          .btlbw_bytes_per_s = static_cast<float>(path.btlbw),
          .bdp_bytes = static_cast<float>(path.bdp_bytes),
          .in_flight_bytes = narrow(path.in_flight_bytes),
          .unsent_bytes = narrow(path.unsent_bytes)};
}

telemetry::TraceReceived trace_of(const core::FrameHeader& frame, probe::Duration decoding) {
  return {.codec = static_cast<uint8_t>(frame.codec),
          .message = static_cast<uint32_t>(frame.sequence),
          .raw_bytes = frame.raw_bytes,
          .coded_bytes = frame.coded_bytes,
          .took_ns = narrow(decoding),
          .sent_us = frame.sent_us};
}

}  // namespace netsense::tcp
