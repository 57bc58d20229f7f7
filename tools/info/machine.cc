#include "tools/info/machine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace netsense::info {
namespace {

struct Closer {
  void operator()(void* library) const { dlclose(library); }
};
using SharedLibrary = std::unique_ptr<void, Closer>;

template <typename Function>
Function find(const SharedLibrary& library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library.get(), name));
}

SharedLibrary open(const char* name, std::string* problem) {
  SharedLibrary library(dlopen(name, RTLD_NOW | RTLD_LOCAL));
  if (library == nullptr) *problem = dlerror();
  return library;
}

// The driver API's calls return a CUresult, 0 for success.
std::string cuda_error(const SharedLibrary& library, const char* call, int result) {
  const auto name_of = find<int (*)(int, const char**)>(library, "cuGetErrorName");
  const char* name = nullptr;
  if (name_of == nullptr || name_of(result, &name) != 0 || name == nullptr) {
    return fmt::format("{} returns {}", call, result);
  }
  return fmt::format("{} returns {} ({})", call, result, name);
}

}  // namespace

Facility find_verbs() {
  Facility verbs;
  const SharedLibrary library = open("libibverbs.so.1", &verbs.detail);
  if (library == nullptr) return verbs;
  const auto get_list = find<void** (*)(int*)>(library, "ibv_get_device_list");
  const auto free_list = find<void (*)(void**)>(library, "ibv_free_device_list");
  const auto name_of = find<const char* (*)(void*)>(library, "ibv_get_device_name");
  if (get_list == nullptr || free_list == nullptr || name_of == nullptr) {
    verbs.detail = "libibverbs.so.1 lacks ibv_get_device_list, ibv_free_device_list or ibv_get_device_name";
    return verbs;
  }
  int count = 0;
  void** list = get_list(&count);
  if (list == nullptr) {
    verbs.detail =
        fmt::format("libibverbs.so.1 is there, but gives no list of devices: {}", std::strerror(errno));
    return verbs;
  }
  for (int i = 0; i < count; ++i) verbs.devices.emplace_back(name_of(list[i]));
  free_list(list);
  verbs.found = !verbs.devices.empty();
  verbs.detail = verbs.found ? fmt::format("{}", fmt::join(verbs.devices, ", "))
                             : "libibverbs.so.1 is there, but this machine has no device";
  return verbs;
}

Facility find_cuda() {
  Facility cuda;
  const SharedLibrary library = open("libcuda.so.1", &cuda.detail);
  if (library == nullptr) return cuda;
  const auto init = find<int (*)(unsigned)>(library, "cuInit");
  const auto count_devices = find<int (*)(int*)>(library, "cuDeviceGetCount");
  const auto name_of = find<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  if (init == nullptr || count_devices == nullptr || name_of == nullptr) {
    cuda.detail = "libcuda.so.1 lacks cuInit, cuDeviceGetCount or cuDeviceGetName";
    return cuda;
  }
  int count = 0;
  if (const int result = init(0); result != 0) {
    cuda.detail = "libcuda.so.1 is there, but " + cuda_error(library, "cuInit", result);
    return cuda;
  }
  if (const int result = count_devices(&count); result != 0) {
    cuda.detail = "libcuda.so.1 is there, but " + cuda_error(library, "cuDeviceGetCount", result);
    return cuda;
  }
  for (int device = 0; device < count; ++device) {
    // A device's handle is its number (CUdevice).
    std::array<char, 256> name{};
    const bool known = name_of(name.data(), static_cast<int>(name.size()) - 1, device) == 0;
    cuda.devices.emplace_back(known ? name.data() : "unknown");
  }
  cuda.found = count > 0;
  cuda.detail = cuda.found ? fmt::format("{}", fmt::join(cuda.devices, ", "))
                           : "libcuda.so.1 is there, but it sees no GPU";
  return cuda;
}

std::optional<uint64_t> memlock_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace netsense::info
