#include "plugin/telemetry/trace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "plugin/telemetry/file_limit.h"
namespace netsense::telemetry {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

// Empty: the file may be overwritten.
std::string objection(int fd) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) return std::strerror(errno);
  if (!S_ISREG(found.st_mode)) return "it is not a regular file";
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK
               ? "another process writes its trace there; give each its own with %p or a directory"
               : std::strerror(errno);
  }
  std::array<char, kTraceMagic.size()> begin{};
  const ssize_t got = ::pread(fd, begin.data(), begin.size(), 0);
  if (got < 0) return std::strerror(errno);
  if (got != 0 && begin != kTraceMagic) return "there is a file that is no trace";
  return ::ftruncate(fd, 0) == 0 ? "" : std::strerror(errno);
}

}  // namespace

std::unique_ptr<TraceFile> TraceFile::make(const std::string& path, const TraceHeader& header,
                                           size_t limit_bytes, std::string* why) {
  // Without waiting: a pipe that nobody reads would hold the job up.
  core::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
  *why = fd.valid() ? objection(fd.get()) : errno == ELOOP ? "it is a link" : std::strerror(errno);
  if (why->empty() && !file_may_have(sizeof header)) *why = std::strerror(EFBIG);
  if (!why->empty()) return nullptr;
  std::unique_ptr<TraceFile> file(new TraceFile(path, std::move(fd), limit_bytes));
  file->buffer_.reserve(kBufferBytes);
  file->buffer(as_bytes(header));
  file->flush();
  if (file->state_ == State::kOpen) return file;
  *why = std::strerror(file->error_);
  return nullptr;
}

void TraceFile::append(std::span<const std::byte> record) {
  if (state_ != State::kOpen) return;
  if (bytes_ + record.size() + sizeof(TraceFull) <= limit_bytes_) return buffer(record);
  TraceFull full;
  std::memcpy(&full.record.steady_ns, record.data() + offsetof(TraceRecord, steady_ns),
              sizeof full.record.steady_ns);
  full.limit_bytes = limit_bytes_;
  buffer(as_bytes(full));
  flush();
  if (state_ == State::kOpen) state_ = State::kFull;
}

void TraceFile::buffer(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  bytes_ += bytes.size();
}

void TraceFile::flush() {
  std::span<const std::byte> rest(buffer_);
  while (state_ == State::kOpen && !rest.empty()) {
    const ssize_t written = ::write(fd_.get(), rest.data(), rest.size());
    if (written >= 0) {
      rest = rest.subspan(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
      state_ = State::kFailed;
    }
  }
  buffer_.clear();
}

}  // namespace netsense::telemetry
