#include "tools/probe/step.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "tools/perf/error.h"
#include "tools/probe/load.h"

namespace netsense::mesh {
namespace {

using perf::Error;
using probe::Time;

// The part of a loaded step in which windows still grow.
constexpr int kBeginningShare = 4;

// One peer and all connections with it.
struct Lane {
  int peer;
  std::unique_ptr<Talk> talk;
  std::unique_ptr<LoadSender> sender;
  std::unique_ptr<LoadReceiver> receiver;
};

class Step {
 public:
  Step(Links& links, const std::vector<Part>& parts, Links::LoadConnections load, probe::Duration length)
      : links_(links), end_(probe::Clock::now() + length), give_up_(end_ + links.timeout()) {
    const bool loaded = !load.to.empty();
    const Time record_from = end_ - length + (loaded ? length / kBeginningShare : probe::Duration{});
    for (const Part& part : parts) {
      Lane lane{part.peer, std::make_unique<Talk>(links.peer(part.peer), part.role, record_from), nullptr,
                nullptr};
      if (auto to = load.to.find(part.peer); to != load.to.end())
        lane.sender = std::make_unique<LoadSender>(std::move(to->second), record_from);
      if (auto from = load.from.find(part.peer); from != load.from.end())
        lane.receiver = std::make_unique<LoadReceiver>(std::move(from->second), length / kBeginningShare);
      lanes_.push_back(std::move(lane));
    }
  }

  std::vector<Observed> run() {
    while (true) {
      const Time now = probe::Clock::now();
      for (Lane& lane : lanes_) guarded(lane, [&] { tick(lane, now); });
      if (std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.talk->done(); }))
        break;
      if (now >= give_up_) fail_silent();
      wait();
      // All messages before any load: a ping shall not wait for the copying of load.
      for_each_ready([&](Lane& lane, short events) { serve_talk(lane, events); }, kTalk);
      for_each_ready([&](Lane& lane, short events) { serve_load(lane, events); }, kLoad);
    }
    return collect();
  }

 private:
  enum Which : uint8_t { kTalk, kLoad };
  struct Entry {
    Lane* lane;
    Which which;
  };

  // Whatever goes wrong with a peer is said with its name.
  template <typename Action>
  void guarded(const Lane& lane, Action action) const {
    try {
      action();
    } catch (const Error& error) {
      throw Error("{}: {}", links_.name(lane.peer), error.what());
    }
  }

  void tick(Lane& lane, Time now) const {
    lane.talk->tick(now, end_);
    if (lane.sender && now < end_) lane.sender->look(now);
  }

  void watch(Lane& lane, Which which, int fd, int events) {
    entries_.push_back({&lane, which});
    polls_.push_back({fd, static_cast<short>(events), 0});
  }

  void wait() {
    entries_.clear();
    polls_.clear();
    const Time now = probe::Clock::now();
    Time until = give_up_;
    for (Lane& lane : lanes_) {
      if (const auto next = lane.talk->next_tick(end_)) until = std::min(until, *next);
      if (!lane.talk->done())
        watch(lane, kTalk, lane.talk->fd(), POLLIN | (lane.talk->wants_to_write() ? POLLOUT : 0));
      if (lane.sender && now < end_) {
        watch(lane, kLoad, lane.sender->fd(), POLLOUT);
        until = std::min(until, now + LoadSender::kLookInterval);
      }
      if (lane.receiver && !lane.talk->answered()) watch(lane, kLoad, lane.receiver->fd(), POLLIN);
    }
    const auto left =
        std::max<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(until - now).count(), 0);
    const timespec limit{left / 1000000000, left % 1000000000};
    if (ppoll(polls_.data(), polls_.size(), &limit, nullptr) < 0) {
      if (errno != EINTR) throw Error("poll failed (error {})", errno);
      for (pollfd& entry : polls_) entry.revents = 0;
    }
  }

  template <typename Serve>
  void for_each_ready(Serve serve, Which which) {
    for (size_t i = 0; i < polls_.size(); ++i) {
      if (entries_[i].which != which || polls_[i].revents == 0) continue;
      Lane& lane = *entries_[i].lane;
      guarded(lane, [&] { serve(lane, polls_[i].events); });
    }
  }

  static void serve_talk(Lane& lane, short /*events*/) {
    lane.talk->receive(probe::Clock::now(), lane.receiver ? lane.receiver->bytes_per_second() : 0);
    lane.talk->flush();
  }

  static void serve_load(Lane& lane, short events) {
    if (events == POLLOUT) {
      lane.sender->send_some();
    } else if (!lane.talk->answered()) {
      lane.receiver->receive_some(probe::Clock::now());
    }
  }

  [[noreturn]] void fail_silent() const {
    std::string names;
    for (const Lane& lane : lanes_) {
      if (!lane.talk->done()) names += (names.empty() ? "" : ", ") + links_.name(lane.peer);
    }
    throw Error("{}: no answer for {} s; does it still run, and does the network still reach it?", names,
                links_.timeout().count());
  }

  [[nodiscard]] std::vector<Observed> collect() const {
    std::vector<Observed> all;
    for (const Lane& lane : lanes_) {
      Observed observed{.round_trips = lane.talk->round_trips(),
                        .variations = lane.talk->variations(),
                        .bandwidth = lane.talk->peer_received()};
      if (lane.sender) {
        const probe::Estimate estimate = lane.sender->estimate(end_);
        observed.rtprop = probe::to_seconds(estimate.rtprop);
        observed.btlbw = estimate.btlbw;
        observed.queue_delay = lane.sender->queue_delay();
      }
      all.push_back(std::move(observed));
    }
    return all;
  }

  Links& links_;
  Time end_;
  Time give_up_;
  std::vector<Lane> lanes_;
  std::vector<Entry> entries_;
  std::vector<pollfd> polls_;
};

}  // namespace

std::vector<Observed> run_step(Links& links, const std::vector<Part>& parts, Links::LoadConnections load,
                               probe::Duration length) {
  return Step(links, parts, std::move(load), length).run();
}

}  // namespace netsense::mesh
