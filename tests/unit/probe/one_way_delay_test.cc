// Variation of the one-way delay from two clocks that know nothing of each other.
#include "probe/one_way_delay.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/unit/probe/link_model.h"

namespace netsense::probe {
namespace {

// A receiver whose clock is exact, and a sender whose clock started anywhere and runs `drift` faster or
// slower.
struct Pair {
  double sender_start_us;
  double drift;
  OneWayDelay delay;

  double frame(double sent, double takes) {
    const double clock = sender_start_us + sent * 1e6 * (1 + drift);
    const auto wrapped = static_cast<uint32_t>(static_cast<uint64_t>(clock));
    return to_seconds(delay.add(at(sent + takes), wrapped));
  }
};

// Quick enough to see a queue come and go, with a little noise of its own.
double noise(int i) {
  return 20e-6 * std::abs(std::sin(i * 12.9898));
}

TEST_CASE("a frame's delay above the quickest ones is its variation") {
  Pair pair{5e6, 0, {}};
  CHECK(pair.frame(0, 0.010) == 0);
  CHECK(pair.frame(0.1, 0.015) == Approx(0.005).margin(2e-6));
  // A quicker one moves the base.
  CHECK(pair.frame(0.2, 0.007) == 0);
  CHECK(pair.frame(0.3, 0.010) == Approx(0.003).margin(2e-6));
  CHECK(to_seconds(pair.delay.variation()) == Approx(0.003).margin(2e-6));
}

TEST_CASE("the sender's 32-bit clock may wrap") {
  Pair pair{4294967295.0 - 500'000, 0, {}};
  for (int i = 0; i < 100; ++i) {
    const double takes = i % 10 == 0 ? 0.004 : 0.001;
    CHECK(pair.frame(0.01 * i, takes) == Approx(i == 0 ? 0 : takes - 0.001).margin(3e-6));
  }
  // Half an hour later the base is a new one, and the clock has not lost count.
  CHECK(pair.frame(1700, 0.003) == 0);
  CHECK(pair.frame(1701, 0.005) == Approx(0.002).margin(3e-6));
}

TEST_CASE("frames of other streams may come a little late") {
  Pair pair{1000, 0, {}};
  pair.frame(0.100, 0.001);
  CHECK(pair.frame(0.0995, 0.004) == Approx(0.003).margin(2e-6));
  CHECK(pair.frame(0.101, 0.0035) == Approx(0.0025).margin(2e-6));
}

TEST_CASE("clocks that drift apart do not look like a queue") {
  const double drift = GENERATE(100e-6, -100e-6, 20e-6, 0.0);
  Pair pair{123'456'789, drift, {}};
  double worst = 0;
  for (int i = 0; i < 30'000; ++i) {
    const double sent = 0.01 * i;
    // A queue of 3 ms stands two seconds out of three.
    const bool queue = std::fmod(sent, 3) > 1;
    const double variation = pair.frame(sent, 0.001 + noise(i) + (queue ? 0.003 : 0));
    if (sent > 30) worst = std::max(worst, std::abs(variation - (queue ? 0.003 : 0)));
  }
  CAPTURE(drift);
  // 100 ppm alone would be 30 ms by now.
  CHECK(worst < 100e-6);
  CHECK(pair.delay.drift() == Approx(-drift).margin(2e-6));
}

TEST_CASE("a queue that grows is no drift of clocks") {
  Pair pair{0, 0, {}};
  for (int i = 0; i < 1000; ++i) pair.frame(0.01 * i, 0.001);
  // 1 ms more every second, faster than clocks drift.
  double last = 0;
  for (int i = 1000; i < 2000; ++i) last = pair.frame(0.01 * i, 0.001 + 0.001 * 0.01 * (i - 1000));
  CHECK(last == Approx(0.010).epsilon(0.1));

  Pair always{0, 0, {}};
  for (int i = 0; i < 2000; ++i) last = always.frame(0.01 * i, 0.001 + 0.001 * 0.01 * i);
  // Half of it could be drift.
  CHECK(last > 0.009);
}

TEST_CASE("after a long silence the base is made anew") {
  Pair pair{0, 0, {}};
  pair.frame(0, 0.001);
  CHECK(pair.frame(2000, 0.2) == 0);
  CHECK(pair.frame(2001, 0.201) == Approx(0.001).margin(2e-6));
}

TEST_CASE("a longer route becomes the base within a minute") {
  Pair pair{0, 50e-6, {}};
  for (int i = 0; i < 1000; ++i) pair.frame(0.1 * i, 0.001 + noise(i));
  CHECK(pair.frame(100, 0.021) > 0.015);
  double last = 0;
  for (int i = 1001; i < 1700; ++i) last = pair.frame(0.1 * i, 0.021 + noise(i));
  CHECK(last < 100e-6);
}

}  // namespace
}  // namespace netsense::probe
