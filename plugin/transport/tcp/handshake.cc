#include "plugin/transport/tcp/handshake.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "plugin/core/bytes.h"
#include "plugin/core/frame.h"

namespace netsense::tcp {

using core::load_le;
using core::store_le;
using namespace handshake;  // the message sizes, used throughout this file

namespace {

using Mac = std::array<unsigned char, kMacBytes>;
static_assert(kMacBytes == crypto_generichash_BYTES);
static_assert(kSecretBytes >= crypto_generichash_KEYBYTES_MIN);

constexpr std::string_view kHelloMagic = "NSHELLO1";
constexpr std::string_view kChallengeMagic = "NSCHALL1";
constexpr std::string_view kProofMagic = "NSPROOF1";
constexpr std::string_view kWelcomeMagic = "NSWELCM1";
constexpr size_t kMagicBytes = 8;

// HELLO and CHALLENGE begin alike, so that any version can read any other's.
constexpr size_t kVersionAt = 8;
constexpr size_t kEndiannessAt = 10;
constexpr size_t kBlockAt = 16;
constexpr size_t kCodecsAt = 20;
constexpr size_t kHelloStreamAt = 12;
constexpr size_t kHelloStreamsAt = 14;
constexpr size_t kHelloConnectionAt = 24;
constexpr size_t kHelloNonceAt = 40;
constexpr size_t kChallengeStatusAt = 12;
constexpr size_t kChallengeNonceAt = 24;
constexpr size_t kChallengeMacAt = 56;
constexpr size_t kProofMacAt = 8;
static_assert(kHelloNonceAt + kNonceBytes == kHelloBytes);
static_assert(kChallengeMacAt + kMacBytes == kChallengeBytes);
static_assert(kProofMacAt + kMacBytes == kProofBytes);

// Stored in the writer's own byte order: reads as something else on a machine of the other one.
constexpr uint16_t kEndiannessMark = 0x0102;

std::byte* raw(unsigned char* p) {
  return reinterpret_cast<std::byte*>(p);
}
const std::byte* raw(const unsigned char* p) {
  return reinterpret_cast<const std::byte*>(p);
}

bool has_magic(std::span<const unsigned char> bytes, std::string_view magic) {
  return bytes.size() >= kMagicBytes && std::memcmp(bytes.data(), magic.data(), kMagicBytes) == 0;
}

void write_common(unsigned char* p, std::string_view magic, const Capabilities& capabilities) {
  std::memcpy(p, magic.data(), kMagicBytes);
  store_le<uint16_t>(raw(p + kVersionAt), kProtocolVersion);
  std::memcpy(p + kEndiannessAt, &kEndiannessMark, sizeof kEndiannessMark);
  store_le<uint32_t>(raw(p + kBlockAt), capabilities.block_bytes);
  store_le<uint32_t>(raw(p + kCodecsAt), capabilities.codecs);
}

HandshakeError read_common(const unsigned char* p, uint16_t* version, Capabilities* capabilities) {
  *version = load_le<uint16_t>(raw(p + kVersionAt));
  if (*version != kProtocolVersion) return HandshakeError::kVersion;
  if (std::memcmp(p + kEndiannessAt, &kEndiannessMark, sizeof kEndiannessMark) != 0) {
    return HandshakeError::kEndianness;
  }
  capabilities->block_bytes = load_le<uint32_t>(raw(p + kBlockAt));
  capabilities->codecs = load_le<uint32_t>(raw(p + kCodecsAt));
  if (capabilities->block_bytes == 0 || capabilities->block_bytes > core::kMaxFramePayload) {
    return HandshakeError::kBounds;
  }
  return HandshakeError::kNone;
}

// role keeps the two sides' proofs apart, so that neither can be reflected as the other.
Mac prove(const Secret& secret, std::string_view role, std::span<const unsigned char> first,
          std::span<const unsigned char> second) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, secret.data(), secret.size(), kMacBytes);
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(role.data()), role.size());
  crypto_generichash_update(&state, first.data(), first.size());
  crypto_generichash_update(&state, second.data(), second.size());
  Mac mac;
  crypto_generichash_final(&state, mac.data(), mac.size());
  return mac;
}

Mac server_proof(const Secret& secret, const HelloMessage& hello, const ChallengeMessage& challenge) {
  return prove(secret, "netsense listening side", hello, std::span(challenge).first(kChallengeMacAt));
}

Mac client_proof(const Secret& secret, const HelloMessage& hello, const ChallengeMessage& challenge) {
  return prove(secret, "netsense connecting side", hello, challenge);
}

bool equal(const Mac& mac, const unsigned char* other) {
  return sodium_memcmp(mac.data(), other, kMacBytes) == 0;
}

}  // namespace

std::string describe(HandshakeError error, uint16_t peer_version) {
  switch (error) {
    case HandshakeError::kNone:
      return "no error";
    case HandshakeError::kForeign:
      return "it does not seem to run netsense: set NCCL_NET_PLUGIN=netsense on every node";
    case HandshakeError::kVersion:
      return fmt::format(
          "it speaks netsense protocol {} and this side {}: install the same netsense everywhere",
          peer_version, kProtocolVersion);
    case HandshakeError::kEndianness:
      return "its byte order differs from this machine's";
    case HandshakeError::kSecret:
      return "it does not know the secret of this connection: it is not the expected peer";
    case HandshakeError::kBounds:
      return "it announced numbers out of range";
    case HandshakeError::kRefused:
      return "it refused the connection";
  }
  return "unknown handshake error";
}

void Handshake::fail(HandshakeError error) {
  error_ = error;
  wanted_ = 0;
}

ClientHandshake::ClientHandshake(const Secret& secret, const Hello& hello,
                                 std::span<const unsigned char, kNonceBytes> nonce)
    : Handshake(secret) {
  write_common(hello_.data(), kHelloMagic, hello.capabilities);
  store_le<uint16_t>(raw(hello_.data() + kHelloStreamAt), hello.stream);
  store_le<uint16_t>(raw(hello_.data() + kHelloStreamsAt), hello.streams);
  std::copy(hello.connection.begin(), hello.connection.end(), hello_.begin() + kHelloConnectionAt);
  std::copy(nonce.begin(), nonce.end(), hello_.begin() + kHelloNonceAt);
  output_.assign(hello_.begin(), hello_.end());
  wanted_ = kChallengeBytes;
}

void ClientHandshake::feed(std::span<const unsigned char> bytes) {
  if (bytes.size() != wanted_ || done_ || error_ != HandshakeError::kNone)
    return fail(HandshakeError::kForeign);
  if (wanted_ == kChallengeBytes) return on_challenge(bytes);
  on_welcome(bytes);
}

void ClientHandshake::on_challenge(std::span<const unsigned char> bytes) {
  if (!has_magic(bytes, kChallengeMagic)) return fail(HandshakeError::kForeign);
  std::copy(bytes.begin(), bytes.end(), challenge_.begin());
  const HandshakeError common = read_common(challenge_.data(), &peer_version_, &peer_capabilities_);
  if (common != HandshakeError::kNone) return fail(common);
  if (load_le<uint16_t>(raw(challenge_.data() + kChallengeStatusAt)) != 0)
    return fail(HandshakeError::kRefused);
  if (!equal(server_proof(secret_, hello_, challenge_), challenge_.data() + kChallengeMacAt)) {
    return fail(HandshakeError::kSecret);
  }
  const Mac mac = client_proof(secret_, hello_, challenge_);
  output_.assign(kProofMagic.begin(), kProofMagic.end());
  output_.insert(output_.end(), mac.begin(), mac.end());
  wanted_ = kWelcomeBytes;
}

void ClientHandshake::on_welcome(std::span<const unsigned char> bytes) {
  if (!has_magic(bytes, kWelcomeMagic)) return fail(HandshakeError::kForeign);
  done_ = true;
  wanted_ = 0;
}

ServerHandshake::ServerHandshake(const Secret& secret, const Capabilities& capabilities,
                                 std::span<const unsigned char, kNonceBytes> nonce)
    : Handshake(secret), capabilities_(capabilities) {
  std::copy(nonce.begin(), nonce.end(), nonce_.begin());
  wanted_ = kHelloBytes;
}

void ServerHandshake::feed(std::span<const unsigned char> bytes) {
  if (bytes.size() != wanted_ || done_ || error_ != HandshakeError::kNone)
    return fail(HandshakeError::kForeign);
  if (wanted_ == kHelloBytes) return on_hello(bytes);
  on_proof(bytes);
}

void ServerHandshake::on_hello(std::span<const unsigned char> bytes) {
  if (!has_magic(bytes, kHelloMagic)) return fail(HandshakeError::kForeign);
  greeted_ = true;
  std::copy(bytes.begin(), bytes.end(), hello_.begin());
  HandshakeError error = read_common(hello_.data(), &peer_version_, &peer_capabilities_);
  peer_hello_.stream = load_le<uint16_t>(raw(hello_.data() + kHelloStreamAt));
  peer_hello_.streams = load_le<uint16_t>(raw(hello_.data() + kHelloStreamsAt));
  peer_hello_.capabilities = peer_capabilities_;
  std::copy_n(hello_.begin() + kHelloConnectionAt, peer_hello_.connection.size(),
              peer_hello_.connection.begin());
  if (error == HandshakeError::kNone && (peer_hello_.streams == 0 || peer_hello_.streams > kMaxStreams ||
                                         peer_hello_.stream >= peer_hello_.streams)) {
    error = HandshakeError::kBounds;
  }
  // Answer a refusal too: the other side can then say what is wrong instead of "connection closed".
  write_common(challenge_.data(), kChallengeMagic, capabilities_);
  store_le<uint16_t>(raw(challenge_.data() + kChallengeStatusAt), static_cast<uint16_t>(error));
  std::copy(nonce_.begin(), nonce_.end(), challenge_.begin() + kChallengeNonceAt);
  const Mac mac = server_proof(secret_, hello_, challenge_);
  std::copy(mac.begin(), mac.end(), challenge_.begin() + kChallengeMacAt);
  output_.assign(challenge_.begin(), challenge_.end());
  if (error != HandshakeError::kNone) return fail(error);
  wanted_ = kProofBytes;
}

void ServerHandshake::on_proof(std::span<const unsigned char> bytes) {
  if (!has_magic(bytes, kProofMagic)) return fail(HandshakeError::kForeign);
  if (!equal(client_proof(secret_, hello_, challenge_), bytes.data() + kProofMacAt)) {
    return fail(HandshakeError::kSecret);
  }
  output_.assign(kWelcomeMagic.begin(), kWelcomeMagic.end());
  done_ = true;
  wanted_ = 0;
}

}  // namespace netsense::tcp
