// encode and decode on buffers of exactly the size asked for, so that a sanitizer sees every byte beyond.
#pragma once

#include <memory>
#include <optional>

#include "tests/catch.h"
#include "tests/unit/kernels/contents.h"

namespace netsense::kernels::testing {

class Harness {
 public:
  Harness() : scratch_(std::make_unique<Scratch>()) { scratch_->bytes.fill(std::byte{0xA5}); }

  Bytes encode(const Backend& backend, Tier tier, DType type, const Bytes& raw) {
    Bytes coded(max_coded_bytes(raw.size()));
    const size_t bytes =
        kernels::encode(backend, tier, type, raw.data(), raw.size(), coded.data(), coded.size(), *scratch_);
    REQUIRE(bytes != 0);
    REQUIRE(bytes <= coded.size());
    return {coded.begin(), coded.begin() + static_cast<ptrdiff_t>(bytes)};
  }
  Bytes encode(Tier tier, DType type, const Bytes& raw) {
    return encode(*backends().front(), tier, type, raw);
  }

  DecodeStatus decode(const Backend& backend, const Bytes& coded, Bytes& raw) {
    return kernels::decode(backend, coded.data(), coded.size(), raw.data(), raw.size(), *scratch_);
  }
  DecodeStatus decode(const Bytes& coded, Bytes& raw) { return decode(*backends().front(), coded, raw); }

  Scratch& scratch() { return *scratch_; }

 private:
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace netsense::kernels::testing
