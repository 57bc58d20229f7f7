// What a fuzzer says on a stream: frames as netsense makes them, with the fields and faults that the input
// asks for, and arbitrary bytes. The checksums of real frames would stand in a fuzzer's way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/core/bytes.h"
#include "plugin/core/checksum.h"
#include "plugin/core/frame.h"

namespace netsense::fuzz {

class Said {
 public:
  // Frames name messages below this: a receiver would wait for the receive of any later one for good.
  static constexpr uint64_t kMessages = 16;

  explicit Said(std::span<const uint8_t> input) : input_(input) {}
  // Of the bytes that next() gave last.
  [[nodiscard]] size_t stream() const { return stream_; }

  // The next frame or bytes; empty at the end.
  std::vector<std::byte> next() {
    if (input_.size() < 2) return {};
    const uint8_t kind = input_[0];
    const uint8_t faults = input_[1];
    input_ = input_.subspan(2);
    stream_ = (faults & kOtherStream) != 0 ? 1 : 0;
    return kind % 8 == kRaw ? raw(faults) : frame(kind % 8, faults);
  }

 private:
  static constexpr uint8_t kRaw = 7;
  enum Fault : uint8_t {
    kWrongPayloadChecksum = 1,
    kWrongNumber = 2,
    kNoPayloadChecksum = 4,
    kOtherStream = 8,
    kDamagedHeader = 16,
    kCutShort = 32,
  };

  std::vector<std::byte> raw(size_t bytes) {
    const auto taken = input_.first(std::min(bytes, input_.size()));
    input_ = input_.subspan(taken.size());
    const auto* begin = reinterpret_cast<const std::byte*>(taken.data());
    return {begin, begin + taken.size()};
  }

  uint16_t number() {
    if (input_.size() < 2) return 0;
    const uint16_t value = core::load_le<uint16_t>(reinterpret_cast<const std::byte*>(input_.data()));
    input_ = input_.subspan(2);
    return value;
  }

  std::vector<std::byte> frame(uint8_t type, uint8_t faults) {
    core::FrameHeader header;
    header.type = static_cast<core::FrameType>(type);
    header.sequence = number() % kMessages;
    header.message_bytes = number();
    header.offset = number();
    header.tag = number();
    const bool has_payload = header.type == core::FrameType::kData || header.type == core::FrameType::kError;
    std::vector<std::byte> payload(has_payload ? number() % 4200 : 0, std::byte{0x5A});
    header.raw_bytes = header.coded_bytes = static_cast<uint32_t>(payload.size());
    header.frame_number = numbers_[stream_]++ + ((faults & kWrongNumber) != 0 ? 1 : 0);
    if ((faults & kNoPayloadChecksum) == 0) header.flags = core::kFlagPayloadChecksum;
    header.payload_checksum = core::block_checksum(payload.data(), payload.size()) +
                              ((faults & kWrongPayloadChecksum) != 0 ? 1 : 0);
    core::FrameBytes bytes = core::encode_frame(header);
    if ((faults & kDamagedHeader) != 0) bytes[header.sequence % bytes.size()] ^= std::byte{4};
    std::vector<std::byte> out(bytes.begin(), bytes.end());
    out.insert(out.end(), payload.begin(), payload.end());
    if ((faults & kCutShort) != 0) out.resize(out.size() / 2);
    return out;
  }

  std::span<const uint8_t> input_;
  size_t stream_ = 0;
  uint32_t numbers_[2] = {0, 0};
};

}  // namespace netsense::fuzz
