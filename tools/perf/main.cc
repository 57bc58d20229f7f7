// netsense-perf: measures and verifies collectives over an NCCL network plugin.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "tools/perf/backend.h"
#include "tools/perf/error.h"
#include "tools/perf/launcher.h"
#include "tools/perf/membership.h"
#include "tools/perf/options.h"
#include "tools/perf/rendezvous.h"
#include "tools/perf/report.h"
#include "tools/perf/runner.h"

namespace netsense::perf {
namespace {

constexpr int kAllRight = 0;
constexpr int kWrongResults = 1;
constexpr int kWrongUsage = 2;
constexpr int kFailed = 3;
constexpr int kDefaultRanks = 2;

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown host";
  return name;
}

Setup gather_setup(const Membership& membership, Rendezvous& rendezvous, const Backend& backend) {
  Setup setup{
      .engine = backend.name(), .net = backend.net_name(), .launcher = membership.launcher, .ranks = {}};
  const std::vector<std::string> hosts = rendezvous.all_gather_text(host_name());
  const std::vector<std::string> devices = rendezvous.all_gather_text(backend.device_name());
  const std::vector<int> pids = rendezvous.all_gather_value(static_cast<int>(getpid()));
  for (size_t rank = 0; rank < pids.size(); ++rank)
    setup.ranks.push_back({hosts[rank], devices[rank], pids[rank]});
  return setup;
}

int run_series(const Options& options, const Membership& membership, Rendezvous& rendezvous) {
  if (membership.rank == 0) check_json_file(options);
  const std::unique_ptr<Backend> backend = make_backend(options.engine, membership, rendezvous);
  const Setup setup = gather_setup(membership, rendezvous, *backend);
  std::optional<Report> report;
  if (membership.rank == 0) report.emplace(options, setup);
  bool all_right = false;
  {
    Runner runner(options, rendezvous, *backend, report ? &*report : nullptr);
    if (report) report->begin();
    all_right = runner.run();
  }
  backend->finish();
  if (report) report->end();
  return all_right ? kAllRight : kWrongResults;
}

int report_failure(const Membership& membership, const std::exception& error, int status) {
  fmt::print(stderr, "netsense-perf: rank {} on {}: {}\n", membership.rank, host_name(), error.what());
  return status;
}

// One rank from joining to leaving; errors end here as a message and a status.
int run_rank(const Options& options, const Membership& membership, Socket listener) {
  try {
    Rendezvous rendezvous(membership, std::move(listener), options.timeout);
    try {
      return run_series(options, membership, rendezvous);
    } catch (const std::exception& error) {
      rendezvous.fail(error.what());
      throw;
    }
  } catch (const UsageError& error) {
    return report_failure(membership, error, kWrongUsage);
  } catch (const std::exception& error) {
    return report_failure(membership, error, kFailed);
  }
}

int run(int argc, char** argv) {
  const std::optional<Options> options = parse_options(argc, argv);
  if (!options) return kAllRight;
  if (!options->local_ranks) {
    const std::optional<Membership> membership =
        detect_membership(process_environment(), options->rendezvous);
    if (membership) return run_rank(*options, *membership, Socket());
  }
  if (!options->rendezvous.empty()) {
    throw UsageError("--rendezvous {}: only for the ranks of a launcher (torchrun, mpirun, srun)",
                     options->rendezvous);
  }
  return run_local_ranks(options->local_ranks.value_or(kDefaultRanks),
                         [&](const Membership& membership, Socket listener) {
                           return run_rank(*options, membership, std::move(listener));
                         });
}

}  // namespace
}  // namespace netsense::perf

int main(int argc, char** argv) {
  try {
    return netsense::perf::run(argc, argv);
  } catch (const netsense::perf::UsageError& error) {
    fmt::print(stderr, "netsense-perf: {}\n", error.what());
    return netsense::perf::kWrongUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense-perf: {}\n", error.what());
    return netsense::perf::kFailed;
  }
}
