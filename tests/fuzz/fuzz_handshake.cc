// Both sides of the handshake, fed by a peer that says anything: first as many true messages as the fuzzer
// likes, then its own bytes. Without the secret nobody may get to the end.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "plugin/transport/tcp/handshake.h"

namespace {

using namespace netsense::tcp;

constexpr std::array<unsigned char, handshake::kNonceBytes> kNonce{7};
constexpr Secret kSecret{42};

void require(bool condition) {
  if (!condition) std::abort();
}

// Feeds the machine what it wants, from data.
void feed_all(Handshake* machine, std::span<const uint8_t> data) {
  while (machine->wanted() != 0 && data.size() >= machine->wanted()) {
    const size_t bytes = machine->wanted();
    machine->feed(data.first(bytes));
    data = data.subspan(bytes);
    static_cast<void>(machine->take_output());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> rest(data + 1, size - 1);
  ClientHandshake client(kSecret, {.connection = {}, .stream = 0, .streams = 1, .capabilities = {4096, 1}},
                         kNonce);
  ServerHandshake server(kSecret, {4096, 1}, kNonce);

  if ((data[0] & 1) != 0) {
    // A true HELLO first, so that the proof is what is tried.
    server.feed(client.take_output());
    require(server.error() == HandshakeError::kNone);
  }
  feed_all(&server, rest);
  // The fuzzer does not know the secret, and 32 bytes of proof cannot be guessed.
  require(!server.done());

  feed_all(&client, rest);
  require(!client.done());
  static_cast<void>(describe(server.error(), server.peer_version()));
  static_cast<void>(describe(client.error(), client.peer_version()));
  return 0;
}
