// Steps between real processes over loopback, and with peers that fail.

#include "tests/catch.h"
#include "tools/perf/error.h"
#include "tools/perf/launcher.h"
#include "tools/probe/series.h"
#include "tools/probe/step.h"

using namespace netsense;
using namespace netsense::mesh;
using namespace std::chrono_literals;

namespace {

constexpr Role kBoth{.asks = true, .answers = true};

// Runs body(links, rendezvous) in both of two ranks; true when it was so in both.
template <typename Body>
bool in_two_ranks(std::chrono::seconds timeout, Body body) {
  return perf::run_local_ranks(2, [&](const perf::Membership& membership, perf::Socket listener) {
           perf::Rendezvous rendezvous(membership, std::move(listener), 30s);
           Links links({"host", "lo", "127.0.0.1"}, rendezvous, timeout);
           return body(links, rendezvous) ? 0 : 1;
         }) == 0;
}

// What a step with rank 1 ends with.
std::string failure(Links& links) {
  try {
    static_cast<void>(run_step(links, {{1, kBoth}}, {}, 100ms));
  } catch (const perf::Error& error) {
    return error.what();
  }
  return "none";
}

bool says(const std::string& text, const std::string& what) {
  return text.find("rank 1 (host)") != std::string::npos && text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("a whole series gives every rank every figure of every pair") {
  Options options;
  options.step = 100ms;
  CHECK(in_two_ranks(30s, [&](Links& links, perf::Rendezvous& rendezvous) {
    const Mesh mesh = measure(options, rendezvous, links, [](size_t, size_t) {});
    for (const auto& [from, to] : {std::pair<size_t, size_t>{0, 1}, {1, 0}}) {
      const Cell& cell = mesh.at(from, to);
      if (cell.rtt_min <= 0 || cell.rtt_min > cell.rtt_median || cell.rtt_median > cell.rtt_p99) return false;
      if (cell.bandwidth <= 0 || cell.all_bandwidth <= 0 || cell.loaded_rtt_median <= 0) return false;
      if (cell.rtprop <= 0 || cell.btlbw <= 0) return false;
    }
    return mesh.at(0, 0).bandwidth == 0;
  }));
}

TEST_CASE("a peer that goes away is named") {
  CHECK(in_two_ranks(30s, [](Links& links, perf::Rendezvous& rendezvous) {
    return rendezvous.rank() == 1 || says(failure(links), "");
  }));
}

TEST_CASE("a peer that falls silent is named when the time is up") {
  CHECK(in_two_ranks(1s, [](Links& links, perf::Rendezvous& rendezvous) {
    const bool right = rendezvous.rank() == 1 || says(failure(links), "no answer for 1 s");
    rendezvous.barrier();
    return right;
  }));
}

TEST_CASE("a peer that talks another language is named") {
  CHECK(in_two_ranks(30s, [](Links& links, perf::Rendezvous& rendezvous) {
    if (rendezvous.rank() == 1) {
      links.peer(0).messages.send_all(std::as_bytes(std::span("HTTP/1.1 400 Bad Request")),
                                      std::chrono::steady_clock::now() + 30s);
    }
    const bool right = rendezvous.rank() == 1 || says(failure(links), "not a message of netsense-probe");
    rendezvous.barrier();
    return right;
  }));
}

TEST_CASE("a peer that speaks out of turn is named") {
  CHECK(in_two_ranks(30s, [](Links& links, perf::Rendezvous& rendezvous) {
    if (rendezvous.rank() == 1) {
      links.peer(0).messages.send_all(encode(Result{.bytes_per_second = 1}),
                                      std::chrono::steady_clock::now() + 30s);
    }
    const bool right = rendezvous.rank() == 1 || says(failure(links), "out of turn");
    rendezvous.barrier();
    return right;
  }));
}
