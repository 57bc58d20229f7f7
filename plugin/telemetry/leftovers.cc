#include "plugin/telemetry/leftovers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "plugin/core/fd.h"
#include "plugin/telemetry/owner.h"

namespace netsense::telemetry {
namespace {

// A name in a directory that all may write to can be anything: a link, a pipe, another user's.
bool is_leftover(const std::filesystem::path& path) {
  const core::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat found {};
  if (!fd.valid() || ::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_uid != ::geteuid()) {
    return false;
  }
  std::array<std::byte, sizeof(Header)> header{};
  if (::pread(fd.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) return false;
  ProcessInfo process;
  return parse_process(header, &process) == ParseError::kNone && has_ended(process);
}

}  // namespace

size_t remove_leftovers(const std::string& directory) {
  size_t removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (!path.filename().string().starts_with(kFilePrefix) || !is_leftover(path)) continue;
    if (::unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

}  // namespace netsense::telemetry
