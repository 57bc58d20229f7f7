// What the other ranks of a collective say: hellos, parts, and messages of parts on their way through a lane.
// Nothing may be read outside a message, memory that a part lies in may not be received into, and what a lane
// gives out is what the messages hold, or an error.
#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "plugin/collnet/hello.h"
#include "plugin/collnet/lanes.h"
#include "plugin/collnet/part.h"

namespace {

using namespace netsense;
using namespace netsense::collnet;
using Bytes = std::vector<std::byte>;

void require(bool condition) {
  if (!condition) std::abort();
}

class Input {
 public:
  explicit Input(std::span<const uint8_t> bytes) : left_(std::as_bytes(bytes)) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  // The rest reads as zeros.
  uint8_t byte() { return static_cast<uint8_t>(take(1)[0]); }
  uint16_t number() {
    const Bytes two = take(2);
    return static_cast<uint16_t>(static_cast<uint16_t>(two[0]) | static_cast<uint16_t>(two[1]) << 8);
  }
  Bytes take(size_t bytes) {
    const auto some = left_.first(std::min(bytes, left_.size()));
    left_ = left_.subspan(some.size());
    Bytes taken(bytes);
    std::ranges::copy(some, taken.begin());
    return taken;
  }
  Bytes rest() {
    const Bytes all(left_.begin(), left_.end());
    left_ = {};
    return all;
  }

 private:
  std::span<const std::byte> left_;
};

void check_parts(const Bytes& bytes) {
  std::span<const std::byte> left(bytes);
  while (true) {
    const auto before = left;
    const auto part = take_part(&left);
    if (!part) {
      require(left.data() == before.data() && left.size() == before.size());
      return;
    }
    const size_t here = part->header.kind == PartKind::kApart ? 0 : part->header.bytes;
    require(part->body.size() == here && part->body.data() == before.data() + kPartHeaderBytes);
    require(left.size() + kPartHeaderBytes + here == before.size());
    Bytes again(kPartHeaderBytes);
    write_part_header(part->header, again.data());
    require(std::ranges::equal(again, before.first(kPartHeaderBytes)));
  }
}

void check_hello(const Bytes& bytes) {
  const auto hello = read_hello(bytes);
  if (!hello) return;
  require(hello->text.size() <= kHelloText);
  require(std::ranges::all_of(hello->text, [](char c) { return c >= ' ' && c <= '~'; }));
  const HelloBytes written = write_hello(*hello);
  require(std::ranges::equal(std::span(written).first(24), std::span(bytes).first(24)));
  require(read_hello(written)->text == hello->text);
}

// Parts as a peer writes them, with the faults that the input asks for; or anything.
class Peer {
 public:
  explicit Peer(Input* input) : input_(*input) {}

  Bytes message() {
    const uint8_t how = input_.byte();
    if (how % 8 == 0) return input_.take(input_.number() % 300);
    if (how % 8 < 3) return input_.take(said_apart_ + (how >= 128 ? 1 : 0));
    Bytes message;
    for (uint8_t parts = how >> 6; parts != UINT8_MAX; --parts) add_part(&message);
    if ((how & 32) != 0) message.resize(input_.number() % (message.size() + 1));
    return message;
  }

 private:
  void add_part(Bytes* message) {
    const uint8_t how = input_.byte();
    PartHeader header{.kind = static_cast<PartKind>(how % 4),  // 3 is none
                      .call = input_.byte(),
                      .print = input_.byte(),
                      .piece = input_.byte(),
                      .elements = input_.number(),
                      .bytes = input_.number()};
    Bytes body;
    if (header.kind == PartKind::kApart) {
      header.bytes %= 1000;
      said_apart_ = header.bytes;
    } else {
      body = input_.take(header.bytes);
    }
    if ((how & 4) != 0) header.bytes += UINT32_C(1) << (how >> 3);
    message->resize(message->size() + kPartHeaderBytes);
    write_part_header(header, message->data() + message->size() - kPartHeaderBytes);
    message->insert(message->end(), body.begin(), body.end());
  }

  Input& input_;
  size_t said_apart_ = 0;
};

// Delivers messages into memory that cannot be read behind their end.
class Wire {
 public:
  explicit Wire(std::vector<Bytes> messages, Input* input)
      : messages_(std::move(messages)), input_(*input), unread_(messages_.size()) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  bool post(std::byte* data) {
    if (input_.byte() % 8 == 1) return false;
    ASAN_UNPOISON_MEMORY_REGION(data, kMessageBytes);
    std::memset(data, 0xDD, std::min<size_t>(kMessageBytes, 4096));
    posted_.push_back(data);
    return true;
  }
  // Whether a message has come, and its size.
  Status deliver(bool* done, size_t* bytes) {
    require(!posted_.empty());
    if (fails_) return Status::kRemoteError;
    if (unread_ == 0) return Status::kOk;
    const uint8_t how = input_.byte();
    if (how % 4 == 1) return Status::kOk;
    if (how == 255) {
      fails_ = true;
      return Status::kRemoteError;
    }
    const Bytes& message = messages_[messages_.size() - unread_--];
    std::byte* data = posted_.front();
    posted_.pop_front();
    std::ranges::copy(message, data);
    ASAN_POISON_MEMORY_REGION(data + message.size(), kMessageBytes - message.size());
    used_.push_back(data);
    *done = true;
    *bytes = message.size();
    return Status::kOk;
  }
  // Before the memory is freed.
  void hang_up() {
    for (std::byte* data : used_) ASAN_UNPOISON_MEMORY_REGION(data, kMessageBytes);
  }
  [[nodiscard]] bool fails() const { return fails_; }
  [[nodiscard]] bool silent() const { return unread_ == 0; }

 private:
  std::vector<Bytes> messages_;
  Input& input_;
  size_t unread_;
  bool fails_ = false;
  std::deque<std::byte*> posted_;
  std::vector<std::byte*> used_;
};

class FakeComm final : public transport::RecvComm {
 public:
  explicit FakeComm(Wire* wire) : wire_(*wire) {}
  Status irecv(void* data, size_t bytes, int /*tag*/, transport::Region* /*region*/,
               transport::Reader /*reader*/, transport::Request** request) override {
    require(bytes == kMessageBytes);
    if (wire_.post(static_cast<std::byte*>(data))) *request = &request_;
    return Status::kOk;
  }
  Status test(transport::Request* request, bool* done, size_t* bytes) override {
    require(request == &request_);
    return wire_.deliver(done, bytes);
  }
  Status register_memory(void* /*data*/, size_t /*bytes*/, transport::MemoryType /*type*/,
                         transport::Region** /*region*/) override {
    return Status::kInternalError;
  }
  Status deregister_memory(transport::Region* /*region*/) override { return Status::kInternalError; }
  [[nodiscard]] const std::string& peer() const override { return peer_; }

 private:
  Wire& wire_;
  transport::Request request_;
  std::string peer_ = "the fuzzer";
};

struct Given {
  PartHeader header;
  Bytes body;
};

// What the messages hold: parts, up to the first fault.
struct Meaning {
  std::vector<Given> parts;
  bool malformed = false;
};

Meaning meaning_of(const std::vector<Bytes>& messages) {
  Meaning meaning;
  std::optional<PartHeader> apart;
  for (const Bytes& message : messages) {
    if (apart) {
      meaning.malformed = message.size() != apart->bytes;
      if (meaning.malformed) return meaning;
      apart->kind = PartKind::kRaw;
      meaning.parts.push_back({*apart, message});
      apart.reset();
      continue;
    }
    std::span<const std::byte> left(message);
    do {
      const auto part = take_part(&left);
      const bool is_apart = part && part->header.kind == PartKind::kApart;
      meaning.malformed = !part || (is_apart && !left.empty());
      if (meaning.malformed) return meaning;
      if (is_apart) {
        apart = part->header;
      } else {
        meaning.parts.push_back({part->header, {part->body.begin(), part->body.end()}});
      }
    } while (!left.empty());
  }
  return meaning;
}

void check_lane(Input input) {
  const size_t ahead = 1 + input.byte() % 4;
  std::vector<Bytes> messages;
  Peer peer(&input);
  for (uint8_t left = input.byte() % 16; left > 0; --left) messages.push_back(peer.message());
  std::erase_if(messages, [](const Bytes& message) { return message.size() > kMessageBytes; });
  const Meaning meaning = meaning_of(messages);
  Wire wire(messages, &input);
  RecvLane lane(std::make_unique<FakeComm>(&wire), "the fuzzer", ahead);

  Status status = Status::kOk;
  size_t given = 0;
  size_t quiet = 0;
  // One part more than there are is waited for. The zeros after the input let every message through.
  for (size_t expected = 0; status == Status::kOk && quiet < 3;) {
    if (expected <= meaning.parts.size()) {
      const size_t more = std::min<size_t>(input.byte() % 3 + 1, meaning.parts.size() + 1 - expected);
      lane.expect(more);
      expected += more;
    }
    bool moved = false;
    status = lane.poll(&moved);
    if (status != Status::kOk) break;
    if (lane.front() == nullptr) {
      if (!moved && wire.silent()) ++quiet;
      continue;
    }
    require(given < meaning.parts.size());
    bool more = false;
    require(lane.poll(&more) == Status::kOk && !more);  // while a part is in use nothing comes
    const Given& wanted = meaning.parts[given++];
    require(lane.front()->header == wanted.header);
    require(std::ranges::equal(lane.front()->body, wanted.body));
    status = lane.pop();
  }
  if (wire.fails()) {
    require(status != Status::kOk);
  } else {
    require(given == meaning.parts.size());
    require((status != Status::kOk) == meaning.malformed);
  }
  wire.hang_up();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Input input({data + 1, size - 1});
  switch (data[0] % 4) {
    case 0:
      check_parts(input.rest());
      break;
    case 1:
      check_hello(input.rest());
      break;
    default:
      check_lane(input);
  }
  return 0;
}
