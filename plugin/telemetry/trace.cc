#include "plugin/telemetry/trace.h"

#include <unistd.h>

#include <exception>

#include "plugin/core/log.h"

namespace netsense::telemetry {

Trace::~Trace() {
  TraceSession* const session = session_.load(std::memory_order_acquire);
  // What a forked child has inherited is not in order: see TraceSession::close().
  if (session != nullptr && session->pid() == ::getpid() && !session->stuck()) delete session;
}

TraceSession& Trace::session() {
  TraceSession* found = session_.load(std::memory_order_acquire);
  const pid_t pid = ::getpid();
  while (found == nullptr || found->pid() != pid) {
    auto made = std::make_unique<TraceSession>(options_);
    // The parent's is left as it is: comms that the child has inherited may still put to it, in vain.
    if (session_.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel)) {
      return *made.release();
    }
  }
  return *found;
}

ConnectionTrace Trace::open(const TracedConnection& connection) {
  TraceOpened opened;
  opened.direction = static_cast<uint8_t>(connection.direction);
  opened.coding = connection.coding ? 1 : 0;
  opened.streams = static_cast<uint32_t>(connection.streams);
  opened.block_bytes = static_cast<uint32_t>(connection.block_bytes);
  opened.peer_block_bytes = static_cast<uint32_t>(connection.peer_block_bytes);
  connection.peer.copy(opened.peer.data(), opened.peer.size());
  connection.device.copy(opened.device.data(), opened.device.size());
  try {
    TraceSession& owner = session();
    const uint32_t number = owner.open(opened);
    if (number != 0) return {&owner, number};
  } catch (const std::exception& error) {
    NETSENSE_WARN("the connection with {} is not in the trace: {}", connection.peer, error.what());
  }
  return {};
}

}  // namespace netsense::telemetry
