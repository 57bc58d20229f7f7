// NCCL's configuration files. A job's settings may stand there, and netsense-info runs without NCCL, so it reads them
// itself, by the same rules.
#pragma once

#include <istream>
#include <map>
#include <string>
#include <vector>

namespace netsense::info {

struct ConfEntry {
  std::string name;
  std::string value;
};

// NAME=value lines. '#' in the first column starts a comment, blanks count, 1023 characters of each are kept.
std::vector<ConfEntry> parse_nccl_conf(std::istream& file);

// The files in NCCL's order: $NCCL_CONF_FILE or else ~/.nccl.conf, then /etc/nccl.conf.
std::vector<std::string> nccl_conf_files();

// Sets in the environment of this process what the files set and the environment does not, as NCCL does: the first
// that sets a name wins. Returns the file of each variable that was set.
std::map<std::string, std::string> apply_nccl_conf(const std::vector<std::string>& files);

}  // namespace netsense::info
