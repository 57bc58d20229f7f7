#include "tools/engine/base/logger.h"

#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>

namespace netsense::engine {
namespace {

// By value of ncclDebugLogLevel, and by bit of ncclDebugLogSubSys.
constexpr std::array<const char*, 6> kLevels{"NONE", "VERSION", "WARN", "INFO", "ABORT", "TRACE"};
constexpr std::array<const char*, 16> kSubsystems{"INIT",      "COLL", "P2P",     "SHM",  "NET",   "GRAPH",
                                                  "TUNING",    "ENV",  "ALLOC",   "CALL", "PROXY", "NVLS",
                                                  "BOOTSTRAP", "REG",  "PROFILE", "RAS"};

LogLevel parse_level(const char* text) {
  if (text == nullptr) return LogLevel::kNone;
  for (size_t level = 0; level < kLevels.size(); ++level) {
    if (strcasecmp(text, kLevels[level]) == 0) return static_cast<LogLevel>(level);
  }
  return LogLevel::kNone;
}

unsigned long parse_subsystems(const char* text) {
  constexpr unsigned long kDefault = kLogInit | kLogBootstrap | kLogEnv;
  if (text == nullptr) return kDefault;
  const bool inverted = *text == '^';
  unsigned long mask = inverted ? ~0UL : 0UL;
  std::string rest = inverted ? text + 1 : text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string name = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    unsigned long bits = strcasecmp(name.c_str(), "ALL") == 0 ? ~0UL : 0UL;
    for (size_t bit = 0; bit < kSubsystems.size(); ++bit) {
      if (strcasecmp(name.c_str(), kSubsystems[bit]) == 0) bits = 1UL << bit;
    }
    mask = inverted ? mask & ~bits : mask | bits;
  }
  return mask;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  const std::string text = name.data();
  return text.substr(0, text.find('.'));
}

std::string expand_file_name(const char* pattern, const std::string& host) {
  std::string name;
  for (const char* at = pattern; *at != '\0'; ++at) {
    if (*at != '%' || at[1] == '\0') {
      name += *at;
      continue;
    }
    ++at;
    if (*at == 'h') {
      name += host;
    } else if (*at == 'p') {
      name += std::to_string(getpid());
    } else if (*at == '%') {
      name += '%';
    } else {
      name += '%';
      name += *at;
    }
  }
  return name;
}

// Read once: NCCL does not follow later changes of these variables either.
class Log {
 public:
  static Log& get() {
    static Log log;
    return log;
  }

  [[nodiscard]] bool enabled(LogLevel level, unsigned long flags) const {
    return level <= level_ && (flags & mask_) != 0;
  }

  void write(LogLevel level, const char* file, int line, std::string_view text) {
    std::string out;
    const long thread = syscall(SYS_gettid);
    if (level == LogLevel::kWarn) {
      std::array<char, 32> time{};
      const std::time_t now = std::time(nullptr);
      std::tm local{};
      localtime_r(&now, &local);
      std::strftime(time.data(), time.size(), "[%F %T] ", &local);
      out = fmt::format("\n{}{}:{}:{} [0] {}:{} NCCL WARN {}\n", time.data(), host_, getpid(), thread, file,
                        line, text);
    } else {
      const char* name = level == LogLevel::kTrace ? "TRACE" : "INFO";
      out = fmt::format("{}:{}:{} [0] NCCL {} {}\n", host_, getpid(), thread, name, text);
    }
    const std::lock_guard lock(mutex_);
    std::fwrite(out.data(), 1, out.size(), file_);
    std::fflush(file_);
  }

 private:
  Log()
      : level_(parse_level(std::getenv("NCCL_DEBUG"))),
        mask_(parse_subsystems(std::getenv("NCCL_DEBUG_SUBSYS"))) {
    const char* pattern = std::getenv("NCCL_DEBUG_FILE");
    if (pattern == nullptr || level_ <= LogLevel::kVersion) return;
    std::FILE* file = std::fopen(expand_file_name(pattern, host_).c_str(), "we");
    if (file != nullptr) file_ = file;
  }

  std::string host_ = host_name();
  LogLevel level_;
  unsigned long mask_;
  std::FILE* file_ = stdout;
  std::mutex mutex_;
};

}  // namespace

bool log_enabled(LogLevel level, unsigned long flags) {
  return Log::get().enabled(level, flags);
}

void log_text(LogLevel level, unsigned long flags, const char* file, int line, std::string_view text) {
  if (Log::get().enabled(level, flags)) Log::get().write(level, file, line, text);
}

extern "C" void ns_engine_log(int level, unsigned long flags, const char* file, int line, const char* format,
                              ...) {
  const auto log_level = static_cast<LogLevel>(level);
  if (!Log::get().enabled(log_level, flags)) return;
  std::array<char, 1024> text{};
  va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the analyzer overlooks this va_start.
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  if (length < 0) return;
  Log::get().write(log_level, file == nullptr ? "" : file, line, text.data());
}

}  // namespace netsense::engine
