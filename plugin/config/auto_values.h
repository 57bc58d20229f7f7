// What `auto` stands for on this machine.
#pragma once

#include <optional>
#include <string_view>

#include "plugin/config/settings.h"

namespace netsense::config {

// Cores that this process may use: fewer than the machine has under an affinity mask or a cpuset.
int usable_cores();

// NETSENSE_TCP_THREADS and NETSENSE_TCP_STREAMS as they are in force with so many usable cores.
int threads_in_force(const Settings& settings, int cores);
int streams_in_force(const Settings& settings, int cores);
// The streams to a peer on this host. `auto` is lower there: with only memory in between one is the fastest
// (`tools/bench raw`, loopback).
int local_streams_in_force(const Settings& settings, int cores);

// The number that the setting of this name stands for, none unless it is `auto`.
std::optional<int> meaning_of_auto(std::string_view name, const Settings& settings, int cores);

}  // namespace netsense::config
