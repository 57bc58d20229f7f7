#include "tests/catch.h"
#include "tools/perf/error.h"
#include "tools/perf/options.h"
#include "tools/perf/runner.h"

namespace netsense::perf {
namespace {

Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "netsense-perf");
  return parse_options(static_cast<int>(arguments.size()), arguments.data()).value();
}

}  // namespace

TEST_CASE("without options: all_reduce of 32 MiB of floats, as nccl-tests") {
  const Options options = parse({});
  CHECK(options.collective == Collective::kAllReduce);
  CHECK(list_sizes(options.sizes) == std::vector<size_t>{size_t{32} << 20});
  CHECK(options.types == std::vector<ns_type>{ns_float32});
  CHECK(options.check == 1);
  CHECK(options.engine == EngineChoice::kAuto);
}

TEST_CASE("nccl-tests' options mean the same here") {
  const Options options = parse({"reduce", "-b", "8",  "-e",   "1K", "-f",  "2",  "-n", "7",  "-w", "3",
                                 "-c",     "0",  "-d", "half", "-o", "max", "-r", "1",  "-a", "3"});
  CHECK(options.collective == Collective::kReduce);
  CHECK(list_sizes(options.sizes).size() == 8);
  CHECK(options.iterations == 7);
  CHECK(options.warmup_iterations == 3);
  CHECK(options.check == 0);
  CHECK(options.types == std::vector<ns_type>{ns_float16});
  CHECK(options.ops == std::vector<ns_op>{ns_max});
  CHECK(options.roots == std::vector<int>{1});
  CHECK(options.average == Average::kMax);
}

TEST_CASE("sizes may be given by one end") {
  CHECK(list_sizes(parse({"-b", "64M"}).sizes) == std::vector<size_t>{size_t{64} << 20});
  CHECK(list_sizes(parse({"-e", "1M"}).sizes) == std::vector<size_t>{size_t{1} << 20});
}

TEST_CASE("a usual nccl-tests command: --op is the reduction, one thread and one GPU are what a rank has") {
  const Options options =
      parse({"all_reduce_perf", "-b", "8", "-e", "128M", "-f", "2", "-g", "1", "-t", "1", "--op", "prod"});
  CHECK(options.ops == std::vector<ns_op>{ns_prod});
  CHECK_THROWS_WITH(parse({"-g", "8"}), Catch::Contains("--ranks"));
  CHECK_THROWS_WITH(parse({"-t", "2"}), Catch::Contains("--ranks"));
}

TEST_CASE("\"all\" and -1 mean one series for each") {
  const Options options = parse({"reduce", "-b", "8", "-e", "8", "-d", "all", "-o", "all", "-r", "-1"});
  CHECK(list_cases(options, 3).size() == 12 * 5 * 3);
  const Options gather = parse({"all_gather", "-b", "8", "-e", "8", "-d", "all", "-o", "all"});
  CHECK(list_cases(gather, 3).size() == 12);
}

TEST_CASE("wrong options are refused with what would be right") {
  CHECK_THROWS_WITH(parse({"all_reduc"}), Catch::Contains("all_reduce"));
  CHECK_THROWS_WITH(parse({"-d", "fp32"}), Catch::Contains("float"));
  CHECK_THROWS_WITH(parse({"-o", "mean"}), Catch::Contains("avg"));
  CHECK_THROWS_AS(parse({"-b", "2M", "-e", "1M"}), UsageError);
  CHECK_THROWS_AS(parse({"--engine", "gpu"}), UsageError);
  CHECK_THROWS_AS(parse({"-n", "0"}), UsageError);
  CHECK_THROWS_AS(parse({"--ranks", "0"}), UsageError);
  CHECK_THROWS_AS(parse({"--nonsense"}), UsageError);
  CHECK_THROWS_AS(parse({"--rendezvous", "foo"}), UsageError);
  CHECK_THROWS_WITH(parse({"-b", "8", "-e", "64K", "-f", "1"}), Catch::Contains("-f 2"));
  CHECK(list_sizes(parse({"-b", "8", "-e", "8", "-f", "1"}).sizes).size() == 1);
  for (const char* option : {"-T", "-w", "-c"}) {
    INFO(option);
    CHECK_THROWS_WITH(parse({option, "-1"}), Catch::Contains("-1 not in range"));
  }
  CHECK_THROWS_AS(list_cases(parse({"broadcast", "-r", "4"}), 4), UsageError);
}

}  // namespace netsense::perf
