// Lossy blocks of every kind: all instruction sets agree, buffers are kept to, what cannot be lossy is
// lossless, and sums are those of the decoded values.
#include <limits>

#include "tests/unit/kernels/guarded_memory.h"
#include "tests/unit/kernels/lossy_harness.h"

namespace netsense::kernels::testing {
namespace {

constexpr size_t kSizes[] = {0, 1, 2, 8, 15, 16, 17, 63, 255, 256, 257, 300, 4099, 65535, 65536};

std::vector<LossyChoice> choices(size_t n) {
  const auto few = static_cast<uint32_t>(n / 50 + 1);
  return {{.bits = 2, .seed = 3},
          {.bits = 5},
          {.bits = 8, .seed = 1ULL << 40},
          {.bits = 4, .keep = few, .seed = 7},
          {.bits = 8, .keep = static_cast<uint32_t>(n / 4 + 1)},
          {.bits = 3, .threshold = 0.5F},
          {.bits = 6, .keep = few, .threshold = 0.4F}};
}

}  // namespace

TEST_CASE("all instruction sets of this machine make the same lossy blocks and read the same in them") {
  LossyHarness harness;
  for (const Content content : kContents) {
    for (const size_t n : kSizes) {
      const Floats values = floats_of(content, n);
      for (const LossyChoice& choice : choices(n)) {
        const Lossy expected = harness.encode(choice, values);
        const Floats decoded = harness.decode(expected.coded, n);
        for (const Backend* backend : backends()) {
          INFO(backend_name(*backend) << ", " << name_of(content) << ", " << n << ", bits "
                                      << int{choice.bits} << ", keep " << choice.keep);
          const Lossy lossy = harness.encode(*backend, choice, values);
          REQUIRE((lossy.coded == expected.coded));
          REQUIRE(same_bits(lossy.error, expected.error));
          if (content == Content::kGradients) {
            REQUIRE(lossy.result.energy == expected.result.energy);
            REQUIRE(lossy.result.error_energy == expected.result.error_energy);
          }
          REQUIRE(same_bits(harness.decode(*backend, expected.coded, n), decoded));
        }
      }
    }
  }
}

TEST_CASE("what is lost and what is decoded are the value, and sums get what is decoded") {
  LossyHarness harness;
  for (const Content content : {Content::kGradients, Content::kSparse, Content::kPowers, Content::kZeros}) {
    for (const size_t n : kSizes) {
      const Floats values = floats_of(content, n);
      for (const LossyChoice& choice : choices(n)) {
        INFO(name_of(content) << ", " << n << ", bits " << int{choice.bits} << ", keep " << choice.keep);
        const Lossy lossy = harness.encode(choice, values);
        const Floats decoded = harness.decode(lossy.coded, n);
        const Floats before = floats_of(Content::kGradients, n, 99);
        Floats error(n), sum(n);
        for (size_t i = 0; i < n; ++i) {
          error[i] = values[i] - decoded[i];
          sum[i] = before[i] + decoded[i];
        }
        REQUIRE(same_bits(lossy.error, error));
        for (const Backend* backend : backends()) {
          Floats added = before;
          REQUIRE(harness.add(*backend, lossy.coded, added) == DecodeStatus::kOk);
          REQUIRE(same_bits(added, sum));
        }
      }
    }
  }
}

TEST_CASE("a block with a value that is not finite, or near the largest, loses nothing") {
  LossyHarness harness;
  const float payload = std::bit_cast<float>(0x7fabcdefU);
  const float infinity = std::numeric_limits<float>::infinity();
  const float too_large = std::bit_cast<float>(0x7f7f0001U);
  for (const float odd : {payload, -payload, infinity, -infinity, too_large}) {
    for (const LossyChoice& choice : {LossyChoice{.bits = 4}, LossyChoice{.bits = 4, .keep = 10}}) {
      for (const size_t at : {0U, 255U, 2999U, 3000U}) {
        Floats values = floats_of(Content::kGradients, 3001);
        values[at] = odd;
        const Lossy lossy = harness.encode(choice, values);
        REQUIRE(lossy.kind() < BlockKind::kQuantised);
        REQUIRE(same_bits(harness.decode(lossy.coded, values.size()), values));
        REQUIRE(same_bits(lossy.error, Floats(values.size())));
        REQUIRE(lossy.result.error_energy == 0);
      }
    }
  }
  // The largest bf16 is a scale like any other.
  Floats values = floats_of(Content::kGradients, 3001);
  values[7] = std::bit_cast<float>(0x7f7f0000U);
  CHECK(harness.encode({.bits = 4}, values).kind() == BlockKind::kQuantised);
}

TEST_CASE("what does not shrink is lossless, and nothing but zeros takes a header") {
  LossyHarness harness;
  const Lossy one = harness.encode({.bits = 8}, {1.25F});
  CHECK(one.kind() == BlockKind::kRaw);
  CHECK(one.result.error_energy == 0);
  CHECK(harness.encode({.bits = 8}, Floats(500, -0.0F)).coded.size() == kBlockHeaderBytes);
  const Lossy nothing_kept = harness.encode({.bits = 8, .keep = 0}, Floats(500, 2.0F));
  CHECK(nothing_kept.coded.size() == kBlockHeaderBytes);
  CHECK(same_bits(nothing_kept.error, Floats(500, 2.0F)));
}

TEST_CASE("choices that cannot be are refused, and nothing is touched") {
  LossyHarness harness;
  const Floats values = floats_of(Content::kGradients, 300);
  const auto refused = [&](const LossyChoice& choice, size_t n, size_t capacity) {
    Floats given = values;
    Bytes coded(max_lossy_bytes(values.size()), 0xC3);
    const LossyResult result =
        encode_lossy(choice, given.data(), n, coded.data(), capacity, harness.scratch());
    return result.bytes == 0 && same_bits(given, values) &&
           std::all_of(coded.begin(), coded.end(), [](uint8_t byte) { return byte == 0xC3; });
  };
  CHECK(refused({.bits = 1}, 300, max_lossy_bytes(300)));
  CHECK(refused({.bits = 9}, 300, max_lossy_bytes(300)));
  CHECK(refused({.bits = 4}, 300, max_lossy_bytes(300) - 1));
  CHECK(refused({.bits = 4}, kMaxLossyElements + 1, SIZE_MAX));
}

TEST_CASE("lossy coding keeps to its buffers, at any alignment") {
  const auto scratch = std::make_unique<LossyScratch>();
  constexpr size_t kLargest = 70000 * sizeof(float);
  const GuardedMemory values_memory(kLargest), coded_memory(kLargest), sum_memory(kLargest);
  LossyHarness harness;
  for (const size_t n : {1U, 5U, 9U, 17U, 100U, 255U, 257U, 511U, 1025U, 5003U, 65535U, 65536U}) {
    const Floats content = floats_of(Content::kGradients, n);
    const size_t bytes = n * sizeof(float);
    for (const size_t off : {0U, 1U, 2U, 3U}) {
      for (const LossyChoice& choice : choices(n)) {
        for (const Backend* backend : backends()) {
          INFO(n << " elements, " << off << " bytes off, " << backend_name(*backend));
          // Against the page behind at offset 0, misaligned against the page in front otherwise.
          const auto place = [off](const GuardedMemory& memory, size_t size) {
            return off == 0 ? memory.last(size) : memory.first() + off;
          };
          uint8_t* const source = place(values_memory, bytes);
          uint8_t* const coded = place(coded_memory, max_lossy_bytes(n));
          std::memcpy(source, content.data(), bytes);
          const LossyResult result = encode_lossy(*backend, choice, reinterpret_cast<float*>(source), n,
                                                  coded, max_lossy_bytes(n), *scratch);
          const Lossy expected = harness.encode(choice, content);
          REQUIRE(result.bytes == expected.coded.size());
          REQUIRE(std::memcmp(coded, expected.coded.data(), result.bytes) == 0);
          REQUIRE(std::memcmp(source, expected.error.data(), bytes) == 0);
          uint8_t* const exact = place(coded_memory, result.bytes);
          std::memmove(exact, coded, result.bytes);
          uint8_t* const sum = place(sum_memory, bytes);
          auto* const to = reinterpret_cast<float*>(sum);
          REQUIRE(decode_lossy(*backend, exact, result.bytes, to, n, *scratch) == DecodeStatus::kOk);
          REQUIRE(std::memcmp(sum, harness.decode(expected.coded, n).data(), bytes) == 0);
          REQUIRE(add_lossy(*backend, exact, result.bytes, to, n, *scratch) == DecodeStatus::kOk);
        }
      }
    }
  }
}

}  // namespace netsense::kernels::testing
