#include "tools/perf/membership.h"

#include <xxhash.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

struct Launcher {
  const char* name;
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* required;  // also there when this launcher really started us
};

// torchrun first: it may itself run inside a Slurm step or under mpirun.
constexpr std::array<Launcher, 4> kLaunchers{{
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_SIZE"},
    {"MPI (PMI)", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "PMI_SIZE"},
    // A batch script has the first two as well, but only srun sets the third.
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_LAUNCH_NODE_IPADDR"},
}};

constexpr int kFirstSlurmPort = 20000;
constexpr int kSlurmPorts = 20000;

std::optional<int> to_int(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int number(const Environment& environment, const char* name, const char* launcher) {
  const std::optional<std::string> text = environment(name);
  if (!text) throw UsageError("started by {}, but {} is not set", launcher, name);
  const std::optional<int> value = to_int(*text);
  if (!value || *value < 0) throw UsageError("{}={} (from {}) is not a whole number", name, *text, launcher);
  return *value;
}

uint16_t port_number(const std::string& text, std::string_view where) {
  const std::optional<int> value = to_int(text);
  if (!value || *value < 1 || *value > 65535)
    throw UsageError("{}: '{}' is not a port (1 to 65535)", where, text);
  return static_cast<uint16_t>(*value);
}

// torchrun's agent often serves its own store on MASTER_PORT and then says so; the next port is ours.
uint16_t master_port(const Environment& environment, const std::string& text) {
  const uint16_t port = port_number(text, "MASTER_PORT");
  const bool taken = environment("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True";
  return taken ? static_cast<uint16_t>(port == 65535 ? port - 1 : port + 1) : port;
}

std::optional<Address> address_from(const Environment& environment, const std::string& rendezvous) {
  if (!rendezvous.empty()) return parse_address(rendezvous);
  const std::optional<std::string> host = environment("MASTER_ADDR");
  const std::optional<std::string> port = environment("MASTER_PORT");
  if (host && port) return Address{*host, master_port(environment, *port)};
  const std::optional<std::string> node = environment("SLURM_LAUNCH_NODE_IPADDR");
  if (!node) return std::nullopt;
  if (port) return Address{*node, port_number(*port, "MASTER_PORT")};
  const std::optional<std::string> job = environment("SLURM_JOB_ID");
  const std::optional<int> id = job ? to_int(*job) : std::nullopt;
  return Address{*node, static_cast<uint16_t>(kFirstSlurmPort + id.value_or(0) % kSlurmPorts)};
}

// What tells this job from another one that meets at the same port by accident.
uint64_t job_token(const Environment& environment) {
  std::string job;
  for (const char* name :
       {"TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "SLURM_STEP_ID", "OMPI_MCA_ess_base_jobid"}) {
    job += environment(name).value_or("") + "\n";
  }
  return XXH3_64bits(job.data(), job.size());
}

Membership membership_from(const Environment& environment, const Launcher& launcher,
                           const std::string& rendezvous) {
  Membership membership;
  membership.launcher = launcher.name;
  membership.rank = number(environment, launcher.rank, launcher.name);
  membership.ranks = number(environment, launcher.ranks, launcher.name);
  if (membership.ranks < 1 || membership.rank >= membership.ranks) {
    throw UsageError("{}={} is not a rank among {}={}", launcher.rank, membership.rank, launcher.ranks,
                     membership.ranks);
  }
  const std::optional<std::string> local = environment(launcher.local_rank);
  membership.local_rank = local ? to_int(*local).value_or(0) : 0;
  membership.token = job_token(environment);
  const std::optional<Address> address = address_from(environment, rendezvous);
  if (address) {
    membership.address = *address;
  } else if (membership.ranks > 1) {
    throw UsageError(
        "started by {} as rank {} of {}, but nothing says where the ranks meet: set MASTER_ADDR and "
        "MASTER_PORT "
        "to a host and free port of rank 0, or give --rendezvous HOST:PORT",
        launcher.name, membership.rank, membership.ranks);
  }
  return membership;
}

}  // namespace

Address parse_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    throw UsageError("'{}' is not an address: write HOST:PORT or [IPV6]:PORT", text);
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    throw UsageError("'{}': put an IPv6 address into brackets, [IPV6]:PORT", text);
  }
  return {std::string(host), port_number(std::string(text.substr(colon + 1)), text)};
}

std::string format_address(const Address& address) {
  const bool ipv6 = address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", ipv6 ? "[" : "", address.host, ipv6 ? "]" : "", address.port);
}

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

std::optional<Membership> detect_membership(const Environment& environment, const std::string& rendezvous) {
  for (const Launcher& launcher : kLaunchers) {
    if (environment(launcher.rank) && environment(launcher.required)) {
      return membership_from(environment, launcher, rendezvous);
    }
  }
  if (environment("RANK") || environment("WORLD_SIZE")) {
    throw UsageError("RANK and WORLD_SIZE belong together, but only one of them is set");
  }
  return std::nullopt;
}

}  // namespace netsense::perf
