// What a fuzzer says on a stream: frames as netsense makes them, with the fields and faults that the input
// asks for, and arbitrary bytes. The checksums of real frames would stand in a fuzzer's way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/codec.h"
#include "plugin/core/bytes.h"
#include "plugin/core/checksum.h"
#include "plugin/core/frame.h"
#include "tests/fuzz/messages.h"

namespace netsense::fuzz {

class Said {
 public:
  explicit Said(std::span<const uint8_t> input) : input_(input) {}
  // Of the bytes that next() gave last.
  [[nodiscard]] size_t stream() const { return stream_; }
  [[nodiscard]] const Told& told(uint64_t message) const { return told_[message % kMessages]; }
  // Whether bytes were said that may have been read as any frame.
  [[nodiscard]] bool anything() const { return anything_; }
  // Whether the receiver was told that the sender has failed.
  [[nodiscard]] bool gave_up() const { return gave_up_; }

  // The next frame or bytes; empty at the end.
  std::vector<std::byte> next() {
    if (input_.size() < 2) return {};
    const uint8_t kind = input_[0] % 8;
    const uint8_t faults = input_[1];
    input_ = input_.subspan(2);
    stream_ = (faults & kOtherStream) != 0 ? 1 : 0;
    if (kind == kRaw) return raw(faults);
    return kind == kCoded || kind == kCodedToo ? coded(faults) : frame(kind, faults);
  }

 private:
  // The numbers below are types of frames, of which 4 is none.
  enum Kind : uint8_t { kCoded = 5, kCodedToo = 6, kRaw = 7 };
  enum Fault : uint8_t {
    kWrongPayloadChecksum = 1,
    kWrongNumber = 2,
    kNoPayloadChecksum = 4,
    kOtherStream = 8,
    kDamagedHeader = 16,
    kCutShort = 32,
    kLarge = 64,  // sizes and offsets are eight times as large
  };
  enum class Damage : uint8_t { kNone, kFlippedBit, kCut, kLonger, kReplaced, kOtherSize, kCodecUnknown };
  using Payload = std::vector<std::byte>;

  Payload raw(size_t bytes) {
    anything_ = true;
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

  core::FrameHeader header(uint8_t faults) {
    const size_t factor = (faults & kLarge) != 0 ? 8 : 1;
    core::FrameHeader header;
    header.sequence = number() % kMessages;
    header.message_bytes = number() * factor;
    header.offset = number() * factor;
    header.tag = number();
    return header;
  }

  // The block that a frame says it has, as it is in the message.
  std::span<const std::byte> block(core::FrameHeader* header, uint8_t faults) {
    header->raw_bytes = number() % 4200 * ((faults & kLarge) != 0 ? 8U : 1U);
    told_[header->sequence].block(header->offset, header->raw_bytes);
    return content_of(header->sequence).subspan(header->offset, header->raw_bytes);
  }

  Payload frame(uint8_t type, uint8_t faults) {
    core::FrameHeader said = header(faults);
    said.type = static_cast<core::FrameType>(type);
    Payload payload;
    if (said.type == core::FrameType::kData) {
      const auto bytes = block(&said, faults);
      payload.assign(bytes.begin(), bytes.end());
    } else if (said.type == core::FrameType::kError) {
      payload.resize(number() % 4200, std::byte{0x5A});
      gave_up_ = true;
    }
    said.raw_bytes = static_cast<uint32_t>(payload.size());
    return finish(said, payload, faults);
  }

  Payload coded(uint8_t faults) {
    core::FrameHeader said = header(faults);
    const auto bytes = block(&said, faults);
    const uint16_t how = number();
    const auto tier = how % 2 == 0 ? kernels::Tier::kFast : kernels::Tier::kTight;
    const auto type = static_cast<kernels::DType>(how / 2 % kernels::kDTypes);
    Payload payload(kernels::max_coded_bytes(bytes.size()));
    payload.resize(
        kernels::encode(tier, type, bytes.data(), bytes.size(), payload.data(), payload.size(), *scratch_));
    said.codec = core::Codec::kLossless;
    damage(static_cast<Damage>(how / 256), &said, &payload);
    // Nothing but the block itself can tell of its damage: the checksum is that of the damaged bytes.
    Payload decoded(said.raw_bytes);
    if (kernels::decode(payload.data(), payload.size(), decoded.data(), decoded.size(), *scratch_) ==
            kernels::DecodeStatus::kOk &&
        !std::equal(decoded.begin(), decoded.end(), bytes.begin(), bytes.end())) {
      told_[said.sequence].taint();
    }
    return finish(said, payload, faults);
  }

  void damage(Damage what, core::FrameHeader* said, Payload* payload) {
    switch (what) {
      case Damage::kFlippedBit: {
        const uint16_t bit = number();
        (*payload)[bit / 8 % payload->size()] ^= static_cast<std::byte>(1U << bit % 8);
        break;
      }
      case Damage::kCut:
        payload->resize(number() % payload->size());
        break;
      case Damage::kLonger:
        payload->resize(payload->size() + number() % 64, std::byte{7});
        break;
      case Damage::kReplaced: {
        // All behind the header of the block.
        payload->resize(kernels::kBlockHeaderBytes);
        const auto other = input_.first(std::min<size_t>(number() % 512, input_.size()));
        input_ = input_.subspan(other.size());
        const auto* begin = reinterpret_cast<const std::byte*>(other.data());
        payload->insert(payload->end(), begin, begin + other.size());
        break;
      }
      case Damage::kOtherSize:
        said->raw_bytes = (said->raw_bytes + number()) % (uint32_t{1} << 15);
        break;
      case Damage::kCodecUnknown:
        said->codec = static_cast<core::Codec>(2);
        break;
      default:
        break;
    }
  }

  Payload finish(core::FrameHeader header, const Payload& payload, uint8_t faults) {
    header.coded_bytes = static_cast<uint32_t>(payload.size());
    header.frame_number = numbers_[stream_]++ + ((faults & kWrongNumber) != 0 ? 1 : 0);
    if ((faults & kNoPayloadChecksum) == 0) header.flags = core::kFlagPayloadChecksum;
    header.payload_checksum = core::block_checksum(payload.data(), payload.size()) +
                              ((faults & kWrongPayloadChecksum) != 0 ? 1 : 0);
    core::FrameBytes bytes = core::encode_frame(header);
    if ((faults & kDamagedHeader) != 0) bytes[header.sequence % bytes.size()] ^= std::byte{4};
    Payload out(bytes.begin(), bytes.end());
    out.insert(out.end(), payload.begin(), payload.end());
    if ((faults & kCutShort) != 0) {
      out.resize(out.size() / 2);
      // What follows is taken for the rest.
      anything_ = anything_ || (faults & kNoPayloadChecksum) != 0;
    }
    return out;
  }

  std::span<const uint8_t> input_;
  size_t stream_ = 0;
  std::array<uint32_t, 2> numbers_{0, 0};
  std::array<Told, kMessages> told_;
  bool anything_ = false;
  bool gave_up_ = false;
  std::unique_ptr<kernels::Scratch> scratch_ = std::make_unique_for_overwrite<kernels::Scratch>();
};

}  // namespace netsense::fuzz
