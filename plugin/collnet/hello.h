// The first message on every connection of a mesh: who speaks, and by which rules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace netsense::collnet {

inline constexpr size_t kHelloText = 104;

struct Hello {
  uint32_t rank = 0;
  uint32_t ranks = 0;
  uint32_t phase = 0;
  uint32_t fingerprint = 0;  // of `text`
  std::string text;          // the settings that all ranks must share; cut to kHelloText bytes
};

inline constexpr size_t kHelloBytes = 24 + kHelloText;
using HelloBytes = std::array<std::byte, kHelloBytes>;

HelloBytes write_hello(const Hello& hello);
// Nothing where the bytes are no hello of this protocol.
std::optional<Hello> read_hello(std::span<const std::byte> bytes);

}  // namespace netsense::collnet
