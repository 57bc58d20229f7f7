#include "tools/probe/series.h"

#include "tools/perf/error.h"
#include "tools/probe/schedule.h"
#include "tools/probe/statistics.h"
#include "tools/probe/step.h"
#include "tools/probe/wire.h"

namespace netsense::mesh {
namespace {

constexpr size_t kStepsPerRound = 3;

class Series {
 public:
  Series(const Options& options, perf::Rendezvous& rendezvous, Links& links, const Progress& progress)
      : options_(options),
        rendezvous_(rendezvous),
        links_(links),
        progress_(progress),
        rank_(rendezvous.rank()),
        steps_(count_steps(options, rendezvous.ranks())),
        row_(static_cast<size_t>(rendezvous.ranks())) {}

  std::vector<Cell> run() {
    for (const std::vector<Pair>& round : make_rounds(rendezvous_.ranks()))
      run_round(partner_in(round, rank_));
    if (options_.all_at_once && rendezvous_.ranks() > 1) run_all();
    rendezvous_.barrier();
    return std::move(row_);
  }

 private:
  // Everyone takes part in every barrier, whether or not it has a partner.
  std::vector<Observed> step(const std::vector<Part>& parts, const std::vector<int>& targets,
                             const std::vector<int>& sources) {
    progress_(number_++, steps_);
    Links::LoadConnections load = links_.connect_load(targets, sources);
    rendezvous_.barrier();
    if (parts.empty()) return {};
    return run_step(links_, parts, std::move(load), options_.step);
  }

  void run_round(int partner) {
    if (partner < 0) {
      for (size_t i = 0; i < kStepsPerRound; ++i) step({}, {}, {});
      return;
    }
    Cell& cell = row_[static_cast<size_t>(partner)];
    keep_idle(cell, step({{partner, {.asks = true, .answers = true}}}, {}, {})[0]);
    for (const bool low_sends : {true, false}) {
      const bool sends = low_sends == (rank_ < partner);
      const std::vector<Part> parts{{partner, {.asks = sends, .answers = !sends}}};
      const auto observed = sends ? step(parts, {partner}, {}) : step(parts, {}, {partner});
      if (sends) keep_loaded(cell, observed[0]);
    }
  }

  void run_all() {
    std::vector<int> others;
    std::vector<Part> parts;
    for (int other = 0; other < rendezvous_.ranks(); ++other) {
      if (other == rank_) continue;
      others.push_back(other);
      parts.push_back({other, {.asks = true, .answers = true}});
    }
    const std::vector<Observed> observed = step(parts, others, others);
    for (size_t i = 0; i < others.size(); ++i) {
      Cell& cell = row_[static_cast<size_t>(others[i])];
      cell.all_bandwidth = observed[i].bandwidth;
      cell.all_rtt_median = percentile(observed[i].round_trips, 0.5);
      cell.all_rtt_p99 = percentile(observed[i].round_trips, 0.99);
    }
  }

  static void keep_idle(Cell& cell, const Observed& observed) {
    cell.rtt_min = percentile(observed.round_trips, 0);
    cell.rtt_median = percentile(observed.round_trips, 0.5);
    cell.rtt_p99 = percentile(observed.round_trips, 0.99);
    cell.variation_median = percentile(observed.variations, 0.5);
    cell.variation_p99 = percentile(observed.variations, 0.99);
  }

  static void keep_loaded(Cell& cell, const Observed& observed) {
    cell.bandwidth = observed.bandwidth;
    cell.loaded_rtt_median = percentile(observed.round_trips, 0.5);
    cell.loaded_rtt_p99 = percentile(observed.round_trips, 0.99);
    cell.loaded_variation_p99 = percentile(observed.variations, 0.99);
    cell.rtprop = observed.rtprop;
    cell.btlbw = observed.btlbw;
    cell.queue_delay = observed.queue_delay;
  }

  const Options& options_;
  perf::Rendezvous& rendezvous_;
  Links& links_;
  const Progress& progress_;
  int rank_;
  size_t steps_;
  size_t number_ = 0;
  std::vector<Cell> row_;
};

// One column after the other: a message of the rendezvous has a limit that a large mesh would pass.
std::vector<std::vector<Cell>> exchange(const std::vector<Cell>& row, perf::Rendezvous& rendezvous) {
  std::vector<std::vector<Cell>> cells(row.size(), std::vector<Cell>(row.size()));
  for (size_t to = 0; to < row.size(); ++to) {
    const std::vector<perf::Bytes> column = rendezvous.all_gather(encode(row[to]));
    for (size_t from = 0; from < column.size(); ++from) {
      const std::optional<Message> message = parse_message(column[from]);
      const auto* cell = message ? std::get_if<Cell>(&*message) : nullptr;
      if (cell == nullptr)
        throw perf::Error("rank {} reports figures that cannot be: does it run the same version?", from);
      cells[from][to] = *cell;
    }
  }
  return cells;
}

}  // namespace

size_t count_steps(const Options& options, int ranks) {
  return make_rounds(ranks).size() * kStepsPerRound + (options.all_at_once && ranks > 1 ? 1 : 0);
}

Mesh measure(const Options& options, perf::Rendezvous& rendezvous, Links& links, const Progress& progress) {
  const std::vector<Cell> row = Series(options, rendezvous, links, progress).run();
  return {links.hosts(), exchange(row, rendezvous)};
}

}  // namespace netsense::mesh
