// What is compared: our two tiers, and what else a program would take. All code a message as netsense would:
// in blocks of 128 KiB, each by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tools/codec/types.h"

namespace netsense::codec {

class Coder {
 public:
  Coder() = default;
  Coder(const Coder&) = delete;
  Coder& operator=(const Coder&) = delete;
  virtual ~Coder() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // The most bytes that encode writes for so many.
  [[nodiscard]] virtual size_t most(size_t bytes) const = 0;
  // The coded bytes, in `to` of most(raw.size()) bytes. Throws Error.
  virtual size_t encode(std::span<const uint8_t> raw, std::span<uint8_t> to) = 0;
  // The reverse into `to`, whose size is that of the raw bytes. Throws Error.
  virtual void decode(std::span<const uint8_t> coded, std::span<uint8_t> to) = 0;
};

// "fast", "tight", "zstd-1" and "lz4", in this order; the first two for elements of this type.
std::vector<std::unique_ptr<Coder>> make_coders(DType type);

}  // namespace netsense::codec
