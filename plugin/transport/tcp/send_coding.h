// What a send comm knows and decides about compressing its messages.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "kernels/format.h"
#include "plugin/adapt/lossless_controller.h"
#include "plugin/config/settings.h"
#include "plugin/telemetry/counters.h"
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
  SendCoding(const CodingRules& rules, bool peer_decodes, size_t streams);
  SendCoding(const SendCoding&) = delete;
  SendCoding& operator=(const SendCoding&) = delete;
  ~SendCoding();

  [[nodiscard]] bool on() const { return on_; }
  // Whether a message may be coded at all: no buffer of LL or LL128, large enough. For NCCL's thread.
  bool codable(const void* data, size_t bytes, const transport::Region* region,
               const transport::MessageHints& hints);
  // Whether anybody wants to know about the path: there were messages that may be coded.
  [[nodiscard]] bool senses() const { return senses_.load(std::memory_order_relaxed); }
  // What a stream has found out about its path. counters: where what all of them say together goes.
  void sensed(probe::Time now, size_t stream, const probe::Estimate& path, bool backed_up,
              telemetry::Counters* counters);

  // Now and then, by a thread that may wait: asks NCCL for data types while anything is coded.
  void review(probe::Time now);

  struct Decision {
    adapt::Action action = adapt::Action::kRaw;
    kernels::DType type = kernels::DType::kBytes;
    size_t traffic_class = 0;
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
  struct StreamPath {
    probe::Estimate path;
    bool backed_up = false;
  };

  CodingRules rules_;
  bool on_;
  std::atomic<bool> senses_{false};
  TryLock deciding_;  // guards the rest; who does not get it goes without
  std::vector<Traffic> traffic_;
  std::vector<StreamPath> paths_;
  std::vector<probe::Estimate> estimates_;  // of paths_, for combine()
  adapt::Congestion congestion_;
  bool wants_types_ = false;  // only review() and the destructor look at it
};

}  // namespace netsense::tcp
