#include "tools/perf/report.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/perf/error.h"
#include "tools/perf/numeric.h"
#include "tools/perf/sizes.h"

namespace netsense::perf {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxComplaints = 20;

std::string counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string format_time(double microseconds) {
  if (microseconds < 99.995) return fmt::format("{:7.2f}", microseconds);
  if (microseconds < 999.95) return fmt::format("{:7.1f}", microseconds);
  return fmt::format("{:7.0f}", microseconds);
}

std::string format_measurement(const std::optional<Measurement>& measurement) {
  if (!measurement) return fmt::format("  {:>7}  {:>6}  {:>6}  {:>5}", "N/A", "N/A", "N/A", "N/A");
  return fmt::format("  {}  {:6.2f}  {:6.2f}  {:>5}", format_time(measurement->seconds * 1e6),
                     measurement->algorithm_bandwidth / 1e9, measurement->bus_bandwidth / 1e9,
                     measurement->wrong ? fmt::to_string(*measurement->wrong) : "N/A");
}

Json to_json(const std::optional<Measurement>& measurement) {
  if (!measurement) return nullptr;
  Json json{{"time_us", measurement->seconds * 1e6},
            {"algbw_gb_per_s", measurement->algorithm_bandwidth / 1e9},
            {"busbw_gb_per_s", measurement->bus_bandwidth / 1e9}};
  json["wrong"] = measurement->wrong ? Json(*measurement->wrong) : Json(nullptr);
  if (measurement->error) json["error"] = *measurement->error;
  return json;
}

Json to_json(const Row& row) {
  Json json{{"size_bytes", row.bytes}, {"count", row.count}, {"type", type_info(row.type).name}};
  json["redop"] = row.op ? Json(op_name(*row.op)) : Json(nullptr);
  json["root"] = row.root ? Json(*row.root) : Json(nullptr);
  json["out_of_place"] = to_json(row.out_of_place);
  json["in_place"] = to_json(row.in_place);
  return json;
}

const char* average_name(Average average) {
  switch (average) {
    case Average::kRank0:
      return "of rank 0";
    case Average::kMin:
      return "least of the ranks";
    case Average::kMax:
      return "most of the ranks";
    case Average::kMean:
      break;
  }
  return "mean over the ranks";
}

Json how_measured(const Options& options, const Setup& setup) {
  Json ranks = Json::array();
  for (const RankInfo& rank : setup.ranks) {
    ranks.push_back({{"host", rank.host}, {"pid", rank.pid}, {"device", rank.device}});
  }
  return {{"engine", setup.engine},
          {"net", setup.net},
          {"launcher", setup.launcher},
          {"ranks", ranks},
          {"iterations", options.iterations},
          {"warmup_iterations", options.warmup_iterations},
          {"checked_iterations", options.check},
          {"time",
           fmt::format("wall clock of all iterations over their number, {}", average_name(options.average))},
          {"data", options.input.empty() ? "generated" : options.input},
          {"busbw", "algbw times the factor of nccl-tests (doc/PERFORMANCE.md)"}};
}

}  // namespace

void check_json_file(const Options& options) {
  if (options.json.empty() || options.json == "-") return;
  // Appending leaves the figures of an earlier run alone until there are new ones.
  if (!std::ofstream(options.json, std::ios::app))
    throw UsageError("--json {}: cannot write this file", options.json);
}

std::string format_row(const Row& row) {
  return fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}", row.bytes, row.count,
                     type_info(row.type).name, row.op ? op_name(*row.op) : "none", row.root.value_or(-1),
                     format_measurement(row.out_of_place), format_measurement(row.in_place));
}

Report::Report(const Options& options, Setup setup)
    : options_(&options),
      setup_(std::move(setup)),
      out_(options.json == "-" ? stderr : stdout),
      terminal_(isatty(STDERR_FILENO) != 0) {}

void Report::begin() const {
  fmt::print(out_, "# netsense-perf {}: {}, {} ({}), {} engine\n", NETSENSE_VERSION,
             collective_info(options_->collective).name,
             counted(static_cast<int64_t>(setup_.ranks.size()), "rank"), setup_.launcher, setup_.engine);
  fmt::print(out_, "# Network: {}\n", setup_.net);
  fmt::print(out_, "# Sizes {} to {}, {} warm-up and {}, {} checked, data {}\n",
             format_size(options_->sizes.min_bytes), format_size(options_->sizes.max_bytes),
             options_->warmup_iterations, counted(options_->iterations, "timed iteration"), options_->check,
             options_->input.empty() ? "generated" : options_->input);
  for (size_t rank = 0; rank < setup_.ranks.size(); ++rank) {
    const RankInfo& info = setup_.ranks[rank];
    fmt::print(out_, "#  Rank {:>3}  pid {:>7}  on {}, {}\n", rank, info.pid, info.host, info.device);
  }
  fmt::print(out_, "#\n# {:>60}{:^32}{:^32}\n", "", "out-of-place", "in-place");
  const std::string figures = fmt::format("  {:>7}  {:>6}  {:>6}  {:>5}", "time", "algbw", "busbw", "#wrong");
  fmt::print(out_, "#{:>11}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", "size", "count", "type", "redop", "root",
             figures, figures);
  const std::string units = fmt::format("  {:>7}  {:>6}  {:>6}  {:>5}", "(us)", "(GB/s)", "(GB/s)", "");
  fmt::print(out_, "#{:>11}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", "(B)", "(elements)", "", "", "", units,
             units);
  std::fflush(out_);
}

void Report::progress(size_t index, size_t cases, const Row& row) const {
  if (!terminal_) return;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() - started_);
  fmt::print(stderr, "\r\033[K[{}/{}] {} {}, {} s so far", index + 1, cases, format_size(row.bytes),
             type_info(row.type).name, elapsed.count());
  std::fflush(stderr);
}

void Report::clear_progress() const {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void Report::add(const Row& row) {
  clear_progress();
  fmt::print(out_, "{}\n", format_row(row));
  std::fflush(out_);
  rows_.push_back(row);
}

void Report::complain(std::string text) {
  if (complaints_.size() >= kMaxComplaints) return;
  clear_progress();
  fmt::print(stderr, "netsense-perf: {}\n", text);
  complaints_.push_back(std::move(text));
  if (complaints_.size() == kMaxComplaints)
    fmt::print(stderr, "netsense-perf: further ones are only counted\n");
}

void Report::end() const {
  clear_progress();
  const Summary summary = summarize(rows_);
  if (options_->check > 0) {
    fmt::print(out_, "# Out of bounds values : {} {}\n", summary.wrong, summary.wrong == 0 ? "OK" : "FAILED");
  } else {
    fmt::print(out_, "# Out of bounds values : not checked (-c 0)\n");
  }
  if (options_->check > 0 && options_->tolerance > 0) {
    fmt::print(out_, "# Largest error        : {:.3g} of the result (root mean square), {} allowed\n",
               summary.error, options_->tolerance);
  }
  fmt::print(out_, "# Avg bus bandwidth    : {:.6g} GB/s\n#\n", summary.mean_bus_bandwidth / 1e9);
  std::fflush(out_);
  if (options_->json.empty()) return;
  if (options_->json == "-") {
    fmt::print("{}\n", json());
    return;
  }
  std::ofstream file(options_->json);
  file << json() << '\n';
  file.close();
  if (!file) throw Error("--json {}: cannot write the file", options_->json);
}

bool Report::all_right() const {
  return summarize(rows_).wrong == 0;
}

std::string Report::json() const {
  const Summary summary = summarize(rows_);
  Json results = Json::array();
  for (const Row& row : rows_) results.push_back(to_json(row));
  const Json document{
      {"tool", "netsense-perf"},
      {"version", NETSENSE_VERSION},
      {"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(started_)))},
      {"collective", collective_info(options_->collective).name},
      {"results", results},
      {"wrong", options_->check > 0 ? Json(summary.wrong) : Json(nullptr)},
      {"complaints", complaints_},
      {"avg_busbw_gb_per_s", summary.mean_bus_bandwidth / 1e9},
      {"how", how_measured(*options_, setup_)}};
  return document.dump(2);
}

}  // namespace netsense::perf
