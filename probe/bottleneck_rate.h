// BtlBw: how fast the slowest link of a path passes bytes on.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "probe/sample.h"

namespace netsense::probe {

// BBR takes the largest delivery rate of the last 10 round trips, each over at least one round trip. That is
// the connection's share of a link, not the link's rate, as soon as others use it too; and a maximum keeps
// every acknowledgement that came late and bunched. This estimate uses what a queue in order of arrival does
// to bytes that stand in it next to each other: they leave at the link's full rate, whoever else waits
// (packet-train dispersion: Dovrolis, Ramanathan, Moore, "Packet-Dispersion Techniques and a
// Capacity-Estimation Methodology", IEEE/ACM ToN 12(6), 2004). Connections that fill a window keep their
// bytes together, because each departure makes room for one arrival in the same order (Zhang, Shenker, Clark,
// "Observations on the Dynamics of a Congestion Control Algorithm", SIGCOMM 1991).
//
// So: cut the deliveries into spans of about 1 ms (longer where looks are rare or deliveries few), and look
// at the rate at which the bytes of the last 150 ms or 1.25 round trips were delivered, whichever is longer.
//   - Half of the bytes were delivered at the median rate or faster. Alone on the link this is the link's
//   rate;
//     bunched acknowledgements do not move it until half of the bytes come in bunches.
//   - Where a fifth of the bytes was faster than 1.15 times the median, others had bytes in between, and the
//   rate of
//     that fifth is the link's.
// Spans in which the connection ran empty say only that the link is at least so fast: they can raise the
// estimate.
class BottleneckRate {
 public:
  // To be called whenever more has been delivered.
  // empty: for a moment nothing may have been under way since the call before, or the receiver held things
  // up.
  void add(Time at, uint64_t delivered_bytes, bool empty, Duration rtt);
  // A look at which nothing more had been delivered; tells how fine the times of deliveries are.
  void look(Time at);

  // Bytes per second; 0 until known.
  [[nodiscard]] double bytes_per_second() const { return rate_; }

 private:
  struct Delivery {
    Time at;
    uint64_t bytes;  // delivered up to then
    bool empty;      // since the delivery before
  };
  struct Span {
    Time end;
    double rate;
    double bytes;
    bool empty;
  };

  [[nodiscard]] bool long_enough() const;
  void cut_span();
  void forget(Time now, Duration rtt);
  void conclude(Time now);

  std::deque<Delivery> deliveries_;  // of the span under way
  std::deque<Span> spans_;
  std::vector<std::pair<double, double>> sorted_;  // kept for its memory
  Time concluded_;
  Time last_look_;
  double look_interval_ = 0;  // seconds, smoothed
  double rate_ = 0;
};

}  // namespace netsense::probe
