// The frame parser on arbitrary headers, and on valid ones with some fields set by the fuzzer: whatever it
// accepts must be safe to use for addressing a message.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "plugin/core/bytes.h"
#include "plugin/core/frame.h"

namespace {

using namespace netsense::core;

constexpr size_t kMaxMessage = size_t{1} << 30;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const FrameBytes& bytes) {
  FrameHeader header;
  if (parse_frame(bytes, kMaxMessage, &header) != FrameError::kNone) return;
  require(header.coded_bytes <= kMaxFramePayload);
  if (header.type == FrameType::kData) {
    require(header.message_bytes <= kMaxMessage);
    require(header.offset <= header.message_bytes);
    require(header.offset + header.raw_bytes <= header.message_bytes);
    require(header.raw_bytes == header.coded_bytes);
  }
  if (header.type == FrameType::kError) require(header.coded_bytes <= kMaxErrorText);
  require(encode_frame(header) == bytes);
}

// The checksum stands in the way of the fuzzer: this makes headers that pass it.
FrameBytes plausible(const uint8_t* data) {
  FrameHeader header;
  const auto at = [data](size_t offset) { return reinterpret_cast<const std::byte*>(data + offset); };
  header.type = static_cast<FrameType>(data[0] % 5);
  header.flags = data[1];
  header.sequence = load_le<uint64_t>(at(2));
  header.message_bytes = load_le<uint64_t>(at(10));
  header.offset = load_le<uint64_t>(at(18));
  header.raw_bytes = load_le<uint32_t>(at(26));
  header.coded_bytes = load_le<uint32_t>(at(30));
  header.tag = load_le<uint32_t>(at(34));
  return encode_frame(header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FrameBytes bytes{};
  std::memcpy(bytes.data(), data, std::min(size, bytes.size()));
  check(bytes);
  if (size >= 38) check(plausible(data));
  return 0;
}
