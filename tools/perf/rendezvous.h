// The ranks' own side channel, apart from the transport under test: a star around rank 0. Carries the unique
// id, barriers, checksums and failures.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/perf/membership.h"
#include "tools/perf/socket.h"

namespace netsense::perf {

using Bytes = std::vector<std::byte>;

class Rendezvous {
 public:
  // Waits until all ranks are there. listener: for rank 0, when the port is bound already; else not open.
  // timeout: for joining, and for every later step. Throws Error naming who is missing.
  Rendezvous(const Membership& membership, Socket listener, std::chrono::seconds timeout);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  // Every call below is collective. Throws Error with the failing rank's own message when one called fail().
  std::vector<Bytes> all_gather(std::span<const std::byte> mine);
  void barrier() { all_gather({}); }

  template <typename T>
  std::vector<T> all_gather_value(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    for (const Bytes& bytes : all_gather(std::as_bytes(std::span(&mine, 1)))) {
      T value;
      std::memcpy(&value, checked(bytes, sizeof value).data(), sizeof value);
      all.push_back(value);
    }
    return all;
  }
  std::vector<std::string> all_gather_text(std::string_view mine);

  // Tells the others that this rank gives up, and why.
  void fail(std::string_view reason) noexcept;

 private:
  void serve(const Membership& membership, Socket listener);
  void join(const Membership& membership);
  std::vector<Bytes> gather_as_root(std::span<const std::byte> mine);
  std::vector<Bytes> gather_as_member(std::span<const std::byte> mine);
  [[nodiscard]] Deadline deadline() const { return std::chrono::steady_clock::now() + timeout_; }
  static std::span<const std::byte> checked(const Bytes& bytes, size_t size);

  int rank_;
  int ranks_;
  std::chrono::seconds timeout_;
  std::vector<Socket> peers_;  // rank 0: one per other rank, by rank - 1; others: rank 0 alone
};

}  // namespace netsense::perf
