// What goes in comes out, whatever it is, however long and wherever it lies, and never grows by more than a
// header.
#include <cstring>

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

TEST_CASE("every content of every type survives at every small size") {
  Harness harness;
  for (const DType type : kAllTypes) {
    for (const Content content : kContents) {
      const Bytes whole = make_content(content, type, 4200);
      for (size_t bytes = 0; bytes <= whole.size(); bytes += bytes < 300 ? 1 : 61) {
        for (const Tier tier : kTiers) {
          INFO(name_of(type) << ", " << name_of(content) << ", " << bytes << " bytes, tier "
                             << static_cast<int>(tier));
          check_round_trip(harness, tier, type,
                           Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes)));
        }
      }
    }
  }
}

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

TEST_CASE("buffers may lie at any address, and nothing around them changes") {
  Harness harness;
  for (const DType type : kAllTypes) {
    for (const size_t bytes : {1UL, 63UL, 4099UL, 16391UL}) {
      const Bytes raw = make_content(Content::kGradients, type, bytes);
      for (size_t shift = 0; shift < 9; ++shift) {
        Bytes source(bytes + shift), coded(max_coded_bytes(bytes) + shift + 64, 0xC3),
            back(bytes + shift + 64, 0x3C);
        std::memcpy(source.data() + shift, raw.data(), bytes);
        const size_t size = encode(Tier::kFast, type, source.data() + shift, bytes, coded.data() + shift,
                                   max_coded_bytes(bytes), harness.scratch());
        REQUIRE(size != 0);
        REQUIRE(decode(coded.data() + shift, size, back.data() + shift, bytes, harness.scratch()) ==
                DecodeStatus::kOk);
        CHECK(std::memcmp(back.data() + shift, raw.data(), bytes) == 0);
        for (size_t i = 0; i < 64; ++i) {
          REQUIRE(coded[shift + max_coded_bytes(bytes) + i] == 0xC3);
          REQUIRE(back[shift + bytes + i] == 0x3C);
        }
        for (size_t i = 0; i < shift; ++i) REQUIRE((coded[i] == 0xC3 && back[i] == 0x3C));
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
