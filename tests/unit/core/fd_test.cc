// Fd: closes what it owns, and a forked child does not keep it.
#include "plugin/core/fd.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "tests/catch.h"

namespace netsense::core {
namespace {

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) != -1;
}

}  // namespace

TEST_CASE("a descriptor is closed with its owner") {
  int number = -1;
  {
    Fd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = fd.get();
    Fd moved(std::move(fd));
    CHECK(is_open(number));
    CHECK(moved.get() == number);
  }
  CHECK(!is_open(number));
}

TEST_CASE("a forked child closes the descriptors, the parent keeps them") {
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  const Fd read_end(ends[0]);
  const Fd write_end(ends[1]);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(is_open(ends[0]) || is_open(ends[1]) ? 1 : 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(is_open(ends[0]));
  CHECK(is_open(ends[1]));
}

}  // namespace netsense::core
