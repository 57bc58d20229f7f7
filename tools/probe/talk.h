// The messages with one peer during one step: pings and their answers, and how the step ends.
#pragma once

#include <optional>
#include <vector>

#include "tools/probe/links.h"
#include "tools/probe/wire.h"

namespace netsense::mesh {

struct Role {
  bool asks = false;     // this rank sends pings to the peer
  bool answers = false;  // the peer sends pings to this rank
};

class Talk {
 public:
  // record_from: round trips that end before are not kept.
  Talk(Peer& peer, Role role, probe::Time record_from);

  [[nodiscard]] int fd() const { return peer_.messages.fd(); }
  [[nodiscard]] bool wants_to_write() const { return !out_.empty(); }

  // Sends the next ping when it is time, and Finish once `end` is reached.
  void tick(probe::Time now, probe::Time end);
  // When tick() has something to do again; none: not before something arrives.
  [[nodiscard]] std::optional<probe::Time> next_tick(probe::Time end) const;
  // Takes everything that has arrived. received: what answers a Finish, in bytes per second. Throws
  // perf::Error when the peer closed the connection or says what it must not say now.
  void receive(probe::Time now, double received);
  void flush();

  // Both sides are finished, and both know.
  [[nodiscard]] bool done() const {
    return (!role_.asks || result_) && (!role_.answers || answered_) && out_.empty();
  }
  // The peer has said that its part is over.
  [[nodiscard]] bool answered() const { return answered_; }

  [[nodiscard]] const std::vector<double>& round_trips() const { return round_trips_; }  // seconds
  [[nodiscard]] const std::vector<double>& variations() const { return variations_; }    // seconds
  [[nodiscard]] double peer_received() const {
    return result_ ? static_cast<double>(result_->bytes_per_second) : 0;
  }

 private:
  void say(const Message& message);
  void handle(const Message& message, probe::Time now, double received);
  void take_pong(const Pong& pong, probe::Time now);

  Peer& peer_;
  Role role_;
  probe::Time record_from_;
  std::vector<std::byte> in_;
  std::vector<std::byte> out_;
  uint32_t number_ = 0;
  bool waiting_ = false;  // for the pong of number_
  bool finished_ = false;
  bool answered_ = false;
  probe::Time sent_;
  probe::Time next_ping_;
  std::optional<Result> result_;
  std::vector<double> round_trips_;
  std::vector<double> variations_;
};

}  // namespace netsense::mesh
