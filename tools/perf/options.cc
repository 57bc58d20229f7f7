#include "tools/perf/options.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/perf/error.h"
#include "tools/perf/membership.h"
#include "tools/perf/numeric.h"

namespace netsense::perf {
namespace {

constexpr const char* kAbout =
    "Measures and verifies NCCL collectives, as nccl-tests do, over the network plugin that NCCL_NET_PLUGIN "
    "names.\n"
    "\n"
    "  netsense-perf --ranks 4 -b 8 -e 64M -f 2             four ranks on this machine\n"
    "  mpirun -np 8 netsense-perf all_gather -b 1M -e 1G    ranks from a launcher (torchrun, mpirun, srun)\n"
    "\n"
    "Without a GPU the host engine stands in for NCCL; it drives the same plugin on host memory.\n"
    "Exit status: 0 all results right, 1 wrong results, 2 wrong usage, 3 failed.";

constexpr int kMostRepetitions = 1000000000;
constexpr int kLongestTimeoutSeconds = 24 * 60 * 60;

// The command line as text, before it is checked.
struct Raw {
  std::string positional;
  std::string min_bytes;
  std::string max_bytes;
  std::string step_bytes;
  std::optional<size_t> factor;
  std::string type = "float";
  std::string redop = "sum";
  int root = 0;
  int average = 1;
  int threads = 1;
  int gpus = 1;
  int ranks = 0;
  std::string engine = "auto";
  int timeout = 0;
};

template <typename Infos>
std::string list_names(const Infos& infos) {
  std::string text;
  for (const auto& info : infos) text += fmt::format("{}{}", text.empty() ? "" : ", ", info.name);
  return text;
}

Collective to_collective(const std::string& name) {
  const std::optional<Collective> collective = find_collective(name);
  if (!collective)
    throw UsageError("unknown collective '{}': choose one of {}", name, list_names(all_collectives()));
  return *collective;
}

std::vector<ns_type> to_types(const std::string& name) {
  if (name == "all") {
    std::vector<ns_type> types;
    for (const TypeInfo& info : all_types()) types.push_back(info.type);
    return types;
  }
  const std::optional<ns_type> type = find_type(name);
  if (!type)
    throw UsageError("-d {}: unknown data type; choose one of {}, or all", name, list_names(all_types()));
  return {*type};
}

std::vector<ns_op> to_ops(const std::string& name) {
  if (name == "all") {
    std::vector<ns_op> ops;
    for (const OpInfo& info : all_ops()) ops.push_back(info.op);
    return ops;
  }
  const std::optional<ns_op> op = find_op(name);
  if (!op)
    throw UsageError("-o {}: unknown reduction; choose one of {}, or all", name, list_names(all_ops()));
  return {*op};
}

EngineChoice to_engine(const std::string& name) {
  if (name == "auto") return EngineChoice::kAuto;
  if (name == "host") return EngineChoice::kHost;
  if (name == "nccl") return EngineChoice::kNccl;
  throw UsageError("--engine {}: choose host, nccl or auto", name);
}

// -b alone beyond the default range means this one size.
SizeRange to_sizes(const Raw& raw) {
  SizeRange sizes;
  sizes.factor = raw.factor.value_or(1);
  if (!raw.min_bytes.empty()) sizes.min_bytes = parse_size(raw.min_bytes);
  sizes.max_bytes =
      raw.max_bytes.empty() ? std::max(sizes.max_bytes, sizes.min_bytes) : parse_size(raw.max_bytes);
  if (raw.min_bytes.empty()) sizes.min_bytes = std::min(sizes.min_bytes, sizes.max_bytes);
  if (!raw.step_bytes.empty()) sizes.step_bytes = parse_size(raw.step_bytes);
  // Whoever gives a factor expects more than the smallest size.
  if (raw.factor == 1 && sizes.min_bytes < sizes.max_bytes &&
      sizes.step_bytes > sizes.max_bytes - sizes.min_bytes) {
    throw UsageError("-f 1 does not multiply, and -i {} steps over {}: give -f 2 or more, or a smaller -i",
                     format_size(sizes.step_bytes), format_size(sizes.max_bytes));
  }
  return sizes;
}

CLI::Validator in_range(int low, int high) {
  return CLI::Range(low, high).description("");  // the help texts say what is allowed where it is not plain
}

void declare(CLI::App& app, Raw& raw, Options& options) {
  app.set_version_flag("--version", "netsense-perf " NETSENSE_VERSION);
  app.add_option("collective", raw.positional, list_names(all_collectives()) + " (default all_reduce)");
  app.add_option("-b,--minbytes", raw.min_bytes,
                 "Smallest size, with K, M or G; at least one element per rank is sent (default 32M)");
  app.add_option("-e,--maxbytes", raw.max_bytes, "Largest size (default 32M)");
  app.add_option("-f,--stepfactor", raw.factor, "Each size is the previous one times this, 2 or more");
  app.add_option("-i,--stepbytes", raw.step_bytes, "Each size is the previous one plus this (default 1M)");
  app.add_option("-n,--iters", options.iterations, "Timed repetitions per size (default 20)")
      ->check(in_range(1, kMostRepetitions));
  app.add_option("-w,--warmup_iters", options.warmup_iterations, "Repetitions before timing (default 5)")
      ->check(in_range(0, kMostRepetitions));
  app.add_option(
         "--tolerance", options.tolerance,
         "Error that sums of floats may have, for NETSENSE_MODE=adaptive: root mean square, over that of the "
         "result; all ranks must hold the same bytes all the same. Only out of place: in place the "
         "repetitions before would have left other residuals (default 0: exact)")
      ->check(CLI::Range(0.0, 100.0));
  app.add_option("-c,--check", options.check, "Repetitions whose results are verified; 0: none (default 1)")
      ->check(in_range(0, kMostRepetitions));
  app.add_option("-d,--datatype", raw.type, list_names(all_types()) + ", or all (default float)");
  app.add_option("-o,--op,--redop", raw.redop, list_names(all_ops()) + ", or all (default sum)");
  app.add_option("-r,--root", raw.root, "Root of broadcast and reduce; -1: every rank in turn (default 0)");
  app.add_option("-a,--average", raw.average,
                 "Which time counts: 0 rank 0's, 1 the mean, 2 the least, 3 the most (default 1)")
      ->check(in_range(0, 3));
  app.add_option("-t,--nthreads", raw.threads, "As in nccl-tests, but only 1: a rank is a process");
  app.add_option("-g,--ngpus", raw.gpus, "As in nccl-tests, but only 1: a rank has one GPU");
  app.add_option("--ranks", raw.ranks, "Start so many ranks on this machine (default 2 without a launcher)")
      ->check(in_range(1, 1024));
  app.add_option("--rendezvous", options.rendezvous,
                 "HOST:PORT of rank 0, where the ranks of a launcher meet");
  app.add_option("--input", options.input, "Raw file with real data, repeated to fill the buffers");
  app.add_option("--engine", raw.engine,
                 "host, nccl, or auto: nccl where there is a GPU and libnccl.so.2 (default auto)");
  app.add_option("--json", options.json, "Also write the figures as JSON to this file; - is standard output");
  app.add_option("-T,--timeout", raw.timeout,
                 "Seconds to wait for a rank that does not come along (default 600)")
      ->check(in_range(1, kLongestTimeoutSeconds));
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app(kAbout, "netsense-perf");
  Raw raw;
  Options options;
  declare(app, raw, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success, std::cout, std::cout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError("{} (netsense-perf --help lists all options)", error.what());
  }
  if (!raw.positional.empty()) options.collective = to_collective(raw.positional);
  options.types = to_types(raw.type);
  options.ops = to_ops(raw.redop);
  options.engine = to_engine(raw.engine);
  options.sizes = to_sizes(raw);
  options.average = static_cast<Average>(raw.average);
  if (raw.root < -1) throw UsageError("-r {}: give a rank, or -1 for every rank in turn", raw.root);
  if (raw.threads != 1 || raw.gpus != 1) {
    throw UsageError(
        "-t and -g must be 1: each rank is a process with one GPU; start more ranks with --ranks or a "
        "launcher");
  }
  if (!options.rendezvous.empty()) static_cast<void>(parse_address(options.rendezvous));
  options.roots.clear();
  if (raw.root >= 0) options.roots.push_back(raw.root);
  if (raw.ranks > 0) options.local_ranks = raw.ranks;
  if (raw.timeout > 0) options.timeout = std::chrono::seconds(raw.timeout);
  static_cast<void>(list_sizes(options.sizes));  // complains before anything is started
  return options;
}

}  // namespace netsense::perf
