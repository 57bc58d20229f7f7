// The coded bytes mean what docs/codecs.md says: a second decoder, made from the text, reads them.
#include "tests/unit/kernels/codec_harness.h"
#include "tests/unit/kernels/reference_decoder.h"

namespace netsense::kernels::testing {

TEST_CASE("the reference decoder reads what the library writes") {
  Harness harness;
  for (const DType type : kAllTypes) {
    for (const Content content : kContents) {
      for (const size_t bytes : {0u, 1u, 77u, 4100u, 40000u, 131072u}) {
        const Bytes raw = make_content(content, type, bytes);
        for (const Tier tier : kTiers) {
          INFO(name_of(type) << ", " << name_of(content) << ", " << bytes << " bytes, tier "
                             << static_cast<int>(tier));
          const auto back = reference_decode(harness.encode(tier, type, raw));
          REQUIRE(back.has_value());
          REQUIRE((*back == raw));
        }
      }
    }
  }
}

// Machines of one job need not run the same build: what one writes must stay what another reads, and encoders
// that agree byte for byte can be compared. A change of this sum is a change of the format or of the
// encoders' choices, and belongs in docs/codecs.md.
TEST_CASE("the coded bytes are those of version 1 on every machine") {
  Harness harness;
  uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (const DType type : kFloatTypes) {
    for (const Content content :
         {Content::kPowers, Content::kSubnormals, Content::kNanPayloads, Content::kNoise}) {
      for (const Tier tier : kTiers) {
        for (const uint8_t byte : harness.encode(tier, type, make_content(content, type, 70001))) {
          sum = (sum ^ byte) * 0x100000001b3;
        }
      }
    }
  }
  CHECK(sum == 0x5bb775b1cf6a73e4);
}

}  // namespace netsense::kernels::testing
