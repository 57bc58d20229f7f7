// Which rank this process is, of how many, and where the ranks meet: from the options or from the environment
// of a launcher.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace netsense::perf {

struct Address {
  std::string host;
  uint16_t port = 0;
};

// "host:port" or "[ipv6]:port". Throws UsageError.
[[nodiscard]] Address parse_address(std::string_view text);
[[nodiscard]] std::string format_address(const Address& address);

// Membership::launcher of ranks that --ranks started.
inline constexpr const char* kLocalLauncher = "--ranks";

struct Membership {
  int rank = 0;
  int ranks = 1;
  int local_rank = 0;
  Address address;       // where rank 0 serves the rendezvous
  std::string launcher;  // for messages: "torchrun", "Slurm", ...
  uint64_t token = 0;    // equal on all ranks; keeps other jobs' ranks out
};

// Value of an environment variable, or none.
using Environment = std::function<std::optional<std::string>(const char* name)>;
[[nodiscard]] Environment process_environment();

// rendezvous: the option --rendezvous, empty if not given. None when no launcher's variables are there;
// throws UsageError when they are incomplete, naming what is missing.
//
// Known: torchrun (RANK, WORLD_SIZE), Open MPI (OMPI_COMM_WORLD_*), MPICH and Intel MPI (PMI_*), Slurm
// (SLURM_PROCID, SLURM_NTASKS inside a step). Address: --rendezvous, else MASTER_ADDR and MASTER_PORT, else
// Slurm's SLURM_LAUNCH_NODE_IPADDR with a port made from the job's number.
[[nodiscard]] std::optional<Membership> detect_membership(const Environment& environment,
                                                          const std::string& rendezvous);

}  // namespace netsense::perf
