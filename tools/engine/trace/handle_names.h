// What a trace calls the handles that connecting ranks were told of.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tools/engine/loader/net.h"

namespace netsense::engine {

// A plugin may change a handle while it connects.
class HandleNames {
 public:
  std::string of(const Handle& handle) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, name] : names_) {
      if (known == handle) return name;
    }
    return "unknown";
  }

  void learn(const Handle& handle, const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::erase_if(names_, [&name](const auto& known) { return known.second == name; });
    names_.emplace_back(handle, name);
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Handle, std::string>> names_;
};

}  // namespace netsense::engine
