// A statistics file, which may be anybody's: whatever the parser makes of it stays within bounds.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "plugin/telemetry/owner.h"
#include "plugin/telemetry/parse.h"

namespace {

using namespace netsense::telemetry;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(std::span<const std::byte> bytes) {
  Snapshot snapshot;
  if (parse_stats(bytes, &snapshot) != ParseError::kNone) return;
  require(snapshot.connections.size() + snapshot.torn <= kSlots);
  for (const Connection& connection : snapshot.connections) {
    require(connection.slot < kSlots);
    require(connection.direction == Direction::kSend || connection.direction == Direction::kReceive);
    require(connection.state != State::kUnused);
    for (const std::string* text : {&connection.peer, &connection.device, &connection.error}) {
      require(text->size() <= sizeof(Slot::error));
      require(std::ranges::all_of(*text, [](char c) { return c >= ' ' && c <= '~'; }));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  check(std::as_bytes(std::span(data, size)));
  (void)parse_start_ticks({reinterpret_cast<const char*>(data), size});
  // The fuzzer would not find the size and the first words of a whole file: here the input fills the first
  // slots of one. All of the file for each input would be slow, so it is kept.
  static std::vector<std::byte> file(kFileBytes);
  constexpr size_t kFilled = 8 * sizeof(Slot);
  std::fill_n(file.data(), sizeof(Header) + kFilled, std::byte{});
  std::memcpy(file.data() + sizeof(Header), data, std::min(size, kFilled));
  const uint64_t words[] = {kMagic, kLayoutVersion, sizeof(Header), sizeof(Slot), kSlots};
  std::memcpy(file.data(), words, sizeof words);
  std::memcpy(file.data() + sizeof words, data, std::min(size, sizeof(Header) - sizeof words));
  check(file);
  return 0;
}
