// How near the coders come to the bound: the entropy of the exponents plus sign and mantissa of what is no
// zero.
#include "tests/unit/kernels/codec_harness.h"

namespace netsense::kernels::testing {
namespace {

double relative_size(Harness& harness, Tier tier, DType type, const Bytes& raw) {
  const double bound = bound_bits(type, raw) / 8 / float_layout(type).bytes;
  return static_cast<double>(harness.encode(tier, type, raw).size()) / static_cast<double>(raw.size()) /
         bound;
}

}  // namespace

TEST_CASE("gradients with zeros among them come near the bound") {
  Harness harness;
  for (const DType type : {DType::kBf16, DType::kF32, DType::kF16, DType::kF64}) {
    INFO(name_of(type));
    const Bytes raw = make_content(Content::kGradients, type, 131072);
    CHECK(relative_size(harness, Tier::kFast, type, raw) < 1.08);
    CHECK(relative_size(harness, Tier::kTight, type, raw) < 1.03);
  }
}

TEST_CASE("the tight tier is the smaller one") {
  Harness harness;
  for (const DType type : kFloatTypes) {
    const Bytes raw = make_content(Content::kGradients, type, 131072);
    CHECK(harness.encode(Tier::kTight, type, raw).size() <= harness.encode(Tier::kFast, type, raw).size());
  }
}

TEST_CASE("zeros of both signs carry no mantissa") {
  Harness harness;
  const Bytes raw = make_content(Content::kSparse, DType::kF32, 131072);
  // One element in ten has 24 bits beside its exponent; the rest must not.
  for (const Tier tier : kTiers) CHECK(harness.encode(tier, DType::kF32, raw).size() < raw.size() * 6 / 32);
}

TEST_CASE("mantissa bytes that are zero everywhere are not sent") {
  Harness harness;
  Bytes raw = make_content(Content::kGradients, DType::kF32, 131072);
  for (size_t i = 0; i < raw.size(); i += 4) raw[i] = raw[i + 1] = 0;
  CHECK(harness.encode(Tier::kFast, DType::kF32, raw).size() < raw.size() * 12 / 32);
}

}  // namespace netsense::kernels::testing
