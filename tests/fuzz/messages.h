// The messages that a fuzzer's frames belong to: what is in them, and what the frames have told of it so far.
// With that a receiver's buffer can be judged.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace netsense::fuzz {

// Frames name messages below this: a receiver would wait for the receive of any later one for good.
inline constexpr uint64_t kMessages = 16;
inline constexpr size_t kLargestMessage = size_t{8} * UINT16_MAX;

// What every buffer holds before anything arrives.
inline constexpr std::byte kUntouched{0xEE};

// The bytes of a message: floats as gradients are, of two types, mostly zeros, or noise.
inline std::span<const std::byte> content_of(uint64_t message) {
  static const auto kContents = [] {
    std::array<std::vector<std::byte>, 4> contents;
    std::mt19937_64 random(1);
    const auto normal = [&random] {
      const auto uniform = [&random] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
      return static_cast<float>(std::sqrt(-2 * std::log(uniform())) *
                                std::cos(6.283185307179586 * uniform()));
    };
    for (size_t kind = 0; kind < contents.size(); ++kind) {
      auto& bytes = contents[kind];
      // A frame may say more than its message has.
      bytes.resize(kLargestMessage + (size_t{1} << 16));
      for (size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
        const float value = kind == 2 && random() % 16 != 0 ? 0 : normal();
        const std::array pair{value, normal()};
        const auto noise = static_cast<uint32_t>(random());
        if (kind == 0) {
          std::memcpy(&bytes[at], reinterpret_cast<const std::byte*>(&pair[0]) + 2, 2);
          std::memcpy(&bytes[at + 2], reinterpret_cast<const std::byte*>(&pair[1]) + 2, 2);
        } else {
          std::memcpy(&bytes[at], kind == 3 ? static_cast<const void*>(&noise) : &value, sizeof value);
        }
      }
    }
    return contents;
  }();
  return kContents[message % kContents.size()];
}

// What was said of one message.
class Told {
 public:
  // A frame with these bytes of it.
  void block(size_t offset, size_t bytes) {
    for (const Range& other : ranges_) {
      repeated_ = repeated_ || (offset < other.end && other.begin < offset + bytes);
    }
    ranges_.push_back({offset, offset + bytes});
  }
  // A frame whose bytes are wrong without anything in it that says so.
  void taint() { tainted_ = true; }

  // Whether a receiver may say that this is the message.
  [[nodiscard]] bool allows(uint64_t message, std::span<const std::byte> received) const {
    if (tainted_) return true;
    const auto content = content_of(message).first(received.size());
    // A sender that says some bytes twice, and others not at all, is beyond help.
    for (size_t i = 0; i < received.size(); ++i) {
      if (received[i] != content[i] && !(repeated_ && received[i] == kUntouched)) return false;
    }
    return true;
  }

 private:
  struct Range {
    size_t begin;
    size_t end;
  };
  std::vector<Range> ranges_;
  bool repeated_ = false;
  bool tainted_ = false;
};

}  // namespace netsense::fuzz
