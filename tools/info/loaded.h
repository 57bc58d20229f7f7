// A library loaded at run time.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <utility>

namespace netsense::info {

class Loaded {
 public:
  // name: as for dlopen(), with the loader's search when it holds no '/'.
  explicit Loaded(const std::string& name) : handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      const char* text = ::dlerror();
      error_ = text == nullptr ? "unknown error" : text;
    }
  }
  Loaded(Loaded&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), error_(std::move(other.error_)) {}
  Loaded& operator=(Loaded&&) = delete;
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }

  [[nodiscard]] bool valid() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& error() const { return error_; }  // dlerror()'s text when not valid

  [[nodiscard]] std::string path() const {
    link_map* map = nullptr;
    if (handle_ == nullptr || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return "";
    return map->l_name;
  }

  // Null when the library has none of that name.
  [[nodiscard]] void* symbol(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }
  template <typename Signature>
  [[nodiscard]] Signature* function(const std::string& name) const {
    return reinterpret_cast<Signature*>(symbol(name));
  }

 private:
  void* handle_;
  std::string error_;
};

}  // namespace netsense::info
