// engine-matrix: runs one suite of the engine matrix on local ranks and checks every result.
// For example: engine-matrix --plugin lib/libnccl-net-netsense.so --ranks 4 --suite types --set NCCL_PROTO=LL
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <set>
#include <stdexcept>

#include "tests/engine/matrix/ranks.h"
#include "tests/engine/matrix/suites.h"

namespace netsense::engine_test {
namespace {

void check(ns_result result, const std::string& what) {
  if (result == ns_success) return;
  throw std::runtime_error(fmt::format("{}: {} ({})", what, ns_result_string(result), ns_last_error()));
}

class SuiteRunner {
 public:
  SuiteRunner(const Suite& suite, RankContext* context) : suite_(suite), context_(context) {
    for (int i = 0; i < suite.communicators; ++i) {
      const ns_unique_id id = context->unique_id(i);
      ns_comm* comm = nullptr;
      check(ns_comm_init_rank(&comm, context->place().ranks, &id, context->place().rank), "init");
      comms_.push_back(comm);
    }
  }

  void run() {
    for (const Batch& batch : suite_.batches) run_batch(batch);
    for (ns_comm* comm : comms_) check(ns_comm_destroy(comm), "destroy");
  }

 private:
  void run_batch(const Batch& batch) {
    std::deque<Execution> executions;
    std::set<ns_comm*> used;
    for (size_t i = 0; i < batch.entries.size(); ++i) {
      executions.emplace_back(batch.entries[i].operation, context_->place(), number_ + i);
    }
    if (batch.grouped) check(ns_group_start(), "group start");
    for (size_t i = 0; i < batch.entries.size(); ++i) {
      ns_comm* comm = comms_.at(static_cast<size_t>(batch.entries[i].communicator));
      check(executions[i].enqueue(comm), batch.entries[i].operation.describe());
      used.insert(comm);
    }
    if (batch.grouped) check(ns_group_end(), "group end");
    for (ns_comm* comm : used) check(ns_comm_synchronize(comm), batch.entries[0].operation.describe());
    for (size_t i = 0; i < batch.entries.size(); ++i) {
      const std::string wrong = executions[i].verify();
      if (!wrong.empty()) {
        throw std::runtime_error(
            fmt::format("operation {}, {}: {}", number_ + i, batch.entries[i].operation.describe(), wrong));
      }
      context_->report_digest(number_ + i, executions[i].digest());
    }
    number_ += batch.entries.size();
  }

  const Suite& suite_;
  RankContext* context_;
  std::vector<ns_comm*> comms_;
  size_t number_ = 0;  // of the next operation
};

void set_variables(const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("not NAME=VALUE: " + assignment);
    setenv(assignment.substr(0, equals).c_str(), assignment.substr(equals + 1).c_str(), 1);
  }
}

int run(int argc, char** argv) {
  std::string plugin;
  std::string suite_name;
  int ranks = 2;
  std::vector<std::string> variables;
  CLI::App app("Runs one suite of the engine matrix on local ranks and checks every result.");
  app.add_option("--plugin", plugin, "library")->required();
  app.add_option("--suite", suite_name)->required();
  app.add_option("--ranks", ranks)->check(CLI::Range(1, kMaxRanks));
  app.add_option("--set", variables, "environment of the ranks, NAME=VALUE");
  CLI11_PARSE(app, argc, argv);

  set_variables(variables);
  setenv("NCCL_NET_PLUGIN", plugin.c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  const Suite suite = make_suite(suite_name, ranks);
  const std::vector<Operation> operations = suite.operations();
  const std::string failure = run_ranks(
      ranks, [&](RankContext& context) { SuiteRunner(suite, &context).run(); },
      [&](size_t i) { return operations.at(i).same_everywhere(); }, operations.size());
  if (!failure.empty()) {
    std::fputs(failure.c_str(), stderr);
    return 1;
  }
  std::printf("%zu operations on %d ranks: all right\n", operations.size(), ranks);
  return 0;
}

}  // namespace
}  // namespace netsense::engine_test

int main(int argc, char** argv) {
  try {
    return netsense::engine_test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
