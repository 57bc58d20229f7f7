#include <unistd.h>

#include <csignal>

#include "tests/catch.h"
#include "tools/perf/launcher.h"
#include "tools/perf/rendezvous.h"

namespace netsense::perf {
namespace {

// Until a signal ends it in the ordinary way (Catch2 has a handler of its own).
void sleep_forever() {
  signal(SIGTERM, SIG_DFL);
  while (true) pause();
}

}  // namespace

TEST_CASE("all ranks run and meet, and success is 0") {
  CHECK(run_local_ranks(4, [](const Membership& membership, Socket listener) {
          Rendezvous rendezvous(membership, std::move(listener), std::chrono::seconds(30));
          return rendezvous.all_gather_value(membership.rank) == std::vector<int>{0, 1, 2, 3} ? 0 : 1;
        }) == 0);
}

TEST_CASE("the first failing rank's status is the result, and ranks that hang are stopped") {
  CHECK(run_local_ranks(3, [](const Membership& membership, const Socket&) {
          if (membership.rank == 1) return 3;
          sleep_forever();
          return 0;
        }) == 3);
}

TEST_CASE("ranks that ignore the request to stop are killed") {
  CHECK(run_local_ranks(2, [](const Membership& membership, const Socket&) {
          if (membership.rank == 0) return 5;
          signal(SIGTERM, SIG_IGN);
          while (true) pause();
        }) == 5);
}

TEST_CASE("a rank ended by a signal counts as failed") {
  CHECK(run_local_ranks(2, [](const Membership& membership, const Socket&) {
          if (membership.rank == 1) raise(SIGKILL);
          return 0;
        }) == 128 + SIGKILL);
}

}  // namespace netsense::perf
