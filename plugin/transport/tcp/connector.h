// A connection in the making, on the connecting side: one TCP connection and one handshake per stream, all
// driven by the reactor. NCCL's thread only asks how it stands.
#pragma once

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
  Connector(std::shared_ptr<Runtime> runtime, const HandleContents& target);
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;
  ~Connector();

  // *comm is set once all streams are ready. An error is final.
  Status poll(std::unique_ptr<transport::SendComm>* comm);
  // Whether the time to connect is over by far: NCCL has given this one up.
  [[nodiscard]] bool abandoned(Clock::time_point now) const;

 private:
  class Attempt;
  void stream_ready(const Capabilities& peer);
  void fail(Status status, const std::string& why);

  std::shared_ptr<Runtime> runtime_;
  HandleContents target_;
  std::string peer_;
  Clock::time_point deadline_;
  Health health_;
  std::vector<std::unique_ptr<Attempt>> attempts_;

  std::mutex mutex_;  // guards what follows
  size_t ready_ = 0;
  Capabilities peer_capabilities_;
};

}  // namespace netsense::tcp
