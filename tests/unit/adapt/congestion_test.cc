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
  uint64_t in_flight = 100'000;

  // Looks every half millisecond for a while.
  void pass(milliseconds time, microseconds queue, bool backed_up = false, bool active = true) {
    for (const auto end = now + time; now < end; now += microseconds(500)) {
      const probe::Estimate path{.rtprop = microseconds(100),
                                 .delivery_rate = 1e8,
                                 .network_queue = queue,
                                 .in_flight_bytes = in_flight,
                                 .active = active};
      congestion.update(now, path, backed_up);
    }
  }
  [[nodiscard]] bool present() const { return congestion.present(now); }
};

}  // namespace

TEST_CASE("a queue in the network is a congestion, and its rate is known") {
  Scene scene;
  CHECK_FALSE(scene.present());
  scene.pass(milliseconds(60), milliseconds(20));
  CHECK(scene.present());
  CHECK(scene.congestion.wire_rate() == Approx(1e8));
}

TEST_CASE("a short queue is none, and neither is one of a connection without traffic") {
  Scene scene;
  scene.pass(milliseconds(100), microseconds(900));
  CHECK_FALSE(scene.present());
  scene.pass(milliseconds(100), milliseconds(20), false, false);
  CHECK_FALSE(scene.present());
}

TEST_CASE("one hiccup is none") {
  Scene scene;
  scene.pass(milliseconds(10), milliseconds(20));
  CHECK_FALSE(scene.present());
}

TEST_CASE("bytes held back are a congestion without a queue") {
  Scene scene;
  scene.pass(milliseconds(60), microseconds(0), true);
  CHECK(scene.present());
}

TEST_CASE("a busy machine, on which long round trips come with an empty connection in between, shows none") {
  Scene scene;
  for (int i = 0; i < 200; ++i) {
    scene.in_flight = 100'000;
    scene.pass(milliseconds(2), milliseconds(4));
    scene.in_flight = 0;
    scene.pass(milliseconds(3), milliseconds(4));
  }
  CHECK_FALSE(scene.present());
}

TEST_CASE("a long pause is no evidence that a congestion is over, nor that there is one") {
  Scene scene;
  scene.pass(milliseconds(10), milliseconds(20));
  scene.now += milliseconds(5000);
  scene.pass(milliseconds(5), milliseconds(20));
  CHECK_FALSE(scene.present());
}

TEST_CASE("a congestion that the coding has thinned out goes on") {
  Scene scene;
  scene.pass(milliseconds(100), milliseconds(20));
  for (int i = 0; i < 500; ++i) {
    scene.in_flight = 100'000;
    scene.pass(milliseconds(3), milliseconds(4));
    scene.in_flight = 0;
    scene.pass(milliseconds(2), milliseconds(4));
  }
  CHECK(scene.present());
}

TEST_CASE("it is over a while after the last sign, and what comes back soon stays longer") {
  Scene scene;
  scene.pass(milliseconds(60), milliseconds(20));
  scene.pass(milliseconds(450), microseconds(0));
  CHECK(scene.present());
  scene.pass(milliseconds(100), microseconds(0));
  CHECK_FALSE(scene.present());
  scene.pass(milliseconds(60), milliseconds(20));
  scene.pass(milliseconds(900), microseconds(0));
  CHECK(scene.present());
}

}  // namespace netsense::adapt
