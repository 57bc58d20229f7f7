// What a link delivers to all its connections together.
#include "plugin/collnet/link.h"

#include "tests/catch.h"

namespace netsense::collnet {
namespace {

using std::chrono::milliseconds;

probe::Time at(int ms) {
  return probe::Time(milliseconds(ms));
}

}  // namespace

TEST_CASE("the rate is that of the last while, however the bytes came") {
  DeliveryWindow window;
  CHECK(window.rate() == 0);
  for (int ms = 0; ms < 100; ++ms) window.add(at(ms), ms % 4 == 0 ? 4000 : 0);  // 1 MB/s in gulps
  CHECK(window.rate() == Approx(1e6).epsilon(0.2));
  for (int ms = 100; ms < 140; ++ms) window.add(at(ms), 100);
  CHECK(window.rate() == Approx(1e5).epsilon(0.01));
}

TEST_CASE("too short a while, or one with a pause in it, tells nothing") {
  DeliveryWindow window;
  for (int ms = 0; ms < 9; ++ms) window.add(at(ms), 1000);
  CHECK(window.rate() == 0);
  for (int ms = 9; ms < 30; ++ms) window.add(at(ms), 1000);
  CHECK(window.rate() > 0);
  window.add(at(100), 1000000);
  CHECK(window.rate() == 0);
  for (int ms = 101; ms < 130; ++ms) window.add(at(ms), 1000);
  CHECK(window.rate() == Approx(1e6).epsilon(0.01));
}

}  // namespace netsense::collnet
