#include "tools/engine/trace/fold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/engine/trace/trace.h"

namespace netsense::engine {
namespace {

constexpr size_t kRemembered = 64;

std::string test_args(const std::vector<std::string>& requests) {
  if (requests.size() == 1) return fmt::format(R"("req":"{}")", requests.front());
  return fmt::format(R"("req":["{}"])", fmt::join(requests, R"(",")"));
}

}  // namespace

void Folder::add(TraceRecord record, std::string& lines) {
  Stretch& stretch = stretches_[record.thread];
  if (record.poll != Poll::kNo) {
    fold(stretch, std::move(record));
    return;
  }
  if (record.call == "setNetAttr") {
    if (stretch.has_attributes) {
      write_polls(stretch, lines);
      write(stretch.attributes, "", lines);
    }
    stretch.attributes = std::move(record);
    stretch.has_attributes = true;
    return;
  }
  write_polls(stretch, lines);
  if (stretch.has_attributes) write(stretch.attributes, "", lines);
  stretch.has_attributes = false;
  write(record, "", lines);
}

void Folder::flush(const std::string& thread, std::string& lines) {
  for (auto& [name, stretch] : stretches_) {
    if (!thread.empty() && name != thread) continue;
    write_polls(stretch, lines);
    if (stretch.has_attributes) write(stretch.attributes, "", lines);
    stretch.has_attributes = false;
  }
}

void Folder::fold(Stretch& stretch, TraceRecord record) {
  const bool setting_up = record.call == "connect" || record.call == "accept";
  if (stretch.has_attributes && setting_up) {
    record.args += fmt::format(R"(,"setNetAttr_before_each":{{{}}})", stretch.attributes.args);
    stretch.has_attributes = false;
  }
  const auto same = [&record](const Entry& entry) {
    if (entry.record.api != record.api || entry.record.call != record.call) return false;
    return record.poll == Poll::kTest || entry.record.args == record.args;
  };
  // Tests of several requests are one entry, with a count for each.
  const std::string request = record.poll == Poll::kTest ? record.request : std::string();
  auto found = std::ranges::find_if(stretch.polls, same);
  if (found == stretch.polls.end()) {
    stretch.polls.push_back({std::move(record), {}, {}});
    found = stretch.polls.end() - 1;
  }
  const auto known = std::ranges::find(found->requests, request);
  if (known != found->requests.end()) {
    ++found->counts[static_cast<size_t>(known - found->requests.begin())];
  } else {
    found->requests.push_back(request);
    found->counts.push_back(1);
  }
}

void Folder::write_polls(Stretch& stretch, std::string& lines) {
  std::string run;
  if (stretch.polls.size() > 1) run = fmt::format(R"(,"run":{})", next_run_++);
  for (Entry& entry : stretch.polls) {
    if (entry.record.poll == Poll::kTest) entry.record.args = test_args(entry.requests);
    const std::string count = entry.counts.size() == 1 ? fmt::format("{}", entry.counts.front())
                                                       : fmt::format("[{}]", fmt::join(entry.counts, ","));
    write(entry.record, fmt::format(R"({},"count":{})", run, count), lines);
  }
  stretch.polls.clear();
}

void Folder::write(const TraceRecord& record, const std::string& extra, std::string& lines) {
  const uint64_t line = next_line_++;
  written_as_[record.number] = line;
  if (written_as_.size() > kRemembered) written_as_.erase(written_as_.begin());
  lines += fmt::format(R"({{"n":{},"t":"{}","api":"{}","call":"{}","args":{{{}}},"out":{{{}}},"ret":"{}"{})",
                       line, record.thread, record.api, record.call, record.args, record.out,
                       trace_result(record.result), extra);
  if (record.inside >= 0) {
    const auto outer = written_as_.find(static_cast<uint64_t>(record.inside));
    if (outer != written_as_.end()) lines += fmt::format(R"(,"in":{})", outer->second);
  }
  lines += "}\n";
}

}  // namespace netsense::engine
