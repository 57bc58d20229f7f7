// One direction of what two ranks send each other: parts gathered in messages on one side, messages taken
// apart on the other. For one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/collnet/part.h"
#include "plugin/transport/transport.h"

namespace netsense::collnet {

// Messages never exceed this, so receives of this size are posted ahead.
inline constexpr size_t kMessageBytes = size_t{256} << 10;

// Elements of this size and more are sent from where they lie.
inline constexpr size_t kApartBytes = size_t{16} << 10;

// A message, from when it is begun or posted until it has been sent or taken apart.
struct Message {
  std::unique_ptr<std::byte[]> bytes = std::make_unique_for_overwrite<std::byte[]>(kMessageBytes);
  size_t size = 0;
  const std::byte* apart = nullptr;  // of one that is sent from where it lies
  uint64_t token = 0;                // its owner's name for it
  transport::MessageHints hints;
  transport::Request* request = nullptr;
};

class SendLane {
 public:
  SendLane(std::unique_ptr<transport::SendComm> comm, size_t messages)
      : comm_(std::move(comm)), messages_(messages) {}

  // Where the body of a part of at most `bytes` may be written; null when all messages are on their way.
  std::byte* reserve(size_t bytes);
  // The reserved part is complete. data_type: ncclDataType_t of raw elements.
  void commit(const PartHeader& header, int data_type);
  // A part whose elements stay where they are: whether there is room, and the part; header.kind is kApart.
  // token: not 0; poll() tells it when the memory is free again.
  [[nodiscard]] bool has_room_apart() const;
  void commit_apart(const PartHeader& header, const std::byte* elements, int data_type, uint64_t token);
  // Sends what is gathered, however little. *moved: whether there was anything.
  Status flush(bool* moved);
  // Sends what is worth it, and finds out which messages have been sent, up to one with a token, which is
  // then told: *token is 0 when there is none more. *moved: whether any was.
  Status poll(bool* moved, uint64_t* token);
  // Nothing is on its way.
  [[nodiscard]] bool quiet() const { return sent_ == closed_ && open().size == 0; }

  [[nodiscard]] const transport::SendComm& comm() const { return *comm_; }

 private:
  Message& at(uint64_t index) { return messages_[index % messages_.size()]; }
  [[nodiscard]] const Message& open() const { return messages_[closed_ % messages_.size()]; }
  void close() {
    waiting_ += at(closed_).size;
    ++closed_;
  }
  // Hands over what is complete, as one: few large writes cost less than many small ones.
  Status post();

  std::unique_ptr<transport::SendComm> comm_;
  std::vector<Message> messages_;
  uint64_t closed_ = 0;  // complete messages; the one of this number is being filled
  uint64_t posted_ = 0;  // of those, taken by the transport
  uint64_t sent_ = 0;    // of those, sent
  size_t waiting_ = 0;   // bytes complete and not posted
};

class RecvLane {
 public:
  RecvLane(std::unique_ptr<transport::RecvComm> comm, std::string peer, size_t messages)
      : comm_(std::move(comm)), peer_(std::move(peer)), messages_(messages) {}

  // That many more parts are due.
  void expect(uint64_t parts) { expected_ += parts; }
  // Posts receives and looks for a message while parts are due. *moved: whether one has come.
  Status poll(bool* moved);
  // The next part; null when there is none yet.
  [[nodiscard]] const Part* front() const { return part_ ? &*part_ : nullptr; }
  // It has been used: its memory may be received into again.
  Status pop();

  [[nodiscard]] const std::string& peer() const { return peer_; }

 private:
  Status malformed();
  Status next_part();
  Status post();

  std::unique_ptr<transport::RecvComm> comm_;
  std::string peer_;
  std::vector<Message> messages_;
  uint64_t posted_ = 0;  // receives
  uint64_t taken_ = 0;   // messages taken apart to their end
  std::span<const std::byte> rest_;
  std::optional<Part> part_;
  std::optional<PartHeader> apart_;  // of a part whose elements are the next message
  uint64_t expected_ = 0;
  uint64_t parts_ = 0;
};

}  // namespace netsense::collnet
