// netsense-report: traces as tables, a page or a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "tools/report/options.h"
#include "tools/report/picture.h"
#include "tools/report/report.h"
#include "tools/report/units.h"

namespace netsense::report {
namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

std::string svg_of(const Options& options, const TraceSet& set, const std::vector<Path>& paths) {
  const Path* most = nullptr;
  for (const Path& path : paths) {
    if (path.direction != telemetry::Direction::kSend) continue;
    if (most == nullptr || path.totals.raw_bytes > most->totals.raw_bytes) most = &path;
  }
  if (most == nullptr) throw std::runtime_error("there is no connection that sends to draw a picture of");
  const std::string title = options.title.empty() ? most->title : options.title;
  const std::string subtitle = fmt::format("{} sent as {}, {:.2f} : 1", format_bytes(most->totals.raw_bytes),
                                           format_bytes(most->totals.wire_bytes), most->totals.ratio());
  return picture(set, course_of(set, most->connections), PictureKind::kCompact, {title, subtitle}, true);
}

bool nothing_read(const TraceSet& set) {
  return std::ranges::all_of(set.traces, [](const Trace& trace) {
    return trace.outcome.error == telemetry::TraceError::kForeign ||
           trace.outcome.error == telemetry::TraceError::kVersion;
  });
}

int run(const Options& options) {
  std::vector<Source> sources;
  for (const std::string& path : find_traces(options.traces)) sources.push_back(file_source(path));
  TraceSet set = collect(sources);
  if (nothing_read(set)) {
    for (const Trace& trace : set.traces) {
      for (const std::string& remark : remarks(trace)) fmt::print(stderr, "{}: {}\n", trace.file, remark);
    }
    return 1;
  }
  std::erase_if(set.connections, [&](const Connection& connection) {
    return connection.peer.find(options.peer) == std::string::npos;
  });
  const std::vector<Path> paths = paths_of(set);
  if (!options.html.empty()) write_file(options.html, html_report(set, paths));
  fmt::print("{}", options.json ? json_report(set, paths) : text_report(set, paths));
  // Last: it may be that there is nothing to draw.
  if (!options.svg.empty()) write_file(options.svg, svg_of(options, set, paths));
  return 0;
}

}  // namespace
}  // namespace netsense::report

int main(int argc, char** argv) {
  try {
    int status = 0;
    const auto options = netsense::report::parse_options(argc, argv, &status);
    return options ? netsense::report::run(*options) : status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense-report: {}\n", error.what());
    return 1;
  }
}
