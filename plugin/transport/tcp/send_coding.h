// What a send comm knows and decides about compressing its messages.
#pragma once

#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/format.h"
#include "plugin/adapt/lossless_controller.h"
#include "plugin/config/settings.h"
#include "plugin/telemetry/counters.h"
#include "plugin/telemetry/trace.h"
#include "plugin/transport/region.h"
#include "plugin/transport/tcp/send_queue.h"
#include "plugin/transport/tcp/try_lock.h"

namespace netsense::tcp {

struct CodingRules {
  config::Mode mode = config::Mode::kOff;
  config::CodecChoice codec = config::CodecChoice::kAuto;
  size_t min_bytes = 0;
};

class SendCoding {
 public:
  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

  // traced: somebody wants to know about the path, and what is expected of each decision.
  SendCoding(const CodingRules& rules, bool peer_decodes, size_t streams, bool traced);
  SendCoding(const SendCoding&) = delete;
  SendCoding& operator=(const SendCoding&) = delete;
  ~SendCoding();

  [[nodiscard]] bool on() const { return on_; }
  // Why a message may not be coded at all, such as a buffer of LL or LL128; kNone: it may. For NCCL's thread.
  adapt::Reason held_back(const void* data, size_t bytes, const transport::Region* region,
                          const transport::MessageHints& hints);
  // Whether anybody wants to know about the path: there were messages that may be coded, or there is a trace.
  [[nodiscard]] bool senses() const { return senses_.load(std::memory_order_relaxed); }
  struct StreamLook {
    probe::Estimate path;
    uint64_t delivered_bytes = 0;   // in all
    bool backed_up = false;         // the transport holds bytes back, and not because of the receiver
    bool receiver_limited = false;  // the receiver takes no more
  };
  // Any thread may ask.
  [[nodiscard]] transport::PathView path() const;
  // What a stream has found out about its path. counters, trace: where what all of them say together goes.
  void sensed(probe::Time now, size_t stream, const StreamLook& look, telemetry::Counters* counters,
              const telemetry::ConnectionTrace& trace);

  // Now and then, by a thread that may wait: asks NCCL for data types while anything is coded.
  void review(probe::Time now);

  struct Decision {
    adapt::Action action = adapt::Action::kRaw;
    kernels::DType type = kernels::DType::kBytes;
    size_t traffic_class = 0;
    adapt::Reason reason = adapt::Reason::kNone;
    // Seconds, by action; NaN: unknown, or there is no trace that would show it.
    std::array<float, adapt::kCodecs + 1> expected{kUnknown, kUnknown, kUnknown};
  };
  // How a block of a codable message is to be sent.
  Decision decide(probe::Time now, const Block& block);
  // What came of it. took: by the clock.
  void coded(probe::Time now, const Decision& decision, size_t raw_bytes, size_t coded_bytes,
             probe::Duration took);

 private:
  // By the size of the messages, in powers of four: what NCCL sends in one size is one collective's.
  static constexpr size_t kClasses = 8;
  struct Traffic {
    explicit Traffic(config::CodecChoice codec) : controller(codec) {}
    adapt::LosslessController controller;
    kernels::DType type = kernels::DType::kBytes;
    unsigned blocks_until_look = 0;
  };

  CodingRules rules_;
  bool on_;
  const bool traced_;
  std::atomic<bool> senses_;
  // The last transport::PathView, value by value: a reader may see some of the next.
  struct Published {
    std::atomic<uint64_t> delivered_bytes{0};
    std::atomic<double> rtprop_seconds{0};
    std::atomic<probe::Time> congested_at{probe::Time{}};
  };
  Published published_;
  TryLock deciding_;  // guards the rest; who does not get it goes without
  std::vector<Traffic> traffic_;
  std::vector<StreamLook> looks_;
  std::vector<probe::Estimate> estimates_;  // of looks_, for combine()
  probe::Time last_traced_;
  adapt::Congestion congestion_;
  bool wants_types_ = false;  // only review() and the destructor look at it
};

}  // namespace netsense::tcp
