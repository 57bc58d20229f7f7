#include "tools/perf/launcher.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

using Clock = std::chrono::steady_clock;

// From the first failure until the others are asked to stop, and from there until they are killed.
constexpr std::chrono::seconds kGrace{5};
constexpr std::chrono::seconds kStopLimit{2};

// Keeps the signals that end us pending, to be taken one by one with sigtimedwait.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&wanted_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&wanted_, signal);
    sigprocmask(SIG_BLOCK, &wanted_, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { restore(); }
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  // The signal that came, or 0 after the time.
  [[nodiscard]] int wait(std::chrono::milliseconds limit) const {
    const timespec time{limit.count() / 1000, limit.count() % 1000 * 1000000};
    const int signal = sigtimedwait(&wanted_, nullptr, &time);
    return signal < 0 ? 0 : signal;
  }

 private:
  sigset_t wanted_{};
  sigset_t before_{};
};

uint64_t random_token() {
  std::random_device source;
  return (static_cast<uint64_t>(source()) << 32) | source();
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The children, and how the group comes to an end.
class Family {
 public:
  explicit Family(int ranks) : children_(static_cast<size_t>(ranks), 0) {}
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    signal_all(SIGKILL);
    for (const pid_t child : children_) {
      if (child != 0) waitpid(child, nullptr, 0);
    }
  }

  void add(int rank, pid_t child) {
    children_[static_cast<size_t>(rank)] = child;
    ++running_;
  }

  int wait_for_all(const BlockedSignals& signals) {
    while (true) {
      collect();
      if (running_ == 0) return result_;
      const int signal = signals.wait(std::chrono::milliseconds(200));
      if (signal != 0 && signal != SIGCHLD) stop_by_signal(signal);
      escalate();
    }
  }

 private:
  void collect() {
    for (size_t rank = 0; rank < children_.size(); ++rank) {
      int status = 0;
      if (children_[rank] == 0 || waitpid(children_[rank], &status, WNOHANG) != children_[rank]) continue;
      children_[rank] = 0;
      --running_;
      if (exit_code(status) != 0 && result_ == 0) first_failure(rank, status);
    }
  }

  void first_failure(size_t rank, int status) {
    result_ = exit_code(status);
    if (WIFSIGNALED(status))
      fmt::print(stderr, "{}: rank {} {}\n", program_invocation_short_name, rank, describe(status));
    next_step_ = Clock::now() + kGrace;
  }

  void stop_by_signal(int signal) {
    if (result_ == 0) result_ = 128 + signal;
    next_step_ = Clock::now();
  }

  // First SIGTERM, then SIGKILL.
  void escalate() {
    if (result_ == 0 || Clock::now() < next_step_) return;
    if (!asked_)
      fmt::print(stderr, "{}: stopping the {} rank(s) still running\n", program_invocation_short_name,
                 running_);
    signal_all(asked_ ? SIGKILL : SIGTERM);
    asked_ = true;
    next_step_ = Clock::now() + kStopLimit;
  }

  void signal_all(int signal) const {
    for (const pid_t child : children_) {
      if (child != 0) kill(child, signal);
    }
  }

  std::vector<pid_t> children_;  // by rank; 0: has ended
  int running_ = 0;
  int result_ = 0;
  bool asked_ = false;
  Clock::time_point next_step_;
};

[[noreturn]] void become_rank(const RankBody& body, const Membership& membership, Socket listener,
                              pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);  // it ended before we asked to be told
  const int result = body(membership, std::move(listener));
  std::fflush(nullptr);
  _exit(result);
}

}  // namespace

int run_local_ranks(int ranks, const RankBody& body) {
  Socket listener = listen_on({"127.0.0.1", 0});
  Membership membership{.ranks = ranks,
                        .address = {"127.0.0.1", local_port(listener)},
                        .launcher = kLocalLauncher,
                        .token = random_token()};
  const BlockedSignals signals;
  Family family(ranks);
  const pid_t parent = getpid();
  std::fflush(nullptr);  // or every child would print it again
  for (int rank = 0; rank < ranks; ++rank) {
    membership.rank = membership.local_rank = rank;
    const pid_t child = fork();
    if (child < 0) throw Error("cannot start rank {}: {}", rank, std::strerror(errno));
    if (child == 0) {
      signals.restore();
      if (rank != 0) listener = Socket();
      become_rank(body, membership, std::move(listener), parent);
    }
    family.add(rank, child);
  }
  listener = Socket();
  return family.wait_for_all(signals);
}

}  // namespace netsense::perf
