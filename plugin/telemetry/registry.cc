#include "plugin/telemetry/registry.h"

#include <pthread.h>

#include <algorithm>

#include "plugin/core/log.h"
#include "plugin/telemetry/leftovers.h"
#include "plugin/telemetry/words.h"

namespace netsense::telemetry {
namespace {

void describe(Slot* slot, const Identity& identity) {
  const Revision revision(slot);
  slot->generation.fetch_add(1, std::memory_order_release);
  Revision::put(&slot->direction, static_cast<uint64_t>(identity.direction));
  Revision::put(&slot->state, static_cast<uint64_t>(State::kOpen));
  Revision::put(&slot->streams, identity.streams);
  Revision::put(&slot->mode, identity.mode);
  Revision::put(&slot->opened_unix_ns, unix_ns());
  Revision::put(&slot->closed_unix_ns, 0);
  store_text(&slot->peer, identity.peer);
  store_text(&slot->device, identity.device);
  store_text(&slot->error, "");
}

}  // namespace

Registry& Registry::of_process() {
  // Leaked on purpose: comms may be closed after static destructors have run.
  static Registry* const registry = [] {
    auto* made = new Registry;
    // A fork takes locks in the reverse order of these calls: ours before that of core::Fd's list, which the
    // comm's sockets have set up before. make_segment() takes them in this order too.
    pthread_atfork([] { of_process().mutex_.lock(); }, [] { of_process().mutex_.unlock(); },
                   [] { of_process().after_fork(); });
    return made;
  }();
  struct FileRemover {
    ~FileRemover() {
      const std::scoped_lock lock(registry->mutex_);
      if (registry->segment_ != nullptr) registry->segment_->remove_file();
    }
  };
  static const FileRemover remover;
  return *registry;
}

std::unique_ptr<Counters> Registry::open(const Options& options, const Identity& identity) {
  const std::scoped_lock lock(mutex_);
  if (segment_ == nullptr) make_segment(options);
  const size_t index = choose(fmt::format("{} {} {}", static_cast<uint64_t>(identity.direction),
                                          identity.device, host_of(identity.peer)));
  if (index < kOwnSlots) {
    describe(&segment_->slot(index), identity);
    return std::make_unique<Counters>(segment_->slot(index), true,
                                      [this, index, forks = forks_] { close(index, forks); });
  }
  Slot& shared = segment_->slot(identity.direction == Direction::kSend ? kOwnSlots : kOwnSlots + 1);
  describe(&shared, {identity.direction, "others", "", 0, identity.mode});
  return std::make_unique<Counters>(shared, false, [] {});
}

std::string Registry::path() {
  const std::scoped_lock lock(mutex_);
  return segment_ == nullptr ? "" : segment_->path();
}

void Registry::make_segment(const Options& options) {
  if (options.on) {
    remove_leftovers(options.directory);
    std::string why;
    segment_ = Segment::in_file(options.directory, &why);
    if (segment_ == nullptr) {
      NETSENSE_WARN(
          "there are no statistics for netsense-top and netsense-exporter: {}. Everything else works. Give "
          "another directory with NETSENSE_STATS_DIR, or set NETSENSE_STATS=off",
          why);
    }
  }
  if (segment_ == nullptr) segment_ = Segment::in_private_memory();
}

size_t Registry::choose(const std::string& key) {
  auto use = std::ranges::find_if(uses_, [&](const Use& u) { return !u.open && u.key == key; });
  if (use == uses_.end()) {
    if (uses_.size() == kOwnSlots) return kOwnSlots;
    use = uses_.insert(use, Use{.key = key});
  }
  use->open = true;
  return static_cast<size_t>(use - uses_.begin());
}

void Registry::close(size_t index, unsigned forks) {
  const std::scoped_lock lock(mutex_);
  // A comm that a forked child has inherited has its slot in the memory from before.
  if (forks == forks_) uses_[index].open = false;
}

void Registry::after_fork() {
  // Comms that the child inherited go on writing to the old place, which is the child's own from here on.
  // What the child connects itself gets a file of its own.
  if (segment_ != nullptr) {
    segment_->leave_to_parent();
    (void)segment_.release();
  }
  uses_.clear();
  ++forks_;
  mutex_.unlock();
}

}  // namespace netsense::telemetry
