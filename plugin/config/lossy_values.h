// How the types of setting that the lossy collectives need are read, printed and explained: overloads beside
// those of settings_values.cc.
#pragma once

#include <string>
#include <string_view>

#include "plugin/config/settings_table.h"

namespace netsense::config {

bool parse(const NumberType& type, std::string_view text, bool from_nccl, Settings* settings);
bool parse(const FractionType& type, std::string_view text, bool from_nccl, Settings* settings);
bool parse(const ListType& type, std::string_view text, bool from_nccl, Settings* settings);
bool parse(const ControllerType& type, std::string_view text, bool from_nccl, Settings* settings);

std::string print(const NumberType& type, const Settings& settings);
std::string print(const FractionType& type, const Settings& settings);
std::string print(const ListType& type, const Settings& settings);
std::string print(const ControllerType& type, const Settings& settings);

std::string allowed(const NumberType& type, bool from_nccl);
std::string allowed(const FractionType& type, bool from_nccl);
std::string allowed(const ListType& type, bool from_nccl);
std::string allowed(const ControllerType& type, bool from_nccl);

std::string nearest(const NumberType& type, std::string_view text, bool from_nccl);
std::string nearest(const FractionType& type, std::string_view text, bool from_nccl);
std::string nearest(const ListType& type, std::string_view text, bool from_nccl);
std::string nearest(const ControllerType& type, std::string_view text, bool from_nccl);

// As NETSENSE_LOSSY_CONTROLLER spells it.
std::string print_controller(const ControllerChoice& choice);

}  // namespace netsense::config
