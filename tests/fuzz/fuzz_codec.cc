// The codecs on anything. The first byte chooses: the rest is decoded as it is, into as many bytes as its
// header says; or it is coded and must come back unchanged; or it is coded, and decoded with some of the
// coded bytes changed. All buffers have exactly the size that is told.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/cpu/codec.h"

namespace {

using namespace netsense::kernels;

constexpr size_t kMostDecoded = 1 << 17;

void require(bool condition) {
  if (!condition) std::abort();
}

std::vector<uint8_t> code(const Backend& backend, Tier tier, DType type, const std::vector<uint8_t>& raw,
                          Scratch& scratch) {
  std::vector<uint8_t> coded(max_coded_bytes(raw.size()));
  const size_t bytes =
      encode(backend, tier, type, raw.data(), raw.size(), coded.data(), coded.size(), scratch);
  require(bytes != 0 && bytes <= coded.size());
  coded.resize(bytes);
  coded.shrink_to_fit();
  return coded;
}

void check_round_trip(Tier tier, DType type, const std::vector<uint8_t>& raw, Scratch& scratch) {
  const std::vector<uint8_t> coded = code(*backends().front(), tier, type, raw, scratch);
  require(coded == code(*backends().back(), tier, type, raw, scratch));
  std::vector<uint8_t> back(raw.size());
  require(decode(coded.data(), coded.size(), back.data(), back.size(), scratch) == DecodeStatus::kOk);
  require(back == raw);
}

// Whatever the bytes mean, every instruction set must see the same in them.
void check_decode(const std::vector<uint8_t>& coded, Scratch& scratch) {
  uint32_t raw_bytes = 0;
  if (coded.size() >= kBlockHeaderBytes) std::memcpy(&raw_bytes, coded.data() + 4, sizeof raw_bytes);
  raw_bytes = std::min<uint32_t>(raw_bytes, kMostDecoded);
  std::vector<uint8_t> first(raw_bytes), second(raw_bytes);
  const DecodeStatus status =
      decode(*backends().front(), coded.data(), coded.size(), first.data(), first.size(), scratch);
  require(status ==
          decode(*backends().back(), coded.data(), coded.size(), second.data(), second.size(), scratch));
  if (status == DecodeStatus::kOk) require(first == second);
}

// A coded block of which some bytes are others. changes: pairs of a place and what is changed there.
void check_damaged(Tier tier, DType type, const std::vector<uint8_t>& raw,
                   const std::vector<uint8_t>& changes, Scratch& scratch) {
  std::vector<uint8_t> coded = code(*backends().front(), tier, type, raw, scratch);
  for (size_t i = 0; i + 2 < changes.size(); i += 3) {
    coded[(size_t{changes[i]} << 8 | changes[i + 1]) % coded.size()] ^= changes[i + 2];
  }
  check_decode(coded, scratch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto kScratch = std::make_unique<Scratch>();
  if (size == 0) return 0;
  const std::vector<uint8_t> rest(data + 1, data + size);
  const Tier tier = (data[0] & 2) != 0 ? Tier::kFast : Tier::kTight;
  const auto type = static_cast<DType>(data[0] / 8 % kDTypes);
  if ((data[0] & 1) != 0) {
    check_decode(rest, *kScratch);
  } else if ((data[0] & 4) != 0) {
    const auto changes = rest.begin() + static_cast<ptrdiff_t>(std::min<size_t>(rest.size(), 12));
    check_damaged(tier, type, {changes, rest.end()}, {rest.begin(), changes}, *kScratch);
  } else {
    check_round_trip(tier, type, rest, *kScratch);
  }
  return 0;
}
