#include "plugin/telemetry/owner.h"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <limits>
#include <string>

namespace netsense::telemetry {

uint64_t own_pid_namespace() {
  struct stat found {};
  return ::stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

uint64_t parse_start_ticks(std::string_view stat) {
  // The second field is the program's name in brackets, in which there may be anything.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return 0;
  stat.remove_prefix(name_end + 1);
  constexpr int kFieldsToSkip = 19;  // 3 to 21
  for (int i = 0; i <= kFieldsToSkip; ++i) {
    const size_t begin = stat.find_first_not_of(' ');
    if (begin == std::string_view::npos) return 0;
    stat.remove_prefix(begin);
    if (i < kFieldsToSkip) stat.remove_prefix(std::min(stat.size(), stat.find(' ')));
  }
  uint64_t ticks = 0;
  const auto result = std::from_chars(stat.data(), stat.data() + stat.size(), ticks);
  return result.ec == std::errc() ? ticks : 0;
}

uint64_t process_start_ticks(uint64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  return std::getline(file, line) ? parse_start_ticks(line) : 0;
}

bool has_ended(const ProcessInfo& process) {
  if (process.pid_namespace == 0 || process.pid_namespace != own_pid_namespace()) return false;
  if (process.pid == 0 || process.pid > static_cast<uint64_t>(std::numeric_limits<pid_t>::max()))
    return false;
  if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return true;
  // The number may be another process's by now.
  const uint64_t ticks = process_start_ticks(process.pid);
  return process.start_ticks != 0 && ticks != 0 && ticks != process.start_ticks;
}

}  // namespace netsense::telemetry
