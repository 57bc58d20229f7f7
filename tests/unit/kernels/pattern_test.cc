// Every bit pattern survives: all of them where there are few enough, and the odd ones of the wide types.
#include "tests/unit/kernels/codec_harness.h"

namespace netsense::kernels::testing {
namespace {

void check_patterns(Harness& harness, DType type, const Bytes& raw) {
  for (const Tier tier : kTiers) {
    INFO(name_of(type) << ", tier " << static_cast<int>(tier));
    const Bytes coded = harness.encode(tier, type, raw);
    Bytes back(raw.size(), 0xEE);
    REQUIRE(harness.decode(coded, back) == DecodeStatus::kOk);
    REQUIRE((back == raw));
  }
}

}  // namespace

// On their own all patterns are noise, which is kept raw; among gradients they go through the coders.
TEST_CASE("all patterns of 8 and 16 bits survive among gradients") {
  Harness harness;
  for (const DType type : {DType::kF16, DType::kBf16, DType::kF8E4M3, DType::kF8E5M2}) {
    const size_t size = float_layout(type).bytes;
    constexpr size_t kEvery = 32;
    const size_t patterns = size_t{1} << (8 * size);
    Bytes raw = make_content(Content::kGradients, type, patterns * kEvery * size);
    for (size_t pattern = 0; pattern < patterns; ++pattern)
      put_bits(raw, pattern * kEvery + pattern % kEvery, size, pattern);
    CHECK(harness.encode(Tier::kFast, type, raw).size() < raw.size());
    check_patterns(harness, type, raw);
  }
}

TEST_CASE("every exponent with every corner of the mantissa survives, alone and among gradients") {
  Harness harness;
  for (const DType type : kFloatTypes) {
    const FloatLayout layout = float_layout(type);
    const uint64_t full = (uint64_t{1} << layout.mantissa_bits) - 1;
    Bytes corners;
    for (uint64_t exponent = 0; exponent < uint64_t{1} << layout.exponent_bits; ++exponent) {
      for (const uint64_t mantissa : {uint64_t{0}, uint64_t{1}, full / 2, full / 2 + 1, full}) {
        for (const uint64_t sign : {0, 1}) {
          corners.resize(corners.size() + layout.bytes);
          put_bits(corners, corners.size() / layout.bytes - 1, layout.bytes,
                   (sign << layout.exponent_bits | exponent) << layout.mantissa_bits | mantissa);
        }
      }
    }
    check_patterns(harness, type, corners);
    Bytes mixed = make_content(Content::kGradients, type, corners.size() * 40);
    for (size_t i = 0; i < corners.size(); ++i)
      mixed[i / layout.bytes * 40 * layout.bytes + i % layout.bytes] = corners[i];
    check_patterns(harness, type, mixed);
  }
}

TEST_CASE("a single odd element among gradients survives at every place of a sub-block") {
  Harness harness;
  const uint32_t odd[] = {0x80000000, 0x00000001, 0x807fffff, 0x7f800000,
                          0xff800000, 0x7fc00000, 0xffa00001, 0x7f7fffff};
  for (size_t place = 0; place < 2100; place += 23) {
    Bytes raw = make_content(Content::kGradients, DType::kF32, 2100 * 4);
    for (size_t i = 0; i < std::size(odd) && place + i < 2100; ++i) put_bits(raw, place + i, 4, odd[i]);
    check_patterns(harness, DType::kF32, raw);
  }
}

}  // namespace netsense::kernels::testing
