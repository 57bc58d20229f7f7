// Which codec is chosen, in simulated time.
#include "plugin/adapt/lossless_controller.h"

#include <map>

#include "tests/catch.h"

namespace netsense::adapt {
namespace {

using config::CodecChoice;
using std::chrono::microseconds;

constexpr size_t kBlock = 131072;

// A link of `wire` bytes per second that is full, and codecs that do what they are given.
struct Scene {
  explicit Scene(CodecChoice choice) : controller(choice) {}

  double wire = 1e8;
  double fast_ratio = 0.7;
  double tight_ratio = 0.66;
  bool full = true;
  probe::Time now{};
  Congestion congestion;
  LosslessController controller;

  // How often each was chosen.
  std::map<Action, int> blocks(int count) {
    std::map<Action, int> chosen;
    for (int i = 0; i < count; ++i) {
      now += microseconds(1000);
      congestion.update(now,
                        {.delivery_rate = wire,
                         .network_queue = microseconds(full ? 5000 : 0),
                         .in_flight_bytes = kBlock,
                         .active = true},
                        false);
      const Action action = controller.choose(now, congestion, kBlock);
      ++chosen[action];
      if (action == Action::kRaw) continue;
      const bool fast = action == Action::kFast;
      controller.coded(now, action, kBlock, static_cast<size_t>(kBlock * (fast ? fast_ratio : tight_ratio)),
                       probe::from_seconds(kBlock / (fast ? 4e9 : 0.8e9)));
    }
    return chosen;
  }
};

}  // namespace

TEST_CASE("without congestion nothing is ever coded, not even to try") {
  Scene scene(CodecChoice::kAuto);
  scene.full = false;
  CHECK(scene.blocks(1000)[Action::kRaw] == 1000);
}

TEST_CASE("a slow link takes a codec, one faster than the codecs none") {
  Scene slow(CodecChoice::kAuto);
  CHECK(slow.blocks(1000)[Action::kRaw] < 50);
  Scene quick(CodecChoice::kAuto);
  quick.wire = 2e10;
  CHECK(quick.blocks(1000)[Action::kRaw] > 920);
}

TEST_CASE("between the speeds of the two codecs the faster one is taken") {
  Scene scene(CodecChoice::kAuto);
  scene.wire = 1.2e9;
  CHECK(scene.blocks(1000)[Action::kFast] > 920);
}

TEST_CASE("what does not shrink is tried ever more rarely") {
  Scene scene(CodecChoice::kAuto);
  scene.fast_ratio = scene.tight_ratio = 1;
  scene.blocks(5000);
  CHECK(scene.blocks(30000)[Action::kRaw] > 29900);
}

TEST_CASE("a change of the data is noticed") {
  Scene scene(CodecChoice::kAuto);
  CHECK(scene.blocks(2000)[Action::kRaw] < 50);
  scene.fast_ratio = scene.tight_ratio = 1;
  scene.blocks(2000);
  CHECK(scene.controller.current() == Action::kRaw);
}

TEST_CASE("what is forced is done, congested or not") {
  for (const auto& [choice, action] :
       {std::pair{CodecChoice::kFast, Action::kFast}, std::pair{CodecChoice::kTight, Action::kTight}}) {
    Scene scene(choice);
    scene.full = false;
    CHECK(scene.blocks(100)[action] == 100);
  }
}

}  // namespace netsense::adapt
