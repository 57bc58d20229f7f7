// The table as lines of text.
#pragma once

#include <string>
#include <vector>

#include "tools/stats/rates.h"
#include "tools/top/options.h"

namespace netsense::top {

// "1.25 Gbit/s"; powers of 1000.
std::string print_rate(double bytes_per_second);
// "12.5 ms", "-" while unknown.
std::string print_time(uint64_t ns);
// What became of the blocks, in percent of all: "fast 75 raw 25".
std::string print_codecs(const telemetry::Connection& connection);

// Those that the options ask for, in their order.
std::vector<stats::Row> select(std::vector<stats::Row> rows, const Options& options);

std::string table_heading();
std::string table_line(const stats::Row& row);
// A line of totals for each process that has a row.
std::vector<std::string> totals(const std::vector<stats::Row>& rows);
// All of it, with what could not be read.
std::vector<std::string> table(const stats::Host& host, const std::vector<stats::Row>& rows);

}  // namespace netsense::top
