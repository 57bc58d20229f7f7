// The lossy codec on anything. The first byte chooses: the rest is read as a block as it is, with as many
// elements as its header says; or it is values that are coded, and what comes back and what is told of the
// loss must be those values; or it is coded, and read with some of the bytes changed. All buffers have
// exactly the size that is told, and every instruction set must see the same.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/cpu/lossy.h"

namespace {

using namespace netsense::kernels;
using Bytes = std::vector<uint8_t>;
using Floats = std::vector<float>;

void require(bool condition) {
  if (!condition) std::abort();
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// Takes numbers from the front of the input.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : at_(data), left_(size) {}
  template <class T>
  T take() {
    T value{};
    const size_t bytes = std::min(left_, sizeof value);
    if (bytes != 0) std::memcpy(&value, at_, bytes);
    at_ += bytes;
    left_ -= bytes;
    return value;
  }
  Bytes rest() { return {at_, at_ + left_}; }

 private:
  const uint8_t* at_;
  size_t left_;
};

LossyChoice take_choice(Input& input) {
  LossyChoice choice;
  choice.bits = static_cast<uint8_t>(kMinLossyBits + input.take<uint8_t>() % 7);
  const auto keep = input.take<uint16_t>();
  if (keep % 4 != 0) choice.keep = keep / 4;
  choice.threshold = input.take<float>();
  choice.seed = input.take<uint64_t>();
  return choice;
}

// The values are the input, over and over: a block of some size makes the places worth coding.
Floats take_values(Input& input) {
  const size_t repeats = 1 + input.take<uint8_t>() % 32;
  const Bytes rest = input.rest();
  const size_t once = std::min<size_t>(rest.size() / sizeof(float), kMaxLossyElements / 32);
  Floats values(once * repeats);
  for (size_t i = 0; i < repeats && once != 0; ++i) {
    std::memcpy(values.data() + i * once, rest.data(), once * sizeof(float));
  }
  return values;
}

Bytes code(const Backend& backend, const LossyChoice& choice, Floats& values, LossyScratch& scratch) {
  Bytes coded(max_lossy_bytes(values.size()));
  const LossyResult result =
      encode_lossy(backend, choice, values.data(), values.size(), coded.data(), coded.size(), scratch);
  require(result.bytes != 0 && result.bytes <= coded.size());
  coded.resize(result.bytes);
  coded.shrink_to_fit();
  return coded;
}

// Reads a block with the best and the plainest instruction set, and as a sum.
DecodeStatus read(const Bytes& coded, Floats& values, LossyScratch& scratch) {
  Floats other(values.size()), sum(values.size(), -0.0F);
  const Backend& best = *backends().front();
  const Backend& plain = *backends().back();
  const DecodeStatus status =
      decode_lossy(best, coded.data(), coded.size(), values.data(), values.size(), scratch);
  require(status == decode_lossy(plain, coded.data(), coded.size(), other.data(), other.size(), scratch));
  require(status == add_lossy(best, coded.data(), coded.size(), sum.data(), sum.size(), scratch));
  if (status != DecodeStatus::kOk) return status;
  require(same_bits(values, other));
  // -0 + x is x, but for the payload of a NaN; what a sparse block does not touch stays -0.
  for (size_t i = 0; i < sum.size(); ++i)
    require(sum[i] == values[i] || (std::isnan(sum[i]) && std::isnan(values[i])));
  return status;
}

void check_round_trip(const LossyChoice& choice, const Floats& values, LossyScratch& scratch) {
  Floats error = values, other = values;
  const Bytes coded = code(*backends().front(), choice, error, scratch);
  require(coded == code(*backends().back(), choice, other, scratch));
  require(same_bits(error, other));
  Floats back(values.size());
  require(read(coded, back, scratch) == DecodeStatus::kOk);
  if (coded[0] < static_cast<uint8_t>(BlockKind::kQuantised) &&
      coded[0] != static_cast<uint8_t>(BlockKind::kZero)) {
    require(same_bits(back, values));
    return;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    // What a compiler makes of it: no multiplication, so nothing to contract.
    const float lost = values[i] - back[i];
    require(std::memcmp(&lost, &error[i], sizeof lost) == 0);
    require(std::fabs(back[i]) <= std::numeric_limits<float>::max());
  }
}

void check_read(const Bytes& coded, LossyScratch& scratch) {
  uint32_t raw_bytes = 0;
  if (coded.size() >= kBlockHeaderBytes) std::memcpy(&raw_bytes, coded.data() + 4, sizeof raw_bytes);
  Floats values(std::min<size_t>(raw_bytes / sizeof(float), kMaxLossyElements));
  static_cast<void>(read(coded, values, scratch));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto kScratch = std::make_unique<LossyScratch>();
  if (size == 0) return 0;
  Input input(data + 1, size - 1);
  if ((data[0] & 1) != 0) {
    check_read(input.rest(), *kScratch);
    return 0;
  }
  const LossyChoice choice = take_choice(input);
  if ((data[0] & 2) == 0) {
    check_round_trip(choice, take_values(input), *kScratch);
    return 0;
  }
  const uint8_t changes = input.take<uint8_t>() % 4;
  uint32_t change[4];
  for (uint32_t& one : change) one = input.take<uint32_t>();
  Floats values = take_values(input);
  Bytes coded = code(*backends().front(), choice, values, *kScratch);
  for (uint8_t i = 0; i <= changes; ++i)
    coded[(change[i] >> 8) % coded.size()] ^= static_cast<uint8_t>(change[i]);
  check_read(coded, *kScratch);
  return 0;
}
