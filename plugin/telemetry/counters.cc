#include "plugin/telemetry/counters.h"

#include "plugin/telemetry/words.h"

namespace netsense::telemetry {

uint64_t unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

Counters::~Counters() {
  if (own_) {
    const Revision revision(&slot_);
    if (slot_.state.load(std::memory_order_relaxed) == static_cast<uint64_t>(State::kOpen)) {
      Revision::put(&slot_.state, static_cast<uint64_t>(State::kClosed));
    }
    Revision::put(&slot_.closed_unix_ns, unix_ns());
  }
  closed_();
}

void Counters::sensed(const Path& path) {
  const uint64_t delay = count(path.host_queue + path.network_queue);
  // Without a round trip and a rate there is no delay to speak of yet.
  if (path.rtt.count() > 0) {
    add(&slot_.queue_delay[delay_bucket(delay)], 1);
    add(&slot_.queue_delay_sum_ns, delay);
  }
  if (!own_) return;
  const auto rate = [](double value) { return static_cast<uint64_t>(std::clamp(value, 0.0, 1e18)); };
  set(&slot_.rtprop_ns, count(path.rtprop));
  set(&slot_.rtt_ns, count(path.rtt));
  set(&slot_.btlbw_bytes_per_second, rate(path.btlbw_bytes_per_second));
  set(&slot_.delivery_bytes_per_second, rate(path.delivery_bytes_per_second));
  set(&slot_.bdp_bytes, rate(path.bdp_bytes));
  set(&slot_.host_queue_ns, count(path.host_queue));
  set(&slot_.network_queue_ns, count(path.network_queue));
}

void Counters::failed(std::string_view text) {
  add(&slot_.errors, 1);
  if (!own_) return;
  const Revision revision(&slot_);
  Revision::put(&slot_.state, static_cast<uint64_t>(State::kFailed));
  store_text(&slot_.error, text);
}

}  // namespace netsense::telemetry
