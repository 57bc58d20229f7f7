// The 128 bytes that NCCL carries from the listening rank to the connecting one.
//
// The socket address stands first, where NCCL's own socket transport keeps its own: a peer that does not run
// netsense then reaches our listener, and we can say which host it is, instead of both sides waiting for
// ever.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plugin/transport/tcp/address.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

inline constexpr size_t kSecretBytes = 16;
using Secret = std::array<unsigned char, kSecretBytes>;

struct HandleContents {
  Address address;
  Secret secret{};
  uint16_t protocol_version = 0;
};

enum class HandleError : uint8_t {
  kNone,
  kForeign,  // not made by netsense
  kAddress,  // made by netsense, but its address is not one of TCP
};

void write_handle(const HandleContents& contents, transport::Handle handle);
HandleError read_handle(transport::Handle handle, HandleContents* contents);

// The connecting side keeps a random number in the handle to find its half-made connection again at the next
// call. It is only ever looked up, never trusted: the bytes may come from anywhere.
uint64_t connect_token(transport::Handle handle);
void set_connect_token(transport::Handle handle, uint64_t token);

}  // namespace netsense::tcp
