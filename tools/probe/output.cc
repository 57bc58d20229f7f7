#include "tools/probe/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "tools/perf/error.h"
#include "tools/probe/findings.h"
#include "tools/probe/report.h"

namespace netsense::mesh {
namespace {

void check_file(const char* option, const std::string& path) {
  if (path.empty() || path == "-") return;
  if (!std::ofstream(path, std::ios::app))
    throw perf::UsageError("{} {}: {}", option, path, std::strerror(errno));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw perf::Error("cannot write {}: {}", path, std::strerror(errno));
}

}  // namespace

void check_files(const Options& options) {
  check_file("--json", options.json);
  check_file("--html", options.html);
}

void write_reports(const Options& options, const Mesh& mesh) {
  const std::vector<std::string> findings = find_peculiarities(mesh);
  fmt::print(options.json == "-" ? stderr : stdout, "{}", text_report(mesh, findings));
  if (options.json == "-") {
    fmt::print("{}", json_report(mesh, findings));
  } else if (!options.json.empty()) {
    write_file(options.json, json_report(mesh, findings));
  }
  if (!options.html.empty()) write_file(options.html, html_report(mesh, findings));
  if (std::fflush(stdout) != 0)
    throw perf::Error("cannot write to standard output: {}", std::strerror(errno));
}

Progress show_progress(const Options& options) {
  if (isatty(STDERR_FILENO) == 0) return [](size_t, size_t) {};
  return [length = probe::to_seconds(options.step)](size_t step, size_t steps) {
    const bool last = step + 1 == steps;
    fmt::print(stderr, "\rstep {} of {}, about {:.0f} s left {}", step + 1, steps,
               length * static_cast<double>(steps - step), last ? "\n" : "");
    std::fflush(stderr);
  };
}

}  // namespace netsense::mesh
