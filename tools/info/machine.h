// What the machine has that netsense could use.
#pragma once

#include <string>
#include <vector>

namespace netsense::info {

// A library that is looked for at run time only.
struct Found {
  bool found = false;
  std::string detail;  // the library's path and what it offers, or why it is not usable
  std::vector<std::string> devices;
};

Found find_verbs();
Found find_cuda();

// How much memory a process may lock, for people: "8 MiB" or "unlimited".
struct LockLimit {
  std::string soft;
  std::string hard;
};
LockLimit lock_limit();

}  // namespace netsense::info
