// The handle that NCCL brings from the listening rank, which may be another plugin's or anybody's: what the
// parser accepts must be an address to connect to, and survive being written again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "plugin/transport/tcp/handle.h"

namespace {

using namespace netsense;

constexpr size_t kMagicAt = 32;  // docs/wire-format.md
using Bytes = std::array<std::byte, transport::kHandleSize>;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(Bytes bytes) {
  tcp::HandleContents contents;
  if (tcp::read_handle(bytes, &contents) != tcp::HandleError::kNone) return;
  require(contents.address.family() == AF_INET || contents.address.family() == AF_INET6);
  require(contents.address.length > 0 && contents.address.length <= sizeof contents.address.storage);
  require(!tcp::to_string(contents.address).empty());
  Bytes again{};
  tcp::write_handle(contents, again);
  tcp::HandleContents reread;
  require(tcp::read_handle(again, &reread) == tcp::HandleError::kNone);
  require(tcp::to_string(reread.address) == tcp::to_string(contents.address));
  require(reread.secret == contents.secret);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes{};
  std::memcpy(bytes.data(), data, std::min(size, bytes.size()));
  check(bytes);
  // The magic stands in the way of the fuzzer: this takes it from a real handle.
  Bytes real{};
  tcp::write_handle({}, real);
  std::copy(real.begin() + kMagicAt, real.begin() + kMagicAt + 4, bytes.begin() + kMagicAt);
  check(bytes);
  return 0;
}
