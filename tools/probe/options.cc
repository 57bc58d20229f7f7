#include "tools/probe/options.h"

#include <xxhash.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <set>

#include "tools/perf/error.h"

namespace netsense::mesh {
namespace {

using perf::UsageError;

constexpr const char* kAbout =
    "Measures the network between hosts, every host with every other: round trips, delay variation,\n"
    "bandwidth, and what queues do to them.\n"
    "\n"
    "  mpirun -np 8 --map-by node netsense-probe --html mesh.html     ranks from a launcher (torchrun, "
    "srun)\n"
    "  netsense-probe --hosts node1,node2,node3 --rank 1              by hand, the same on each with its "
    "rank\n"
    "  netsense-probe --ranks 3                                       three ranks on this machine\n"
    "\n"
    "Exit status: 0 measured, 2 wrong usage, 3 failed.";

constexpr int kDefaultPort = 29477;

struct Raw {
  int ranks = 0;
  std::vector<std::string> hosts;
  std::optional<int> rank;
  int port = kDefaultPort;
  std::string interfaces;
  bool ipv4 = false;
  bool ipv6 = false;
  int step_ms = 500;
  bool no_all = false;
  int timeout = 30;
};

void declare(CLI::App& app, Raw& raw, Options& options) {
  app.set_version_flag("--version", "netsense-probe " NETSENSE_VERSION);
  auto* ranks = app.add_option("--ranks", raw.ranks, "Start so many ranks on this machine")
                    ->check(CLI::Range(1, 1024).description(""));
  auto* hosts = app.add_option("--hosts", raw.hosts,
                               "All hosts, the same list everywhere; the first one is where they meet")
                    ->delimiter(',')
                    ->excludes(ranks);
  app.add_option("--rank", raw.rank, "Which of --hosts this one is, from 0")->needs(hosts);
  app.add_option("--port", raw.port, "Where the first of --hosts listens (default 29477)")
      ->check(CLI::Range(1, 65535).description(""))
      ->needs(hosts);
  app.add_option("--rendezvous", options.rendezvous,
                 "HOST:PORT of rank 0, where the ranks of a launcher meet")
      ->excludes(ranks)
      ->excludes(hosts);
  app.add_option("--interface", raw.interfaces,
                 "Interface to measure, as in NCCL_SOCKET_IFNAME (default: the plugin's choice)");
  auto* ipv4 = app.add_flag("-4", raw.ipv4, "Only IPv4");
  app.add_flag("-6", raw.ipv6, "Only IPv6")->excludes(ipv4);
  app.add_option("--step", raw.step_ms,
                 "Milliseconds of each step; a round of pairs takes three steps (default 500)")
      ->check(CLI::Range(50, 600000).description(""));
  app.add_flag("--no-all", raw.no_all, "Without the phase in which every rank loads every other");
  app.add_option("--json", options.json, "Also write the figures as JSON to this file; - is standard output");
  app.add_option("--html", options.html, "Also write a page with heat maps to this file");
  app.add_option("-T,--timeout", raw.timeout, "Seconds to wait for a rank that does not answer (default 30)")
      ->check(CLI::Range(1, 86400).description(""));
}

perf::Membership by_hand(const Raw& raw) {
  if (!raw.rank) throw UsageError("--hosts needs --rank: which of the hosts is this one?");
  const int ranks = static_cast<int>(raw.hosts.size());
  if (*raw.rank < 0 || *raw.rank >= ranks)
    throw UsageError("--rank {}: with {} hosts, give 0 to {}", *raw.rank, ranks, ranks - 1);
  std::string joined;
  std::set<std::string> seen;
  for (const std::string& host : raw.hosts) {
    if (host.empty()) throw UsageError("--hosts has an empty name");
    if (!seen.insert(host).second) throw UsageError("--hosts names {} twice", host);
    joined += host + "\n";
  }
  perf::Membership membership;
  membership.rank = *raw.rank;
  membership.ranks = ranks;
  membership.address = {raw.hosts[0], static_cast<uint16_t>(raw.port)};
  membership.launcher = "--hosts";
  membership.token = XXH3_64bits(joined.data(), joined.size());
  return membership;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app(kAbout, "netsense-probe");
  Raw raw;
  Options options;
  declare(app, raw, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success, std::cout, std::cout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError("{} (netsense-probe --help lists all options)", error.what());
  }
  if (raw.ranks > 0) options.local_ranks = raw.ranks;
  if (!raw.hosts.empty()) options.by_hand = by_hand(raw);
  if (!raw.interfaces.empty()) options.interfaces = raw.interfaces;
  if (raw.ipv4) options.family = config::AddressFamily::kIpv4;
  if (raw.ipv6) options.family = config::AddressFamily::kIpv6;
  if (!options.rendezvous.empty()) static_cast<void>(perf::parse_address(options.rendezvous));
  options.step = std::chrono::milliseconds(raw.step_ms);
  options.timeout = std::chrono::seconds(raw.timeout);
  options.all_at_once = !raw.no_all;
  return options;
}

}  // namespace netsense::mesh
