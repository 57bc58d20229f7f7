#include "tests/engine/matrix/ranks.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>

namespace netsense::engine_test {

struct Board {
  struct Id {
    std::atomic<bool> ready{false};
    ns_unique_id value{};
  };
  static constexpr size_t kTextBytes = 400;
  std::array<Id, kMaxCommunicators> ids;
  std::array<std::array<uint64_t, kMaxOperations>, kMaxRanks> digests{};
  std::array<std::array<char, kTextBytes>, kMaxRanks> failures{};
};

namespace {

// A rank that others wait for is given this long after the first one has failed.
constexpr std::chrono::seconds kGrace{2};
// The whole run; a hang must end before the test runner's own limit to say which rank hung.
constexpr std::chrono::seconds kRunLimit{240};

class SharedBoard {
 public:
  SharedBoard() {
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    board_ = new (memory) Board;
  }
  ~SharedBoard() { munmap(board_, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  [[nodiscard]] Board* get() const { return board_; }

 private:
  Board* board_;
};

[[noreturn]] void run_child(Board* board, Place place, const RankBody& body) {
  RankContext context(board, place);
  try {
    body(context);
    // Not _exit: sanitizers look for leaks at a regular end.
    std::exit(0);
  } catch (const std::exception& error) {
    context.report_failure(error.what());
  }
  _exit(1);
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return fmt::format("killed by signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

// Waits for all children; kills the rest when one has failed or time is up.
std::string await(std::map<pid_t, int> ranks_by_pid, const Board& board) {
  std::string failure;
  auto deadline = std::chrono::steady_clock::now() + kRunLimit;
  while (!ranks_by_pid.empty()) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == 0) {
      if (std::chrono::steady_clock::now() > deadline) {
        for (const auto& [pid, rank] : ranks_by_pid) {
          failure += fmt::format("rank {} did not end\n", rank);
          kill(pid, SIGKILL);
        }
        deadline += kRunLimit;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      continue;
    }
    const auto found = ranks_by_pid.find(ended);
    if (found == ranks_by_pid.end()) continue;
    if (status != 0) {
      const char* text = board.failures.at(static_cast<size_t>(found->second)).data();
      failure += fmt::format("rank {}: {} {}\n", found->second, describe_end(status), text);
      deadline = std::min(deadline, std::chrono::steady_clock::now() + kGrace);
    }
    ranks_by_pid.erase(found);
  }
  return failure;
}

}  // namespace

ns_unique_id RankContext::unique_id(int communicator) {
  Board::Id& id = board_->ids.at(static_cast<size_t>(communicator));
  if (place_.rank == 0) {
    if (ns_get_unique_id("127.0.0.1:0", &id.value) != ns_success) throw std::runtime_error(ns_last_error());
    id.ready.store(true, std::memory_order_release);
  }
  while (!id.ready.load(std::memory_order_acquire)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return id.value;
}

void RankContext::report_digest(size_t operation, uint64_t digest) {
  board_->digests.at(static_cast<size_t>(place_.rank)).at(operation) = digest;
}

void RankContext::report_failure(const std::string& text) {
  auto& room = board_->failures.at(static_cast<size_t>(place_.rank));
  if (room[0] == '\0') text.copy(room.data(), room.size() - 1);
}

std::string run_ranks(int ranks, const RankBody& body, const std::function<bool(size_t)>& same_everywhere,
                      size_t operations) {
  const SharedBoard board;
  std::map<pid_t, int> ranks_by_pid;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) run_child(board.get(), {.ranks = ranks, .rank = rank}, body);
    if (pid < 0) throw std::runtime_error("fork failed");
    ranks_by_pid[pid] = rank;
  }
  std::string failure = await(ranks_by_pid, *board.get());
  for (size_t i = 0; failure.empty() && i < operations; ++i) {
    for (int rank = 1; same_everywhere(i) && rank < ranks; ++rank) {
      if (board.get()->digests.at(static_cast<size_t>(rank)).at(i) != board.get()->digests[0].at(i)) {
        failure += fmt::format("operation {}: ranks 0 and {} have different bytes\n", i, rank);
      }
    }
  }
  return failure;
}

}  // namespace netsense::engine_test
