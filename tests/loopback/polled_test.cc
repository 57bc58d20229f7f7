// NCCL's LL and LL128 receivers do not ask whether a message has arrived: they poll flags that stand behind
// the data in each line of the buffer. Here a thread does the same while messages arrive, and must never find
// a flag before its data.
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

#include "tests/abi/environment.h"
#include "tests/abi/net_api.h"
#include "tests/catch.h"

namespace netsense::testing {
namespace {

constexpr size_t kKiB = 1024;
// The sizes by which netsense knows NCCL's buffers for LL and LL128 (plugin/transport/region.h).
constexpr size_t kLlBuffer = 524288;
constexpr size_t kLl128Buffer = 4915200;

// Lines of 8 bytes are 4 of data and a 4-byte flag, as in LL. Longer ones end with an 8-byte flag, as LL128's
// of 128 bytes do. A flag is the number of the round, so that the lines of the round before do not pass for
// new.
class Lines {
 public:
  Lines(size_t line, size_t bytes) : words_(line / 8), count_(bytes / line) {}
  [[nodiscard]] size_t count() const { return count_; }

  void fill(std::vector<uint64_t>* buffer, uint32_t round) const {
    for (size_t line = 0; line < count_; ++line) {
      for (size_t word = 0; word < words_; ++word)
        (*buffer)[line * words_ + word] = expected(line, word, round);
    }
  }

  enum class State : uint8_t { kOld, kRight, kEarly };
  // Looks at the flag first and then at the data, as the reader of a line does.
  State look(const std::vector<uint64_t>& buffer, size_t line, uint32_t round) const {
    const uint64_t* at = buffer.data() + line * words_;
    const uint64_t last = __atomic_load_n(at + words_ - 1, __ATOMIC_ACQUIRE);
    const uint64_t wanted = expected(line, words_ - 1, round);
    if (words_ == 1 && (last >> 32) != round) return State::kOld;
    if (words_ == 1) return last == wanted ? State::kRight : State::kEarly;
    if (last != wanted) return State::kOld;
    for (size_t word = 0; word + 1 < words_; ++word) {
      if (__atomic_load_n(at + word, __ATOMIC_RELAXED) != expected(line, word, round)) return State::kEarly;
    }
    return State::kRight;
  }

 private:
  // The flag of a line of 8 bytes is the upper half of its word.
  [[nodiscard]] uint64_t expected(size_t line, size_t word, uint32_t round) const {
    const uint64_t data = (line * words_ + word) * 0x9E3779B97F4A7C15U + round * 0xC2B2AE3D27D4EB4FU;
    if (words_ == 1) return (uint64_t{round} << 32) | static_cast<uint32_t>(data >> 32);
    return word + 1 == words_ ? round : data;
  }

  size_t words_;
  size_t count_;
};

// The thread that stands for the GPU.
class Poller {
 public:
  Poller(const std::vector<uint64_t>& buffer, const Lines& lines, uint32_t rounds)
      : buffer_(buffer), lines_(lines), thread_([this, rounds] {
          for (uint32_t round = 1; round <= rounds && !stop_; ++round) poll(round);
        }) {}
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller() {
    stop_ = true;
    thread_.join();
  }
  void wait_for(uint32_t round) const {
    poll_until("all lines", [&] { return finished_ >= round; });
  }
  // Lines whose flag was there before their data.
  [[nodiscard]] size_t early() const { return early_; }

 private:
  void poll(uint32_t round) {
    std::vector<bool> seen(lines_.count());
    size_t first = 0;
    while (first < lines_.count() && !stop_) {
      for (size_t line = first; line < lines_.count(); ++line) {
        if (seen[line]) continue;
        const Lines::State state = lines_.look(buffer_, line, round);
        if (state == Lines::State::kOld) continue;
        seen[line] = true;
        early_ += state == Lines::State::kEarly ? 1 : 0;
      }
      while (first < lines_.count() && seen[first]) ++first;
    }
    finished_ = round;
  }

  const std::vector<uint64_t>& buffer_;
  const Lines& lines_;
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> finished_{0};
  std::atomic<size_t> early_{0};
  std::thread thread_;
};

enum class Hint : uint8_t { kRequest, kRegion };

}  // namespace

TEST_CASE("a reader that polls a buffer never finds a flag before its data", "[polled]") {
  const size_t line = GENERATE(values<size_t>({8, 16, 32, 64, 128}));
  const size_t bytes = GENERATE(values<size_t>({kKiB, 60 * kKiB, 66 * kKiB, 480 * kKiB}));
  // How NCCL lets a plugin know: for this receive, or by the size of the buffer, which it registers once.
  const Hint hint = GENERATE(Hint::kRequest, Hint::kRegion);
  CAPTURE(line, bytes, static_cast<int>(hint));
  const uint32_t rounds = bytes < 100 * kKiB ? 60 : 12;
  const Lines lines(line, bytes);
  std::vector<uint64_t> from(bytes / 8);
  std::vector<uint64_t> to((line == 8 ? kLlBuffer : kLl128Buffer) / 8);
  Plugin plugin(library_path());
  Connection connection(plugin);
  std::optional<Registration> region;
  if (hint == Hint::kRegion) {
    region.emplace(connection.net(), connection.recv_comm(), to.data(), to.size() * sizeof(uint64_t));
  }
  void* memory = region ? region->handle() : nullptr;
  const Poller poller(to, lines, rounds);
  for (uint32_t round = 1; round <= rounds; ++round) {
    lines.fill(&from, round);
    const std::vector requests{connection.post_recv(to.data(), bytes, memory, 0, hint == Hint::kRequest),
                               connection.post_send(from.data(), bytes, nullptr)};
    connection.wait(requests);
    poller.wait_for(round);
  }
  CHECK(poller.early() == 0);
}

}  // namespace netsense::testing
