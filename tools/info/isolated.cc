#include "tools/info/isolated.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace netsense::info {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

[[noreturn]] void be_child(int fd, const std::function<std::string()>& work) {
  // What a foreign library prints is no part of the report.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  try {
    // Without exit handlers: those of the parent are not ours to run.
    ::_exit(write_all(fd, work()) ? 0 : 1);
  } catch (...) {
    ::_exit(1);
  }
}

// Until the other side closes. False at the deadline.
bool read_all(int fd, Clock::time_point deadline, std::string* text) {
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{fd, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text->append(buffer.data(), static_cast<size_t>(got));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Outcome run_isolated(const std::function<std::string()>& work, milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {false, std::strerror(errno)};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    be_child(ends[1], work);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return {false, fmt::format("cannot start a process: {}", std::strerror(errno))};
  }
  Outcome outcome;
  const bool closed = read_all(ends[0], Clock::now() + limit, &outcome.text);
  ::close(ends[0]);
  if (!closed) ::kill(child, SIGKILL);
  const int status = wait_for(child);
  outcome.finished = closed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (outcome.finished) return outcome;
  if (!closed) {
    outcome.text = fmt::format("it did not finish within {} ms", limit.count());
  } else if (WIFSIGNALED(status)) {
    outcome.text = fmt::format("it crashed (signal {}, {})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    outcome.text = "it failed";
  }
  return outcome;
}

}  // namespace netsense::info
