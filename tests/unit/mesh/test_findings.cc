#include "tests/catch.h"
#include "tests/unit/mesh/even_mesh.h"
#include "tools/probe/findings.h"

using namespace netsense::mesh;
using Catch::Contains;

TEST_CASE("an even mesh has nothing to tell") {
  CHECK(find_peculiarities(even_mesh(4)).empty());
  CHECK(find_peculiarities(even_mesh(1)).empty());
}

TEST_CASE("a slow pair is named, with its share of the usual, and not its hosts") {
  Mesh mesh = even_mesh(4);
  mesh.cells[1][2].bandwidth = mesh.cells[2][1].bandwidth = 12.5e6;
  const auto found = find_peculiarities(mesh);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0], Contains("Rank 1 (host1) to rank 2 (host2) is slow: 100.0 Mbit/s, 10 %"));
  CHECK_THAT(found[1], Contains("Rank 2 (host2) to rank 1 (host1) is slow"));
}

TEST_CASE("a host whose every pair is slow one way is named once, and its pairs as asymmetric") {
  Mesh mesh = even_mesh(4);
  for (size_t from : {0, 1, 2}) mesh.cells[from][3].bandwidth = 12.5e6;
  const auto found = find_peculiarities(mesh);
  REQUIRE(found.size() == 4);
  CHECK_THAT(found[0], Contains("Everything towards rank 3 (host3) is slow"));
  for (size_t i : {1, 2, 3})
    CHECK_THAT(found[i], Contains("asymmetric: 100.0 Mbit/s there, 1.00 Gbit/s back"));
}

TEST_CASE("two ranks are compared with each other only") {
  Mesh mesh = even_mesh(2);
  mesh.cells[0][1].bandwidth = 10e6;
  const auto found = find_peculiarities(mesh);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("asymmetric"));
}

TEST_CASE("long round trips and deep queues") {
  Mesh mesh = even_mesh(3);
  mesh.cells[0][1].rtt_median = 2e-3;
  mesh.cells[2][1].loaded_rtt_median = 30e-3;
  const auto found = find_peculiarities(mesh);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0], Contains("long round trip: 2.00 ms, where 100.0 us is usual"));
  CHECK_THAT(found[1], Contains("grows from 100.0 us to 30.00 ms"));
}
