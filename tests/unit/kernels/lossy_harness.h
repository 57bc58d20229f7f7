// encode_lossy and its reverse on buffers of exactly the size asked for, and inputs for them.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/lossy.h"
#include "tests/catch.h"
#include "tests/unit/kernels/contents.h"

namespace netsense::kernels::testing {

using Floats = std::vector<float>;

// Bit by bit: NaNs equal themselves, zeros of two signs differ.
inline bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * 4) == 0);
}

inline Floats floats_of(Content content, size_t n, uint64_t seed = 1) {
  const Bytes bytes = make_content(content, DType::kF32, n * sizeof(float), seed);
  Floats values(n);
  if (n != 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct CapturedFloats {
  std::string name;
  Floats values;
};

// The gradients in f32 (tests/data/captured/README.md).
inline std::vector<CapturedFloats> captured_gradients() {
  std::vector<CapturedFloats> all;
  for (const auto& entry : std::filesystem::directory_iterator(NETSENSE_CAPTURED_DATA)) {
    const std::string name = entry.path().stem();
    if (name.find("gradients") == std::string::npos || !name.ends_with("f32")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    uint64_t header = 0;
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    file.seekg(static_cast<std::streamoff>(sizeof header + header));
    CapturedFloats data{name, Floats(kMaxLossyElements)};
    file.read(reinterpret_cast<char*>(data.values.data()), kMaxLossyElements * sizeof(float));
    REQUIRE(file.gcount() == kMaxLossyElements * sizeof(float));
    all.push_back(std::move(data));
  }
  REQUIRE(all.size() == 6);
  return all;
}

struct Lossy {
  Bytes coded;
  Floats error;
  LossyResult result;

  [[nodiscard]] BlockKind kind() const { return static_cast<BlockKind>(coded[0]); }
};

class LossyHarness {
 public:
  LossyHarness() { scratch_->bytes.fill(std::byte{0xA5}); }

  Lossy encode(const LossyChoice& choice, const Floats& values) {
    return encode(*backends().front(), choice, values);
  }
  Lossy encode(const Backend& backend, const LossyChoice& choice, const Floats& values) {
    Lossy lossy{Bytes(max_lossy_bytes(values.size())), values, {}};
    lossy.result = encode_lossy(backend, choice, lossy.error.data(), values.size(), lossy.coded.data(),
                                lossy.coded.size(), *scratch_);
    REQUIRE(lossy.result.bytes != 0);
    REQUIRE(lossy.result.bytes <= lossy.coded.size());
    lossy.coded.resize(lossy.result.bytes);
    lossy.coded.shrink_to_fit();
    return lossy;
  }

  DecodeStatus try_decode(const Backend& backend, const Bytes& coded, Floats& values) {
    return decode_lossy(backend, coded.data(), coded.size(), values.data(), values.size(), *scratch_);
  }
  Floats decode(const Backend& backend, const Bytes& coded, size_t n) {
    Floats values(n, 7.0F);
    REQUIRE(try_decode(backend, coded, values) == DecodeStatus::kOk);
    return values;
  }
  Floats decode(const Bytes& coded, size_t n) { return decode(*backends().front(), coded, n); }

  DecodeStatus add(const Backend& backend, const Bytes& coded, Floats& sum) {
    return add_lossy(backend, coded.data(), coded.size(), sum.data(), sum.size(), *scratch_);
  }

  LossyScratch& scratch() { return *scratch_; }

 private:
  std::unique_ptr<LossyScratch> scratch_ = std::make_unique<LossyScratch>();
};

}  // namespace netsense::kernels::testing
