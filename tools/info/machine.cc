#include "tools/info/machine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/info/isolated.h"
#include "tools/info/loaded.h"

namespace netsense::info {
namespace {

using Json = nlohmann::json;

// Drivers of many GPUs take seconds to wake up.
constexpr std::chrono::milliseconds kProbeLimit{30000};

Json missing(const std::string& why) { return {{"found", false}, {"detail", why}, {"devices", Json::array()}}; }

Json probe_verbs() {
  Loaded library("libibverbs.so.1");
  if (!library.valid()) return missing(library.error());
  auto* list_devices = library.function<void**(int*)>("ibv_get_device_list");
  auto* free_list = library.function<void(void**)>("ibv_free_device_list");
  auto* name_of = library.function<const char*(void*)>("ibv_get_device_name");
  if (list_devices == nullptr || free_list == nullptr || name_of == nullptr) {
    return missing(fmt::format("{} lacks a function of libibverbs", library.path()));
  }
  int count = 0;
  void** list = list_devices(&count);
  if (list == nullptr) return missing(fmt::format("{} cannot list the devices of the kernel", library.path()));
  Json names = Json::array();
  for (int i = 0; i < count; ++i) names.push_back(name_of(list[i]));
  free_list(list);
  return {{"found", true}, {"detail", library.path()}, {"devices", names}};
}

Json probe_cuda() {
  Loaded library("libcuda.so.1");
  if (!library.valid()) return missing(library.error());
  auto* start = library.function<int(unsigned int)>("cuInit");
  auto* get_count = library.function<int(int*)>("cuDeviceGetCount");
  auto* get_name = library.function<int(char*, int, int)>("cuDeviceGetName");
  auto* describe = library.function<int(int, const char**)>("cuGetErrorString");
  if (start == nullptr || get_count == nullptr || get_name == nullptr || describe == nullptr) {
    return missing(fmt::format("{} lacks a function of the CUDA driver", library.path()));
  }
  int count = 0;
  int error = start(0);
  if (error == 0) error = get_count(&count);
  if (error != 0) {
    const char* text = nullptr;
    describe(error, &text);
    return missing(fmt::format("{}: cuInit: {} (error {})", library.path(), text == nullptr ? "?" : text, error));
  }
  Json names = Json::array();
  for (int i = 0; i < count; ++i) {
    std::array<char, 256> name{};
    names.push_back(get_name(name.data(), static_cast<int>(name.size()) - 1, i) == 0 ? name.data() : "?");
  }
  return {{"found", true}, {"detail", library.path()}, {"devices", names}};
}

Found probe(Json (*work)()) {
  const Outcome outcome = run_isolated([work] { return work().dump(); }, kProbeLimit);
  if (!outcome.finished) return {false, "the library was found, but " + outcome.text, {}};
  const Json facts = Json::parse(outcome.text);
  return {facts.at("found").get<bool>(), facts.at("detail").get<std::string>(),
          facts.at("devices").get<std::vector<std::string>>()};
}

std::string print_limit(rlim_t limit) {
  if (limit == RLIM_INFINITY) return "unlimited";
  return limit >= (1U << 20) ? fmt::format("{} MiB", limit >> 20) : fmt::format("{} KiB", limit >> 10);
}

}  // namespace

Found find_verbs() { return probe(&probe_verbs); }
Found find_cuda() { return probe(&probe_cuda); }

LockLimit lock_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return {"unknown", "unknown"};
  return {print_limit(limit.rlim_cur), print_limit(limit.rlim_max)};
}

}  // namespace netsense::info
