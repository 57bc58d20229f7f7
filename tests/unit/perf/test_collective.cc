#include <algorithm>
#include <set>

#include "tests/catch.h"
#include "tools/perf/collective.h"

namespace netsense::perf {

TEST_CASE("bus factors are those of nccl-tests") {
  CHECK(bus_factor(Collective::kAllReduce, 2) == Approx(1.0));
  CHECK(bus_factor(Collective::kAllReduce, 4) == Approx(1.5));
  CHECK(bus_factor(Collective::kAllGather, 4) == Approx(0.75));
  CHECK(bus_factor(Collective::kReduceScatter, 4) == Approx(0.75));
  CHECK(bus_factor(Collective::kAllToAll, 4) == Approx(0.75));
  CHECK(bus_factor(Collective::kBroadcast, 4) == 1);
  CHECK(bus_factor(Collective::kReduce, 4) == 1);
  CHECK(bus_factor(Collective::kSendRecv, 4) == 1);
  CHECK(bus_factor(Collective::kAllReduce, 1) == 0);
}

TEST_CASE("collectives are found by name, also by nccl-tests' program names") {
  CHECK(find_collective("all_reduce") == Collective::kAllReduce);
  CHECK(find_collective("alltoall_perf") == Collective::kAllToAll);
  CHECK_FALSE(find_collective("allreduce").has_value());
  for (const CollectiveInfo& info : all_collectives()) {
    CHECK(find_collective(info.name) == info.collective);
    CHECK(collective_info(info.collective).name == info.name);
  }
}

TEST_CASE("counts split the buffer in aligned parts and are never zero") {
  CHECK(count_for(Collective::kAllReduce, 1024, 4, 4) == 256);
  CHECK(count_for(Collective::kAllGather, 1024, 4, 4) == 64);
  CHECK(count_for(Collective::kAllGather, 1000, 4, 4) == 60);  // 62 rounded down to 16 bytes
  CHECK(count_for(Collective::kAllGather, 8, 4, 4) == 1);
  CHECK(count_for(Collective::kAllReduce, 1, 8, 2) == 1);
}

// Every element of the result is described exactly once, and no source lies outside its rank's input.
TEST_CASE("expected pieces tile the receive buffer and stay inside the inputs") {
  constexpr size_t kCount = 7;
  for (const CollectiveInfo& info : all_collectives()) {
    for (const int ranks : {1, 2, 5}) {
      for (int rank = 0; rank < ranks; ++rank) {
        const int root = ranks - 1;
        const Layout layout = layout_of(info.collective, kCount, ranks, rank);
        std::multiset<size_t> covered;
        for (const Piece& piece : expected_pieces(info.collective, kCount, ranks, rank, root)) {
          for (size_t i = 0; i < piece.elements; ++i) covered.insert(piece.result_offset + i);
          CHECK(piece.source_offset + piece.elements <= layout.send_elements);
          CHECK((piece.source_rank == Piece::kReduced) == info.reduces);
        }
        const bool defined = info.collective != Collective::kReduce || rank == root;
        CHECK(covered.size() == (defined ? layout.recv_elements : 0));
        CHECK(std::set<size_t>(covered.begin(), covered.end()).size() == covered.size());
      }
    }
  }
}

TEST_CASE("in-place buffers overlap as nccl.h says") {
  const Layout gather = layout_of(Collective::kAllGather, 10, 4, 3);
  CHECK(gather.in_place_send_offset == 30);
  CHECK(gather.in_place_recv_offset == 0);
  const Layout scatter = layout_of(Collective::kReduceScatter, 10, 4, 3);
  CHECK(scatter.in_place_send_offset == 0);
  CHECK(scatter.in_place_recv_offset == 30);
  CHECK(total_elements(Collective::kReduceScatter, 10, 4) == 40);
  CHECK(total_elements(Collective::kSendRecv, 10, 4) == 10);
}

}  // namespace netsense::perf
