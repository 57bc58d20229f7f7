// A small pool of threads that wait for sockets and call their owners back. It makes connections, watches
// over them, finishes closes, and moves large messages; idle, it costs nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "plugin/core/fd.h"

namespace netsense::tcp {

using Clock = std::chrono::steady_clock;

class EventHandler {
 public:
  EventHandler() = default;
  EventHandler(const EventHandler&) = delete;
  EventHandler& operator=(const EventHandler&) = delete;
  virtual ~EventHandler() = default;
  // events: EPOLLIN and so on. Must not block.
  virtual void on_event(uint32_t events) = 0;
  // Called about every `tick` of the registration.
  virtual void on_tick(Clock::time_point /*now*/) {}
  // One of the others threw (memory or descriptors ran out, most likely): the owner is to end in an error,
  // since an exception that left the thread would end the user's process.
  virtual void on_exception(const char* what) = 0;
};

class Reactor {
 public:
  class Worker;

  // What add() hands out; a value type.
  struct Registration {
    Worker* worker = nullptr;
    int fd = -1;
    uint64_t key = 0;
    [[nodiscard]] bool valid() const { return worker != nullptr; }
  };

  static constexpr std::chrono::milliseconds kNoTick{0};

  // threads: at least 1. Throws std::system_error when the system refuses.
  explicit Reactor(int threads);
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;
  // Every registration must be gone. Must not run on one of its own threads.
  ~Reactor();

  // Watches fd (level-triggered). The handler must live until remove() has returned. *registration is written
  // before the first callback. Throws std::system_error when the system refuses.
  void add(int fd, uint32_t events, EventHandler* handler, Registration* registration,
           std::chrono::milliseconds tick = kNoTick);
  // Changes what is waited for. May be called from any thread; one system call.
  static void modify(const Registration& registration, uint32_t events);
  // Events end for good, ticks go on: for a dead socket, which would report its death without end.
  static void silence(const Registration& registration);
  // When this returns the handler is not running and will not be called again, unless the caller is the
  // handler itself. Makes the registration invalid.
  static void remove(Registration* registration);

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<size_t> next_{0};
};

}  // namespace netsense::tcp
