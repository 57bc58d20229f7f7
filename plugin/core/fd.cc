#include "plugin/core/fd.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace netsense::core {
namespace {

// Every descriptor that must not outlive a fork. Only set-up and closing come here, never the data path.
class Registry {
 public:
  static Registry& instance() {
    // Leaked on purpose: comms may be closed after static destructors have run.
    static auto* registry = new Registry;
    return *registry;
  }

  void add(int fd) {
    const std::scoped_lock lock(mutex_);
    fds_.push_back(fd);
  }

  void remove(int fd) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find(fds_.begin(), fds_.end(), fd);
    if (found == fds_.end()) return;
    *found = fds_.back();
    fds_.pop_back();
  }

 private:
  Registry() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] {
                     Registry& self = instance();
                     for (const int fd : self.fds_) ::close(fd);
                     self.fds_.clear();
                     self.mutex_.unlock();
                   });
  }

  std::mutex mutex_;
  std::vector<int> fds_;
};

}  // namespace

Fd::Fd(int fd) : fd_(fd) {
  if (fd_ >= 0) Registry::instance().add(fd_);
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Fd::reset() {
  if (fd_ < 0) return;
  // Out of the registry first: the number may be reused by another thread as soon as it is closed.
  Registry::instance().remove(fd_);
  ::close(fd_);
  fd_ = -1;
}

}  // namespace netsense::core
