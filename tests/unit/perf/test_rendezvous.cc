#include <sys/socket.h>

#include <thread>

#include "tests/catch.h"
#include "tools/perf/error.h"
#include "tools/perf/rendezvous.h"

namespace netsense::perf {
namespace {

constexpr std::chrono::seconds kTimeout{20};

// Runs body(rendezvous) as every rank, each in a thread, and gives back what each threw.
template <typename Body>
std::vector<std::string> run_ranks(int ranks, Body body) {
  Socket listener = listen_on({"127.0.0.1", 0});
  const Address address{"127.0.0.1", local_port(listener)};
  std::vector<std::string> errors(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const Membership membership{
            .rank = rank, .ranks = ranks, .address = address, .launcher = "test", .token = 7};
        Rendezvous rendezvous(membership, rank == 0 ? std::move(listener) : Socket(), kTimeout);
        body(rendezvous);
      } catch (const Error& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace

TEST_CASE("every rank gets every rank's bytes, in order") {
  std::array<std::vector<std::string>, 4> seen;
  const auto errors = run_ranks(4, [&](Rendezvous& rendezvous) {
    rendezvous.barrier();
    const auto rank = static_cast<size_t>(rendezvous.rank());
    seen[rank] = rendezvous.all_gather_text(std::string(rank * 1000, 'x'));
    const std::vector<int> ranks = rendezvous.all_gather_value(rendezvous.rank());
    if (ranks != std::vector<int>{0, 1, 2, 3}) throw Error("wrong ranks");
  });
  for (const std::string& error : errors) CHECK(error.empty());
  for (const auto& texts : seen) {
    REQUIRE(texts.size() == 4);
    for (size_t i = 0; i < 4; ++i) CHECK(texts[i].size() == i * 1000);
  }
}

TEST_CASE("a rank that gives up is quoted by all others") {
  const auto errors = run_ranks(3, [](Rendezvous& rendezvous) {
    if (rendezvous.rank() == 2) {
      rendezvous.fail("the disk is full");
      return;
    }
    rendezvous.barrier();
  });
  CHECK_THAT(errors[0], Catch::Contains("rank 2") && Catch::Contains("the disk is full"));
  CHECK_THAT(errors[1], Catch::Contains("the disk is full"));
}

TEST_CASE("a rank that vanishes is named") {
  const auto errors = run_ranks(3, [](Rendezvous& rendezvous) {
    if (rendezvous.rank() != 1) rendezvous.barrier();
  });
  CHECK_THAT(errors[0], Catch::Contains("rank 1"));
  CHECK_THAT(errors[2], Catch::Contains("rank 1"));
}

TEST_CASE("strangers and ranks of other jobs do not disturb") {
  Socket listener = listen_on({"127.0.0.1", 0});
  const Address address{"127.0.0.1", local_port(listener)};
  const auto soon = std::chrono::steady_clock::now() + kTimeout;
  const Socket silent = connect_to(address, soon);
  shutdown(silent.fd(), SHUT_WR);
  const Socket talker = connect_to(address, soon);
  talker.send_all(std::as_bytes(std::span("GET / HTTP/1.1\r\nHost: somewhere.example\r\n\r\n")), soon);
  const auto join = [&](uint64_t token) -> std::string {
    try {
      const Membership member{.rank = 1, .ranks = 2, .address = address, .launcher = "", .token = token};
      Rendezvous(member, Socket(), kTimeout).barrier();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  std::string other_job;
  std::string member;
  std::thread threads([&] {
    other_job = join(8);
    member = join(7);
  });
  Rendezvous root({.rank = 0, .ranks = 2, .address = address, .launcher = "", .token = 7},
                  std::move(listener), kTimeout);
  root.barrier();
  threads.join();
  CHECK_FALSE(other_job.empty());  // closed or reset, whichever it saw first
  CHECK(member.empty());
}

TEST_CASE("missing ranks are named after the time limit") {
  Socket listener = listen_on({"127.0.0.1", 0});
  const Address address{"127.0.0.1", local_port(listener)};
  CHECK_THROWS_WITH(Rendezvous({.rank = 0, .ranks = 3, .address = address, .launcher = ""},
                               std::move(listener), std::chrono::seconds(1)),
                    Catch::Contains("1, 2 of 3"));
}

TEST_CASE("two processes with one rank are an error") {
  Socket listener = listen_on({"127.0.0.1", 0});
  const Address address{"127.0.0.1", local_port(listener)};
  const auto join = [&] {
    try {
      Rendezvous({.rank = 1, .ranks = 3, .address = address, .launcher = ""}, Socket(), kTimeout).barrier();
    } catch (const Error&) {
      return;  // expected: rank 0 turns both away
    }
  };
  std::thread first(join);
  std::thread second(join);
  CHECK_THROWS_WITH(
      Rendezvous({.rank = 0, .ranks = 3, .address = address, .launcher = ""}, std::move(listener), kTimeout),
      Catch::Contains("two processes joined as rank 1"));
  first.join();
  second.join();
}

}  // namespace netsense::perf
