#include <array>

#include "tests/catch.h"
#include "tools/perf/measurement.h"
#include "tools/perf/report.h"

namespace netsense::perf {

TEST_CASE("bandwidths follow from size, time and the collective's factor") {
  const Measurement figure = measure(Collective::kAllReduce, 1000000, 4, 0.001);
  CHECK(figure.algorithm_bandwidth == Approx(1e9));
  CHECK(figure.bus_bandwidth == Approx(1.5e9));
  CHECK(measure(Collective::kAllGather, 1000000, 4, 0.001).bus_bandwidth == Approx(0.75e9));
  CHECK_FALSE(figure.wrong.has_value());
}

TEST_CASE("the ranks' times become one as asked") {
  const std::array times{3.0, 1.0, 5.0};
  CHECK(combine_times(times, Average::kRank0) == 3);
  CHECK(combine_times(times, Average::kMean) == 3);
  CHECK(combine_times(times, Average::kMin) == 1);
  CHECK(combine_times(times, Average::kMax) == 5);
}

TEST_CASE("the summary counts every wrong element and averages every measurement") {
  std::vector<Row> rows(2);
  rows[0].out_of_place = Measurement{.bus_bandwidth = 1, .wrong = 2};
  rows[0].in_place = Measurement{.bus_bandwidth = 2, .wrong = 0};
  rows[1].out_of_place = Measurement{.bus_bandwidth = 6, .wrong = 5};
  const Summary summary = summarize(rows);
  CHECK(summary.wrong == 7);
  CHECK(summary.mean_bus_bandwidth == Approx(3));
  CHECK(summarize({}).mean_bus_bandwidth == 0);
}

TEST_CASE("a JSON file that cannot be written is noticed before anything is measured") {
  Options options;
  options.json = "/nonexistent/figures.json";
  CHECK_THROWS_WITH(check_json_file(options), Catch::Contains("/nonexistent/figures.json"));
  options.json = "-";
  CHECK_NOTHROW(check_json_file(options));
}

TEST_CASE("a row has nccl-tests' columns in its order") {
  Row row{.bytes = 1048576,
          .count = 262144,
          .type = ns_float32,
          .op = ns_sum,
          .root = std::nullopt,
          .out_of_place = Measurement{0.002, 0.524288e9, 0.786432e9, 0},
          .in_place = std::nullopt};
  std::vector<std::string> words;
  std::string word;
  for (const char letter : format_row(row) + " ") {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  CHECK(words == std::vector<std::string>{"1048576", "262144", "float", "sum", "-1", "2000", "0.52", "0.79",
                                          "0", "N/A", "N/A", "N/A", "N/A"});
}

}  // namespace netsense::perf
