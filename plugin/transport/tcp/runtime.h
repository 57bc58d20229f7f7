// What all comms of the TCP transport share while at least one of them lives: settings and the reactor. Its
// threads end with the last comm.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "plugin/config/settings.h"
#include "plugin/core/fd.h"
#include "plugin/core/frame.h"
#include "plugin/telemetry/registry.h"
#include "plugin/telemetry/trace.h"
#include "plugin/transport/tcp/handshake.h"
#include "plugin/transport/tcp/reactor.h"
#include "plugin/transport/tcp/send_coding.h"
#include "plugin/transport/tcp/socket.h"

namespace netsense::tcp {

// The settings with "auto" resolved for this machine.
struct Tuning {
  int streams = 1;
  int local_streams = 1;  // to a peer on this host
  int threads = 0;        // threads that move large messages; 0: the caller of test() does
  size_t block_bytes = 0;
  bool checksum = true;
  CodingRules coding;
  std::chrono::milliseconds connect_timeout{0};
  std::chrono::milliseconds peer_timeout{0};
  SocketOptions socket;
  telemetry::Options statistics;
  std::shared_ptr<telemetry::Trace> trace;  // null: none
  [[nodiscard]] Capabilities capabilities() const {
    return {.block_bytes = static_cast<uint32_t>(block_bytes), .codecs = core::kKnownCodecs};
  }
};

// cores: how many this process may use.
Tuning resolve(const config::Settings& settings, int cores);

class Runtime {
 public:
  explicit Runtime(const Tuning& tuning);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  // Waits, in bounded time, for sockets handed to finish_close().
  ~Runtime();

  [[nodiscard]] const Tuning& tuning() const { return tuning_; }
  Reactor& reactor() { return reactor_; }

  // Takes a sending socket that NCCL has closed: writes `rest`, waits until the peer has acknowledged
  // everything (closing earlier could reset the connection under data still on its way), then closes. Bounded
  // in time.
  void finish_close(core::Fd fd, std::vector<std::byte> rest);

 private:
  class Closing;
  void retire(Closing* closing);

  Tuning tuning_;
  Reactor reactor_;
  std::mutex mutex_;
  std::condition_variable retired_;
  std::vector<std::unique_ptr<Closing>> closing_;
};

}  // namespace netsense::tcp
