#include "tests/engine/script/session.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/engine/script/expected.h"

namespace netsense::engine_test {
namespace {

// The recorded program's buffers were twice as large as it needed, and this much more.
constexpr size_t kSlackBytes = 65536;
constexpr std::chrono::seconds kPeerTimeout{30};
// How long an aborting rank waits for an error of the transport to surface.
constexpr std::chrono::seconds kAsyncErrorTimeout{2};

void check(ns_result result, const char* what) {
  if (result == ns_success) return;
  throw std::runtime_error(fmt::format("{}: {} ({})", what, ns_result_string(result), ns_last_error()));
}

void await_file(const std::string& path) {
  const auto deadline = std::chrono::steady_clock::now() + kPeerTimeout;
  while (!std::filesystem::exists(path)) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("no " + path);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Until every rank has come here: what follows ends a rank while others still need its last messages.
void barrier(const Place& place) {
  const auto path = [&place](int rank) { return fmt::format("{}.barrier.{}", place.id_file, rank); };
  const std::ofstream arrived(path(place.rank));
  for (int rank = 0; rank < place.ranks; ++rank) await_file(path(rank));
}

ns_unique_id share_id(const Place& place, size_t number) {
  const std::string path = fmt::format("{}.{}", place.id_file, number);
  ns_unique_id id{};
  if (place.rank == 0) {
    check(ns_get_unique_id("127.0.0.1:0", &id), "ns_get_unique_id");
    const std::string unfinished = path + ".new";
    std::ofstream(unfinished, std::ios::binary).write(id.bytes, sizeof id.bytes);
    std::filesystem::rename(unfinished, path);
    return id;
  }
  await_file(path);
  std::ifstream(path, std::ios::binary).read(id.bytes, sizeof id.bytes);
  return id;
}

}  // namespace

Session::Session(Place place, size_t largest) : place_(std::move(place)), mark_(place_.rank) {
  const size_t floats = (2 * largest + kSlackBytes) / sizeof(float);
  send_.resize(floats);
  receive_.resize(floats);
  second_receive_.resize(floats);
  for (size_t i = 0; i < floats; ++i) send_[i] = input_value(place_.rank, i);
}

void Session::run(const std::vector<Step>& steps) {
  add_communicator();
  for (const Step& step : steps) {
    for (int i = 0; i < step.times && !ended_; ++i) run_step(step);
  }
  if (!ended_) destroy_communicators();
}

void Session::add_communicator() {
  const size_t number = communicators_.size();
  const ns_unique_id id = share_id(place_, number);
  ns_comm* communicator = nullptr;
  check(ns_comm_init_rank(&communicator, place_.ranks, &id, place_.rank), "ns_comm_init_rank");
  communicators_.push_back(communicator);
}

void Session::run_step(const Step& step) {
  if (step.name == "init" || step.name == "memalloc") return;  // said where buffers come from on a GPU
  if (step.name == "new") {
    add_communicator();
  } else if (step.name == "use") {
    current_ = static_cast<int>(step.number);
    mark_("use", {{"comm", current_}});
  } else if (step.name == "reg") {
    register_buffers();
  } else if (step.name == "dereg") {
    deregister_buffers();
  } else if (step.name == "gone") {
    barrier(place_);
    if (!leaves_early()) return;
    mark_("exit without destroy");
    ended_ = left_early_ = true;
  } else if (step.name == "abort") {
    abort_after_all_reduce(step.number);
  } else if (step.name == "abortonly") {
    barrier(place_);
    abort_communicator();
  } else {
    collective(step.name, step.number);
  }
}

void Session::collective(const std::string& name, size_t bytes) {
  mark_(name + ".begin", {{"comm", current_}, {"bytes", bytes}});
  enqueue(name, bytes / sizeof(float));
  mark_(name + ".enqueued");
  check(ns_comm_synchronize(current()), "ns_comm_synchronize");
  mark_(name + ".done");
  verify(name, bytes / sizeof(float));
}

void Session::enqueue(const std::string& name, size_t count) {
  const auto ranks = static_cast<size_t>(place_.ranks);
  const float* send = send_.data();
  float* receive = receive_.data();
  if (name == "ar") {
    check(ns_all_reduce(send, receive, count, ns_float32, ns_sum, current()), "ns_all_reduce");
  } else if (name == "ag") {
    check(ns_all_gather(send, receive, count / ranks, ns_float32, current()), "ns_all_gather");
  } else if (name == "rs") {
    check(ns_reduce_scatter(send, receive, count / ranks, ns_float32, ns_sum, current()),
          "ns_reduce_scatter");
  } else if (name == "bc") {
    check(ns_broadcast(send, receive, count, ns_float32, 0, current()), "ns_broadcast");
  } else if (name == "rd") {
    check(ns_reduce(send, receive, count, ns_float32, ns_sum, 0, current()), "ns_reduce");
  } else if (name == "a2api") {
    check(ns_all_to_all(send, receive, count / ranks, ns_float32, current()), "ns_all_to_all");
  } else {
    check(ns_group_start(), "ns_group_start");
    if (name == "sr") {
      enqueue_ring(send, receive, count);
    } else if (name == "a2a") {
      enqueue_all_to_all(count / ranks);
    } else if (name == "grp") {
      check(ns_all_reduce(send, receive, count, ns_float32, ns_sum, current()), "ns_all_reduce");
      check(ns_all_gather(send, second_receive_.data(), count / ranks, ns_float32, current()),
            "ns_all_gather");
    } else if (name == "gsr") {
      check(ns_all_reduce(send, receive, count / 2, ns_float32, ns_sum, current()), "ns_all_reduce");
      enqueue_ring(send, second_receive_.data(), count / 2);
    } else {
      throw std::invalid_argument("unknown step " + name);
    }
    check(ns_group_end(), "ns_group_end");
  }
}

void Session::enqueue_ring(const float* send, float* receive, size_t count) {
  const int next = (place_.rank + 1) % place_.ranks;
  const int previous = (place_.rank + place_.ranks - 1) % place_.ranks;
  check(ns_send(send, count, ns_float32, next, current()), "ns_send");
  check(ns_recv(receive, count, ns_float32, previous, current()), "ns_recv");
}

void Session::enqueue_all_to_all(size_t count_per_peer) {
  for (int peer = 0; peer < place_.ranks; ++peer) {
    const size_t offset = static_cast<size_t>(peer) * count_per_peer;
    check(ns_send(send_.data() + offset, count_per_peer, ns_float32, peer, current()), "ns_send");
    check(ns_recv(receive_.data() + offset, count_per_peer, ns_float32, peer, current()), "ns_recv");
  }
}

void Session::verify(const std::string& name, size_t count) const {
  const Expected expected{.ranks = place_.ranks, .rank = place_.rank};
  std::string wrong = expected.first_wrong(name, count, receive_, second_receive_);
  if (!wrong.empty()) throw std::runtime_error(name + ": " + wrong);
}

void Session::register_buffers() {
  for (std::vector<float>* buffer : {&send_, &receive_}) {
    const size_t bytes = buffer->size() * sizeof(float);
    mark_("ncclCommRegister.begin", {{"size", bytes}});
    void* handle = nullptr;
    check(ns_comm_register(current(), buffer->data(), bytes, &handle), "ns_comm_register");
    registrations_.push_back(handle);
    mark_("ncclCommRegister.end");
  }
}

void Session::deregister_buffers() {
  for (void* handle : registrations_) {
    mark_("ncclCommDeregister.begin");
    check(ns_comm_deregister(current(), handle), "ns_comm_deregister");
    mark_("ncclCommDeregister.end");
  }
  registrations_.clear();
}

void Session::abort_after_all_reduce(size_t bytes) {
  mark_("ncclAllReduce.begin", {{"bytes", bytes}});
  const ns_result launched =
      ns_all_reduce(send_.data(), receive_.data(), bytes / sizeof(float), ns_float32, ns_sum, current());
  mark_("ncclAllReduce.end");
  ns_result error = ns_success;
  const auto deadline = std::chrono::steady_clock::now() + kAsyncErrorTimeout;
  while (launched == ns_success && error == ns_success && std::chrono::steady_clock::now() < deadline) {
    check(ns_comm_async_error(current(), &error), "ns_comm_async_error");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  mark_("async error", {{"launch", static_cast<int>(launched)}, {"async", static_cast<int>(error)}});
  abort_communicator();
}

void Session::abort_communicator() {
  check(ns_comm_abort(current()), "ns_comm_abort");
  ended_ = true;
}

void Session::destroy_communicators() {
  for (size_t number = communicators_.size(); number-- > 0;) {
    check(ns_comm_destroy(communicators_[number]), "ns_comm_destroy");
  }
}

}  // namespace netsense::engine_test
