#include "tools/perf/collective.h"

#include <algorithm>
#include <array>

namespace netsense::perf {
namespace {

constexpr std::array<CollectiveInfo, 7> kCollectives{{
    {Collective::kAllReduce, "all_reduce", true, false, true, true},
    {Collective::kAllGather, "all_gather", false, false, true, true},
    {Collective::kReduceScatter, "reduce_scatter", true, false, true, false},
    {Collective::kBroadcast, "broadcast", false, true, true, true},
    {Collective::kReduce, "reduce", true, true, true, false},
    {Collective::kAllToAll, "alltoall", false, false, false, false},
    {Collective::kSendRecv, "sendrecv", false, false, false, false},
}};

constexpr size_t kPartAlignment = 16;  // bytes

bool split_among_ranks(Collective collective) {
  return collective == Collective::kAllGather || collective == Collective::kReduceScatter ||
         collective == Collective::kAllToAll;
}

}  // namespace

std::span<const CollectiveInfo> all_collectives() {
  return kCollectives;
}

const CollectiveInfo& collective_info(Collective collective) {
  return kCollectives[static_cast<size_t>(collective)];
}

std::optional<Collective> find_collective(std::string_view name) {
  constexpr std::string_view kSuffix = "_perf";
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  for (const CollectiveInfo& info : kCollectives) {
    if (name == info.name) return info.collective;
  }
  return std::nullopt;
}

size_t count_for(Collective collective, size_t bytes, size_t element_bytes, int ranks) {
  size_t elements = bytes / element_bytes;
  if (split_among_ranks(collective)) {
    elements /= static_cast<size_t>(ranks);
    const size_t alignment = kPartAlignment / element_bytes;
    if (elements >= alignment) elements -= elements % alignment;
  }
  return std::max<size_t>(elements, 1);
}

Layout layout_of(Collective collective, size_t count, int ranks, int rank) {
  const size_t all = count * static_cast<size_t>(ranks);
  const size_t mine = count * static_cast<size_t>(rank);
  switch (collective) {
    case Collective::kAllGather:
      return {count, all, mine, 0};
    case Collective::kReduceScatter:
      return {all, count, 0, mine};
    case Collective::kAllToAll:
      return {all, all, 0, 0};
    case Collective::kAllReduce:
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kSendRecv:
      break;
  }
  return {count, count, 0, 0};
}

size_t total_elements(Collective collective, size_t count, int ranks) {
  const Layout layout = layout_of(collective, count, ranks, 0);
  return std::max(layout.send_elements, layout.recv_elements);
}

std::vector<Piece> expected_pieces(Collective collective, size_t count, int ranks, int rank, int root) {
  const size_t mine = count * static_cast<size_t>(rank);
  std::vector<Piece> pieces;
  switch (collective) {
    case Collective::kAllReduce:
      pieces.push_back({0, count, Piece::kReduced, 0});
      break;
    case Collective::kReduceScatter:
      pieces.push_back({0, count, Piece::kReduced, mine});
      break;
    case Collective::kReduce:
      if (rank == root) pieces.push_back({0, count, Piece::kReduced, 0});
      break;
    case Collective::kBroadcast:
      pieces.push_back({0, count, root, 0});
      break;
    case Collective::kSendRecv:
      pieces.push_back({0, count, (rank + ranks - 1) % ranks, 0});
      break;
    case Collective::kAllGather:
      for (int from = 0; from < ranks; ++from) {
        pieces.push_back({count * static_cast<size_t>(from), count, from, 0});
      }
      break;
    case Collective::kAllToAll:
      for (int from = 0; from < ranks; ++from) {
        pieces.push_back({count * static_cast<size_t>(from), count, from, mine});
      }
      break;
  }
  return pieces;
}

double bus_factor(Collective collective, int ranks) {
  const auto n = static_cast<double>(ranks);
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * (n - 1) / n;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
      return (n - 1) / n;
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kSendRecv:
      break;
  }
  return 1;
}

}  // namespace netsense::perf
