// Bytes that no encoder wrote are an error or some other value, never an access outside the buffers. The
// buffers are exactly as long as they say, for the sanitizers, and hold guards, for everyone.
#include <random>

#include "tests/unit/kernels/codec_harness.h"
#include "tests/unit/kernels/reference_decoder.h"

namespace netsense::kernels::testing {
namespace {

constexpr size_t kGuard = 64;

// Decodes with guards behind the destination.
DecodeStatus guarded_decode(Harness& harness, const Bytes& coded, size_t raw_bytes) {
  Bytes out(raw_bytes + kGuard, 0x5A);
  const DecodeStatus status = decode(coded.data(), coded.size(), out.data(), raw_bytes, harness.scratch());
  for (size_t i = 0; i < kGuard; ++i) REQUIRE(out[raw_bytes + i] == 0x5A);
  return status;
}

}  // namespace

TEST_CASE("a block cut short anywhere is an error") {
  Harness harness;
  for (const DType type : kFloatTypes) {
    for (const Tier tier : kTiers) {
      const Bytes raw = make_content(Content::kGradients, type, 3001);
      const Bytes coded = harness.encode(tier, type, raw);
      for (size_t cut = 0; cut < coded.size(); ++cut) {
        INFO(name_of(type) << " cut at " << cut << " of " << coded.size());
        REQUIRE(guarded_decode(harness, Bytes(coded.begin(), coded.begin() + static_cast<ptrdiff_t>(cut)),
                               raw.size()) == DecodeStatus::kTruncated);
      }
    }
  }
}

TEST_CASE("a byte too many is an error") {
  Harness harness;
  for (const Content content : {Content::kZeros, Content::kOneValue, Content::kGradients, Content::kNoise}) {
    const Bytes raw = make_content(content, DType::kBf16, 5000);
    Bytes coded = harness.encode(Tier::kTight, DType::kBf16, raw);
    coded.push_back(0);
    CHECK(guarded_decode(harness, coded, raw.size()) == DecodeStatus::kCorrupt);
  }
}

TEST_CASE("bytes changed to many values are an error, or mean what the format says") {
  Harness harness;
  std::mt19937_64 random(5);
  for (const DType type : kFloatTypes) {
    for (const Tier tier : kTiers) {
      const Bytes raw = make_content(Content::kGradients, type, tier == Tier::kFast ? 2050 : 12000);
      const Bytes coded = harness.encode(tier, type, raw);
      // Enough elements for rANS to be chosen; not every byte of so many.
      for (size_t at = 0; at < coded.size(); at += tier == Tier::kFast ? 1 : 17) {
        Bytes changed = coded;
        for (const unsigned value : {0u, 1u, 0x7fu, 0x80u, 0xffu, static_cast<unsigned>(random() & 0xff)}) {
          changed[at] = static_cast<uint8_t>(value);
          Bytes out(raw.size(), 0x5A);
          if (harness.decode(changed, out) != DecodeStatus::kOk) continue;
          const auto expected = reference_decode(changed);
          REQUIRE(expected.has_value());
          REQUIRE((out == *expected));
        }
      }
    }
  }
}

TEST_CASE("a damaged rANS stream is noticed where its states do not end as they began") {
  Harness harness;
  const Bytes raw = make_content(Content::kGradients, DType::kBf16, 16384);
  const Bytes coded = harness.encode(Tier::kTight, DType::kBf16, raw);
  Bytes changed = coded;
  // A bit of a word: headers, tables and states are untouched.
  const size_t in_words = kBlockHeaderBytes + 2 + 400;
  changed[in_words] ^= 1;
  CHECK(guarded_decode(harness, changed, raw.size()) == DecodeStatus::kCorrupt);
}

TEST_CASE("headers that cannot be are told apart") {
  Harness harness;
  const Bytes raw = make_content(Content::kGradients, DType::kF32, 4096);
  const Bytes coded = harness.encode(Tier::kFast, DType::kF32, raw);
  const auto with = [&](size_t at, uint8_t value) {
    Bytes changed = coded;
    changed[at] = value;
    return guarded_decode(harness, changed, raw.size());
  };
  CHECK(with(0, static_cast<uint8_t>(BlockKind::kQuantised)) == DecodeStatus::kBadHeader);
  CHECK(with(0, static_cast<uint8_t>(BlockKind::kSparse)) == DecodeStatus::kBadHeader);
  CHECK(with(0, 6) == DecodeStatus::kBadHeader);
  CHECK(with(1, kDTypes) == DecodeStatus::kBadHeader);
  CHECK(with(1, static_cast<uint8_t>(DType::kBytes)) == DecodeStatus::kBadHeader);
  CHECK(with(2, 14) == DecodeStatus::kBadHeader);
  CHECK(with(2, 255) == DecodeStatus::kBadHeader);
  CHECK(with(3, 2) == DecodeStatus::kBadHeader);
  CHECK(with(4, 1) == DecodeStatus::kSizeMismatch);
  CHECK(with(kBlockHeaderBytes, 0xff) != DecodeStatus::kOk);
  CHECK(guarded_decode(harness, coded, raw.size() - 1) == DecodeStatus::kSizeMismatch);
  CHECK(guarded_decode(harness, Bytes(7), 0) == DecodeStatus::kTruncated);
  // Floats, but none of them, into a buffer that need not exist.
  const Bytes empty = {static_cast<uint8_t>(BlockKind::kFloat),
                       static_cast<uint8_t>(DType::kF16),
                       4,
                       kFormatVersion,
                       0,
                       0,
                       0,
                       0};
  CHECK(decode(empty.data(), empty.size(), nullptr, 0, harness.scratch()) == DecodeStatus::kOk);
}

TEST_CASE("random bytes behind a true header do no harm") {
  Harness harness;
  std::mt19937_64 random(11);
  for (int round = 0; round < 20000; ++round) {
    const DType type = kFloatTypes[random() % std::size(kFloatTypes)];
    const size_t raw_bytes = random() % 3000;
    Bytes coded(kBlockHeaderBytes + random() % 600);
    for (uint8_t& byte : coded) byte = static_cast<uint8_t>(random() % (round % 2 == 0 ? 256 : 8));
    coded[0] = static_cast<uint8_t>(BlockKind::kFloat);
    coded[1] = static_cast<uint8_t>(type);
    coded[2] = static_cast<uint8_t>(random() % 14);
    coded[3] = kFormatVersion;
    coded[4] = static_cast<uint8_t>(raw_bytes);
    coded[5] = static_cast<uint8_t>(raw_bytes >> 8);
    coded[6] = coded[7] = 0;
    static_cast<void>(guarded_decode(harness, coded, raw_bytes));
  }
}

}  // namespace netsense::kernels::testing
