#include "tools/perf/backend.h"

#include "tools/perf/error.h"

namespace netsense::perf {

std::unique_ptr<Backend> make_backend(EngineChoice choice, const Membership& membership,
                                      Rendezvous& rendezvous) {
  if (choice == EngineChoice::kHost) return make_host_backend(rendezvous);
  const std::vector<std::string> obstacles = rendezvous.all_gather_text(nccl_obstacle());
  for (size_t rank = 0; rank < obstacles.size(); ++rank) {
    if (obstacles[rank].empty()) continue;
    if (choice == EngineChoice::kAuto) return make_host_backend(rendezvous);
    throw Error("--engine nccl cannot be used on rank {}: {}", rank, obstacles[rank]);
  }
  return make_nccl_backend(membership, rendezvous);
}

}  // namespace netsense::perf
