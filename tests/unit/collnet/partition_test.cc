// How calls are cut: every element belongs to exactly one piece of one owner, and all ranks agree on it.
#include "plugin/collnet/partition.h"

#include "plugin/collnet/call.h"
#include "tests/catch.h"

namespace netsense::collnet {

TEST_CASE("shares follow each other, cover everything and are even") {
  for (const int ranks : {1, 2, 3, 7, 8, 64}) {
    for (const size_t elements : {0, 1, 255, 256, 257, 5000, 32768, 1000003}) {
      CAPTURE(ranks, elements);
      size_t next = 0;
      size_t least = elements;
      size_t most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range share = even_share(elements, ranks, rank);
        REQUIRE(share.begin == next);
        REQUIRE((share.begin % kGranule == 0 || share.begin == elements));
        next = share.end;
        least = std::min(least, share.size());
        most = std::max(most, share.size());
      }
      CHECK(next == elements);
      CHECK(most - least <= kGranule);
    }
  }
}

TEST_CASE("shares of a window are where the ranks' parts meet it") {
  constexpr size_t kPerRank = 100;
  // Window [150, 370): nothing of rank 0, the second half of rank 1, all of rank 2, a part of rank 3.
  CHECK(window_share(kPerRank, 150, 220, 0) == Range{});
  CHECK(window_share(kPerRank, 150, 220, 1) == Range{0, 50});
  CHECK(window_share(kPerRank, 150, 220, 2) == Range{50, 150});
  CHECK(window_share(kPerRank, 150, 220, 3) == Range{150, 220});
  CHECK(window_share(kPerRank, 150, 220, 4) == Range{});
}

TEST_CASE("pieces cover a range and fit into a message") {
  for (const size_t size : {1, 2, 4, 8}) {
    for (const size_t elements : {0, 1, 16384, 16385, 32768, 32769, 100000}) {
      CAPTURE(size, elements);
      const Range range{1000, 1000 + elements};
      size_t next = range.begin;
      for (size_t i = 0; i < pieces(range, size); ++i) {
        const Range one = piece(range, size, i);
        REQUIRE(one.begin == next);
        REQUIRE(one.size() > 0);
        REQUIRE(one.size() * size <= kPieceBytes);
        next = one.end;
      }
      CHECK(next == range.end);
    }
  }
}

TEST_CASE("what is not the same collective has another fingerprint") {
  CallArgs args{.elements = 1000};
  args.type = Type::kF32;
  const uint32_t print = fingerprint(args);
  const auto differs = [&](auto&& change) {
    CallArgs other = args;
    change(other);
    return fingerprint(other) != print;
  };
  CHECK(differs([](CallArgs& a) { a.elements = 1001; }));
  CHECK(differs([](CallArgs& a) { a.type = Type::kBf16; }));
  CHECK(differs([](CallArgs& a) { a.op = Op::kMax; }));
  CHECK(differs([](CallArgs& a) { a.kind = Kind::kReduceScatter; }));
  CHECK(differs([](CallArgs& a) { a.per_rank = 1; }));
  CHECK(differs([](CallArgs& a) { a.window_offset = 1; }));
  // Addresses are each rank's own.
  CHECK_FALSE(differs([&](CallArgs& a) { a.send = reinterpret_cast<const std::byte*>(&args); }));
}

}  // namespace netsense::collnet
