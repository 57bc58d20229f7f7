#include "tools/probe/findings.h"

#include <fmt/format.h>

#include "tools/probe/statistics.h"

namespace netsense::mesh {
namespace {

constexpr double kSlowShare = 0.5;
constexpr double kLongTimes = 3;
constexpr double kLongSeconds = 50e-6;
constexpr double kBloatTimes = 10;
constexpr double kBloatSeconds = 5e-3;

class Search {
 public:
  explicit Search(const Mesh& mesh)
      : mesh_(mesh),
        ranks_(mesh.hosts.size()),
        bandwidth_(median(&Cell::bandwidth)),
        rtt_(median(&Cell::rtt_median)),
        slow_towards_(ranks_, false),
        slow_from_(ranks_, false) {}

  std::vector<std::string> run() {
    const bool comparable = ranks_ >= 3;
    if (comparable) look_at_ranks();
    for_each_pair([&](size_t from, size_t to) {
      if (comparable) look_at_pair(from, to);
      look_at_return(from, to);
      look_at_bloat(from, to);
    });
    return std::move(sentences_);
  }

 private:
  template <typename Visit>
  void for_each_pair(Visit visit) const {
    for (size_t from = 0; from < ranks_; ++from) {
      for (size_t to = 0; to < ranks_; ++to) {
        if (from != to) visit(from, to);
      }
    }
  }

  [[nodiscard]] double median(double Cell::*value) const {
    std::vector<double> values;
    for_each_pair([&](size_t from, size_t to) { values.push_back(mesh_.at(from, to).*value); });
    return percentile(std::move(values), 0.5);
  }

  [[nodiscard]] bool slow(size_t from, size_t to) const {
    return mesh_.at(from, to).bandwidth < kSlowShare * bandwidth_;
  }

  void look_at_ranks() {
    for (size_t rank = 0; rank < ranks_; ++rank) {
      bool towards = true;
      bool from = true;
      for (size_t other = 0; other < ranks_; ++other) {
        if (other == rank) continue;
        towards = towards && slow(other, rank);
        from = from && slow(rank, other);
      }
      slow_towards_[rank] = towards;
      slow_from_[rank] = from;
      if (!towards && !from) continue;
      const char* ways = towards && from ? "Everything from and towards"
                         : towards       ? "Everything towards"
                                         : "Everything from";
      say("{} {} is slow, less than half of the usual {}: look at this host's own link.", ways, name(rank),
          rate(bandwidth_));
    }
  }

  void look_at_pair(size_t from, size_t to) {
    const Cell& cell = mesh_.at(from, to);
    if (slow(from, to) && !slow_from_[from] && !slow_towards_[to]) {
      say("{} to {} is slow: {}, {:.0f} % of the usual {}.", name(from), name(to), rate(cell.bandwidth),
          100 * cell.bandwidth / bandwidth_, rate(bandwidth_));
    }
    if (cell.rtt_median > kLongTimes * rtt_ && cell.rtt_median > rtt_ + kLongSeconds) {
      say("{} to {} has a long round trip: {}, where {} is usual.", name(from), name(to),
          time(cell.rtt_median), time(rtt_));
    }
  }

  void look_at_return(size_t from, size_t to) {
    const double there = mesh_.at(from, to).bandwidth;
    const double back = mesh_.at(to, from).bandwidth;
    if (there >= kSlowShare * back) return;
    say("{} and {} are asymmetric: {} there, {} back.", name(from), name(to), rate(there), rate(back));
  }

  void look_at_bloat(size_t from, size_t to) {
    const Cell& cell = mesh_.at(from, to);
    if (cell.loaded_rtt_median < kBloatTimes * cell.rtt_median ||
        cell.loaded_rtt_median < cell.rtt_median + kBloatSeconds)
      return;
    say("{} to {} has a deep queue: under load the round trip grows from {} to {}.", name(from), name(to),
        time(cell.rtt_median), time(cell.loaded_rtt_median));
  }

  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    std::string text = fmt::format(format, std::forward<Args>(args)...);
    if (text[0] == 'r') text[0] = 'R';
    sentences_.push_back(std::move(text));
  }
  [[nodiscard]] std::string name(size_t rank) const { return name_rank(mesh_.hosts, rank); }
  static std::string rate(double value) { return format_quantity(value, Unit::kBytesPerSecond); }
  static std::string time(double value) { return format_quantity(value, Unit::kSeconds); }

  const Mesh& mesh_;
  size_t ranks_;
  double bandwidth_;
  double rtt_;
  std::vector<bool> slow_towards_;
  std::vector<bool> slow_from_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> find_peculiarities(const Mesh& mesh) {
  return Search(mesh).run();
}

}  // namespace netsense::mesh
