// The settings a user can change, read once from the environment (and so from nccl.conf too).
// settings_table.h annotates each with type, unit and help; docs/settings.md and netsense-info are made from
// that table.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netsense::config {

enum class AddressFamily : uint8_t { kAny, kIpv4, kIpv6 };
// What happens to the bytes of a message.
enum class Mode : uint8_t {
  kOff,       // they are sent as they are
  kLossless,  // coded without loss where that is faster
};
// Which of the lossless codecs.
enum class CodecChoice : uint8_t {
  kAuto,   // whichever is the fastest for the network as it is, none included
  kFast,   // always the fast tier
  kTight,  // always the tight tier
};

// With the defaults.
struct Settings {
  std::string interfaces;  // NCCL's grammar; empty: choose
  AddressFamily family = AddressFamily::kAny;
  std::optional<int> tcp_streams;          // per connection; unset: chosen from the cores
  std::optional<int> tcp_threads;          // helper threads; unset: chosen from the cores
  std::string tcp_congestion;              // empty: the system's
  size_t block_bytes = size_t{128} << 10;  // payload of one frame
  bool checksum = true;
  Mode mode = Mode::kLossless;
  CodecChoice codec = CodecChoice::kAuto;
  size_t min_coded_bytes = size_t{64} << 10;  // messages below are never coded
  std::chrono::milliseconds connect_timeout{30000};
  std::chrono::milliseconds peer_timeout{60000};
  bool abort_on_error = false;
  bool statistics = true;
  std::string statistics_directory = "/dev/shm";
  std::string trace;  // a pattern for a file or directory; empty: no trace
  size_t trace_limit = size_t{256} << 20;
};

// Something in the environment that the user should know of: an unknown NETSENSE_ name, a bad value.
struct Problem {
  std::string variable;
  std::string message;  // one line: what is wrong, what is used instead, the nearest valid name or value
};

enum class Source : uint8_t { kDefault, kNetsense, kNccl };

// One setting as it is in force, for netsense-info and the start-up line.
struct SettingValue {
  std::string_view name;  // NETSENSE_..., a static string
  std::string value;      // as the user would write it
  Source source = Source::kDefault;
  std::string_view variable;  // the variable that gave the value, a static string; empty for a default
};

struct LoadedSettings {
  Settings settings;
  std::vector<SettingValue> values;  // one per setting, in the order of the table
  std::vector<Problem> problems;
};

// environment: "NAME=value" strings and a null pointer, as in environ; null is an empty one. Of a name that
// stands there twice the first counts, as with getenv. A bad value is a problem, and the next source (NCCL's
// variable, then the default) is used. Never throws: without memory the defaults come back.
LoadedSettings load_settings(const char* const* environment) noexcept;

// The settings that differ from the defaults, for the log: "NETSENSE_TCP_STREAMS=4, NCCL_SOCKET_IFNAME=eth0";
// empty when there are none.
std::string changed_settings(const LoadedSettings& loaded);

// What the settings say of compression, for the start-up line.
std::string describe_compression(const Settings& settings);

}  // namespace netsense::config
