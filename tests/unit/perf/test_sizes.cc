#include "tests/catch.h"
#include "tools/perf/error.h"
#include "tools/perf/sizes.h"

namespace netsense::perf {

TEST_CASE("sizes are read with binary suffixes") {
  CHECK(parse_size("8") == 8);
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("64K") == 65536);
  CHECK(parse_size("64k") == 65536);
  CHECK(parse_size("1.5M") == 1572864);
  CHECK(parse_size("2G") == size_t{2} << 30);
  CHECK(parse_size("2GiB") == size_t{2} << 30);
  CHECK(parse_size("16KB") == 16384);
  CHECK(parse_size("100B") == 100);
}

TEST_CASE("what is no size is refused with the text in the message") {
  for (const char* text : {"", "K", "-1", "8X", "8KK", "1e400", "nan", "8 K", "ib", "9999999999G"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_size(text), UsageError);
  }
  CHECK_THROWS_WITH(parse_size("12Q"), Catch::Contains("'12Q'"));
}

TEST_CASE("a factor multiplies, a step adds, both ends included") {
  CHECK(list_sizes({.min_bytes = 8, .max_bytes = 64, .factor = 2}) == std::vector<size_t>{8, 16, 32, 64});
  CHECK(list_sizes({.min_bytes = 8, .max_bytes = 100, .factor = 4}) == std::vector<size_t>{8, 32});
  CHECK(list_sizes({.min_bytes = 0, .max_bytes = 20, .step_bytes = 10}) == std::vector<size_t>{0, 10, 20});
  CHECK(list_sizes({.min_bytes = 5, .max_bytes = 5}) == std::vector<size_t>{5});
}

TEST_CASE("a series that would be empty or endless is refused") {
  CHECK_THROWS_AS(list_sizes({.min_bytes = 9, .max_bytes = 8}), UsageError);
  CHECK_THROWS_AS(list_sizes({.min_bytes = 0, .max_bytes = 8, .factor = 2}), UsageError);
  CHECK_THROWS_AS(list_sizes({.min_bytes = 0, .max_bytes = 8, .step_bytes = 0}), UsageError);
  CHECK_THROWS_AS(list_sizes({.min_bytes = 0, .max_bytes = 8, .factor = 0}), UsageError);
}

TEST_CASE("sizes are shown to people in binary units") {
  CHECK(format_size(8) == "8 B");
  CHECK(format_size(65536) == "64 KiB");
  CHECK(format_size(1572864) == "1.5 MiB");
}

}  // namespace netsense::perf
