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
  kAdaptive,  // as kLossless, and sums of all-reduces may be rounded where the network asks for it
};
// Which of the lossless codecs.
enum class CodecChoice : uint8_t {
  kAuto,   // whichever is the fastest for the network as it is, none included
  kFast,   // always the fast tier
  kTight,  // always the tight tier
};

// What says how finely a lossy collective is coded.
enum class LossyRule : uint8_t { kModel, kNetSenseMl, kFixed };
struct ControllerChoice {
  LossyRule rule = LossyRule::kModel;
  // Of kFixed only.
  uint8_t bits = 0;  // of a value, 2 to 8; 0: lossless
  double keep = 1;   // part of the elements that is sent, the largest ones
};
// Collectives that may be lossy; a set of them is a sum of these.
enum class LossyOp : uint8_t { kAllReduce = 1, kReduceScatter = 2 };
// How what rounding left over is remembered.
enum class ResidualType : uint8_t { kF32, kBf16 };

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
  ControllerChoice lossy_controller;
  uint8_t lossy_ops = static_cast<uint8_t>(LossyOp::kAllReduce);  // a set of LossyOp
  size_t lossy_min_bytes = size_t{1} << 20;  // of the whole collective; smaller ones are exact
  double lossy_min_keep = 0.005;             // least bytes sent per byte of data
  double lossy_max_error = 1;                // root of error energy over energy, of a block; 1: no limit
  int lossy_warmup = 0;                      // first collectives of a communicator, which are exact
  size_t residual_bytes = size_t{4} << 30;   // for error feedback, of the process; 0: none
  ResidualType residual_type = ResidualType::kF32;
  std::chrono::milliseconds queue_target{5};  // queue that a lossy collective may always make
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
