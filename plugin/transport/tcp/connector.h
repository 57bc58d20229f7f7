// A connection in the making, on the connecting side: one TCP connection and one handshake per stream, all
// driven by the reactor. NCCL's thread only asks how it stands.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/transport/tcp/handle.h"
#include "plugin/transport/tcp/health.h"
#include "plugin/transport/tcp/runtime.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

class Connector {
 public:
  // device: for statistics.
  Connector(std::shared_ptr<Runtime> runtime, const HandleContents& target, std::string device);
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;
  ~Connector();

  // *comm is set once all streams are ready. An error is final.
  Status poll(std::unique_ptr<transport::SendComm>* comm);
  // Whether NCCL has not asked for it for so long that it was given up.
  [[nodiscard]] bool abandoned() const {
    const std::scoped_lock lock(mutex_);
    return left_;
  }

 private:
  class Attempt;
  void stream_ready(const Capabilities& peer);
  void stream_lost();
  // For an attempt that was not asked for since poll number `polls`: whether it is given up.
  bool leave(uint64_t polls);
  [[nodiscard]] uint64_t polls() const {
    const std::scoped_lock lock(mutex_);
    return polls_;
  }
  void fail(Status status, const std::string& why);

  std::shared_ptr<Runtime> runtime_;
  HandleContents target_;
  std::string peer_;
  std::string device_;
  Clock::time_point deadline_;
  Health health_;
  std::vector<std::unique_ptr<Attempt>> attempts_;

  mutable std::mutex mutex_;  // guards what follows
  uint64_t polls_ = 0;
  bool left_ = false;
  size_t ready_ = 0;
  Capabilities peer_capabilities_;
};

}  // namespace netsense::tcp
