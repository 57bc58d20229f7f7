// Every instruction set gives the same coded bytes and reads what any other wrote.
#include "tests/unit/kernels/codec_harness.h"

namespace netsense::kernels::testing {

TEST_CASE("all instruction sets of this machine agree byte for byte") {
  REQUIRE(!backends().empty());
  Harness harness;
  for (const DType type : kFloatTypes) {
    for (const Content content : kContents) {
      for (const size_t bytes : {100u, 4095u, 16384u, 70001u}) {
        const Bytes raw = make_content(content, type, bytes);
        for (const Tier tier : kTiers) {
          const Bytes expected = harness.encode(tier, type, raw);
          for (const Backend* backend : backends()) {
            INFO(backend_name(*backend)
                 << ", " << name_of(type) << ", " << name_of(content) << ", " << bytes);
            REQUIRE((harness.encode(*backend, tier, type, raw) == expected));
            Bytes back(bytes, 0xEE);
            REQUIRE(harness.decode(*backend, expected, back) == DecodeStatus::kOk);
            REQUIRE((back == raw));
          }
        }
      }
    }
  }
}

}  // namespace netsense::kernels::testing
