// The parts of the model, and the controllers that are not adaptive or not ours, by their formulas.
#include "plugin/adapt/lossy_controller.h"

#include "plugin/adapt/burst_rate.h"
#include "plugin/adapt/bursts.h"
#include "plugin/adapt/idle_share.h"
#include "tests/catch.h"

namespace netsense::adapt {
namespace {

probe::Time at(double seconds) {
  return probe::Time(probe::from_seconds(seconds));
}

std::unique_ptr<LossyController> controller(const config::ControllerChoice& choice) {
  config::Settings settings;
  settings.lossy_controller = choice;
  return make_lossy_controller(settings);
}

}  // namespace

TEST_CASE("a burst is from the first call to the last one's end, and shorter gaps than 1 ms are in it") {
  Bursts bursts;
  CHECK_FALSE(bursts.begin(at(1), 100));
  CHECK_FALSE(bursts.begin(at(1.01), 300));
  CHECK(bursts.raw_in_flight() == 400);
  CHECK_FALSE(bursts.end(at(1), at(1.02), 100, 10));
  CHECK_FALSE(bursts.end(at(1.01), at(1.03), 300, 30));
  CHECK_FALSE(bursts.busy());
  CHECK_FALSE(bursts.begin(at(1.0305), 50));
  CHECK_FALSE(bursts.end(at(1.0305), at(1.04), 50, 5));
  const auto burst = bursts.begin(at(1.1), 60);
  REQUIRE(burst);
  CHECK(burst->over);
  CHECK(burst->seconds == Approx(0.04));
  CHECK(burst->raw_bytes == 450);
  CHECK(burst->wire_bytes == 45);
  CHECK(burst->idle_seconds == Approx(0.06));
  // The height of the last one stands for what is yet to begin.
  CHECK(bursts.raw_in_flight() == 400);
}

TEST_CASE("a burst that goes on is cut where all calls of the part before have ended") {
  Bursts bursts;
  for (int i = 0; i < 4; ++i) CHECK_FALSE(bursts.begin(at(0), 10));
  CHECK_FALSE(bursts.end(at(0), at(0.3), 10, 10));
  CHECK_FALSE(bursts.begin(at(0.3), 10));
  CHECK_FALSE(bursts.end(at(0), at(0.301), 10, 10));
  CHECK_FALSE(bursts.end(at(0), at(0.302), 10, 10));
  const auto part = bursts.end(at(0), at(0.303), 10, 10);
  REQUIRE(part);
  CHECK_FALSE(part->over);
  CHECK(part->raw_bytes == 40);
  CHECK(part->seconds == Approx(0.303));
  CHECK(bursts.busy());
}

TEST_CASE("an end without a beginning changes nothing") {
  Bursts bursts;
  CHECK_FALSE(bursts.end(at(0), at(1), 10, 10));
  CHECK_FALSE(bursts.begin(at(2), 10));
  CHECK(bursts.raw_in_flight() == 10);
}

TEST_CASE("time that does not depend on the bytes is not the link's") {
  BurstRate rate;
  // 0.1 s and 1 MB/s.
  rate.add({.seconds = 1.1, .wire_bytes = 1e6}, 0);
  CHECK(rate.rate() == Approx(1e6 / 1.1));
  rate.add({.seconds = 0.2, .wire_bytes = 1e5}, 0);
  CHECK(rate.overhead() == Approx(0.1));
  CHECK(rate.rate() == Approx(1e6));
}

TEST_CASE("one long burst does not make a link slow, three do, one that met congestion does at once") {
  BurstRate rate;
  for (int i = 0; i < 3; ++i) rate.add({.seconds = 0.1, .wire_bytes = 1e6}, 0);
  rate.add({.seconds = 1, .wire_bytes = 1e6}, 0);
  CHECK(rate.rate() == Approx(1e7));
  rate.add({.seconds = 1, .wire_bytes = 1e6}, 0);
  rate.add({.seconds = 1, .wire_bytes = 1e6}, 0);
  CHECK(rate.rate() == Approx(1e6));
  rate.add({.seconds = 0.1, .wire_bytes = 1e6}, 0);
  rate.add({.seconds = 2, .wire_bytes = 1e6}, 6e5);
  CHECK(rate.rate() == Approx(6e5));
}

TEST_CASE("idle time counts over all bursts, the longest pause as long as the second") {
  IdleShare idle;
  CHECK_FALSE(idle.known());
  idle.add({.raw_bytes = 100, .over = true, .idle_seconds = 1});
  CHECK_FALSE(idle.known());
  idle.add({.raw_bytes = 300, .over = true, .idle_seconds = 3});
  CHECK(idle.known());
  CHECK(idle.seconds_per_byte() == Approx(2.0 / 400));
  idle.add({.raw_bytes = 200, .over = true, .idle_seconds = 100});
  CHECK(idle.seconds_per_byte() == Approx((1 + 3 + 3) / 600.0));
  // A part of a burst counts once it is more than a burst used to be.
  idle.add({.raw_bytes = 200});
  CHECK(idle.seconds_per_byte() == Approx(7 / 600.0));
  idle.add({.raw_bytes = 600});
  CHECK(idle.seconds_per_byte() == Approx(7 / 1200.0));
}

TEST_CASE("netsenseml cuts by a twentieth above 0.9 BDP and grows by a thousandth below") {
  const auto theirs = controller({.rule = config::LossyRule::kNetSenseMl});
  CHECK(theirs->ratio(at(0)) == 0.7);
  // One size only: d is always BtlBw RTprop.
  theirs->end(at(0), at(0.1), 4e6, 1e6);
  CHECK(theirs->ratio(at(1)) == Approx(0.7 * 0.95));
  // A small one at the same rate makes RTprop a tenth; it is as large as the BDP itself.
  theirs->end(at(0.2), at(0.21), 4e5, 1e5);
  CHECK(theirs->ratio(at(1)) == Approx(0.7 * 0.95 * 0.95));
  // One that is a tenth of the BDP: 1e4 in 0.01 s while 1e7 bytes per second have been seen.
  theirs->end(at(0.3), at(0.31), 4e4, 1e4);
  CHECK(theirs->ratio(at(1)) == Approx(0.7 * 0.95 * 0.95 + 0.001));
  // After 5 s nothing of that is known.
  theirs->end(at(6), at(6.01), 4e4, 1e4);
  CHECK(theirs->ratio(at(1)) == Approx((0.7 * 0.95 * 0.95 + 0.001) * 0.95));
}

TEST_CASE("netsenseml quantises, prunes and keeps the largest by its ratio") {
  const auto theirs = controller({.rule = config::LossyRule::kNetSenseMl});
  CHECK(theirs->level(at(0), {}) ==
        LossyLevel{.lossless = false, .bits = 8, .keep = 0.7F, .prune = static_cast<float>(1 - 0.7)});
  for (int i = 0; i < 500; ++i) theirs->end(at(0), at(0.1), 4e6, 1e6);
  CHECK(theirs->ratio(at(1)) == 0.005);
  CHECK(theirs->level(at(1), {}) == LossyLevel{.lossless = false, .bits = 8, .keep = 0.005F, .prune = 0.5F});
  CHECK(theirs->level(at(1), {.allow_sparse = false}) == LossyLevel{.lossless = false, .bits = 8});
}

TEST_CASE("a fixed codec is that, but leaves nothing out where that cannot be made up for") {
  const config::ControllerChoice choice{.rule = config::LossyRule::kFixed, .bits = 3, .keep = 0.25};
  const auto fixed = controller(choice);
  CHECK(fixed->level(at(0), {}) == LossyLevel{.lossless = false, .bits = 3, .keep = 0.25F});
  CHECK(fixed->level(at(0), {.allow_sparse = false}) == LossyLevel{.lossless = false, .bits = 4});
  CHECK(controller({.rule = config::LossyRule::kFixed})->level(at(0), {}).lossless);
  CHECK(controller({.rule = config::LossyRule::kFixed})->ratio(at(0)) == 1);
}

}  // namespace netsense::adapt
