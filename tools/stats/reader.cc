#include "tools/stats/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "plugin/telemetry/owner.h"

namespace netsense::stats {
namespace {

using telemetry::ParseError;
using telemetry::Snapshot;

// A slot that is being changed is left alone in a few microseconds, unless its writer has died over it.
constexpr int kTries = 3;

class File {
 public:
  // Whatever has such a name may be a link or a pipe.
  explicit File(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  [[nodiscard]] bool regular() const {
    struct stat found {};
    return ::fstat(fd_, &found) == 0 && S_ISREG(found.st_mode);
  }
  // Copied and not mapped: were a mapped file cut short, the tool would end with SIGBUS. The kernel copies
  // aligned words whole. One byte more than a file should have shows one that is too long.
  [[nodiscard]] std::vector<std::byte> read() const {
    std::vector<std::byte> bytes(telemetry::kFileBytes + 1);
    size_t have = 0;
    while (have < bytes.size()) {
      const ssize_t got = ::pread(fd_, bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      have += static_cast<size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  }

 private:
  int fd_;
};

// Empty when it was read.
std::string read_file(const std::filesystem::path& path, Snapshot* snapshot) {
  const File file(path);
  if (!file.valid()) return std::strerror(errno);
  if (!file.regular()) return "it is no regular file";
  ParseError error = ParseError::kNone;
  for (int i = 0; i < kTries; ++i) {
    error = telemetry::parse_stats(file.read(), snapshot);
    if (error == ParseError::kNone && snapshot->torn == 0) break;
  }
  return error == ParseError::kNone ? "" : telemetry::describe(error);
}

}  // namespace

Host read_host(const std::filesystem::path& directory) {
  Host host;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(telemetry::kFilePrefix)) continue;
    Snapshot snapshot;
    if (std::string why = read_file(entry->path(), &snapshot); !why.empty()) {
      host.unreadable.push_back({name, std::move(why)});
    } else if (telemetry::has_ended(snapshot.process)) {
      ++host.leftovers;
    } else {
      host.processes.push_back(std::move(snapshot));
    }
  }
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot read the directory {}: {}", directory.string(), error.message()));
  }
  std::ranges::sort(host.processes, {}, [](const Snapshot& s) { return s.process.pid; });
  return host;
}

}  // namespace netsense::stats
