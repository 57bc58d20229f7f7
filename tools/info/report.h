// Everything that netsense-info finds out, in one place for both ways of printing it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/config/settings.h"
#include "plugin/transport/netif.h"
#include "tools/info/library.h"
#include "tools/info/machine.h"
#include "tools/info/nccl_choice.h"
#include "tools/info/nccl_conf.h"
#include "tools/info/self_test.h"

namespace netsense::info {

struct Version {
  std::string number;
  std::string git;  // revision, with "-dirty" for local changes; "unknown" outside a repository
  std::string build_type;
};

struct Report {
  Version version;
  LibraryReport library;
  NcclChoice nccl;
  std::vector<ConfEntry> conf;  // what nccl.conf put into the environment
  config::LoadedSettings settings;
  int cores = 1;  // that the job may use
  transport::InterfaceChoice interfaces;
  Facility verbs;
  Facility cuda;
  std::optional<uint64_t> memlock;
  SelfTest self_test;
};

struct Request {
  Version version;
  std::string library;  // as for inspect_library()
  bool self_test = true;
};

// Puts the contents of nccl.conf into the environment, as NCCL does.
Report make_report(const Request& request);

// 0, or 1 when the self test failed.
int exit_code(const Report& report);

// Where a value comes from: "default", "environment" or the configuration file, with NCCL's variable if that
// gave it.
std::string source_text(const config::SettingValue& value, const std::vector<ConfEntry>& conf);

// The number that a setting stands for whose value is "auto"; none for others.
std::optional<int> auto_meaning(const config::SettingValue& value, const Report& report);

// Numeric; empty without an address.
std::string address_text(const transport::Interface& interface);

}  // namespace netsense::info
