#include "tools/report/trace_set.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace netsense::report {
namespace {

class File {
 public:
  explicit File(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) fail(errno);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }

  // Copied and not mapped: were a mapped file cut short, the program would end with SIGBUS.
  std::vector<std::byte> read() {
    struct stat found {};
    if (::fstat(fd_, &found) != 0) fail(errno);
    if (!S_ISREG(found.st_mode))
      throw std::runtime_error(fmt::format("cannot read {}: it is no regular file", path_));
    std::vector<std::byte> bytes(static_cast<size_t>(found.st_size));
    size_t have = 0;
    while (have < bytes.size()) {
      const ssize_t got = ::read(fd_, bytes.data() + have, bytes.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      if (got == 0) break;
      have += static_cast<size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  }

 private:
  [[noreturn]] void fail(int error) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    throw std::runtime_error(fmt::format("cannot read {}: {}", path_, std::strerror(error)));
  }

  const std::string path_;
  int fd_;
};

}  // namespace

Source file_source(const std::string& path) {
  return {.file = path, .read = [path] { return File(path).read(); }};
}

}  // namespace netsense::report
