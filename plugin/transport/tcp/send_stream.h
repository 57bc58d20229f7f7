// The sending end of one TCP stream: cuts blocks from the comm's queue, frames and sends them, and reads what
// the receiver says on the way back (acknowledgements, errors).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "plugin/core/fd.h"
#include "plugin/core/frame.h"
#include "plugin/transport/tcp/block_coder.h"
#include "plugin/transport/tcp/reactor.h"
#include "plugin/transport/tcp/send_batch.h"
#include "plugin/transport/tcp/send_coding.h"
#include "plugin/transport/tcp/stream_rate.h"
#include "plugin/transport/tcp/try_lock.h"
#include "probe/path_estimator.h"
#include "probe/tcp_sampler.h"

namespace netsense::tcp {

class TcpSendComm;

class SendStream : public EventHandler {
 public:
  SendStream(TcpSendComm& owner, core::Fd fd, size_t index);
  ~SendStream() override {
    // A socket given away is watched by its new owner.
    if (fd_.valid()) stop_watching();
  }

  enum class Progress : uint8_t {
    kIdle,      // nothing (more) to send
    kDeclined,  // there is, but another stream would deliver it earlier
    kBlocked,   // the kernel takes no more for now
    kBudget,    // the budget is used up
    kBusy,      // another thread is at it
    kFailed,
  };
  // Sends up to about `budget` bytes. Never blocks. block_bytes: the largest frame payload.
  Progress drive(size_t budget);

  // Lets the reactor send what is queued. Any thread; a system call only when it was not asked already.
  void request_write();
  void start_watching();
  // The registration itself stays as it is: callbacks of the comm's other streams may still use it, in vain.
  void stop_watching() const {
    Reactor::Registration registration = registration_;
    Reactor::remove(&registration);
  }

  // Bytes given to the kernel that were not acknowledged at the last look.
  [[nodiscard]] uint64_t backlog() const { return backlog_.load(std::memory_order_relaxed); }
  // 0 while unknown.
  [[nodiscard]] double bytes_per_second() const { return bytes_per_second_.load(std::memory_order_relaxed); }
  // Ends the stream without a CLOSE frame, which is an error for the receiver.
  void hang_up();
  // Gives the socket away; the CLOSE frame to end it with is *close_frame.
  core::Fd take_socket(core::FrameBytes* close_frame, uint64_t messages);

 private:
  void on_event(uint32_t events) override;
  void on_tick(Clock::time_point now) override;
  void on_exception(const char* what) override;

  bool load_batch(size_t budget, Progress* result);
  bool load_block(size_t limit);
  // What was decided for a block, and what came of it.
  struct Coding {
    SendCoding::Decision decision;
    std::span<const std::byte> coded{};  // empty: it is better sent as it is
    Clock::duration took{};
  };
  Coding code(const Block& block);
  size_t choose_size();
  Progress write_some(size_t* written);
  void measure(Clock::time_point now);
  void sense(Clock::time_point now);
  void read_reverse();
  bool handle_reverse();
  void fail_io(int error);

  TcpSendComm& owner_;
  core::Fd fd_;
  const size_t index_;
  Reactor::Registration registration_;
  std::atomic<bool> write_requested_{false};
  std::atomic<bool> holds_blocks_{false};  // the last drive() left some in batch_

  TryLock writing_;  // guards the rest of this group
  SendBatch batch_;
  std::unique_ptr<BlockCoder> coder_;  // null when nothing is ever coded
  probe::TcpSampler sampler_;
  probe::PathEstimator path_;
  uint32_t retransmits_ = 0;  // those counted
  uint32_t frame_number_ = 0;
  uint64_t written_ = 0;
  StreamRate rate_;
  Clock::time_point last_measured_;
  Clock::time_point last_sensed_;
  bool bytes_wait_ = false;  // at the last look at the path
  Clock::time_point next_probe_;
  double probed_rate_ = 0;  // the estimate at the last probe

  std::atomic<uint64_t> backlog_{0};
  std::atomic<double> bytes_per_second_{0};

  TryLock reading_;  // guards the rest
  std::array<std::byte, core::kFrameHeaderBytes + core::kMaxErrorText> reverse_{};
  size_t reverse_got_ = 0;
  bool suspicious_ = false;
};

}  // namespace netsense::tcp
