#include "tools/perf/runner.h"

#include <algorithm>
#include <chrono>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

using Clock = std::chrono::steady_clock;

Row row_of(Collective collective, const Case& item, int ranks) {
  return {.bytes =
              total_elements(collective, item.count, ranks) * static_cast<size_t>(type_info(item.type).bytes),
          .count = item.count,
          .type = item.type,
          .op = item.op,
          .root = item.root,
          .out_of_place = std::nullopt,
          .in_place = std::nullopt};
}

std::vector<std::optional<ns_op>> ops_of(const Options& options) {
  if (!collective_info(options.collective).reduces) return {std::nullopt};
  return {options.ops.begin(), options.ops.end()};
}

std::vector<std::optional<int>> roots_of(const Options& options, int ranks) {
  if (!collective_info(options.collective).rooted) return {std::nullopt};
  std::vector<std::optional<int>> roots(options.roots.begin(), options.roots.end());
  if (roots.empty()) {
    for (int rank = 0; rank < ranks; ++rank) roots.emplace_back(rank);
  }
  for (const std::optional<int>& root : roots) {
    if (*root >= ranks) throw UsageError("-r {}: there are only {} ranks, 0 to {}", *root, ranks, ranks - 1);
  }
  return roots;
}

size_t capacity_for(const Options& options, const std::vector<Case>& cases, int ranks) {
  size_t capacity = 0;
  for (const Case& item : cases) capacity = std::max(capacity, row_of(options.collective, item, ranks).bytes);
  return capacity;
}

std::unique_ptr<FileData> load_input(const Options& options, Rendezvous& rendezvous) {
  if (options.input.empty()) return nullptr;
  auto file = std::make_unique<FileData>(options.input);
  const std::vector<uint64_t> hashes = rendezvous.all_gather_value(file->hash());
  for (size_t rank = 1; rank < hashes.size(); ++rank) {
    if (hashes[rank] != hashes[0]) {
      throw UsageError("--input {}: the file of rank {} differs from rank 0's; all need the same content",
                       options.input, rank);
    }
  }
  return file;
}

}  // namespace

std::vector<Case> list_cases(const Options& options, int ranks) {
  std::vector<Case> cases;
  const std::vector<size_t> sizes = list_sizes(options.sizes);
  for (const ns_type type : options.types) {
    for (const std::optional<ns_op>& op : ops_of(options)) {
      for (const std::optional<int>& root : roots_of(options, ranks)) {
        for (const size_t size : sizes) {
          cases.push_back(
              {count_for(options.collective, size, static_cast<size_t>(type_info(type).bytes), ranks), type,
               op, root});
        }
      }
    }
  }
  return cases;
}

Runner::Runner(const Options& options, Rendezvous& rendezvous, Backend& backend, Report* report)
    : options_(options),
      rendezvous_(rendezvous),
      backend_(backend),
      report_(report),
      cases_(list_cases(options, rendezvous.ranks())),
      file_(load_input(options, rendezvous)),
      workspace_(backend, capacity_for(options, cases_, rendezvous.ranks()), rendezvous.ranks(),
                 rendezvous.rank()) {}

bool Runner::run() {
  for (size_t i = 0; i < cases_.size(); ++i) {
    if (report_ != nullptr) {
      report_->progress(i, cases_.size(), row_of(options_.collective, cases_[i], rendezvous_.ranks()));
    }
    const Row row = run_case(cases_[i]);
    if (report_ != nullptr) report_->add(row);
  }
  return wrong_ == 0;
}

Row Runner::run_case(const Case& item) {
  use_dataset(item);
  Row row = row_of(options_.collective, item, rendezvous_.ranks());
  row.out_of_place = run_one(item, false);
  if (collective_info(options_.collective).in_place && options_.tolerance == 0) {
    row.in_place = run_one(item, true);
  }
  return row;
}

Measurement Runner::run_one(const Case& item, bool in_place) {
  const Call prototype{.collective = options_.collective,
                       .count = item.count,
                       .type = item.type,
                       .op = item.op.value_or(ns_sum),
                       .root = item.root.value_or(0)};
  const double mine = time_calls(workspace_.prepare(prototype, *data_, in_place));
  const std::vector<double> times = rendezvous_.all_gather_value(mine);
  Measurement measurement =
      measure(options_.collective, row_of(options_.collective, item, rendezvous_.ranks()).bytes,
              rendezvous_.ranks(), combine_times(times, options_.average));
  if (options_.check > 0) {
    error_ = 0;
    measurement.wrong = check_calls(prototype, in_place);
    if (options_.tolerance > 0) measurement.error = error_;
    wrong_ += *measurement.wrong;
  }
  return measurement;
}

// Queues all repetitions at once and waits once, as nccl-tests do: small sizes show the engine's latency, not
// the cost of waking up after each call.
double Runner::time_calls(const Call& call) {
  for (int i = 0; i < options_.warmup_iterations; ++i) backend_.enqueue(call);
  backend_.synchronize();
  rendezvous_.barrier();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < options_.iterations; ++i) backend_.enqueue(call);
  backend_.synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count() / options_.iterations;
}

uint64_t Runner::check_calls(const Call& prototype, bool in_place) {
  uint64_t wrong = 0;
  for (int i = 0; i < options_.check; ++i) {
    const Call call = workspace_.prepare(prototype, *data_, in_place);
    rendezvous_.barrier();
    backend_.enqueue(call);
    backend_.synchronize();
    const Finding found = workspace_.inspect(call, *data_, in_place, options_.tolerance);
    wrong += judge(call, in_place, found);
    error_ = std::max(error_, found.error);
  }
  return wrong;
}

// Adds up what all ranks found; where all must hold the same bytes, one that differs counts as wrong too,
// however close to the reference it is.
uint64_t Runner::judge(const Call& call, bool in_place, const Finding& mine) {
  const std::vector<Finding> findings = rendezvous_.all_gather_value(mine);
  const auto describe = [&] {
    return fmt::format("{} {}, {} elements, {}", collective_info(call.collective).name,
                       type_info(call.type).name, call.count, in_place ? "in place" : "out of place");
  };
  uint64_t wrong = 0;
  for (size_t rank = 0; rank < findings.size(); ++rank) {
    const Finding& found = findings[rank];
    const bool differs = collective_info(call.collective).same_everywhere &&
                         (found.hash_low != findings[0].hash_low || found.hash_high != findings[0].hash_high);
    wrong += found.wrong + found.stray;
    if (differs && found.wrong == findings[0].wrong) ++wrong;
    if (report_ == nullptr) continue;
    if (found.wrong > 0)
      report_->complain(fmt::format("{}: rank {} has {} wrong elements", describe(), rank, found.wrong));
    if (found.stray > 0) {
      report_->complain(
          fmt::format("{}: on rank {} {} bytes outside the result changed", describe(), rank, found.stray));
    }
    if (differs) report_->complain(fmt::format("{}: ranks 0 and {} hold different bytes", describe(), rank));
  }
  return wrong;
}

void Runner::use_dataset(const Case& item) {
  if (data_ != nullptr && data_->type().type == item.type && data_op_ == item.op) return;
  data_ = std::make_unique<Dataset>(item.type, item.op, rendezvous_.ranks(), file_.get());
  data_op_ = item.op;
}

}  // namespace netsense::perf
