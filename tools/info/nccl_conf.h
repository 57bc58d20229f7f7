// NCCL's configuration files. NCCL puts them into the environment before it loads a plugin, so a plugin's
// settings can stand there too.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace netsense::info {

struct ConfEntry {
  std::string name;
  std::string value;
  std::string file;
};

// "NAME=value" lines; "#" in front makes a comment. As in NCCL blanks are kept and a line without "=" is
// ignored.
std::vector<ConfEntry> parse_nccl_conf(std::istream& text, const std::string& file);

// Does what NCCL does (src/misc/param.cc): $NCCL_CONF_FILE, or else ~/.nccl.conf, then /etc/nccl.conf; what
// is in the environment already stays. Returns what was set.
std::vector<ConfEntry> apply_nccl_conf();

}  // namespace netsense::info
