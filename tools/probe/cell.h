// What was measured from one rank to another, and how each figure is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace netsense::mesh {

// Of one ordered pair. Seconds, and bytes per second; 0: not measured.
struct Cell {
  double rtt_min = 0;  // round trips while nobody loads this pair
  double rtt_median = 0;
  double rtt_p99 = 0;
  double variation_median = 0;  // one-way delay above the quickest, towards the other rank, idle
  double variation_p99 = 0;
  double bandwidth = 0;          // towards the other rank, the pair alone
  double loaded_rtt_median = 0;  // round trips during that
  double loaded_rtt_p99 = 0;
  double loaded_variation_p99 = 0;
  double rtprop = 0;  // what the path estimator concludes during that
  double btlbw = 0;
  double queue_delay = 0;    // in the network, median
  double all_bandwidth = 0;  // while every rank loads every other
  double all_rtt_median = 0;
  double all_rtt_p99 = 0;
};

enum class Unit : uint8_t { kSeconds, kBytesPerSecond };

struct Quantity {
  const char* key;    // in the JSON
  const char* title;  // for people
  Unit unit;
  double Cell::*value;
};

// All members of Cell, in the order of the report.
[[nodiscard]] std::span<const Quantity> all_quantities();

// "12.3 us", "1.25 ms"; "94.1 Mbit/s". "-" for 0.
[[nodiscard]] std::string format_quantity(double value, Unit unit);

struct Host {
  std::string name;
  std::string interface;
  std::string address;  // numeric
};

// The whole measurement.
struct Mesh {
  std::vector<Host> hosts;               // by rank
  std::vector<std::vector<Cell>> cells;  // [from][to]; the diagonal stays empty

  [[nodiscard]] const Cell& at(size_t from, size_t to) const { return cells[from][to]; }
};

// "rank 3 (name)", the way every message names a rank.
[[nodiscard]] std::string name_rank(const std::vector<Host>& hosts, size_t rank);

}  // namespace netsense::mesh
