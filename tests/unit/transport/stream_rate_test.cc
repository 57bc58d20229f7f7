// The rate of a stream, on made-up time series.
#include "plugin/transport/tcp/stream_rate.h"

#include "tests/catch.h"

namespace netsense::tcp {
namespace {

using namespace std::chrono_literals;

// Feeds a stream that always has 1 MB on its way and delivers `rate` bytes per second for `time`.
void deliver(StreamRate* estimate, StreamRate::Time* now, uint64_t* acknowledged, double rate,
             std::chrono::milliseconds time) {
  for (std::chrono::milliseconds t{0}; t < time; t += 1ms) {
    *now += 1ms;
    *acknowledged += static_cast<uint64_t>(rate / 1000);
    estimate->update(*now, *acknowledged + 1000000, 1000000);
  }
}

}  // namespace

TEST_CASE("the estimate finds the rate of a busy stream and follows it both ways") {
  StreamRate estimate;
  StreamRate::Time now{};
  uint64_t acknowledged = 0;
  CHECK(estimate.bytes_per_second() == 0);
  deliver(&estimate, &now, &acknowledged, 100e6, 100ms);
  CHECK(estimate.bytes_per_second() > 95e6);
  CHECK(estimate.bytes_per_second() < 105e6);
  deliver(&estimate, &now, &acknowledged, 10e6, 200ms);
  CHECK(estimate.bytes_per_second() < 11e6);
  deliver(&estimate, &now, &acknowledged, 50e6, 200ms);
  CHECK(estimate.bytes_per_second() > 49e6);
}

TEST_CASE("a stream that had nothing to send is not taken for a slow one") {
  StreamRate estimate;
  StreamRate::Time now{};
  uint64_t acknowledged = 0;
  deliver(&estimate, &now, &acknowledged, 100e6, 100ms);
  const double before = estimate.bytes_per_second();
  // Nothing on its way for a while, then a little.
  for (int i = 0; i < 50; ++i) {
    now += 10ms;
    acknowledged += 1000;
    estimate.update(now, acknowledged, 0);
  }
  CHECK(estimate.bytes_per_second() >= before);
}

TEST_CASE("a short burst does not make a slow stream look fast") {
  StreamRate estimate;
  StreamRate::Time now{};
  uint64_t acknowledged = 0;
  deliver(&estimate, &now, &acknowledged, 1e6, 100ms);
  const double before = estimate.bytes_per_second();
  // 16 KiB that arrive at once, and nothing on its way before or after.
  now += 10ms;
  estimate.update(now, acknowledged, 0);
  now += 5ms;
  acknowledged += 16384;
  estimate.update(now, acknowledged, 0);
  CHECK(estimate.bytes_per_second() > before);
  CHECK(estimate.bytes_per_second() < 2 * before);
}

}  // namespace netsense::tcp
