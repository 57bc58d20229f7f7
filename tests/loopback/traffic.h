// Messages of one size, sent and received without end by one thread that polls both comms in turn, as two
// ranks' proxy threads would; each message has its own content. They lie in registered memory and are floats,
// so that they are compressed where the settings say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tests/loopback/scene.h"

namespace netsense::testing {

class Traffic {
 public:
  // Makes the connection. reroute: may change the handle before the connector gets it.
  Traffic(const Library12& net, size_t bytes, const std::function<void(HandleBytes*)>& reroute = {});
  // One call at each end that still works.
  void step();
  // Until each end has reported an error, or something wrong has arrived.
  void run_until_both_fail();
  // Until so many messages were sent and received, and no more; or until an end reports an error.
  void run_until_delivered(uint32_t messages);

  [[nodiscard]] Result sender() const { return sender_; }
  [[nodiscard]] Result receiver() const { return receiver_; }
  [[nodiscard]] uint32_t delivered() const { return delivered_; }
  // Messages that were reported as received and are not what was sent.
  [[nodiscard]] uint32_t wrong() const { return wrong_; }

 private:
  void step_sender();
  void step_receiver();

  const size_t bytes_;
  std::vector<uint8_t> from_;
  std::vector<uint8_t> to_;
  const Ends ends_;  // behind the buffers: as in NCCL they live until the comms are closed
  void* from_region_;
  void* to_region_;
  void* sending_ = nullptr;
  void* receiving_ = nullptr;
  Result sender_ = Result::kOk;
  Result receiver_ = Result::kOk;
  uint32_t limit_ = UINT32_MAX;
  uint32_t sent_ = 0;
  uint32_t delivered_ = 0;
  uint32_t wrong_ = 0;
};

}  // namespace netsense::testing
