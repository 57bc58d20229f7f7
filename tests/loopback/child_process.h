// loopback_child (child.cc), run by a test.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace netsense::testing {

struct Ended {
  int status = 0;  // as waitpid() gives it
  std::string errors;
};

class ChildProcess {
 public:
  // settings: NAME=VALUE, instead of what this process has. Throws std::runtime_error when it cannot be
  // started.
  ChildProcess(std::vector<std::string> arguments, std::vector<std::string> settings);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Kills it if it was not waited for.
  ~ChildProcess();
  Ended wait();

 private:
  int errors_ = -1;
  pid_t child_ = -1;
};

}  // namespace netsense::testing
