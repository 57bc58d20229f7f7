// What is decided once per process: settings, limits and privileges. Each test runs a process of its own.
#include <sys/wait.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/loopback/child_process.h"

namespace netsense::testing {
namespace {

// setting: added to this process's environment; empty for none.
Ended run_child(const std::string& task, const std::string& setting) {
  return ChildProcess({task}, setting.empty() ? std::vector<std::string>{} : std::vector{setting}).wait();
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
