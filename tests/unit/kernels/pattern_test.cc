// Every bit pattern survives: all of them where there are few enough, and the odd ones of the wide types.
// tests/loopback/bit_patterns_test.cc sends the same through the plugin.
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

// What pytorch#57410 and #59522 met: values that did not survive the way.
TEST_CASE("every bit pattern survives, alone and among gradients") {
  Harness harness;
  for (const DType type : kFloatTypes) {
    check_patterns(harness, type, patterns(type));
    const Bytes mixed = patterns_among_gradients(type);
    CHECK(harness.encode(Tier::kFast, type, mixed).size() < mixed.size());
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
