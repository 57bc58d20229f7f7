// A backend whose ranks are threads of one process and whose collectives are plain loops, so that the
// benchmark itself can be tested without an engine. It can be told to make the mistakes the benchmark must
// find.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "tools/perf/backend.h"

namespace netsense::perf {

// Called for every rank after a correct result has been written.
using Mistake = std::function<void(const Call& call, int rank)>;

// What the ranks share.
class FakeWorld {
 public:
  FakeWorld(int ranks, Mistake mistake) : ranks_(ranks), mistake_(std::move(mistake)) {}
  void carry_out(const Call& call, int rank);
  [[nodiscard]] int calls() const { return calls_; }

 private:
  void compute(const Call& call, int rank) const;
  void meet();

  int ranks_;
  Mistake mistake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  int round_ = 0;
  int calls_ = 0;
  std::vector<std::vector<std::byte>> inputs_;
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(FakeWorld& world, int rank) : world_(&world), rank_(rank) {}
  [[nodiscard]] const char* name() const override { return "fake"; }
  [[nodiscard]] std::string net_name() const override { return "none"; }
  [[nodiscard]] std::string device_name() const override { return "memory"; }
  [[nodiscard]] void* allocate(size_t bytes) override { return ::operator new(bytes); }
  void release(void* memory) noexcept override { ::operator delete(memory); }
  void write(void* to, std::span<const std::byte> from) override;
  void read(std::span<std::byte> to, const void* from) override;
  void enqueue(const Call& call) override { queue_.push_back(call); }
  void synchronize() override;
  void finish() override {}

 private:
  FakeWorld* world_;
  int rank_;
  std::vector<Call> queue_;
};

}  // namespace netsense::perf
