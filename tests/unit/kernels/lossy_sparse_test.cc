// Sparse blocks: which elements are kept, and that their places take as few bytes as they can.
#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "tests/unit/kernels/lossy_harness.h"

namespace netsense::kernels::testing {
namespace {

uint32_t read_u32(const Bytes& bytes, size_t at) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

size_t kept_of(const Lossy& lossy) {
  REQUIRE(lossy.kind() == BlockKind::kSparse);
  return read_u32(lossy.coded, kBlockHeaderBytes);
}

// What is to be kept, by sorting.
std::vector<size_t> expected_kept(const Floats& values, size_t keep, float threshold) {
  std::vector<size_t> order;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0 && std::fabs(values[i]) >= threshold) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return std::fabs(values[a]) > std::fabs(values[b]); });
  order.resize(std::min(order.size(), keep));
  std::sort(order.begin(), order.end());
  return order;
}

// A sparse block says which elements it holds only by their values, which may be 0: so an element is taken
// for kept when adding the block to -0 leaves anything but -0 there.
std::vector<size_t> touched(LossyHarness& harness, const Bytes& coded, size_t n) {
  Floats sum(n, -0.0F);
  REQUIRE(harness.add(*backends().front(), coded, sum) == DecodeStatus::kOk);
  std::vector<size_t> all;
  for (size_t i = 0; i < n; ++i) {
    if (std::bit_cast<uint32_t>(sum[i]) != 0x80000000) all.push_back(i);
  }
  return all;
}

Floats rounded_to_few_values(Floats values) {
  for (float& x : values) x = std::round(x * 8) / 8;
  return values;
}

// Whether a block with these places is as the brute force over all forms says.
size_t smallest_index(const std::vector<size_t>& kept, size_t n) {
  size_t best = (n + 7) / 8;
  for (unsigned width = 1; width <= 15; ++width) {
    const size_t skip = (size_t{1} << width) - 1;
    size_t fields = 0, next = 0;
    for (const size_t at : kept) {
      fields += (at - next) / skip + 1;
      next = at + 1;
    }
    best = std::min(best, 4 + packed_bytes(fields, width));
  }
  return best;
}

}  // namespace

TEST_CASE("exactly the largest elements are kept, of equals the first, and no zeros") {
  LossyHarness harness;
  for (const size_t n : {256U, 257U, 1000U, 65535U, 65536U}) {
    for (const bool ties : {false, true}) {
      for (const Content content : {Content::kGradients, Content::kSparse, Content::kSubnormals}) {
        Floats values = floats_of(content, n);
        if (ties) values = rounded_to_few_values(values);
        for (const size_t keep : {size_t{1}, size_t{2}, n / 100, n / 20, n / 5}) {
          INFO(n << " elements, " << name_of(content) << ", keep " << keep << ", ties " << ties);
          const auto expected = expected_kept(values, keep, 0);
          const Lossy lossy = harness.encode({.bits = 8, .keep = static_cast<uint32_t>(keep)}, values);
          if (expected.empty()) {
            REQUIRE(lossy.kind() == BlockKind::kZero);
            continue;
          }
          REQUIRE(kept_of(lossy) == expected.size());
          REQUIRE((touched(harness, lossy.coded, n) == expected));
        }
      }
    }
  }
}

TEST_CASE(
    "the choice is exact where every sixteenth element, which is all that is looked at first, misleads") {
  constexpr size_t kN = 16384;
  constexpr size_t kStride = 16;
  LossyHarness harness;
  for (const bool sampled_are_large : {false, true}) {
    Floats values = floats_of(Content::kGradients, kN);
    for (size_t i = 0; i < kN; ++i) {
      if ((i % kStride == 0) == sampled_are_large) values[i] *= 1000;
    }
    for (const uint32_t keep : {100U, 900U, 1100U, 3000U}) {
      INFO("sampled are large " << sampled_are_large << ", keep " << keep);
      const Lossy lossy = harness.encode({.bits = 8, .keep = keep}, values);
      REQUIRE((touched(harness, lossy.coded, kN) == expected_kept(values, keep, 0)));
    }
  }
}

TEST_CASE("elements below the threshold are dropped, and the largest of the others are kept") {
  LossyHarness harness;
  const Floats values = rounded_to_few_values(floats_of(Content::kGradients, 20000));
  for (const float threshold : {0.25F, 0.5F, 0.75F, 0.7500001F}) {
    for (const size_t keep : {size_t{500}, size_t{10000}}) {
      INFO("threshold " << threshold << ", keep " << keep);
      const auto expected = expected_kept(values, keep, threshold);
      const Lossy lossy =
          harness.encode({.bits = 4, .keep = static_cast<uint32_t>(keep), .threshold = threshold}, values);
      REQUIRE((touched(harness, lossy.coded, values.size()) == expected));
      const Floats decoded = harness.decode(lossy.coded, values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        if (!std::binary_search(expected.begin(), expected.end(), i)) REQUIRE(lossy.error[i] == values[i]);
      }
    }
  }
  // Thresholds that are none.
  for (const float none : {-1.0F, std::nanf("")}) {
    CHECK(harness.encode({.bits = 4, .threshold = none}, values).kind() == BlockKind::kQuantised);
  }
}

TEST_CASE("the error of what is kept is below scale / levels of its 256") {
  LossyHarness harness;
  for (const CapturedFloats& file : captured_gradients()) {
    for (const uint8_t bits : {2, 4, 8}) {
      INFO(file.name << ", " << int{bits} << " bits");
      const auto kept = expected_kept(file.values, 6000, 0);
      const Lossy lossy = harness.encode({.bits = bits, .keep = 6000, .seed = 5}, file.values);
      REQUIRE(kept_of(lossy) == kept.size());
      const Floats decoded = harness.decode(lossy.coded, file.values.size());
      Floats error(decoded.size());
      for (size_t i = 0; i < error.size(); ++i) error[i] = file.values[i] - decoded[i];
      REQUIRE(same_bits(lossy.error, error));
      for (size_t i = 0; i < kept.size(); i += kGroup) {
        const size_t end = std::min(kept.size(), i + kGroup);
        float largest = 0;
        for (size_t j = i; j < end; ++j) largest = std::max(largest, std::fabs(file.values[kept[j]]));
        // Rounding up to bf16 adds less than 2^-7.
        const double bound = static_cast<double>(largest) * (1 + 0x1p-7) / top_level(bits);
        for (size_t j = i; j < end; ++j) REQUIRE(std::fabs(error[kept[j]]) < bound);
      }
    }
  }
}

TEST_CASE("the places take the fewest bytes of all forms") {
  LossyHarness harness;
  std::mt19937_64 random(3);
  unsigned widths_seen = 0;
  for (const size_t n : {300U, 5000U, 65536U}) {
    for (const size_t kept : {1U, 2U, 5U, 20U, 70U, 400U, 3000U, 9000U, 20000U, 40000U}) {
      if (kept > n * 2 / 3) continue;
      for (const bool clustered : {false, true}) {
        Floats values(n);
        for (size_t i = 0; i < kept; ++i) {
          const size_t at = random() % n;
          values[clustered ? at / 64 * 16 % n : at] = 1 + static_cast<float>(i % 7);
        }
        const auto places = expected_kept(values, n, 0);
        const Lossy lossy = harness.encode({.bits = 4, .threshold = 0.5F}, values);
        INFO(n << " elements, " << places.size() << " kept, clustered " << clustered);
        REQUIRE(kept_of(lossy) == places.size());
        REQUIRE(lossy.coded.size() == kBlockHeaderBytes + kSparseHeaderBytes + smallest_index(places, n) +
                                          quantised_bytes(places.size(), 4));
        REQUIRE((touched(harness, lossy.coded, n) == places));
        widths_seen |= 1u << lossy.coded[kBlockHeaderBytes + 4];
      }
    }
  }
  // The bitmap, narrow gaps and gaps of more than a byte.
  CHECK((widths_seen & 1) != 0);
  CHECK((widths_seen & 0xfe) != 0);
  CHECK((widths_seen & 0xfe00) != 0);
}

TEST_CASE("what is no smaller with fewer elements has all of them") {
  LossyHarness harness;
  const Floats values = floats_of(Content::kGradients, 4096);
  const Lossy dense = harness.encode({.bits = 2, .seed = 4}, values);
  const Lossy most = harness.encode({.bits = 2, .keep = 3000, .seed = 4}, values);
  CHECK(most.kind() == BlockKind::kQuantised);
  CHECK((most.coded == dense.coded));
  CHECK(harness.encode({.bits = 2, .keep = 600}, values).kind() == BlockKind::kSparse);
}

}  // namespace netsense::kernels::testing
