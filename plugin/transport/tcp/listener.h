// A listening comm: takes TCP connections, checks that they come from the peer NCCL announced, and groups the
// streams of one peer into a receive comm. Strangers, scanners and slow clients are dropped and never delay
// it.
#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/transport/tcp/exchange.h"
#include "plugin/transport/tcp/health.h"
#include "plugin/transport/tcp/runtime.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

class TcpListener : public transport::Listener, private EventHandler {
 public:
  // bound: the address the socket listens on, for messages.
  // device: for statistics.
  TcpListener(std::shared_ptr<Runtime> runtime, core::Fd socket, const Address& bound, const Secret& secret,
              std::string device);
  ~TcpListener() override;
  Status accept(std::unique_ptr<transport::RecvComm>* comm) override;

 private:
  class Candidate;
  // Who came and did not become our peer, by how much it matters: only a peer that cannot become one is an
  // error.
  enum class Stranger : uint8_t { kScanner, kForeign, kGreeted };
  // Streams of one peer, until all have arrived.
  struct Group {
    std::vector<core::Fd> streams;
    size_t missing = 0;
    std::string peer;
    Capabilities capabilities;
    Clock::time_point deadline;
  };

  void on_event(uint32_t events) override;
  void on_tick(Clock::time_point now) override;
  void admit(core::Fd socket);
  void succeeded(Candidate* candidate);
  void failed(Candidate* candidate, std::string_view why);
  void note_stranger(std::string_view peer, std::string_view why, Stranger kind);
  void shortage(int error);
  void on_exception(const char* what) override;
  void drop(Candidate* candidate);
  Status check_time();

  std::shared_ptr<Runtime> runtime_;
  core::Fd socket_;
  std::string address_;
  Secret secret_;
  std::string device_;
  Health health_;
  Reactor::Registration registration_;

  bool paused_ = false;  // only the reactor looks at it

  std::mutex mutex_;  // guards all below; never held while waiting for the reactor
  bool closing_ = false;
  std::list<std::unique_ptr<Candidate>> candidates_;
  std::map<ConnectionId, Group> groups_;
  std::deque<Group> ready_;
  std::string last_stranger_;               // who came without becoming our peer, and why not
  Stranger stranger_ = Stranger::kScanner;  // its kind
  int shortage_ = 0;                        // errno of the last accept that found no room
  std::optional<Clock::time_point> first_accept_;
  bool said_waiting_ = false;
};

}  // namespace netsense::tcp
