// Lossy blocks that no encoder wrote are refused, or mean what the format says, and harm nothing.
#include <algorithm>
#include <random>

#include "tests/unit/kernels/guarded_memory.h"
#include "tests/unit/kernels/lossy_harness.h"
#include "tests/unit/kernels/reference_decoder.h"

namespace netsense::kernels::testing {
namespace {

constexpr size_t kN = 3001;
constexpr size_t kBody = kBlockHeaderBytes;

Bytes dense_block(LossyHarness& harness) {
  return harness.encode({.bits = 5, .seed = 2}, floats_of(Content::kGradients, kN)).coded;
}
Bytes gap_block(LossyHarness& harness) {
  const Bytes coded = harness.encode({.bits = 5, .keep = 40}, floats_of(Content::kGradients, kN)).coded;
  REQUIRE(coded[kBody + 4] != 0);
  return coded;
}
Bytes bitmap_block(LossyHarness& harness) {
  const Bytes coded = harness.encode({.bits = 5, .keep = 1500}, floats_of(Content::kGradients, kN)).coded;
  REQUIRE(coded[kBody + 4] == 0);
  return coded;
}

class Decoder {
 public:
  // With guard pages, into memory and as a sum; both must come to the same.
  DecodeStatus decode(const Bytes& coded, size_t n = kN) {
    uint8_t* const in = in_.last(coded.size());
    std::copy(coded.begin(), coded.end(), in);
    auto* const out = reinterpret_cast<float*>(out_.last(n * sizeof(float)));
    const DecodeStatus sum = add_lossy(in, coded.size(), out, n, *scratch_);
    const DecodeStatus status = decode_lossy(in, coded.size(), out, n, *scratch_);
    REQUIRE(sum == status);
    values.assign(out, out + n);
    return status;
  }

  Floats values;

 private:
  GuardedMemory in_{1 << 19};
  GuardedMemory out_{1 << 19};
  std::unique_ptr<LossyScratch> scratch_ = std::make_unique<LossyScratch>();
};

Bytes with(Bytes coded, size_t at, uint8_t value) {
  coded[at] = value;
  return coded;
}

}  // namespace

TEST_CASE("a lossy block cut short or too long is refused") {
  LossyHarness harness;
  Decoder decoder;
  for (const Bytes& coded : {dense_block(harness), gap_block(harness), bitmap_block(harness)}) {
    REQUIRE(decoder.decode(coded) == DecodeStatus::kOk);
    for (size_t cut = 0; cut < coded.size(); ++cut) {
      REQUIRE(decoder.decode(Bytes(coded.begin(), coded.begin() + static_cast<ptrdiff_t>(cut))) !=
              DecodeStatus::kOk);
    }
    Bytes longer = coded;
    longer.push_back(0);
    REQUIRE(decoder.decode(longer) == DecodeStatus::kCorrupt);
  }
}

TEST_CASE("lossy headers, scales and codes that cannot be are refused") {
  LossyHarness harness;
  Decoder decoder;
  const Bytes dense = dense_block(harness);
  for (const uint8_t bits : {0, 1, 9, 255})
    CHECK(decoder.decode(with(dense, 2, bits)) == DecodeStatus::kBadHeader);
  CHECK(decoder.decode(with(dense, 0, 6)) == DecodeStatus::kBadHeader);
  CHECK(decoder.decode(with(dense, 3, 2)) == DecodeStatus::kBadHeader);
  for (const DType type : kAllTypes) {
    if (type != DType::kF32) {
      CHECK(decoder.decode(with(dense, 1, static_cast<uint8_t>(type))) == DecodeStatus::kBadHeader);
    }
  }
  CHECK(decoder.decode(dense, kN - 1) == DecodeStatus::kSizeMismatch);
  CHECK(decoder.decode(dense, kN + 1) == DecodeStatus::kSizeMismatch);
  // Infinite, NaN and negative scales.
  for (const unsigned scale : {0x7f80U, 0x7fc0U, 0x8000U, 0xbf80U, 0xffffU}) {
    Bytes changed = with(dense, kBody, static_cast<uint8_t>(scale));
    CHECK(decoder.decode(with(changed, kBody + 1, static_cast<uint8_t>(scale >> 8))) ==
          DecodeStatus::kCorrupt);
  }
  // A code of which all bits are set, for every width.
  for (uint8_t bits = 2; bits <= 8; ++bits) {
    Bytes full = harness.encode({.bits = bits}, floats_of(Content::kGradients, 256)).coded;
    std::fill(full.begin() + static_cast<ptrdiff_t>(kBody + kScaleBytes), full.end(), uint8_t{0xff});
    CHECK(decoder.decode(full, 256) == DecodeStatus::kCorrupt);
  }
}

TEST_CASE("sparse headers and places that cannot be are refused") {
  LossyHarness harness;
  Decoder decoder;
  const Bytes gaps = gap_block(harness);
  const Bytes bitmap = bitmap_block(harness);
  CHECK(decoder.decode(with(gaps, kBody, 0)) == DecodeStatus::kCorrupt);  // none kept
  CHECK(decoder.decode(with(gaps, kBody, 41)) != DecodeStatus::kOk);      // one more than there are
  CHECK(decoder.decode(with(gaps, kBody + 3, 1)) == DecodeStatus::kCorrupt);
  CHECK(decoder.decode(with(gaps, kBody + 4, 16)) == DecodeStatus::kCorrupt);
  CHECK(decoder.decode(with(gaps, kBody + 8, 0xff)) == DecodeStatus::kCorrupt);  // fields without end
  const size_t places = kBody + kSparseHeaderBytes;
  CHECK(decoder.decode(with(bitmap, places, static_cast<uint8_t>(bitmap[places] ^ 1))) ==
        DecodeStatus::kCorrupt);
  // A bit behind the last element, instead of another.
  const size_t last = places + kN / 8;
  Bytes beyond = with(bitmap, last, static_cast<uint8_t>(bitmap[last] | 0x80));
  size_t at = places;
  while (beyond[at] == 0) ++at;
  beyond[at] = static_cast<uint8_t>(beyond[at] & (beyond[at] - 1));
  CHECK(decoder.decode(beyond) == DecodeStatus::kCorrupt);
  // Gaps that lead behind the end.
  Bytes far = gaps;
  std::fill_n(far.begin() + static_cast<ptrdiff_t>(places + kGapCountBytes), 8, uint8_t{0xfe});
  CHECK(decoder.decode(far) != DecodeStatus::kOk);
}

TEST_CASE("a gap may lead to the last element and no further") {
  Decoder decoder;
  // 100 elements of 2 bits, of which 1 is kept: a gap of 7 bits in parts of 4, 2 and 1, then scale 1 and
  // code 2.
  const auto block = [](uint8_t gap) -> Bytes {
    const auto low = static_cast<uint8_t>(gap & 15);
    const auto middle = static_cast<uint8_t>(gap >> 4 & 3);
    const auto high = static_cast<uint8_t>(gap >> 6);
    return {5, 1, 2, 1,   400 & 0xff, 400 >> 8, 0, 0,      1, 0,    0,    0,    7, 1,
            0, 0, 0, low, 0,          0,        0, middle, 0, high, 0x80, 0x3f, 2, 0};
  };
  REQUIRE(decoder.decode(block(99), 100) == DecodeStatus::kOk);
  Floats expected(100);
  expected[99] = 1;
  CHECK(same_bits(decoder.values, expected));
  CHECK(decoder.decode(block(100), 100) == DecodeStatus::kCorrupt);
  CHECK(decoder.decode(block(126), 100) == DecodeStatus::kCorrupt);
  CHECK(decoder.decode(block(127), 100) == DecodeStatus::kCorrupt);  // which keeps none
}

TEST_CASE("lossy bytes changed to many values are refused, or mean what the format says") {
  LossyHarness harness;
  Decoder decoder;
  std::mt19937_64 random(5);
  size_t agreed = 0;
  for (const Bytes& coded : {dense_block(harness), gap_block(harness), bitmap_block(harness)}) {
    for (size_t at = 0; at<coded.size(); at += coded.size()> 800 ? 3 : 1) {
      for (const unsigned value : {0U, 1U, 0x7fU, 0x80U, 0xffU, static_cast<unsigned>(random() & 0xff)}) {
        const Bytes changed = with(coded, at, static_cast<uint8_t>(value));
        const DecodeStatus status = decoder.decode(changed);
        const auto expected = reference_decode_lossy(changed);
        INFO("byte " << at << " to " << value);
        REQUIRE((status == DecodeStatus::kOk) == (expected.has_value() && expected->size() == kN));
        if (status != DecodeStatus::kOk) continue;
        ++agreed;
        REQUIRE(same_bits(decoder.values, *expected));
      }
    }
  }
  CHECK(agreed > 1000);
}

TEST_CASE("random bytes behind a true lossy header do no harm") {
  LossyHarness harness;
  Decoder decoder;
  std::mt19937_64 random(11);
  for (int round = 0; round < 20000; ++round) {
    const size_t n = random() % 700;
    Bytes coded(kBody + random() % 600);
    for (uint8_t& byte : coded) byte = static_cast<uint8_t>(random() % (round % 2 == 0 ? 256 : 4));
    const Bytes header = {static_cast<uint8_t>(round % 3 == 0 ? BlockKind::kQuantised : BlockKind::kSparse),
                          static_cast<uint8_t>(DType::kF32),
                          static_cast<uint8_t>(2 + random() % 7),
                          kFormatVersion,
                          static_cast<uint8_t>(n * 4),
                          static_cast<uint8_t>(n * 4 >> 8),
                          0,
                          0};
    std::copy(header.begin(), header.end(), coded.begin());
    if (coded.size() > kBody + 12) {
      coded[kBody + 1] = coded[kBody + 2] = coded[kBody + 3] = 0;
      coded[kBody + 4] = static_cast<uint8_t>(random() % 17);
      coded[kBody + 7] = coded[kBody + 8] = 0;
    }
    static_cast<void>(decoder.decode(coded, n));
  }
}

}  // namespace netsense::kernels::testing
