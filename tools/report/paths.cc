#include "tools/report/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "plugin/telemetry/peer.h"

namespace netsense::report {

std::vector<Path> paths_of(const TraceSet& set) {
  std::map<std::tuple<telemetry::Direction, size_t, std::string>, Path> found;
  for (size_t i = 0; i < set.connections.size(); ++i) {
    const Connection& connection = set.connections[i];
    const std::string host(telemetry::host_of(connection.peer));
    Path& path = found[{connection.direction, connection.trace, host}];
    path.direction = connection.direction;
    path.trace = connection.trace;
    path.host = host;
    path.connections.push_back(i);
    path.totals.add(connection.totals);
  }
  std::vector<Path> paths;
  for (auto& [key, path] : found) {
    path.title = fmt::format("{} {} {}", set.traces[path.trace].name,
                             path.direction == telemetry::Direction::kSend ? "to" : "from", path.host);
    paths.push_back(std::move(path));
  }
  std::ranges::stable_sort(paths, [](const Path& a, const Path& b) {
    return std::tuple(a.direction, a.trace, b.totals.raw_bytes) <
           std::tuple(b.direction, b.trace, a.totals.raw_bytes);
  });
  return paths;
}

std::vector<Moment> course_of(const TraceSet& set, std::span<const size_t> connections) {
  std::vector<const Steps*> courses;
  for (const size_t i : connections) {
    if (!set.connections[i].steps.empty()) courses.push_back(&set.connections[i].steps);
  }
  return moments(courses, set.step_s);
}

}  // namespace netsense::report
