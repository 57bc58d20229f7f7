// The reactor: events and ticks come, and after remove() none does.
#include "plugin/transport/tcp/reactor.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "tests/catch.h"

namespace netsense::tcp {
namespace {

using namespace std::chrono_literals;

class Counter : public EventHandler {
 public:
  void on_event(uint32_t /*events*/) override {
    ++events;
    if (throws) throw std::runtime_error("out of something");
    inside = true;
    std::this_thread::sleep_for(1ms);
    inside = false;
  }
  void on_tick(Clock::time_point /*now*/) override { ++ticks; }
  void on_exception(const char* what) override {
    if (std::string_view(what) == "out of something") ++exceptions;
    Reactor::silence(registration);
  }
  bool throws = false;
  Reactor::Registration registration;
  std::atomic<int> exceptions{0};
  std::atomic<int> events{0};
  std::atomic<int> ticks{0};
  std::atomic<bool> inside{false};
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    out = core::Fd(ends[0]);
    in = core::Fd(ends[1]);
  }
  core::Fd out;
  core::Fd in;
};

// False when it does not happen within a minute.
bool wait_for(const std::atomic<int>& value, int at_least) {
  for (int i = 0; i < 60000 && value < at_least; ++i) std::this_thread::sleep_for(1ms);
  return value >= at_least;
}

}  // namespace

TEST_CASE("events and ticks reach the handler, and end with its registration") {
  Reactor reactor(2);
  Counter counter;
  const Pipe pipe;
  Reactor::Registration registration;
  reactor.add(pipe.out.get(), EPOLLIN, &counter, &registration, 5ms);
  REQUIRE(wait_for(counter.ticks, 2));
  CHECK(counter.events == 0);
  REQUIRE(write(pipe.in.get(), "x", 1) == 1);
  REQUIRE(wait_for(counter.events, 2));
  Reactor::modify(registration, 0);
  Reactor::modify(registration, EPOLLIN);
  Reactor::remove(&registration);
  CHECK(!registration.valid());
  CHECK(!counter.inside);
  const int events = counter.events;
  std::this_thread::sleep_for(20ms);
  CHECK(counter.events == events);
}

TEST_CASE("a silenced registration has ticks but no events") {
  Reactor reactor(1);
  Counter counter;
  const Pipe pipe;
  Reactor::Registration registration;
  reactor.add(pipe.out.get(), 0, &counter, &registration, 5ms);
  Reactor::silence(registration);
  REQUIRE(write(pipe.in.get(), "x", 1) == 1);
  REQUIRE(wait_for(counter.ticks, 3));
  CHECK(counter.events == 0);
  Reactor::remove(&registration);
}

TEST_CASE("a handler that throws hears of it, and the thread goes on") {
  Reactor reactor(1);
  Counter failing;
  failing.throws = true;
  Counter working;
  const Pipe bad;
  const Pipe good;
  reactor.add(bad.out.get(), EPOLLIN, &failing, &failing.registration);
  REQUIRE(write(bad.in.get(), "x", 1) == 1);
  REQUIRE(wait_for(failing.exceptions, 1));
  Reactor::Registration registration;
  reactor.add(good.out.get(), EPOLLIN, &working, &registration);
  REQUIRE(write(good.in.get(), "x", 1) == 1);
  REQUIRE(wait_for(working.events, 1));
  Reactor::remove(&failing.registration);
  Reactor::remove(&registration);
}

TEST_CASE("handlers come and go from many threads at once") {
  Reactor reactor(2);
  const auto churn = [&reactor] {
    for (int i = 0; i < 50; ++i) {
      Counter counter;
      const Pipe pipe;
      (void)!write(pipe.in.get(), "x", 1);
      Reactor::Registration registration;
      reactor.add(pipe.out.get(), EPOLLIN, &counter, &registration);
      std::this_thread::yield();
      Reactor::remove(&registration);
    }
  };
  std::thread other(churn);
  churn();
  other.join();
  SUCCEED("nothing hung or touched a dead handler");
}

}  // namespace netsense::tcp
