// The controllers of lossy collectives on simulated links. "Fits": a collective takes no longer than the job
// computes between two; "flows": what is under way at a time is a queue of the target's length.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plugin/adapt/model_controller.h"
#include "tests/catch.h"
#include "tests/unit/adapt/link_simulation.h"

namespace netsense::adapt::simulation {
namespace {

using Outcomes = std::vector<Outcome>;

config::Settings settings_of(config::LossyRule rule = config::LossyRule::kModel) {
  config::Settings settings;
  settings.lossy_controller.rule = rule;
  return settings;
}

Outcomes play(const Scenario& scenario, const config::Settings& settings = settings_of()) {
  return run(scenario, *make_lossy_controller(settings));
}

bool fits(const Outcome& outcome) {
  return outcome.seconds <= 0.06;
}

bool flows(const Scenario& scenario, const Outcome& outcome) {
  const double at_a_time = static_cast<double>(std::min(scenario.calls, scenario.calls_at_a_time)) /
                           static_cast<double>(scenario.calls);
  return outcome.wire_ratio * scenario.bytes * at_a_time <= 1.1 * 0.005 * outcome.fair_rate;
}

// The first collective that begins at that time or later.
size_t from(const Outcomes& outcomes, double seconds) {
  return static_cast<size_t>(std::find_if(outcomes.begin(), outcomes.end(),
                                          [=](const Outcome& each) { return each.begin >= seconds; }) -
                             outcomes.begin());
}

// How many from `first` on are not so.
template <typename Property>
size_t until(const Outcomes& outcomes, size_t first, const Property& property) {
  return static_cast<size_t>(
             std::find_if(outcomes.begin() + static_cast<std::ptrdiff_t>(first), outcomes.end(), property) -
             outcomes.begin()) -
         first;
}

size_t changes(const Outcomes& outcomes) {
  size_t count = 0;
  for (size_t i = 1; i < outcomes.size(); ++i) {
    if (outcomes[i].lossless != outcomes[i - 1].lossless) ++count;
  }
  return count;
}

bool exact(const Outcome& outcome) {
  return outcome.lossless;
}

}  // namespace

TEST_CASE("after a drop the data fit within 5 collectives, and after its end they are exact within 5") {
  for (const bool looks : {true, false}) {
    for (const size_t calls : {1, 8, 128}) {
      INFO(calls << " calls a collective, link " << (looks ? "sensed" : "not sensed"));
      Scenario scenario = step_down_and_up();
      scenario.looks = looks;
      scenario.calls = calls;
      const Outcomes outcomes = play(scenario);
      const auto settled = [&](const Outcome& each) { return fits(each) || flows(scenario, each); };
      const size_t down = from(outcomes, 2);
      const size_t up = from(outcomes, 10);
      REQUIRE(up + 10 < outcomes.size());
      REQUIRE(up > down + 20);
      CHECK(std::all_of(outcomes.begin(), outcomes.begin() + static_cast<std::ptrdiff_t>(down) - 1, exact));
      CHECK(until(outcomes, down, settled) <= 4);
      CHECK(until(outcomes, up, exact) <= 4);
      // Once fitting or exact, they stay so.
      for (size_t i = down + 5; i + 1 < up; ++i) CHECK(settled(outcomes[i]));
      for (size_t i = up + 5; i < outcomes.size(); ++i) CHECK(exact(outcomes[i]));
      CHECK(changes(outcomes) == 2);
    }
  }
}

TEST_CASE("on a slow link the budget is used, not undercut") {
  for (const double rate : {100, 200, 500, 1000}) {
    INFO(rate << " Mbit/s");
    const Outcomes outcomes = play(constant(mbit(rate)));
    for (size_t i = 5; i < outcomes.size(); ++i) {
      CHECK(fits(outcomes[i]));
      CHECK(outcomes[i].seconds > 0.03);
    }
    CHECK(changes(outcomes) == 1);
  }
}

TEST_CASE("a fast link is always exact") {
  for (const bool looks : {true, false}) {
    for (const size_t calls : {1, 128}) {
      Scenario scenario = constant(mbit(10000));
      scenario.looks = looks;
      scenario.calls = calls;
      const Outcomes outcomes = play(scenario);
      CHECK(std::all_of(outcomes.begin(), outcomes.end(), exact));
    }
  }
}

TEST_CASE("a link at the edge does not make the controller flap") {
  // Data as they are would take between 85 and 105 % of the budget of 54 ms.
  Scenario scenario = constant(mbit(7000));
  scenario.bytes_per_second = [](double at) { return mbit(7200 + 700 * std::sin(at * 9)); };
  scenario.collectives = 200;
  CHECK(changes(play(scenario)) <= 3);
}

TEST_CASE("a link that rises and falls all the time is followed") {
  const Outcomes outcomes = play(sawtooth());
  size_t too_long = 0;
  for (size_t i = 5; i < outcomes.size(); ++i) {
    // A fifth of a factor of 50 per second: the last collective tells the next one's rate to about a fifth.
    CHECK(outcomes[i].seconds < 1.4 * 0.06);
    if (!fits(outcomes[i])) ++too_long;
  }
  CHECK(too_long < outcomes.size() / 3);
  CHECK(changes(outcomes) <= 9);
  CHECK(std::count_if(outcomes.begin() + 10, outcomes.end(), exact) > 0);
}

TEST_CASE("another's traffic is made room for, and its room is taken when it is gone") {
  const Scenario scenario = competing_flow();
  const Outcomes outcomes = play(scenario);
  double alone = 0;
  double beside = 1;
  size_t too_long = 0;
  for (size_t i = 5; i < outcomes.size(); ++i) {
    if (outcomes[i].seconds > 0.066) ++too_long;
    const double phase = std::fmod(outcomes[i].begin, 6);
    // Well after each change.
    if (phase > 1 && phase < 2.9) alone = std::max(alone, outcomes[i].wire_ratio);
    if (phase > 4 && phase < 5.9) beside = std::min(beside, outcomes[i].wire_ratio);
  }
  CHECK(alone == Approx(2 * beside).epsilon(0.2));
  CHECK(too_long < outcomes.size() / 12);
  CHECK(changes(outcomes) == 1);
}

TEST_CASE("a pause for a checkpoint does not pass for computing time") {
  const Outcomes outcomes = play(idle_gaps());
  for (size_t i = 5; i < outcomes.size(); ++i) CHECK(fits(outcomes[i]));
}

TEST_CASE("a rank that comes late does not make others round") {
  for (const bool looks : {true, false}) {
    INFO("link " << (looks ? "sensed" : "not sensed"));
    Scenario scenario = constant(mbit(10000));
    scenario.looks = looks;
    scenario.bytes = 10e6;  // 8 ms: too short for the link to count as congested
    scenario.waits = [](size_t) { return 0.1; };
    const Outcomes outcomes = play(scenario);
    const auto lossy =
        std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& each) { return !each.lossless; });
    // Without a look at the link it takes an attempt to find out that smaller data do not help.
    CHECK(lossy <= (looks ? 0 : 3));
    for (size_t i = 10; i < outcomes.size(); ++i) CHECK(exact(outcomes[i]));
  }
}

TEST_CASE("no job's data go below the least ratio") {
  for (const config::LossyRule rule : {config::LossyRule::kModel, config::LossyRule::kNetSenseMl}) {
    config::Settings settings = settings_of(rule);
    settings.lossy_min_keep = 0.02;
    Scenario scenario = constant(mbit(5));
    scenario.bytes = 5e6;
    double least = 1;
    const auto controller = make_lossy_controller(settings);
    for (const Outcome& outcome : run(scenario, *controller)) {
      least = std::min(least, outcome.wire_ratio);
      CHECK(controller->ratio({}) >= 0.02);
    }
    if (rule == config::LossyRule::kModel) CHECK(least >= 0.02);
    CHECK(least < 0.2);
  }
}

TEST_CASE("without pauses the queue target decides") {
  // 2 MB calls one after the other at 200 Mbit/s: 5 ms carry 125 kB, a sixteenth of one.
  Scenario scenario = constant(mbit(200));
  scenario.bytes = 400e6;
  scenario.calls = 200;
  scenario.calls_at_a_time = 1;
  scenario.collectives = 3;
  scenario.compute_seconds = [](size_t) { return 0.0; };
  const Outcomes outcomes = play(scenario);
  CHECK(outcomes.back().wire_ratio == Approx(0.0625).epsilon(0.15));
  config::Settings relaxed = settings_of();
  relaxed.queue_target = std::chrono::milliseconds(20);
  CHECK(play(scenario, relaxed).back().wire_ratio == Approx(0.25).epsilon(0.15));
}

TEST_CASE("netsenseml takes far longer to fit after the same drop, and does not become exact again") {
  const Outcomes ours = play(step_down_and_up());
  const Outcomes theirs = play(step_down_and_up(), settings_of(config::LossyRule::kNetSenseMl));
  const auto slow = [](const Outcomes& outcomes) { return until(outcomes, from(outcomes, 2), fits); };
  CHECK(slow(theirs) > 5 * std::max<size_t>(slow(ours), 1));
  CHECK_FALSE(theirs.back().lossless);
  CHECK(ours.back().lossless);
  // Its rule takes collectives of one size for a full path, however fast that is.
  const Outcomes fast = play(constant(mbit(10000)), settings_of(config::LossyRule::kNetSenseMl));
  CHECK(std::none_of(fast.begin(), fast.end(), exact));
  CHECK(fast.back().wire_ratio < 0.1);
}

}  // namespace netsense::adapt::simulation
