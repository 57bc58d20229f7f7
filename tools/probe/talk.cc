#include "tools/probe/talk.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "tools/perf/error.h"

namespace netsense::mesh {
namespace {

using perf::Error;

// Between an answer and the next ping: enough round trips for a percentile, too few bytes to be load.
constexpr std::chrono::microseconds kPause{500};

uint32_t microseconds(probe::Time now) {
  return static_cast<uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count());
}

}  // namespace

Talk::Talk(Peer& peer, Role role, probe::Time record_from)
    : peer_(peer), role_(role), record_from_(record_from) {}

void Talk::tick(probe::Time now, probe::Time end) {
  if (!role_.asks || finished_) return;
  if (now >= end) {
    say(Finish{});
    finished_ = true;
  } else if (!waiting_ && now >= next_ping_) {
    waiting_ = true;
    sent_ = probe::Clock::now();
    say(Ping{.number = ++number_, .sent_us = microseconds(sent_)});
  }
}

std::optional<probe::Time> Talk::next_tick(probe::Time end) const {
  if (!role_.asks || finished_) return std::nullopt;
  return waiting_ ? end : std::min(end, next_ping_);
}

void Talk::say(const Message& message) {
  const std::vector<std::byte> bytes = encode(message);
  out_.insert(out_.end(), bytes.begin(), bytes.end());
  flush();
}

void Talk::flush() {
  if (out_.empty()) return;
  const ssize_t sent = send(fd(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) throw Error("sending failed: {}", std::strerror(errno));
  if (sent > 0) out_.erase(out_.begin(), out_.begin() + sent);
}

void Talk::receive(probe::Time now, double received) {
  std::byte bytes[16 * kFrameBytes];
  const ssize_t got = recv(fd(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got == 0) throw Error("it closed the connection");
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return;
    throw Error("receiving failed: {}", std::strerror(errno));
  }
  in_.insert(in_.end(), bytes, bytes + got);
  size_t at = 0;
  for (; in_.size() - at >= kFrameBytes; at += kFrameBytes) {
    const std::optional<Message> message = parse_message(std::span(in_).subspan(at, kFrameBytes));
    if (!message) throw Error("it sent something that is not a message of netsense-probe");
    handle(*message, now, received);
  }
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(at));
}

void Talk::handle(const Message& message, probe::Time now, double received) {
  if (const auto* ping = std::get_if<Ping>(&message); ping != nullptr && role_.answers && !answered_) {
    const probe::Duration variation = peer_.delay.add(now, ping->sent_us);
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(variation).count();
    say(Pong{.number = ping->number,
             .variation_ns = static_cast<uint64_t>(std::max<int64_t>(nanoseconds, 0))});
  } else if (const auto* pong = std::get_if<Pong>(&message);
             pong != nullptr && waiting_ && pong->number == number_) {
    take_pong(*pong, now);
  } else if (std::holds_alternative<Finish>(message) && role_.answers && !answered_) {
    answered_ = true;
    say(Result{.bytes_per_second = static_cast<uint64_t>(std::llround(received))});
  } else if (const auto* result = std::get_if<Result>(&message); result != nullptr && finished_ && !result_) {
    result_ = *result;
  } else {
    throw Error("it sent a message out of turn: do all ranks run the same version?");
  }
}

void Talk::take_pong(const Pong& pong, probe::Time now) {
  waiting_ = false;
  next_ping_ = now + kPause;
  if (now < record_from_) return;
  round_trips_.push_back(probe::to_seconds(now - sent_));
  variations_.push_back(static_cast<double>(pong.variation_ns) * 1e-9);
}

}  // namespace netsense::mesh
