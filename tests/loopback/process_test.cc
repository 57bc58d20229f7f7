// What is decided once per process: settings, limits and privileges. Each test runs a process of its own.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "tests/abi/environment.h"
#include "tests/catch.h"

namespace netsense::testing {
namespace {

struct Ended {
  int status = 0;  // as waitpid() gives it
  std::string errors;
};

// setting: added to this process's environment; empty for none.
Ended run_child(const std::string& task, const std::string& setting) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  std::string program = required_variable("NS_TEST_CHILD");
  std::string argument = task;
  std::string added = setting;
  std::vector<char*> environment;
  if (!added.empty()) environment.push_back(added.data());
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(nullptr);
  std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};

  posix_spawn_file_actions_t actions;
  REQUIRE(::posix_spawn_file_actions_init(&actions) == 0);
  REQUIRE(::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO) == 0);
  pid_t child = 0;
  const int refused =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  REQUIRE(refused == 0);

  Ended ended;
  std::array<char, 4096> text{};
  for (ssize_t got = 0; (got = ::read(ends[0], text.data(), text.size())) > 0;) {
    ended.errors.append(text.data(), static_cast<size_t>(got));
  }
  ::close(ends[0]);
  REQUIRE(::waitpid(child, &ended.status, 0) == child);
  return ended;
}

bool says(const Ended& ended, const std::string& text) {
  return ended.errors.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a comm's error ends the process when the user wants that, and says so") {
  const Ended ended = run_child("comm-error", "NETSENSE_ABORT_ON_ERROR=1");
  CAPTURE(ended.errors);
  REQUIRE(WIFSIGNALED(ended.status));
  CHECK(WTERMSIG(ended.status) == SIGABRT);
  CHECK(says(ended, "100 bytes were sent and 10 bytes posted"));
  CHECK(says(ended, "NETSENSE_ABORT_ON_ERROR"));
}

TEST_CASE("a comm's error is only returned otherwise") {
  const std::string setting = GENERATE("", "NETSENSE_ABORT_ON_ERROR=0");
  const Ended ended = run_child("comm-error", setting);
  CAPTURE(setting, ended.errors);
  REQUIRE(WIFEXITED(ended.status));
  CHECK(WEXITSTATUS(ended.status) == 0);
  CHECK(says(ended, "100 bytes were sent and 10 bytes posted"));
  CHECK(!says(ended, "NETSENSE_ABORT_ON_ERROR"));
}

TEST_CASE("without any capability and without memory that may be locked everything works") {
  const Ended ended = run_child("unprivileged", "");
  CAPTURE(ended.errors);
  REQUIRE(WIFEXITED(ended.status));
  CHECK(WEXITSTATUS(ended.status) == 0);
  CHECK(ended.errors.empty());
}

}  // namespace netsense::testing
