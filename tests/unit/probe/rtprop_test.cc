// RTprop: when it falls, when it rises, when it wants to be looked at again.
#include "probe/rtprop_filter.h"
#include "tests/catch.h"
#include "tests/unit/probe/link_model.h"

namespace netsense::probe {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr bool kUnloaded = true;
constexpr bool kLoaded = false;

TEST_CASE("RTprop is the shortest round trip, at once") {
  RtpropFilter filter;
  CHECK(filter.value() == Duration::zero());
  CHECK_FALSE(filter.stale(at(100)));
  filter.add(at(0), milliseconds(5), kLoaded);
  filter.add(at(1), milliseconds(2), kLoaded);
  filter.add(at(2), milliseconds(9), kLoaded);
  filter.add(at(3), Duration::zero(), kLoaded);
  CHECK(filter.value() == milliseconds(2));
}

TEST_CASE("a standing queue does not become part of RTprop, however long it stands") {
  RtpropFilter filter;
  filter.add(at(0), milliseconds(1), kUnloaded);
  for (int second = 1; second < 100; ++second) filter.add(at(second), milliseconds(20), kLoaded);
  CHECK(filter.value() == milliseconds(1));
}

TEST_CASE("RTprop asks to be confirmed after 10 s, and again 10 s after each answer") {
  RtpropFilter filter;
  filter.add(at(0), milliseconds(1), kUnloaded);
  filter.add(at(5), milliseconds(20), kLoaded);
  CHECK_FALSE(filter.stale(at(9.9)));
  CHECK(filter.stale(at(10.1)));
  filter.add(at(11), microseconds(1100), kLoaded);
  CHECK_FALSE(filter.stale(at(20.9)));
  CHECK(filter.stale(at(21.1)));
  // An answer too, though of another kind.
  filter.add(at(22), milliseconds(7), kUnloaded);
  CHECK_FALSE(filter.stale(at(31.9)));
  CHECK(filter.value() == milliseconds(1));
}

TEST_CASE("a longer route is accepted when three unloaded round trips agree") {
  RtpropFilter filter;
  filter.add(at(0), milliseconds(1), kUnloaded);
  filter.add(at(10), microseconds(5100), kUnloaded);
  filter.add(at(20), microseconds(5000), kUnloaded);
  CHECK(filter.value() == milliseconds(1));

  SECTION("as on a path") {
    filter.add(at(30), microseconds(5300), kUnloaded);
    CHECK(filter.value() == milliseconds(5));
    filter.add(at(31), milliseconds(1), kLoaded);
    CHECK(filter.value() == milliseconds(1));
  }
  SECTION("not when one confirms the old route") {
    filter.add(at(25), milliseconds(1), kUnloaded);
    filter.add(at(30), microseconds(5300), kUnloaded);
    CHECK(filter.value() == milliseconds(1));
  }
  SECTION("not when they differ, as in a queue that others keep") {
    filter.add(at(30), milliseconds(9), kUnloaded);
    filter.add(at(40), milliseconds(4), kUnloaded);
    CHECK(filter.value() == milliseconds(1));
  }
}

TEST_CASE("unloaded round trips right after each other are one witness") {
  RtpropFilter filter;
  filter.add(at(0), milliseconds(1), kUnloaded);
  for (int i = 0; i < 10; ++i) filter.add(at(10 + 0.01 * i), milliseconds(5), kUnloaded);
  CHECK(filter.value() == milliseconds(1));
}

// Holds the estimator's promises to an owner who drains when asked.
double rtprop_after(double new_rtprop, double until, int* drains) {
  const double rate = 1000 * kMbit;
  bool draining = false;
  double handed_over = 0;
  LinkModel model([=](double) { return rate; }, [=](double now) { return now < 5 ? 0.001 : new_rtprop; });
  model.add({.window = 2'500'000, .offered = [&](double) { return draining ? handed_over : 1e15; }});
  PathEstimator estimator;
  bool probing = false;
  repeat(0, until, 0.0005, [&](double now) {
    model.run_until(now);
    const Sample sample = model.sample(0);
    estimator.update(sample);
    if (!draining && estimator.wants_drain(at(now))) {
      ++*drains;
      draining = true;
      handed_over = static_cast<double>(sample.accepted_bytes - sample.unsent_bytes);
    } else if (draining && sample.in_flight() == 0) {
      if (!probing) handed_over += static_cast<double>(PathEstimator::kUnloadedBytes);
      if (probing) draining = false;
      probing = !probing;
    }
  });
  return to_seconds(estimator.estimate(at(until)).rtprop);
}

TEST_CASE("an owner who drains when asked learns of a longer route under a standing queue") {
  int drains = 0;
  CHECK(rtprop_after(0.010, 50, &drains) == Approx(0.010).epsilon(0.05));
  CHECK(drains == 4);
}

TEST_CASE("on an unchanged route the drains confirm RTprop, one every 10 s") {
  int drains = 0;
  CHECK(rtprop_after(0.001, 50, &drains) == Approx(0.001).epsilon(0.15));
  CHECK(drains == 4);
}

TEST_CASE("a connection made in a queue learns RTprop from another one to the same host") {
  PathEstimator estimator;
  estimator.update({.at = at(0), .accepted_bytes = 100, .rtt = milliseconds(20)});
  estimator.learn_rtprop(at(0.1), milliseconds(2));
  CHECK(estimator.estimate(at(0.1)).rtprop == milliseconds(2));
  CHECK(estimator.estimate(at(0.1)).network_queue >= milliseconds(18));
}

}  // namespace
}  // namespace netsense::probe
