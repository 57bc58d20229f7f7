#include "plugin/telemetry/parse.h"

#include <cstring>

namespace netsense::telemetry {
namespace {

uint64_t word_at(std::span<const std::byte> bytes, size_t offset) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text_at(std::span<const std::byte> bytes, size_t offset, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    const char c = static_cast<char>(bytes[offset + i]);
    if (c == '\0') break;
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

// Offset of a member of Slot, and where its value goes.
struct Member {
  size_t offset;
  uint64_t Connection::*value;
};

constexpr std::array kMembers{
    Member{offsetof(Slot, generation), &Connection::generation},
    Member{offsetof(Slot, streams), &Connection::streams},
    Member{offsetof(Slot, mode), &Connection::mode},
    Member{offsetof(Slot, opened_unix_ns), &Connection::opened_unix_ns},
    Member{offsetof(Slot, closed_unix_ns), &Connection::closed_unix_ns},
    Member{offsetof(Slot, messages), &Connection::messages},
    Member{offsetof(Slot, raw_bytes), &Connection::raw_bytes},
    Member{offsetof(Slot, wire_bytes), &Connection::wire_bytes},
    Member{offsetof(Slot, blocks_ineligible), &Connection::blocks_ineligible},
    Member{offsetof(Slot, blocks_without_gain), &Connection::blocks_without_gain},
    Member{offsetof(Slot, blocks_fast), &Connection::blocks_fast},
    Member{offsetof(Slot, blocks_tight), &Connection::blocks_tight},
    Member{offsetof(Slot, blocks_not_smaller), &Connection::blocks_not_smaller},
    Member{offsetof(Slot, blocks_received_raw), &Connection::blocks_received_raw},
    Member{offsetof(Slot, blocks_received_lossless), &Connection::blocks_received_lossless},
    Member{offsetof(Slot, code_ns), &Connection::code_ns},
    Member{offsetof(Slot, decode_ns), &Connection::decode_ns},
    Member{offsetof(Slot, errors), &Connection::errors},
    Member{offsetof(Slot, retransmits), &Connection::retransmits},
    Member{offsetof(Slot, rtprop_ns), &Connection::rtprop_ns},
    Member{offsetof(Slot, rtt_ns), &Connection::rtt_ns},
    Member{offsetof(Slot, btlbw_bytes_per_second), &Connection::btlbw_bytes_per_second},
    Member{offsetof(Slot, delivery_bytes_per_second), &Connection::delivery_bytes_per_second},
    Member{offsetof(Slot, bdp_bytes), &Connection::bdp_bytes},
    Member{offsetof(Slot, host_queue_ns), &Connection::host_queue_ns},
    Member{offsetof(Slot, network_queue_ns), &Connection::network_queue_ns},
    Member{offsetof(Slot, queue_delay_sum_ns), &Connection::queue_delay_sum_ns},
};

enum class SlotKind : uint8_t { kUnused, kTorn, kUsed };

SlotKind parse_slot(std::span<const std::byte> slot, Connection* connection) {
  if (word_at(slot, offsetof(Slot, revision_done)) != word_at(slot, offsetof(Slot, revision_begun))) {
    return SlotKind::kTorn;
  }
  const uint64_t direction = word_at(slot, offsetof(Slot, direction));
  const uint64_t state = word_at(slot, offsetof(Slot, state));
  if (direction == 0 || direction > static_cast<uint64_t>(Direction::kReceive) || state == 0 ||
      state > static_cast<uint64_t>(State::kFailed)) {
    return SlotKind::kUnused;
  }
  connection->direction = static_cast<Direction>(direction);
  connection->state = static_cast<State>(state);
  for (const Member& member : kMembers) connection->*member.value = word_at(slot, member.offset);
  connection->peer = text_at(slot, offsetof(Slot, peer), sizeof(Slot::peer));
  connection->device = text_at(slot, offsetof(Slot, device), sizeof(Slot::device));
  connection->error = text_at(slot, offsetof(Slot, error), sizeof(Slot::error));
  for (size_t i = 0; i < kDelayBuckets; ++i) {
    connection->queue_delay[i] = word_at(slot, offsetof(Slot, queue_delay) + i * sizeof(Word));
  }
  return SlotKind::kUsed;
}

}  // namespace

const char* describe(ParseError error) {
  switch (error) {
    case ParseError::kNone:
      return "no error";
    case ParseError::kForeign:
      return "it is no statistics file of netsense";
    case ParseError::kVersion:
      return "another version of netsense wrote it";
    case ParseError::kDamaged:
      return "it is damaged";
  }
  return "unknown error";
}

ParseError parse_process(std::span<const std::byte> bytes, ProcessInfo* process) {
  if (bytes.size() < sizeof(Header) || word_at(bytes, offsetof(Header, magic)) != kMagic) {
    return ParseError::kForeign;
  }
  if (word_at(bytes, offsetof(Header, layout_version)) != kLayoutVersion) return ParseError::kVersion;
  if (word_at(bytes, offsetof(Header, header_bytes)) != sizeof(Header) ||
      word_at(bytes, offsetof(Header, slot_bytes)) != sizeof(Slot) ||
      word_at(bytes, offsetof(Header, slots)) != kSlots) {
    return ParseError::kDamaged;
  }
  *process = {
      .pid = word_at(bytes, offsetof(Header, pid)),
      .pid_namespace = word_at(bytes, offsetof(Header, pid_namespace)),
      .start_ticks = word_at(bytes, offsetof(Header, process_start_ticks)),
      .start_unix_ns = word_at(bytes, offsetof(Header, process_start_unix_ns)),
      .plugin_version = text_at(bytes, offsetof(Header, plugin_version), sizeof(Header::plugin_version)),
      .host_name = text_at(bytes, offsetof(Header, host_name), sizeof(Header::host_name))};
  return ParseError::kNone;
}

ParseError parse_stats(std::span<const std::byte> bytes, Snapshot* snapshot) {
  *snapshot = {};
  const ParseError error = parse_process(bytes, &snapshot->process);
  if (error != ParseError::kNone) return error;
  if (bytes.size() != kFileBytes) return ParseError::kDamaged;
  for (size_t i = 0; i < kSlots; ++i) {
    Connection connection;
    switch (parse_slot(bytes.subspan(sizeof(Header) + i * sizeof(Slot), sizeof(Slot)), &connection)) {
      case SlotKind::kUnused:
        break;
      case SlotKind::kTorn:
        ++snapshot->torn;
        break;
      case SlotKind::kUsed:
        connection.slot = i;
        connection.overflow = i >= kOwnSlots;
        snapshot->connections.push_back(std::move(connection));
        break;
    }
  }
  return ParseError::kNone;
}

}  // namespace netsense::telemetry
