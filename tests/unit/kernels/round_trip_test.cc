// What goes in comes out, and never grows by more than a header. property_test.cc asks the same of every
// size, alignment and instruction set.
#include "tests/unit/kernels/codec_harness.h"

namespace netsense::kernels::testing {
namespace {

void check_round_trip(Harness& harness, Tier tier, DType type, const Bytes& raw) {
  const Bytes coded = harness.encode(tier, type, raw);
  Bytes back(raw.size(), 0xEE);
  REQUIRE(harness.decode(coded, back) == DecodeStatus::kOk);
  // Not CHECK on the vectors: their text would be endless.
  REQUIRE((back == raw));
}

}  // namespace

TEST_CASE("every content of every type survives at the sizes of frames, with pieces of elements behind") {
  Harness harness;
  for (const DType type : kAllTypes) {
    for (const Content content : kContents) {
      for (const size_t bytes : {16384u, 65535u, 131072u, 131072u + 13, 300001u}) {
        const Bytes raw = make_content(content, type, bytes, bytes);
        for (const Tier tier : kTiers) {
          INFO(name_of(type) << ", " << name_of(content) << ", " << bytes << " bytes, tier "
                             << static_cast<int>(tier));
          check_round_trip(harness, tier, type, raw);
        }
      }
    }
  }
}

TEST_CASE("what cannot be coded costs the block header and no more") {
  Harness harness;
  for (const DType type : kAllTypes) {
    for (const Tier tier : kTiers) {
      for (const Content content : {Content::kNoise, Content::kAllExponents}) {
        const Bytes raw = make_content(content, type, 131072);
        CHECK(harness.encode(tier, type, raw).size() <= raw.size() + kBlockHeaderBytes);
      }
    }
  }
}

TEST_CASE("equal bytes become a few bytes") {
  Harness harness;
  for (const DType type : kAllTypes) {
    CHECK(harness.encode(Tier::kFast, type, make_content(Content::kZeros, type, 131072)).size() ==
          kBlockHeaderBytes);
    CHECK(harness.encode(Tier::kFast, type, make_content(Content::kOneValue, type, 131072)).size() ==
          kBlockHeaderBytes + float_layout(type).bytes);
  }
}

TEST_CASE("a capacity that might not do, and a block that is too long, are refused") {
  Harness harness;
  const Bytes raw = make_content(Content::kZeros, DType::kF32, 1000);
  Bytes coded(max_coded_bytes(raw.size()));
  CHECK(encode(Tier::kFast, DType::kF32, raw.data(), raw.size(), coded.data(), coded.size() - 1,
               harness.scratch()) == 0);
  CHECK(encode_raw(DType::kF32, raw.data(), raw.size(), coded.data(), coded.size() - 1) == 0);
  CHECK(encode(Tier::kFast, DType::kF32, raw.data(), kMaxBlockBytes + 1, coded.data(), 2 * kMaxBlockBytes,
               harness.scratch()) == 0);
  CHECK(encode_raw(DType::kF32, raw.data(), raw.size(), coded.data(), coded.size()) == coded.size());
  Bytes back(raw.size(), 0xEE);
  CHECK(harness.decode(coded, back) == DecodeStatus::kOk);
  CHECK((back == raw));
}

}  // namespace netsense::kernels::testing
