// A trace file being written.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plugin/core/fd.h"
#include "plugin/telemetry/trace_format.h"

namespace netsense::telemetry {

class TraceFile {
 public:
  // Makes the file, or overwrites an earlier trace; never anything else, nor what another process is writing.
  // Null when that cannot be done: *why says so. limit_bytes: the file grows no larger.
  static std::unique_ptr<TraceFile> make(const std::string& path, const TraceHeader& header,
                                         size_t limit_bytes, std::string* why);

  // Into the buffer. What comes after the file has ended is dropped.
  void append(std::span<const std::byte> record);
  // To the file: what was flushed is there even if the process is killed.
  void flush();

  enum class State : unsigned char { kOpen, kFull, kFailed };
  [[nodiscard]] State state() const { return state_; }
  // Of the failure.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TraceFile(std::string path, core::Fd fd, size_t limit_bytes)
      : path_(std::move(path)), fd_(std::move(fd)), limit_bytes_(limit_bytes) {}
  void buffer(std::span<const std::byte> bytes);

  const std::string path_;
  core::Fd fd_;
  const size_t limit_bytes_;
  size_t bytes_ = 0;  // written or in the buffer
  std::vector<std::byte> buffer_;
  State state_ = State::kOpen;
  int error_ = 0;
};

template <typename Record>
std::span<const std::byte> as_bytes(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

}  // namespace netsense::telemetry
