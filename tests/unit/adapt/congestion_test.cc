// When the network counts as the bottleneck, on synthetic estimates.
#include "plugin/adapt/congestion.h"

#include "tests/catch.h"

namespace netsense::adapt {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct Scene {
  probe::Time now{};
  Congestion congestion;

  // Looks every half millisecond for a while.
  void pass(milliseconds time, microseconds queue, bool window_limited = false, bool active = true) {
    for (const auto end = now + time; now < end; now += microseconds(500)) {
      const probe::Estimate path{.rtprop = microseconds(100),
                                 .delivery_rate = 1e8,
                                 .network_queue = queue,
                                 .active = active};
      congestion.update(now, path, window_limited);
    }
  }
  [[nodiscard]] bool present() const { return congestion.present(now); }
};

}  // namespace

TEST_CASE("a queue in the network is a congestion, and its rate is known") {
  Scene scene;
  CHECK_FALSE(scene.present());
  scene.pass(milliseconds(10), milliseconds(20));
  CHECK(scene.present());
  CHECK(scene.congestion.wire_rate() == Approx(1e8));
}

TEST_CASE("a short queue is none, and neither is one of a connection without traffic") {
  Scene scene;
  scene.pass(milliseconds(10), microseconds(900));
  CHECK_FALSE(scene.present());
  scene.pass(milliseconds(10), milliseconds(20), false, false);
  CHECK_FALSE(scene.present());
}

TEST_CASE("one hiccup is none") {
  Scene scene;
  scene.pass(milliseconds(1), milliseconds(20));
  CHECK_FALSE(scene.present());
}

TEST_CASE("a full congestion window is a congestion without a queue") {
  Scene scene;
  scene.pass(milliseconds(10), microseconds(0), true);
  CHECK(scene.present());
}

TEST_CASE("it is over a while after the last sign, and what comes back soon stays longer") {
  Scene scene;
  scene.pass(milliseconds(10), milliseconds(20));
  scene.pass(milliseconds(450), microseconds(0));
  CHECK(scene.present());
  scene.pass(milliseconds(100), microseconds(0));
  CHECK_FALSE(scene.present());
  scene.pass(milliseconds(10), milliseconds(20));
  scene.pass(milliseconds(900), microseconds(0));
  CHECK(scene.present());
}

}  // namespace netsense::adapt
