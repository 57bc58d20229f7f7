#include "tests/catch.h"
#include "tools/probe/statistics.h"

using namespace netsense;
using namespace std::chrono_literals;

TEST_CASE("percentiles are values that occur, by nearest rank") {
  std::vector<double> values;
  for (int i = 200; i >= 1; --i) values.push_back(i);
  CHECK(mesh::percentile(values, 0) == 1);
  CHECK(mesh::percentile(values, 0.5) == 100);
  CHECK(mesh::percentile(values, 0.99) == 198);
  CHECK(mesh::percentile(values, 1) == 200);
  CHECK(mesh::percentile({7}, 0.99) == 7);
  CHECK(mesh::percentile({}, 0.5) == 0);
}

TEST_CASE("goodput leaves out the beginning and counts from arrival to arrival") {
  mesh::Goodput goodput(100ms);
  const probe::Time start{};
  goodput.add(start, 1'000'000);  // a burst while the window grows
  goodput.add(start + 50ms, 9'000'000);
  CHECK(goodput.bytes_per_second() == 0);
  for (int i = 0; i <= 10; ++i) goodput.add(start + 100ms + i * 10ms, 1000);
  CHECK(goodput.bytes_per_second() == Approx(100'000));
}
