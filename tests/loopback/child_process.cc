#include "tests/loopback/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

#include "tests/abi/environment.h"

namespace netsense::testing {
namespace {

std::vector<char*> pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  for (std::string& text : *texts) pointers.push_back(text.data());
  return pointers;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> arguments, std::vector<std::string> settings) {
  arguments.insert(arguments.begin(), required_variable("NS_TEST_CHILD"));
  std::vector<char*> argv = pointers(&arguments);
  argv.push_back(nullptr);
  // The first of two variables with one name counts.
  std::vector<char*> environment = pointers(&settings);
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  errors_ = ends[0];
  posix_spawn_file_actions_t actions;
  int refused = ::posix_spawn_file_actions_init(&actions);
  if (refused == 0) {
    refused = ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (refused == 0) {
      refused = ::posix_spawn(&child_, argv[0], &actions, nullptr, argv.data(), environment.data());
    }
    ::posix_spawn_file_actions_destroy(&actions);
  }
  ::close(ends[1]);
  if (refused == 0) return;
  ::close(errors_);
  throw std::runtime_error("the child process cannot be started");
}

ChildProcess::~ChildProcess() {
  ::close(errors_);
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

Ended ChildProcess::wait() {
  Ended ended;
  std::array<char, 4096> text{};
  for (ssize_t got = 0; (got = ::read(errors_, text.data(), text.size())) > 0;) {
    ended.errors.append(text.data(), static_cast<size_t>(got));
  }
  if (::waitpid(child_, &ended.status, 0) != child_) throw std::runtime_error("waitpid");
  child_ = -1;
  return ended;
}

}  // namespace netsense::testing
