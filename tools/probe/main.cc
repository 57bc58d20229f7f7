// netsense-probe: measures the network between hosts, every host with every other.
#include <cstdio>
#include <exception>

#include "tools/perf/error.h"
#include "tools/perf/launcher.h"
#include "tools/perf/membership.h"
#include "tools/perf/rendezvous.h"
#include "tools/probe/links.h"
#include "tools/probe/local_address.h"
#include "tools/probe/options.h"
#include "tools/probe/output.h"
#include "tools/probe/series.h"

namespace netsense::mesh {
namespace {

constexpr int kMeasured = 0;
constexpr int kWrongUsage = 2;
constexpr int kFailed = 3;
constexpr int kDefaultRanks = 2;

void run_series(const Options& options, perf::Rendezvous& rendezvous) {
  const bool reports = rendezvous.rank() == 0;
  if (reports) check_files(options);
  Links links(find_local_address(options), rendezvous, options.timeout);
  const Mesh mesh = measure(
      options, rendezvous, links, reports ? show_progress(options) : [](size_t, size_t) {});
  if (reports) write_reports(options, mesh);
}

int report_failure(const perf::Membership& membership, const std::exception& error, int status) {
  fmt::print(stderr, "netsense-probe: rank {}: {}\n", membership.rank, error.what());
  return status;
}

// One rank from joining to leaving; errors end here as a message and a status.
int run_rank(const Options& options, const perf::Membership& membership, perf::Socket listener) {
  try {
    // Whoever waits for the others waits for a step of theirs and for the error that it may end with.
    const auto patience = 2 * options.timeout + std::chrono::ceil<std::chrono::seconds>(options.step);
    perf::Rendezvous rendezvous(membership, std::move(listener), patience);
    try {
      run_series(options, rendezvous);
      return kMeasured;
    } catch (const std::exception& error) {
      rendezvous.fail(error.what());
      throw;
    }
  } catch (const perf::UsageError& error) {
    return report_failure(membership, error, kWrongUsage);
  } catch (const std::exception& error) {
    return report_failure(membership, error, kFailed);
  }
}

int run(int argc, char** argv) {
  std::optional<Options> options = parse_options(argc, argv);
  if (!options) return kMeasured;
  if (options->by_hand) return run_rank(*options, *options->by_hand, perf::Socket());
  if (!options->local_ranks) {
    const auto membership = perf::detect_membership(perf::process_environment(), options->rendezvous);
    if (membership) return run_rank(*options, *membership, perf::Socket());
    if (!options->rendezvous.empty())
      throw perf::UsageError("--rendezvous {}: only for the ranks of a launcher (torchrun, mpirun, srun)",
                             options->rendezvous);
    options->local_ranks = kDefaultRanks;
  }
  return perf::run_local_ranks(*options->local_ranks,
                               [&](const perf::Membership& membership, perf::Socket listener) {
                                 return run_rank(*options, membership, std::move(listener));
                               });
}

}  // namespace
}  // namespace netsense::mesh

int main(int argc, char** argv) {
  try {
    return netsense::mesh::run(argc, argv);
  } catch (const netsense::perf::UsageError& error) {
    fmt::print(stderr, "netsense-probe: {}\n", error.what());
    return netsense::mesh::kWrongUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense-probe: {}\n", error.what());
    return netsense::mesh::kFailed;
  }
}
