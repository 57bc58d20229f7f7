// What CTest tells these tests about the library under test.
#pragma once

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace netsense::testing {

inline std::string required_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string("set ") + name + ", as CTest does");
  return value;
}

inline std::string library_path() {
  return required_variable("NS_TEST_LIBRARY");
}

// The versions of ncclNet that the library must have.
inline std::vector<int> net_versions() {
  std::istringstream text(required_variable("NS_TEST_NET_VERSIONS"));
  std::vector<int> versions;
  for (int version = 0; text >> version;) versions.push_back(version);
  return versions;
}

}  // namespace netsense::testing
