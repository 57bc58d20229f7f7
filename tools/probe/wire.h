// The messages between probes. Everything that comes from outside goes through parse_message().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tools/probe/cell.h"

namespace netsense::mesh {

// First on every connection, and its answer.
struct Hello {
  uint64_t token = 0;  // of this run
  uint32_t rank = 0;   // the one who speaks
  bool bulk = false;   // the connection carries load, not messages
};
struct Ping {
  uint32_t number = 0;
  uint32_t sent_us = 0;  // the sender's clock, which wraps
};
struct Pong {
  uint32_t number = 0;
  uint64_t variation_ns = 0;  // of the ping's one-way delay
};
// The sender's part of this step is over.
struct Finish {};
// Answers Finish.
struct Result {
  uint64_t bytes_per_second = 0;  // of load, as received
};
// Where a rank is to be reached.
struct Announcement {
  Host host;
  uint16_t port = 0;
};

using Message = std::variant<Hello, Ping, Pong, Finish, Result, Announcement, Cell>;

// Those on sockets (all but Announcement and Cell) are of this size.
inline constexpr size_t kFrameBytes = 24;
inline constexpr size_t kLongestName = 64;  // of a host, an interface or an address; longer ones are cut

[[nodiscard]] std::vector<std::byte> encode(const Message& message);

// Nothing when the bytes are not exactly one valid message: foreign, of another version, damaged.
[[nodiscard]] std::optional<Message> parse_message(std::span<const std::byte> bytes);

}  // namespace netsense::mesh
