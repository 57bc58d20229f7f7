#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tools/perf/error.h"
#include "tools/perf/pattern.h"

namespace netsense::perf {
namespace {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("netsense-pattern-" + std::to_string(getpid()))) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string text_of(const Pattern& pattern, size_t offset, size_t bytes) {
  std::vector<std::byte> data(bytes);
  pattern.fill(offset, data);
  return {reinterpret_cast<const char*>(data.data()), bytes};
}

}  // namespace

TEST_CASE("a pattern repeats without a seam") {
  const std::vector<std::byte> period{std::byte{1}, std::byte{2}, std::byte{3}};
  CHECK(text_of(Pattern(period), 0, 7) == "\1\2\3\1\2\3\1");
  CHECK(text_of(Pattern(period), 5, 3) == "\3\1\2");
  const auto shared = std::make_shared<const std::vector<std::byte>>(period);
  CHECK(text_of(Pattern(shared, 3, 1), 0, 5) == "\2\3\1\2\3");
  CHECK(text_of(Pattern(shared, 2, 1), 1, 3) == "\1\2\1");
}

TEST_CASE("ranks have different inputs, the same in every process") {
  const TypeInfo& type = type_info(ns_float32);
  CHECK(text_of(random_bits(type, 1), 0, 4096) == text_of(random_bits(type, 1), 0, 4096));
  CHECK(text_of(random_bits(type, 1), 0, 4096) != text_of(random_bits(type, 2), 0, 4096));
}

// The point of the odd period: a block that lands one power of two away must look different.
TEST_CASE("no two blocks of a pattern are alike") {
  const Pattern pattern = random_bits(type_info(ns_uint8), 0);
  for (size_t shift = 64; shift <= size_t{1} << 30; shift *= 2) {
    CHECK(text_of(pattern, 0, 64) != text_of(pattern, shift, 64));
  }
}

TEST_CASE("values for sums are whole numbers whose sum is exact in every type") {
  constexpr int kRanks = 8;
  for (const TypeInfo& type : all_types()) {
    if (!type.floating) continue;
    std::vector<double> magnitudes(kGeneratedPeriod, 0);
    bool whole = true;
    for (int rank = 0; rank < kRanks; ++rank) {
      const Pattern input = reducible_values(type, ns_sum, kRanks, rank);
      for (size_t i = 0; i < kGeneratedPeriod; ++i) {
        const double value =
            decode(type, load_bits(type, input.from(i * static_cast<size_t>(type.bytes)).data()));
        whole = whole && std::nearbyint(value) == value;
        magnitudes[i] += std::fabs(value);
      }
    }
    INFO(type.name);
    CHECK(whole);
    CHECK(*std::max_element(magnitudes.begin(), magnitudes.end()) <= exact_integer_limit(type));
  }
}

TEST_CASE("values for minimum and maximum are finite and not zero") {
  for (const TypeInfo& type : all_types()) {
    if (!type.floating) continue;
    const Pattern input = reducible_values(type, ns_max, 3, 1);
    size_t bad = 0;
    for (size_t i = 0; i < kGeneratedPeriod; ++i) {
      const double value =
          decode(type, load_bits(type, input.from(i * static_cast<size_t>(type.bytes)).data()));
      bad += std::isfinite(value) && value != 0 ? 0 : 1;
    }
    INFO(type.name);
    CHECK(bad == 0);
  }
}

TEST_CASE("a file is repeated over the buffer, each rank from another place") {
  const TemporaryFile file("0123456789");
  const FileData data(file.path());
  const TypeInfo& byte = type_info(ns_uint8);
  CHECK(text_of(data.pattern(byte, 2, 0), 0, 12) == "012345678012");  // an odd number of elements
  CHECK(text_of(data.pattern(byte, 2, 1), 0, 12) == "456780123456");
  CHECK(text_of(data.pattern(type_info(ns_float32), 1, 0), 0, 6) == "012301");
  CHECK(data.hash() == FileData(file.path()).hash());
}

TEST_CASE("a file that cannot be used is refused with its name") {
  CHECK_THROWS_WITH(FileData("/nonexistent/file"), Catch::Contains("/nonexistent/file"));
  const TemporaryFile file("123");
  CHECK_THROWS_AS(FileData(file.path()).pattern(type_info(ns_float64), 1, 0), UsageError);
}

}  // namespace netsense::perf
