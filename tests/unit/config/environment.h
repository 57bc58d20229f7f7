// An environment made of "NAME=value" strings, as load_settings() takes it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/config/settings.h"

namespace netsense::config {

inline LoadedSettings load(const std::vector<std::string>& entries) {
  std::vector<const char*> pointers;
  for (const std::string& entry : entries) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return load_settings(pointers.data());
}

inline const SettingValue& value_of(const LoadedSettings& loaded, std::string_view name) {
  for (const SettingValue& value : loaded.values) {
    if (value.name == name) return value;
  }
  throw std::out_of_range("no setting " + std::string(name));
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace netsense::config
