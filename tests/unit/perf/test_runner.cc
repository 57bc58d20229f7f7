// The whole benchmark over a fake engine: a correct one passes, and every kind of wrong result is found.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/perf/fake_backend.h"
#include "tools/perf/error.h"
#include "tools/perf/runner.h"

namespace netsense::perf {
namespace {

constexpr int kRanks = 3;

struct Outcome {
  std::array<bool, kRanks> all_right{};
  nlohmann::json report;
  int calls = 0;
};

Outcome run(Options options, const Mistake& mistake) {
  const std::filesystem::path json =
      std::filesystem::temp_directory_path() / ("netsense-runner-" + std::to_string(getpid()) + ".json");
  options.json = json.string();
  FakeWorld world(kRanks, mistake);
  Socket listener = listen_on({"127.0.0.1", 0});
  const Address address{"127.0.0.1", local_port(listener)};
  Outcome outcome;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      Rendezvous rendezvous({.rank = rank, .ranks = kRanks, .address = address, .launcher = "test"},
                            rank == 0 ? std::move(listener) : Socket(), std::chrono::seconds(60));
      FakeBackend backend(world, rank);
      std::optional<Report> report;
      if (rank == 0) report.emplace(options, Setup{"fake", "none", "test", std::vector<RankInfo>(kRanks)});
      Runner runner(options, rendezvous, backend, report ? &*report : nullptr);
      outcome.all_right[static_cast<size_t>(rank)] = runner.run();
      if (report) report->end();
    });
  }
  for (std::thread& thread : threads) thread.join();
  outcome.report = nlohmann::json::parse(std::ifstream(json));
  outcome.calls = world.calls();
  std::filesystem::remove(json);
  return outcome;
}

Options small(Collective collective) {
  Options options;
  options.collective = collective;
  options.sizes = {.min_bytes = 4, .max_bytes = 300000, .factor = 64};
  options.iterations = 2;
  options.warmup_iterations = 1;
  return options;
}

void flip_bit(void* buffer, size_t byte) {
  static_cast<std::byte*>(buffer)[byte] ^= std::byte{0x40};
}

}  // namespace

TEST_CASE("a correct engine passes for every collective, in and out of place") {
  for (const CollectiveInfo& info : all_collectives()) {
    INFO(info.name);
    const Outcome outcome = run(small(info.collective), nullptr);
    CHECK(outcome.all_right == std::array{true, true, true});
    CHECK(outcome.report["wrong"] == 0);
    CHECK(outcome.report["results"].size() == 3);
    CHECK(outcome.report["results"][2]["in_place"].is_null() == !info.in_place);
    // Warm-up, timed and checked calls of all ranks, for each size and each placement.
    CHECK(outcome.calls == (1 + 2 + 1) * kRanks * 3 * (info.in_place ? 2 : 1));
  }
}

TEST_CASE("one wrong bit on one rank is found in every collective") {
  for (const CollectiveInfo& info : all_collectives()) {
    INFO(info.name);
    const Outcome outcome = run(small(info.collective), [&](const Call& call, int rank) {
      if (rank == (info.collective == Collective::kReduce ? call.root : 2)) flip_bit(call.recv, 3);
    });
    CHECK(outcome.all_right == std::array{false, false, false});
    CHECK(outcome.report["results"][0]["out_of_place"]["wrong"] == 1);
    CHECK_FALSE(outcome.report["complaints"].empty());
  }
}

TEST_CASE("blocks that arrive in the wrong place are found") {
  const Outcome outcome = run(small(Collective::kAllGather), [](const Call& call, int) {
    const size_t part = call.count * sizeof(float);
    auto* result = static_cast<std::byte*>(call.recv);
    std::swap_ranges(result, result + part, result + part);
  });
  CHECK_FALSE(outcome.all_right[0]);
}

TEST_CASE("writing behind the result or into the input is found") {
  const Outcome behind = run(small(Collective::kAllReduce), [](const Call& call, int rank) {
    if (rank == 1) flip_bit(call.recv, call.count * sizeof(float));
  });
  CHECK(behind.report["results"][0]["out_of_place"]["wrong"] == 1);
  const Outcome input = run(small(Collective::kBroadcast), [](const Call& call, int rank) {
    if (rank == 1 && call.send != call.recv) flip_bit(const_cast<void*>(call.send), 0);
  });
  CHECK_FALSE(input.all_right[0]);
}

// Both values are within the rounding error of the sum, so only the comparison between ranks can tell.
TEST_CASE("ranks that hold different bytes are found even where each result is acceptable") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("netsense-input-" + std::to_string(getpid()));
  {
    const std::array<float, 5> values{0.1F, 0.7F, 1.3F, 2.9F, 0.33F};
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(values.data()), sizeof values);
  }
  Options options = small(Collective::kAllReduce);
  options.input = file.string();
  CHECK(run(options, nullptr).all_right[0]);
  const Outcome outcome = run(options, [](const Call& call, int rank) {
    if (rank == 2) static_cast<std::byte*>(call.recv)[0] ^= std::byte{1};
  });
  std::filesystem::remove(file);
  CHECK_FALSE(outcome.all_right[0]);
  CHECK_THAT(outcome.report["complaints"][0].get<std::string>(), Catch::Contains("ranks 0 and 2"));
}

// Every element too large by the same part, on all ranks alike: as a rounded all-reduce may give it.
TEST_CASE("sums may be off by the tolerance and no more, and ranks must agree all the same") {
  const auto scaled = [](float factor, int only_rank) {
    return [=](const Call& call, int rank) {
      if (call.collective != Collective::kAllReduce || (only_rank >= 0 && rank != only_rank)) return;
      auto* values = static_cast<float*>(call.recv);
      for (size_t i = 0; i < call.count; ++i) values[i] *= factor;
    };
  };
  Options options = small(Collective::kAllReduce);
  options.tolerance = 0.1;
  const Outcome good = run(options, scaled(1.05F, -1));
  CHECK(good.all_right == std::array{true, true, true});
  CHECK(good.report["results"][2]["out_of_place"]["error"].get<double>() == Approx(0.05).epsilon(0.01));
  CHECK(good.report["results"][2]["in_place"].is_null());
  CHECK_FALSE(run(options, scaled(1.2F, -1)).all_right[0]);
  CHECK_FALSE(run(options, scaled(1.05F, 1)).all_right[0]);
  CHECK_FALSE(run(options, scaled(std::numeric_limits<float>::quiet_NaN(), -1)).all_right[0]);
  // What is only copied may not be off at all.
  Options copied = small(Collective::kAllGather);
  copied.tolerance = 0.5;
  CHECK(run(copied, nullptr).all_right[0]);
  CHECK_FALSE(run(copied, [](const Call& call, int) { flip_bit(call.recv, 3); }).all_right[0]);
}

TEST_CASE("without checking nothing is claimed") {
  Options options = small(Collective::kAllReduce);
  options.check = 0;
  const Outcome outcome = run(options, [](const Call& call, int) { flip_bit(call.recv, 0); });
  CHECK(outcome.all_right[0]);
  CHECK(outcome.report["wrong"].is_null());
  CHECK(outcome.report["results"][0]["out_of_place"]["wrong"].is_null());
}

}  // namespace netsense::perf
