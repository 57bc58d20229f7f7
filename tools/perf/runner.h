// Runs the whole series of one rank: every size, type, reduction and root, timed and checked.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tools/perf/backend.h"
#include "tools/perf/dataset.h"
#include "tools/perf/measurement.h"
#include "tools/perf/options.h"
#include "tools/perf/rendezvous.h"
#include "tools/perf/report.h"
#include "tools/perf/workspace.h"

namespace netsense::perf {

// One row to be measured.
struct Case {
  size_t count = 0;
  ns_type type = ns_float32;
  std::optional<ns_op> op;
  std::optional<int> root;
};

// In the order of the table: types, reductions and roots outside, sizes inside. Throws UsageError for a root
// that is not a rank.
[[nodiscard]] std::vector<Case> list_cases(const Options& options, int ranks);

class Runner {
 public:
  // report: rank 0's; null on the others.
  Runner(const Options& options, Rendezvous& rendezvous, Backend& backend, Report* report);

  // Collective. Returns whether all results were right, the same on every rank.
  bool run();

 private:
  Row run_case(const Case& item);
  Measurement run_one(const Case& item, bool in_place);
  [[nodiscard]] double time_calls(const Call& call);
  [[nodiscard]] uint64_t check_calls(const Call& prototype, bool in_place);
  uint64_t judge(const Call& call, bool in_place, const Finding& mine);
  void use_dataset(const Case& item);

  const Options& options_;
  Rendezvous& rendezvous_;
  Backend& backend_;
  Report* report_;
  std::vector<Case> cases_;
  std::unique_ptr<FileData> file_;
  std::unique_ptr<Dataset> data_;
  std::optional<ns_op> data_op_;
  Workspace workspace_;
  uint64_t wrong_ = 0;
  double error_ = 0;  // the largest of the calls that were just checked
};

}  // namespace netsense::perf
