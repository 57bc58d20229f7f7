#include "tests/collnet/coll_world.h"

#include <array>
#include <exception>
#include <mutex>
#include <thread>

namespace netsense::testing {
namespace {

void require_success(int result, const char* what) {
  check(static_cast<ns_result>(result), what);
}

// An exception of one must not leave the others waiting for ever: those end by poll_until's limit.
void on_threads(size_t count, const std::function<void(size_t)>& body) {
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (first == nullptr) first = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace

int CollRank::ranks() const {
  return world_.ranks();
}

CollApi& CollRank::api() const {
  return world_.api();
}

void* CollRank::post(const std::function<int(void** request)>& call) {
  void* request = nullptr;
  poll_until("a call is taken", [&] {
    require_success(call(&request), "a collective call");
    return request != nullptr;
  });
  return request;
}

void* CollRank::post_all_reduce(const CollCall& call) {
  return post([&](void** request) { return api().iallreduce(comm_, call, request); });
}

int CollRank::wait(void* request) {
  int done = 0;
  int size = -1;
  poll_until("a call is complete", [&] {
    require_success(api().test(request, &done, &size), "test");
    if (done == 0) std::this_thread::yield();
    return done != 0;
  });
  return size;
}

void CollRank::leave() {
  require_success(api().close(comm_), "closeColl");
  comm_ = nullptr;
}

CollWorld::CollWorld(const std::string& library, int version, int ranks)
    : library_(open_library(library)), api_(find_coll_api(library_.get(), version)) {
  constexpr size_t kHandleBytes = 128;
  std::vector<std::array<std::byte, kHandleBytes>> handles(static_cast<size_t>(ranks));
  std::vector<void*> listeners(handles.size());
  contexts_.resize(handles.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const auto index = static_cast<size_t>(rank);
    members_.emplace_back(*this, rank);
    require_success(api_->init(0x1234, &contexts_[index]), "init");
    require_success(api_->listen(contexts_[index], 0, handles[index].data(), &listeners[index]), "listen");
  }
  on_threads(handles.size(), [&](size_t rank) {
    // Each has its own copies, as after NCCL's bootstrap.
    auto copies = handles;
    std::vector<void*> pointers;
    pointers.reserve(copies.size());
    for (auto& copy : copies) pointers.push_back(copy.data());
    require_success(
        api_->connect(pointers.data(), ranks, static_cast<int>(rank), listeners[rank], &members_[rank].comm_),
        "connect");
    require_success(api_->close_listen(listeners[rank]), "closeListen");
  });
}

CollWorld::~CollWorld() {
  for (CollRank& member : members_) {
    if (member.comm_ != nullptr) api_->close(member.comm_);
  }
  for (void* context : contexts_) api_->finalize(context);
}

void CollWorld::run(const std::function<void(CollRank&)>& body) {
  on_threads(members_.size(), [&](size_t rank) { body(members_[rank]); });
}

}  // namespace netsense::testing
