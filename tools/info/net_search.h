// Which network plugin NCCL would load here.
#pragma once

#include <string>
#include <vector>

namespace netsense::info {

struct NetSearch {
  std::string variable;         // NCCL_NET_PLUGIN; empty: not set
  std::string loaded;           // path of the library that NCCL would load first; empty: none
  bool loaded_is_netsense = false;
  std::string default_library;  // path of another plugin's libnccl-net.so on the loader's path; empty: none
  std::string advice;           // what to do so that NCCL takes netsense; empty: nothing
};

// net_plugin: value of NCCL_NET_PLUGIN, null when not set.
NetSearch search_net_plugin(const char* net_plugin);

// The file names that NCCL tries for one entry of NCCL_NET_PLUGIN, in order.
std::vector<std::string> plugin_file_names(const std::string& entry);

}  // namespace netsense::info
