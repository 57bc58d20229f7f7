// The report, as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "tools/report/paths.h"

namespace netsense::report {

// One page without anything from elsewhere, below kMostHtmlBytes: connections beyond that are in the tables
// only.
inline constexpr size_t kMostHtmlBytes = size_t{2} << 20;
std::string html_report(const TraceSet& set, const std::vector<Path>& paths);

// The tables of the page, for a terminal.
std::string text_report(const TraceSet& set, const std::vector<Path>& paths);

// docs/tracing.md says what is in it.
std::string json_report(const TraceSet& set, const std::vector<Path>& paths);

// How many bytes went out raw for which reasons, in words; empty: none did.
std::string why_raw(const Totals& totals);

// What is wrong with a trace, or missing from it; empty: nothing.
std::vector<std::string> remarks(const Trace& trace);

}  // namespace netsense::report
