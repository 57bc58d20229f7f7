// What a look at the bytes tells.
#include "plugin/adapt/byte_type.h"

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace netsense::adapt {
namespace {

using kernels::DType;

template <typename T>
std::vector<T> normal(size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<T> values(0, static_cast<T>(0.01));
  std::vector<T> all(count);
  for (T& value : all) value = values(random);
  return all;
}

template <typename T>
DType guess(const std::vector<T>& data) {
  return guess_type(data.data(), data.size() * sizeof(T));
}

}  // namespace

TEST_CASE("floats are known by their exponents") {
  const std::vector<float> floats = normal<float>(20000);
  CHECK(guess(floats) == DType::kF32);
  CHECK(guess(normal<double>(20000)) == DType::kF64);
  std::vector<uint16_t> upper;
  for (const float value : floats) {
    upper.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16U));
  }
  CHECK(guess(upper) == DType::kBf16);
}

TEST_CASE("random bytes are nothing") {
  std::mt19937_64 random(3);
  std::vector<uint64_t> words(10000);
  for (uint64_t& word : words) word = random();
  CHECK(guess(words) == DType::kBytes);
}

TEST_CASE("less than a piece is nothing, and no byte beyond it is read") {
  const std::vector<float> few = normal<float>(10);
  CHECK(guess(few) == DType::kBytes);
  CHECK(guess_type(nullptr, 0) == DType::kBytes);
}

TEST_CASE("lines of LL are known by their flags") {
  std::vector<uint32_t> lines(4096);
  for (size_t i = 0; i < lines.size(); ++i)
    lines[i] = i % 2 == 0 ? static_cast<uint32_t>(i * 2654435761U) : 9;
  CHECK(looks_like_ll(lines.data(), lines.size() * 4));
  lines[41] = 8;
  CHECK_FALSE(looks_like_ll(lines.data(), lines.size() * 4));
  CHECK_FALSE(looks_like_ll(std::vector<uint32_t>(4096, 0).data(), 16384));
  CHECK_FALSE(looks_like_ll(std::vector<uint32_t>(4096, 7).data(), 16384));
}

TEST_CASE("NCCL's float types are the codecs' types, and its integers may hold anything") {
  // ncclDataType_t of nccl.h.
  CHECK(type_of(6) == kernels::DType::kF16);
  CHECK(type_of(7) == kernels::DType::kF32);
  CHECK(type_of(8) == kernels::DType::kF64);
  CHECK(type_of(9) == kernels::DType::kBf16);
  CHECK(type_of(10) == kernels::DType::kF8E4M3);
  CHECK(type_of(11) == kernels::DType::kF8E5M2);
  for (const int other : {-1, 0, 1, 2, 3, 4, 5, 12, 255}) CHECK_FALSE(type_of(other).has_value());
}

}  // namespace netsense::adapt
