// Ranks, threads of this process, that find each other over loopback.
#include <future>
#include <numeric>
#include <vector>

#include "tests/catch.h"
#include "tools/engine/bootstrap/bootstrap.h"

using namespace netsense::engine;

namespace {

constexpr uint32_t kTag = 7;

// Runs one function per rank at the same time; the result of each, or its error.
template <typename Work>
auto on_ranks(int ranks, Work work) {
  std::vector<std::future<decltype(work(0))>> running;
  running.reserve(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) running.push_back(std::async(std::launch::async, work, rank));
  for (auto& one : running) one.wait();
  return running;
}

ns_result result_of(std::future<void>& work, std::string& text) {
  try {
    work.get();
    return ns_success;
  } catch (const EngineError& error) {
    text = error.what();
    return error.result();
  }
}

std::vector<std::byte> message(int value) {
  const auto bytes = bytes_of(value);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("every rank learns every rank's value") {
  const int ranks = GENERATE(1, 2, 5);
  const UniqueId id = start_root("127.0.0.1:0");
  std::vector<int> expected(static_cast<size_t>(ranks));
  std::iota(expected.begin(), expected.end(), 100);
  auto gathered = on_ranks(ranks, [&](int rank) {
    const std::atomic<bool> abort{false};
    Bootstrap bootstrap(id, rank, ranks, abort);
    std::vector<int> first = bootstrap.all_gather(kTag, 100 + rank);
    // A second round, so that no rank leaves while another still waits for the first.
    bootstrap.all_gather(kTag + 1, rank);
    return first;
  });
  for (auto& values : gathered) CHECK(values.get() == expected);
}

TEST_CASE("messages wait for the one who asks for their tag") {
  const UniqueId id = start_root("127.0.0.1:0");
  auto ranks = on_ranks(2, [&](int rank) {
    const std::atomic<bool> abort{false};
    Bootstrap bootstrap(id, rank, 2, abort);
    std::vector<std::vector<std::byte>> got;
    if (rank == 0) {
      bootstrap.send(1, 1, message(11));
      bootstrap.send(1, 2, message(22));
      bootstrap.send(1, 1, message(33));
    } else {
      for (const uint32_t tag : {2U, 1U, 1U}) got.push_back(bootstrap.receive(0, tag));
    }
    bootstrap.all_gather(kTag, rank);
    return got;
  });
  CHECK(ranks[1].get() == std::vector{message(22), message(11), message(33)});
}

TEST_CASE("a rank that has gone away is an error and no endless wait") {
  const UniqueId id = start_root("127.0.0.1:0");
  auto ranks = on_ranks(2, [&](int rank) {
    const std::atomic<bool> abort{false};
    Bootstrap bootstrap(id, rank, 2, abort);
    if (rank == 0) bootstrap.receive(1, kTag);
  });
  std::string text;
  CHECK(result_of(ranks[0], text) == ns_remote_error);
  CHECK(text.find("rank 1 has gone away") != std::string::npos);
}

TEST_CASE("two that claim one rank are told why they cannot join") {
  const UniqueId id = start_root("127.0.0.1:0");
  auto ranks = on_ranks(2, [&](int /*rank*/) {
    const std::atomic<bool> abort{false};
    const Bootstrap bootstrap(id, 0, 2, abort);
  });
  for (auto& rank : ranks) {
    std::string text;
    CHECK(result_of(rank, text) == ns_remote_error);
    CHECK(text.find("rank 0 of 2 does not fit") != std::string::npos);
  }
}

TEST_CASE("an abort ends the wait for ranks that do not come") {
  const UniqueId id = start_root("127.0.0.1:0");
  std::atomic<bool> abort{false};
  auto joining = std::async(std::launch::async, [&] { const Bootstrap bootstrap(id, 0, 2, abort); });
  abort.store(true);
  CHECK_THROWS_AS(joining.get(), EngineError);
}

TEST_CASE("a unique id survives packing, and another text is no id") {
  const UniqueId id = start_root("127.0.0.1:0");
  const UniqueId again = unpack_unique_id(pack_unique_id(id));
  CHECK(again.secret == id.secret);
  CHECK(again.address.text() == id.address.text());
  CHECK_THROWS_AS(unpack_unique_id(ns_unique_id{}), EngineError);
}
