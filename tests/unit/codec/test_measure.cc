// What the benchmark compares: all coders, on the same data, cut alike.
#include "tests/catch.h"
#include "tests/unit/codec/made.h"
#include "tools/codec/measure.h"
#include "tools/codec/report.h"

namespace netsense::codec {

TEST_CASE("data of one type is taken together, the format's own bytes are left out") {
  const testing::Bytes file{1, 2, 3, 4, 5, 6, 7};
  const std::vector<Piece> pieces{{0, 2, std::nullopt, false},
                                  {2, 1, DType::kF8E4M3, true},
                                  {3, 2, std::nullopt, true},
                                  {5, 0, DType::kF64, true},
                                  {5, 2, DType::kF8E4M3, true}};
  const std::vector<TypedData> data = by_type(file, pieces, DType::kBf16);
  REQUIRE(data.size() == 2);
  CHECK(data[0].type == DType::kF8E4M3);
  CHECK(data[0].bytes == testing::Bytes{3, 6, 7});
  CHECK(data[1].type == DType::kBf16);
  CHECK(data[1].bytes == testing::Bytes{4, 5});
}

TEST_CASE("every coder is measured, and ours are near the bound") {
  const Figures figures = measure("f", {DType::kF32, testing::floats(100000)}, std::chrono::milliseconds(0));
  REQUIRE(figures.coders.size() == 4);
  CHECK(figures.bound_bits.value() == Approx(27).epsilon(0.01));  // 8 exponents, alike
  CHECK(over_bound(figures, figures.coders[0]) < 1.08);
  CHECK(over_bound(figures, figures.coders[1]) < 1.03);
  CHECK(figures.coders[1].coded_bytes < figures.coders[2].coded_bytes);
  for (const CoderFigures& coder : figures.coders) {
    CHECK(coder.encode_gb_per_s > 0);
    CHECK(coder.decode_gb_per_s > 0);
  }
}

TEST_CASE("bytes have no bound") {
  const Figures figures = measure("f", {DType::kBytes, testing::Bytes(1000)}, std::chrono::milliseconds(0));
  CHECK_FALSE(figures.bound_bits);
  CHECK(over_bound(figures, figures.coders[0]) == 0);
  CHECK(text_report(std::span(&figures, 1)).find("the type is not known") != std::string::npos);
}

}  // namespace netsense::codec
