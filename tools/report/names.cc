#include "tools/report/names.h"

#include <array>

#include "plugin/config/settings.h"

namespace netsense::report {
namespace {

struct Name {
  std::string_view words;
  std::string_view key;
};

// By adapt::Reason.
constexpr std::array<Name, kReasons> kReasonNames{{
    {"unknown", "unknown"},
    {"compression is off", "off"},
    {"message too small", "too_small"},
    {"memory not registered", "unregistered"},
    {"LL or LL128", "low_latency"},
    {"decision was busy", "busy"},
    {"codec is set", "forced"},
    {"not congested", "not_congested"},
    {"a trial", "trial"},
    {"the model says so", "model"},
    {"coded by an all-reduce", "coded"},
    {"newer than this report", "newer"},
}};
static_assert(kReasonNames[static_cast<size_t>(adapt::Reason::kTooSmall)].key == "too_small" &&
              kReasonNames[static_cast<size_t>(adapt::Reason::kCoded)].key == "coded");

constexpr std::array<std::string_view, kActions> kActionNames{"raw", "fast", "tight"};

}  // namespace

std::string_view action_name(size_t action) {
  return kActionNames[action];
}

std::string_view reason_name(size_t reason) {
  return kReasonNames[reason].words;
}

std::string_view reason_key(size_t reason) {
  return kReasonNames[reason].key;
}

std::string_view mode_name(uint8_t mode) {
  switch (static_cast<config::Mode>(mode)) {
    case config::Mode::kOff:
      return "off";
    case config::Mode::kLossless:
      return "lossless";
    case config::Mode::kAdaptive:
      return "adaptive";
  }
  return "unknown";
}

std::string_view codec_setting_name(uint8_t codec) {
  switch (static_cast<config::CodecChoice>(codec)) {
    case config::CodecChoice::kAuto:
      return "auto";
    case config::CodecChoice::kFast:
      return "fast";
    case config::CodecChoice::kTight:
      return "tight";
  }
  return "unknown";
}

}  // namespace netsense::report
