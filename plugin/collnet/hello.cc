#include "plugin/collnet/hello.h"

#include <algorithm>
#include <cstring>

#include "plugin/core/bytes.h"

namespace netsense::collnet {
namespace {

constexpr uint32_t kMagic = 0x434f4c4c;  // "COLL"
constexpr uint32_t kVersion = 1;

}  // namespace

HelloBytes write_hello(const Hello& hello) {
  HelloBytes bytes{};
  core::store_le<uint32_t>(&bytes[0], kMagic);
  core::store_le<uint32_t>(&bytes[4], kVersion);
  core::store_le<uint32_t>(&bytes[8], hello.rank);
  core::store_le<uint32_t>(&bytes[12], hello.ranks);
  core::store_le<uint32_t>(&bytes[16], hello.phase);
  core::store_le<uint32_t>(&bytes[20], hello.fingerprint);
  std::memcpy(&bytes[24], hello.text.data(), std::min(hello.text.size(), kHelloText));
  return bytes;
}

std::optional<Hello> read_hello(std::span<const std::byte> bytes) {
  if (bytes.size() != kHelloBytes || core::load_le<uint32_t>(&bytes[0]) != kMagic ||
      core::load_le<uint32_t>(&bytes[4]) != kVersion) {
    return std::nullopt;
  }
  Hello hello{.rank = core::load_le<uint32_t>(&bytes[8]),
              .ranks = core::load_le<uint32_t>(&bytes[12]),
              .phase = core::load_le<uint32_t>(&bytes[16]),
              .fingerprint = core::load_le<uint32_t>(&bytes[20]),
              .text = {}};
  for (size_t i = 24; i < kHelloBytes && bytes[i] != std::byte{0}; ++i) {
    const char c = static_cast<char>(bytes[i]);
    hello.text += c >= ' ' && c <= '~' ? c : '?';  // it ends up in a log
  }
  return hello;
}

}  // namespace netsense::collnet
