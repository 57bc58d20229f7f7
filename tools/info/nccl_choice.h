// Which network plugin NCCL itself would load, given the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/info/library.h"

namespace netsense::info {

struct Candidate {
  std::string name;  // as in NCCL_NET_PLUGIN, or NCCL's default
  LibraryReport library;
};

struct NcclChoice {
  std::optional<std::string> variable;  // NCCL_NET_PLUGIN; empty: not set
  std::vector<Candidate> candidates;    // in NCCL's order; the first usable one is taken
  LibraryReport default_library;        // libnccl-net.so: what NCCL takes when the variable is not set
  bool found_by_name = false;           // whether NCCL_NET_PLUGIN=netsense would find netsense
  bool netsense = false;                // whether NCCL takes netsense
  std::string verdict;                  // one sentence, with what to do unless netsense is taken
};

// Before the verdict, and whatever devices netsense has. To be called before this program loads a plugin by
// its path: the dynamic loader would find that one by its mere name from then on, wherever it lies.
NcclChoice find_nccl_choice();

// Comes to the verdict. ours: the library that this report is about; has_device: whether netsense finds an
// interface that it can use, without which NCCL does not take it.
void conclude(NcclChoice* choice, const LibraryReport& ours, bool has_device);

}  // namespace netsense::info
