// What the user sees: the table of nccl-tests, line by line as the figures come, and the same as JSON.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/perf/measurement.h"
#include "tools/perf/options.h"

namespace netsense::perf {

struct RankInfo {
  std::string host;
  std::string device;
  int pid = 0;
};

// What was measured and with what.
struct Setup {
  std::string engine;
  std::string net;
  std::string launcher;
  std::vector<RankInfo> ranks;
};

// Throws UsageError when the file for the JSON cannot be written, so that nobody measures for nothing.
void check_json_file(const Options& options);

class Report {
 public:
  Report(const Options& options, Setup setup);

  void begin() const;
  // On the terminal only: which size is under way.
  void progress(size_t index, size_t cases, const Row& row) const;
  void add(const Row& row);
  // A wrong result in words, for example which ranks differ.
  void complain(std::string text);
  // Writes the last lines and the JSON file. Throws Error when that cannot be written.
  void end() const;

  [[nodiscard]] bool all_right() const;

 private:
  [[nodiscard]] std::string json() const;
  void clear_progress() const;

  const Options* options_;
  Setup setup_;
  std::FILE* out_;  // standard error when the JSON goes to standard output
  bool terminal_;
  std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
  std::vector<Row> rows_;
  std::vector<std::string> complaints_;
};

// One line of the table, without the line break.
[[nodiscard]] std::string format_row(const Row& row);

}  // namespace netsense::perf
