// The handshake of one TCP stream, as two pure state machines that eat and make bytes (no sockets here).
//
//   connecting side                         listening side
//   HELLO  what I am, connection id, nonce  ->
//                                           <-  CHALLENGE  what I am, nonce, proof of the secret
//   PROOF  proof of the secret              ->
//                                           <-  WELCOME
//
// The secret came with NCCL's handle over NCCL's bootstrap. It never travels here: a proof is the keyed
// BLAKE2b (libsodium's crypto_generichash, RFC 7693) of everything said so far under the secret, so it is
// worthless for any other connection. docs/wire-format.md has the byte layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugin/transport/tcp/handle.h"

namespace netsense::tcp {

inline constexpr uint16_t kProtocolVersion = 1;
inline constexpr uint16_t kMaxStreams = 16;

using ConnectionId = std::array<unsigned char, 16>;

// What each side tells the other before any data flows.
struct Capabilities {
  uint32_t block_bytes = 0;  // largest frame payload this side sends
  uint32_t codecs = 1;       // bit mask of core::Codec values this side decodes
  bool operator==(const Capabilities&) const = default;
};

struct Hello {
  ConnectionId connection{};  // equal for all streams of one connection
  uint16_t stream = 0;        // index of this stream
  uint16_t streams = 1;       // how many the connection will have
  Capabilities capabilities;
};

enum class HandshakeError : uint8_t {
  kNone,
  kForeign,     // the other side does not speak this protocol
  kVersion,     // netsense, but another protocol version
  kEndianness,  // the other side's byte order differs
  kSecret,      // the proof is wrong: not the peer NCCL told us of
  kBounds,      // numbers out of range
  kRefused,     // the other side gave up for a reason this version does not know
};

// Text for the log. peer_version matters for kVersion.
std::string describe(HandshakeError error, uint16_t peer_version);

namespace handshake {

inline constexpr size_t kHelloBytes = 72;
inline constexpr size_t kChallengeBytes = 88;
inline constexpr size_t kProofBytes = 40;
inline constexpr size_t kWelcomeBytes = 8;
inline constexpr size_t kNonceBytes = 32;
inline constexpr size_t kMacBytes = 32;
using HelloMessage = std::array<unsigned char, kHelloBytes>;
using ChallengeMessage = std::array<unsigned char, kChallengeBytes>;

}  // namespace handshake

// What both machines share: bytes to send, bytes wanted, how it stands.
class Handshake {
 public:
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;
  virtual ~Handshake() = default;
  // bytes: exactly wanted() of them.
  virtual void feed(std::span<const unsigned char> bytes) = 0;
  // How many bytes the next feed() must be given; 0 when nothing more is expected.
  [[nodiscard]] size_t wanted() const { return wanted_; }
  // Bytes to send now; the caller takes them away.
  [[nodiscard]] std::vector<unsigned char> take_output() { return std::exchange(output_, {}); }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] HandshakeError error() const { return error_; }
  [[nodiscard]] uint16_t peer_version() const { return peer_version_; }
  [[nodiscard]] const Capabilities& peer_capabilities() const { return peer_capabilities_; }

 protected:
  explicit Handshake(const Secret& secret) : secret_(secret) {}
  void fail(HandshakeError error);

  Secret secret_;
  std::vector<unsigned char> output_;
  size_t wanted_ = 0;
  bool done_ = false;
  HandshakeError error_ = HandshakeError::kNone;
  uint16_t peer_version_ = 0;
  Capabilities peer_capabilities_;
  handshake::HelloMessage hello_{};
  handshake::ChallengeMessage challenge_{};
};

class ClientHandshake : public Handshake {
 public:
  // nonce: fresh random bytes.
  ClientHandshake(const Secret& secret, const Hello& hello,
                  std::span<const unsigned char, handshake::kNonceBytes> nonce);
  void feed(std::span<const unsigned char> bytes) override;

 private:
  void on_challenge(std::span<const unsigned char> bytes);
  void on_welcome(std::span<const unsigned char> bytes);
};

class ServerHandshake : public Handshake {
 public:
  ServerHandshake(const Secret& secret, const Capabilities& capabilities,
                  std::span<const unsigned char, handshake::kNonceBytes> nonce);
  void feed(std::span<const unsigned char> bytes) override;
  // Valid once the HELLO has been read.
  [[nodiscard]] const Hello& hello() const { return peer_hello_; }
  // Whether the peer has shown that it speaks netsense's protocol.
  [[nodiscard]] bool greeted() const { return greeted_; }

 private:
  void on_hello(std::span<const unsigned char> bytes);
  void on_proof(std::span<const unsigned char> bytes);

  Capabilities capabilities_;
  std::array<unsigned char, handshake::kNonceBytes> nonce_{};
  Hello peer_hello_;
  bool greeted_ = false;
};

}  // namespace netsense::tcp
