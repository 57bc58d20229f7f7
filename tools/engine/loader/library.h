// Finding and opening plugin libraries by NCCL's rules (src/plugin/plugin_open.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace netsense::engine {

enum class PluginKind { kNet, kTuner, kProfiler };

// The names in NCCL_NET_PLUGIN: a comma list, "none" is empty; without the variable the default library.
std::vector<std::string> net_plugin_names(const char* value);

// Files that a name stands for, in the order of trying: the name itself, then libnccl-net-<name>.so unless it
// is a path or already of the form lib….so. "" means the default library of that kind.
std::vector<std::string> library_candidates(PluginKind kind, std::string_view name);

// An open library. Closed with the last copy of the owner.
class Library {
 public:
  // Null handle when nothing could be opened; `problems` then says what was tried.
  static Library open(PluginKind kind, std::string_view name, std::string* problems);
  Library() = default;
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  [[nodiscard]] bool valid() const { return handle_ != nullptr; }
  [[nodiscard]] void* handle() const { return handle_; }
  [[nodiscard]] const std::string& path() const { return path_; }  // the file that the loader found

 private:
  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace netsense::engine
