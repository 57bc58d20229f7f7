#include "tools/perf/rendezvous.h"

#include <algorithm>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

constexpr uint32_t kMagic = 0x4e535246;  // "NSRF"
constexpr uint32_t kLargestMessage = 1 << 20;
// A connection that sends no greeting is not a rank.
constexpr std::chrono::seconds kGreetingLimit{2};

struct Greeting {
  uint32_t magic = kMagic;
  int32_t rank = 0;
  int32_t ranks = 0;
  uint32_t reserved = 0;
  uint64_t token = 0;
};

enum class Kind : uint32_t { kData = 0, kFailure = 1 };

struct Header {
  Kind kind = Kind::kData;
  uint32_t length = 0;
};

std::string to_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void send_message(const Socket& peer, Kind kind, std::span<const std::byte> data, Deadline deadline) {
  const Header header{kind, static_cast<uint32_t>(data.size())};
  Bytes message(sizeof header + data.size());
  std::memcpy(message.data(), &header, sizeof header);
  std::copy(data.begin(), data.end(), message.begin() + sizeof header);
  peer.send_all(message, deadline);
}

// Throws the text of a failure message as an Error.
Bytes receive_message(const Socket& peer, Deadline deadline) {
  Header header;
  peer.receive_all(std::as_writable_bytes(std::span(&header, 1)), deadline);
  if (header.length > kLargestMessage) throw Error("it sent {} bytes, which is not a message", header.length);
  Bytes data(header.length);
  peer.receive_all(data, deadline);
  if (header.kind == Kind::kFailure) throw Error(to_text(data));
  return data;
}

void append(Bytes& to, std::span<const std::byte> data) {
  const auto length = static_cast<uint32_t>(data.size());
  const auto header = std::as_bytes(std::span(&length, 1));
  to.insert(to.end(), header.begin(), header.end());
  to.insert(to.end(), data.begin(), data.end());
}

std::vector<Bytes> split(const Bytes& joined, int ranks) {
  std::vector<Bytes> parts;
  size_t at = 0;
  while (at + sizeof(uint32_t) <= joined.size()) {
    uint32_t length = 0;
    std::memcpy(&length, joined.data() + at, sizeof length);
    at += sizeof length;
    if (length > joined.size() - at) break;
    parts.emplace_back(joined.begin() + static_cast<std::ptrdiff_t>(at),
                       joined.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  if (at != joined.size() || parts.size() != static_cast<size_t>(ranks)) {
    throw Error("rank 0 sent a malformed message on the rendezvous connection");
  }
  return parts;
}

std::string missing_ranks(const std::vector<Socket>& peers) {
  std::string text;
  for (size_t i = 0; i < peers.size(); ++i) {
    if (!peers[i].is_open()) text += fmt::format("{}{}", text.empty() ? "" : ", ", i + 1);
  }
  return text;
}

}  // namespace

Rendezvous::Rendezvous(const Membership& membership, Socket listener, std::chrono::seconds timeout)
    : rank_(membership.rank), ranks_(membership.ranks), timeout_(timeout) {
  if (ranks_ == 1) return;
  if (rank_ == 0) {
    serve(membership, std::move(listener));
  } else {
    join(membership);
  }
  barrier();
}

void Rendezvous::serve(const Membership& membership, Socket listener) {
  if (!listener.is_open()) listener = listen_on(membership.address);
  peers_.resize(static_cast<size_t>(ranks_ - 1));
  const Deadline until = deadline();
  for (int missing = ranks_ - 1; missing > 0;) {
    Socket peer = accept_from(listener, until);
    if (!peer.is_open()) {
      throw Error(
          "rank(s) {} of {} did not join at {} within {} s: were they started, and can they reach it?",
          missing_ranks(peers_), ranks_, format_address(membership.address), timeout_.count());
    }
    Greeting greeting;
    try {
      peer.receive_all(std::as_writable_bytes(std::span(&greeting, 1)),
                       std::min(until, std::chrono::steady_clock::now() + kGreetingLimit));
    } catch (const Error&) {
      continue;
    }
    if (greeting.magic != kMagic || greeting.token != membership.token) continue;
    if (greeting.ranks != ranks_ || greeting.rank < 1 || greeting.rank >= ranks_) {
      throw Error(
          "a process joined as rank {} of {}, but rank 0 expects {} ranks: start all with the same settings",
          greeting.rank, greeting.ranks, ranks_);
    }
    Socket& place = peers_[static_cast<size_t>(greeting.rank - 1)];
    if (place.is_open())
      throw Error("two processes joined as rank {}: check the launcher's settings", greeting.rank);
    place = std::move(peer);
    --missing;
  }
}

void Rendezvous::join(const Membership& membership) {
  try {
    peers_.push_back(connect_to(membership.address, deadline()));
  } catch (const Error& error) {
    throw Error("cannot meet rank 0: {} (waited {} s); is rank 0 running, and is the address right?",
                error.what(), timeout_.count());
  }
  const Greeting greeting{.rank = rank_, .ranks = ranks_, .token = membership.token};
  peers_[0].send_all(std::as_bytes(std::span(&greeting, 1)), deadline());
}

std::vector<Bytes> Rendezvous::all_gather(std::span<const std::byte> mine) {
  if (ranks_ == 1) return {Bytes(mine.begin(), mine.end())};
  return rank_ == 0 ? gather_as_root(mine) : gather_as_member(mine);
}

std::vector<Bytes> Rendezvous::gather_as_root(std::span<const std::byte> mine) {
  std::vector<Bytes> all{Bytes(mine.begin(), mine.end())};
  for (size_t i = 0; i < peers_.size(); ++i) {
    try {
      all.push_back(receive_message(peers_[i], deadline()));
    } catch (const Error& error) {
      const std::string reason = fmt::format("rank {}: {}", i + 1, error.what());
      fail(reason);
      throw Error(reason);
    }
  }
  Bytes joined;
  for (const Bytes& bytes : all) append(joined, bytes);
  for (size_t i = 0; i < peers_.size(); ++i) {
    try {
      send_message(peers_[i], Kind::kData, joined, deadline());
    } catch (const Error& error) {
      throw Error("rank {}: {}", i + 1, error.what());
    }
  }
  return all;
}

std::vector<Bytes> Rendezvous::gather_as_member(std::span<const std::byte> mine) {
  try {
    send_message(peers_[0], Kind::kData, mine, deadline());
    return split(receive_message(peers_[0], deadline()), ranks_);
  } catch (const Error& error) {
    throw Error("rank 0: {}", error.what());
  }
}

std::vector<std::string> Rendezvous::all_gather_text(std::string_view mine) {
  std::vector<std::string> texts;
  for (const Bytes& bytes : all_gather(std::as_bytes(std::span(mine.data(), mine.size())))) {
    texts.push_back(to_text(bytes));
  }
  return texts;
}

void Rendezvous::fail(std::string_view reason) noexcept {
  for (const Socket& peer : peers_) {
    try {
      // The peer may be gone, and telling it is a courtesy: never wait long for it.
      send_message(peer, Kind::kFailure, std::as_bytes(std::span(reason.data(), reason.size())),
                   std::chrono::steady_clock::now() + std::chrono::seconds(1));
    } catch (const std::exception&) {
      continue;
    }
  }
}

std::span<const std::byte> Rendezvous::checked(const Bytes& bytes, size_t size) {
  if (bytes.size() != size)
    throw Error("ranks disagree on the size of a message: do all run the same version?");
  return bytes;
}

}  // namespace netsense::perf
