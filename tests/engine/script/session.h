// Runs the steps of a conformance script on the host engine and checks every result.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/engine/script/marker.h"
#include "tests/engine/script/script.h"
#include "tools/engine/ns_engine.h"

namespace netsense::engine_test {

struct Place {
  int ranks = 1;
  int rank = 0;
  std::string id_file;  // where rank 0 leaves the unique ids for the others
};

class Session {
 public:
  Session(Place place, size_t largest);
  ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Throws std::runtime_error when the engine reports an error or a result is wrong.
  void run(const std::vector<Step>& steps);
  // Whether the script ended without destroying its communicators: their threads still run.
  [[nodiscard]] bool left_early() const { return left_early_; }

 private:
  void add_communicator();
  void run_step(const Step& step);
  void collective(const std::string& name, size_t bytes);
  void enqueue(const std::string& name, size_t count);
  void enqueue_ring(const float* send, float* receive, size_t count);
  void enqueue_all_to_all(size_t count_per_peer);
  void verify(const std::string& name, size_t count) const;
  void register_buffers();
  void deregister_buffers();
  void abort_after_all_reduce(size_t bytes);
  void abort_communicator();
  void destroy_communicators();
  [[nodiscard]] ns_comm* current() const { return communicators_[static_cast<size_t>(current_)]; }
  [[nodiscard]] bool leaves_early() const { return place_.rank == place_.ranks - 1; }

  Place place_;
  Marker mark_;
  std::vector<float> send_;
  std::vector<float> receive_;
  std::vector<float> second_receive_;
  std::vector<ns_comm*> communicators_;
  std::vector<void*> registrations_;
  int current_ = 0;
  bool ended_ = false;  // aborted, or left early
  bool left_early_ = false;
};

}  // namespace netsense::engine_test
