// Latency and bandwidth of a network plugin below any engine: two processes, one per role, that load it by
// path. The client prints one JSON object.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <nlohmann/json.hpp>

#include "tests/bench/p2p_measure.h"
#include "tools/perf/sizes.h"

namespace netsense::bench {
namespace {

struct Options {
  std::string plugin;
  int version = 0;
  std::string role;
  std::string address;
  std::vector<std::string> latency_sizes;
  int round_trips = 2000;
  std::vector<std::string> bandwidth_sizes;
  int window = 8;
  double seconds = 1;
};

// Keeps the buffers of one side within reason, and at least two messages under way.
int window_for(size_t bytes, int window) {
  constexpr size_t kMemory = size_t{128} << 20;
  return std::max(2, static_cast<int>(std::min<size_t>(static_cast<size_t>(window), kMemory / bytes)));
}

nlohmann::ordered_json run(const Options& options, Role role) {
  const Control control(role, perf::parse_address(options.address));
  testing::Plugin plugin(options.plugin, options.version);
  Link link(plugin, control);
  nlohmann::ordered_json result{{"plugin", plugin.net().name()}, {"version", plugin.net().version()}};
  for (const std::string& text : options.latency_sizes) {
    const size_t bytes = perf::parse_size(text);
    const Latency latency = measure_latency(link, control, role, bytes, options.round_trips);
    result["latency"].push_back(
        {{"bytes", bytes}, {"median_us", latency.median * 1e6}, {"p99_us", latency.p99 * 1e6}});
  }
  for (const std::string& text : options.bandwidth_sizes) {
    const size_t bytes = perf::parse_size(text);
    const int window = window_for(bytes, options.window);
    const Bandwidth bandwidth = measure_bandwidth(link, control, role, bytes, window, options.seconds);
    result["bandwidth"].push_back({{"bytes", bytes},
                                   {"window", window},
                                   {"gbit_per_s", bandwidth.bytes_per_second * 8 / 1e9},
                                   {"sender_cores", bandwidth.sender_cores},
                                   {"receiver_cores", bandwidth.receiver_cores}});
  }
  // Neither side closes while the other still has a request under way.
  static_cast<void>(control.exchange(true));
  return result;
}

int main_of(int argc, char** argv) {
  CLI::App app("Measures a network plugin between two processes.");
  Options options;
  app.add_option("--plugin", options.plugin, "Path of the library")->required();
  app.add_option("--net-version", options.version, "Version of ncclNet (default: the newest)");
  app.add_option("--role", options.role, "server or client")
      ->required()
      ->check(CLI::IsMember({"server", "client"}));
  app.add_option("--address", options.address, "HOST:PORT of the server's control connection")->required();
  app.add_option("--latency", options.latency_sizes, "Sizes to bounce")->delimiter(',');
  app.add_option("--round-trips", options.round_trips, "Per size")->check(CLI::PositiveNumber);
  app.add_option("--bandwidth", options.bandwidth_sizes, "Sizes to stream")->delimiter(',');
  app.add_option("--window", options.window, "Messages kept posted")->check(CLI::Range(1, 32));
  app.add_option("--seconds", options.seconds, "Per streamed size")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const Role role = options.role == "server" ? Role::kServer : Role::kClient;
  const nlohmann::ordered_json result = run(options, role);
  if (role == Role::kClient) fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace
}  // namespace netsense::bench

int main(int argc, char** argv) {
  try {
    return netsense::bench::main_of(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_p2p: {}\n", error.what());
    return 1;
  }
}
