#include "tools/probe/cell.h"

#include <fmt/format.h>

#include <array>

namespace netsense::mesh {
namespace {

constexpr std::array kQuantities{
    Quantity{"rtt_min", "Round trip, idle, least", Unit::kSeconds, &Cell::rtt_min},
    Quantity{"rtt_median", "Round trip, idle, median", Unit::kSeconds, &Cell::rtt_median},
    Quantity{"rtt_p99", "Round trip, idle, 99 %", Unit::kSeconds, &Cell::rtt_p99},
    Quantity{"variation_median", "One-way delay variation, idle, median", Unit::kSeconds,
             &Cell::variation_median},
    Quantity{"variation_p99", "One-way delay variation, idle, 99 %", Unit::kSeconds, &Cell::variation_p99},
    Quantity{"bandwidth", "Bandwidth, pair alone", Unit::kBytesPerSecond, &Cell::bandwidth},
    Quantity{"loaded_rtt_median", "Round trip under load, median", Unit::kSeconds, &Cell::loaded_rtt_median},
    Quantity{"loaded_rtt_p99", "Round trip under load, 99 %", Unit::kSeconds, &Cell::loaded_rtt_p99},
    Quantity{"loaded_variation_p99", "One-way delay variation under load, 99 %", Unit::kSeconds,
             &Cell::loaded_variation_p99},
    Quantity{"rtprop", "Path estimator: RTprop", Unit::kSeconds, &Cell::rtprop},
    Quantity{"btlbw", "Path estimator: BtlBw", Unit::kBytesPerSecond, &Cell::btlbw},
    Quantity{"queue_delay", "Path estimator: queue delay", Unit::kSeconds, &Cell::queue_delay},
    Quantity{"all_bandwidth", "Bandwidth, all pairs at once", Unit::kBytesPerSecond, &Cell::all_bandwidth},
    Quantity{"all_rtt_median", "Round trip, all pairs loaded, median", Unit::kSeconds, &Cell::all_rtt_median},
    Quantity{"all_rtt_p99", "Round trip, all pairs loaded, 99 %", Unit::kSeconds, &Cell::all_rtt_p99},
};
static_assert(sizeof(Cell) == kQuantities.size() * sizeof(double), "every member has its row");

}  // namespace

std::span<const Quantity> all_quantities() {
  return kQuantities;
}

std::string format_quantity(double value, Unit unit) {
  if (value <= 0) return "-";
  if (unit == Unit::kSeconds) {
    if (value < 1e-3) return fmt::format("{:.1f} us", value * 1e6);
    if (value < 1) return fmt::format("{:.2f} ms", value * 1e3);
    return fmt::format("{:.2f} s", value);
  }
  const double bits = value * 8;
  if (bits < 1e6) return fmt::format("{:.1f} kbit/s", bits / 1e3);
  if (bits < 1e9) return fmt::format("{:.1f} Mbit/s", bits / 1e6);
  return fmt::format("{:.2f} Gbit/s", bits / 1e9);
}

std::string name_rank(const std::vector<Host>& hosts, size_t rank) {
  return fmt::format("rank {} ({})", rank, hosts[rank].name);
}

}  // namespace netsense::mesh
