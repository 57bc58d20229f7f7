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

}  // namespace netsense::kernels::testing
