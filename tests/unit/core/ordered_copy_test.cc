// ordered_copy: a reader that polls flags among the data, as NCCL's LL and LL128 kernels do, never sees a
// flag before the data it stands for.
#include "plugin/core/ordered_copy.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace netsense::core {
namespace {

constexpr size_t kWords = 8192;  // one LL step of 64 KiB
constexpr uint32_t kRounds = 200;

}  // namespace

TEST_CASE("bytes arrive at every alignment and nothing around them changes") {
  std::vector<unsigned char> from(300);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + 1);
  for (size_t to_shift = 0; to_shift < 9; ++to_shift) {
    for (const size_t bytes : {0UL, 1UL, 7UL, 8UL, 9UL, 63UL, 64UL, 255UL}) {
      std::vector<unsigned char> to(300, 0xEE);
      ordered_copy(to.data() + to_shift, from.data() + 3, bytes);
      CHECK(std::memcmp(to.data() + to_shift, from.data() + 3, bytes) == 0);
      CHECK((to_shift == 0 || to[to_shift - 1] == 0xEE));
      CHECK(to[to_shift + bytes] == 0xEE);
    }
  }
}

TEST_CASE("an LL reader never sees a flag without its datum") {
  std::vector<uint64_t> to(kWords, 0);
  std::vector<uint64_t> from(kWords);
  std::atomic<bool> wrong{false};
  std::thread reader([&] {
    for (uint32_t round = 1; round <= kRounds; ++round) {
      // From the end: that is where an order of stores the wrong way round would show first.
      for (size_t i = kWords; i-- > 0;) {
        uint64_t line = 0;
        while ((line = __atomic_load_n(&to[i], __ATOMIC_RELAXED)) >> 32 < round) std::this_thread::yield();
        if (static_cast<uint32_t>(line) != round * 3 + i && line >> 32 == round) wrong = true;
      }
    }
  });
  for (uint32_t round = 1; round <= kRounds; ++round) {
    for (size_t i = 0; i < kWords; ++i)
      from[i] = uint64_t{round} << 32 | static_cast<uint32_t>(round * 3 + i);
    ordered_copy(to.data(), from.data(), kWords * 8);
  }
  reader.join();
  CHECK(!wrong);
}

TEST_CASE("an LL128 reader never sees the flag of a line before the line") {
  constexpr size_t kLine = 16;  // words
  std::vector<uint64_t> to(kWords, 0);
  std::vector<uint64_t> from(kWords);
  std::atomic<uint64_t> rounds_read{0};
  std::atomic<bool> wrong{false};
  std::thread reader([&] {
    for (uint64_t round = 1; round <= kRounds; ++round) {
      for (size_t line = 0; line < kWords; line += kLine) {
        while (__atomic_load_n(&to[line + kLine - 1], __ATOMIC_ACQUIRE) < round) std::this_thread::yield();
        for (size_t i = 0; i + 1 < kLine; ++i) {
          if (__atomic_load_n(&to[line + i], __ATOMIC_RELAXED) != round * 1000 + i) wrong = true;
        }
      }
      rounds_read = round;
    }
  });
  for (uint64_t round = 1; round <= kRounds; ++round) {
    for (size_t i = 0; i < kWords; ++i) from[i] = i % kLine == kLine - 1 ? round : round * 1000 + i % kLine;
    ordered_copy(to.data(), from.data(), kWords * 8);
    while (rounds_read < round) std::this_thread::yield();
  }
  reader.join();
  CHECK(!wrong);
}

}  // namespace netsense::core
