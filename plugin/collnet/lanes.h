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

// Memory of one message, from when it is begun or posted until it has been sent or taken apart.
struct Message {
  std::unique_ptr<std::byte[]> bytes = std::make_unique_for_overwrite<std::byte[]>(kMessageBytes);
  size_t size = 0;
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
  // Sends what is gathered, if anything.
  Status flush();
  // Finds out which messages have been sent. *moved: whether any was.
  Status poll(bool* moved);
  // Nothing is on its way.
  [[nodiscard]] bool quiet() const { return sent_ == closed_ && open().size == 0; }

  [[nodiscard]] const transport::SendComm& comm() const { return *comm_; }

 private:
  Message& at(uint64_t index) { return messages_[index % messages_.size()]; }
  [[nodiscard]] const Message& open() const { return messages_[closed_ % messages_.size()]; }
  void close() { ++closed_; }
  Status post();

  std::unique_ptr<transport::SendComm> comm_;
  std::vector<Message> messages_;
  uint64_t closed_ = 0;  // complete messages; the one of this number is being filled
  uint64_t posted_ = 0;  // of those, taken by the transport
  uint64_t sent_ = 0;    // of those, sent
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
  Status next_part();
  Status post();

  std::unique_ptr<transport::RecvComm> comm_;
  std::string peer_;
  std::vector<Message> messages_;
  uint64_t posted_ = 0;  // receives
  uint64_t taken_ = 0;   // messages taken apart to their end
  std::span<const std::byte> rest_;
  std::optional<Part> part_;
  uint64_t expected_ = 0;
  uint64_t parts_ = 0;
};

}  // namespace netsense::collnet
