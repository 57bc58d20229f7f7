// The receiving end of one TCP stream: takes frames apart, puts their bytes where NCCL wants them, and writes
// on the way back (acknowledgements, errors).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/cpu/codec.h"
#include "plugin/core/fd.h"
#include "plugin/core/frame.h"
#include "plugin/transport/tcp/reactor.h"
#include "plugin/transport/tcp/recv_ring.h"
#include "plugin/transport/tcp/try_lock.h"

namespace netsense::tcp {

class TcpRecvComm;

class RecvStream : public EventHandler {
 public:
  // block_bytes: the largest payload the peer sends in one frame.
  RecvStream(TcpRecvComm& owner, core::Fd fd, size_t block_bytes);
  ~RecvStream() override { stop_watching(); }

  enum class Progress : uint8_t {
    kWaiting,  // nothing more has arrived
    kStalled,  // the next frame is for a receive that is not posted yet
    kBudget,   // the budget is used up, or `until` has happened
    kBusy,     // another thread is at it
    kEnded,    // the peer closed in order, or the comm failed
  };
  // Receives up to about `budget` bytes, or until *until is true. Never blocks.
  Progress drive(size_t budget, const std::atomic<bool>* until);

  void start_watching();
  // The registration itself stays as it is: callbacks of the comm's other streams may still use it, in vain.
  void stop_watching() const {
    Reactor::Registration registration = registration_;
    Reactor::remove(&registration);
  }
  // Lets the reactor receive. Any thread; a system call only when it was not asked already.
  void request_read();
  // To be called after a receive was posted: goes on when the reactor had stopped for want of it.
  void resume();

  // Whether the reactor will not hear of what is still to be taken: drive() stopped with a frame that is in
  // memory already, or the socket is dead and no longer watched.
  [[nodiscard]] bool has_read_ahead() const {
    return has_read_ahead_.load(std::memory_order_acquire) || silenced_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool in_message() const { return in_message_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool ended() const { return ended_.load(std::memory_order_acquire); }
  // Best effort: says nothing when the way back is full.
  void acknowledge(uint64_t messages, uint64_t bytes);
  void send_error(Status status, std::string_view text);
  // Nothing more will be said on the way back: for the sender a sign that this end has given up.
  void hang_up();

 private:
  void on_event(uint32_t events) override;
  void on_exception(const char* what) override;

  // Outcomes of one step inside drive(): whether to go on.
  bool read_header(Progress* result);
  bool handle_header(Progress* result);
  bool match(Progress* result);
  bool read_payload(Progress* result);
  bool finish_block();
  bool verify_payload();
  // *decoding: how long that took, where it was needed.
  bool deliver(Clock::duration* decoding);
  bool begin_payload();
  void on_end_of_stream();
  // make_frame: gives the bytes of the frame with the number it is given.
  template <typename MakeFrame>
  void write_reverse(MakeFrame&& make_frame);

  TcpRecvComm& owner_;
  core::Fd fd_;
  Reactor::Registration registration_;
  std::atomic<bool> read_requested_{false};
  std::atomic<bool> stalled_{false};
  std::atomic<uint64_t> stalled_on_{0};  // the message that has no receive yet
  std::atomic<bool> in_message_{false};
  std::atomic<bool> has_read_ahead_{false};
  std::atomic<bool> silenced_{false};
  std::atomic<bool> ended_{false};

  TryLock reading_;                               // guards the rest of this group
  std::array<std::byte, size_t{8} << 10> ahead_;  // read beyond the current frame
  size_t ahead_begin_ = 0;
  size_t ahead_end_ = 0;
  size_t wanted_ahead_ = core::kFrameHeaderBytes;  // without so much the next frame cannot be handled
  bool in_frame_ = false;
  bool close_seen_ = false;
  core::FrameHeader header_;
  uint32_t frame_number_ = 0;
  RecvRequest* request_ = nullptr;
  std::byte* target_ = nullptr;  // of this block's bytes: NCCL's buffer, or staging_
  size_t got_ = 0;               // payload bytes at target_
  std::vector<std::byte> staging_;
  std::vector<std::byte> decoded_;  // of a coded block that is not decoded into NCCL's buffer straight away
  std::unique_ptr<kernels::Scratch> scratch_;

  TryLock answering_;                   // guards the rest
  std::vector<std::byte> answer_rest_;  // of a frame that the kernel took only in part
  uint32_t answer_number_ = 0;
};

}  // namespace netsense::tcp
