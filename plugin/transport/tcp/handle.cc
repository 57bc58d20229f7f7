#include "plugin/transport/tcp/handle.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "plugin/core/bytes.h"

namespace netsense::tcp {
namespace {

constexpr size_t kAddressAt = 0;
constexpr size_t kAddressBytes = sizeof(sockaddr_in6);
constexpr size_t kMagicAt = 32;
constexpr size_t kVersionAt = 36;
constexpr size_t kSecretAt = 40;
constexpr size_t kTokenAt = 64;
constexpr uint32_t kHandleMagic = 0x3148534e;  // "NSH1"
static_assert(kAddressAt + kAddressBytes <= kMagicAt);
static_assert(kSecretAt + kSecretBytes <= kTokenAt);
static_assert(kTokenAt + sizeof(uint64_t) <= transport::kHandleSize);

}  // namespace

void write_handle(const HandleContents& contents, transport::Handle handle) {
  std::fill(handle.begin(), handle.end(), std::byte{0});
  std::byte* p = handle.data();
  std::memcpy(p + kAddressAt, &contents.address.storage, kAddressBytes);
  core::store_le<uint32_t>(p + kMagicAt, kHandleMagic);
  core::store_le<uint16_t>(p + kVersionAt, contents.protocol_version);
  std::memcpy(p + kSecretAt, contents.secret.data(), kSecretBytes);
}

HandleError read_handle(transport::Handle handle, HandleContents* contents) {
  const std::byte* p = handle.data();
  if (core::load_le<uint32_t>(p + kMagicAt) != kHandleMagic) return HandleError::kForeign;
  HandleContents read;
  std::memcpy(&read.address.storage, p + kAddressAt, kAddressBytes);
  if (read.address.family() == AF_INET) {
    read.address.length = sizeof(sockaddr_in);
  } else if (read.address.family() == AF_INET6) {
    read.address.length = sizeof(sockaddr_in6);
  } else {
    return HandleError::kAddress;
  }
  read.protocol_version = core::load_le<uint16_t>(p + kVersionAt);
  std::memcpy(read.secret.data(), p + kSecretAt, kSecretBytes);
  *contents = read;
  return HandleError::kNone;
}

uint64_t connect_token(transport::Handle handle) {
  return core::load_le<uint64_t>(handle.data() + kTokenAt);
}

void set_connect_token(transport::Handle handle, uint64_t token) {
  core::store_le<uint64_t>(handle.data() + kTokenAt, token);
}

}  // namespace netsense::tcp
