// What `auto` stands for, by the number of cores.
#include "plugin/config/auto_values.h"

#include <array>

#include "tests/catch.h"

namespace netsense::config {

TEST_CASE("threads grow with the cores, and there is a stream for each but at least two") {
  const Settings settings;
  for (const auto& [cores, threads, streams] : {std::array{1, 0, 2},
                                                {3, 0, 2},
                                                {4, 1, 2},
                                                {7, 1, 2},
                                                {8, 2, 2},
                                                {15, 2, 2},
                                                {16, 4, 4},
                                                {256, 4, 4}}) {
    INFO(cores << " cores");
    CHECK(threads_in_force(settings, cores) == threads);
    CHECK(streams_in_force(settings, cores) == streams);
    CHECK(local_streams_in_force(settings, cores) == std::max(1, threads));
    CHECK(meaning_of_auto("NETSENSE_TCP_THREADS", settings, cores) == threads);
    CHECK(meaning_of_auto("NETSENSE_TCP_STREAMS", settings, cores) == streams);
  }
}

TEST_CASE("a number that is set holds, and a setting without auto has no such meaning") {
  Settings settings;
  settings.tcp_threads = 3;
  CHECK(threads_in_force(settings, 64) == 3);
  CHECK(streams_in_force(settings, 64) == 3);
  CHECK_FALSE(meaning_of_auto("NETSENSE_TCP_THREADS", settings, 64).has_value());
  CHECK_FALSE(meaning_of_auto("NETSENSE_FAMILY", settings, 64).has_value());
  settings.tcp_streams = 7;
  CHECK(streams_in_force(settings, 64) == 7);
  CHECK(local_streams_in_force(settings, 64) == 7);
}

TEST_CASE("this process may use at least one core") {
  CHECK(usable_cores() >= 1);
}

}  // namespace netsense::config
