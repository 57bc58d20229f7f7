// The rate of a stream, on made-up time series.
#include "plugin/transport/tcp/stream_rate.h"

#include <algorithm>

#include "tests/catch.h"

namespace netsense::tcp {
namespace {

using namespace std::chrono_literals;

// A stream as the estimator sees it.
struct Stream {
  StreamRate estimate;
  StreamRate::Time now{};
  uint64_t acknowledged = 0;
  uint64_t written = 0;

  // Delivers `rate` bytes per second for `time`, always with `backlog` bytes on the way.
  void deliver(double rate, std::chrono::milliseconds time, uint64_t backlog = 1000000) {
    for (std::chrono::milliseconds t{0}; t < time; t += 1ms) {
      now += 1ms;
      acknowledged += static_cast<uint64_t>(rate / 1000);
      written = std::max(written, acknowledged + backlog);
      look();
    }
  }
  // All that is on the way arrives at once.
  void drain() {
    now += 1ms;
    acknowledged = written;
    look();
  }
  void look() { estimate.update(now, written, written - acknowledged); }
  [[nodiscard]] double rate() const { return estimate.bytes_per_second(); }
};

}  // namespace

TEST_CASE("the estimate finds the rate of a busy stream and follows it both ways") {
  Stream stream;
  CHECK(stream.rate() == 0);
  stream.deliver(100e6, 100ms);
  CHECK(stream.rate() > 95e6);
  CHECK(stream.rate() < 105e6);
  stream.deliver(10e6, 600ms);
  CHECK(stream.rate() > 9e6);
  CHECK(stream.rate() < 12e6);
  stream.deliver(50e6, 200ms);
  CHECK(stream.rate() > 49e6);
}

TEST_CASE("a stream that stops delivering is seen at once, and its return as well") {
  Stream stream;
  stream.deliver(100e6, 100ms);
  stream.deliver(0, 500ms);
  CHECK(stream.rate() < 5e6);
  // A pause, for a retransmission say, must not leave the stream with a bad name.
  stream.deliver(100e6, 60ms);
  CHECK(stream.rate() > 50e6);
}

TEST_CASE("a stream that had nothing to send is not taken for a slow one") {
  Stream stream;
  stream.deliver(100e6, 100ms);
  stream.drain();
  const double before = stream.rate();
  for (int i = 0; i < 50; ++i) {
    stream.now += 9ms;
    stream.written += 1000;
    stream.look();
    stream.drain();
  }
  CHECK(stream.rate() >= before);
}

TEST_CASE("a short burst does not make a slow stream look fast") {
  Stream stream;
  stream.deliver(1e6, 500ms, 10000);
  stream.drain();
  const double before = stream.rate();
  // 16 KiB that arrive at once, and nothing on its way before or after.
  stream.written += 16384;
  stream.drain();
  CHECK(stream.rate() > before);
  CHECK(stream.rate() <= 2 * before);
}

}  // namespace netsense::tcp
