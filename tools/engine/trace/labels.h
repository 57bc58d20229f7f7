// Short names for the pointers that cross the plugin boundary, given in the order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netsense::engine {

class Labels {
 public:
  // A new object: the same address gets a new label.
  const std::string& make(std::string_view kind, const void* object);
  // The label of an object, made at first sight.
  const std::string& of(std::string_view kind, const void* object);
  void forget(std::string_view kind, const void* object);

  // Contexts and comm ids are told apart by value.
  const std::string& of_number(std::string_view kind, uint64_t number);

  // Memory registered on a comm.
  struct Memory {
    const void* handle = nullptr;
    const std::byte* base = nullptr;
    size_t bytes = 0;
    std::string label;
  };
  const Memory& add_memory(const void* comm, const void* handle, const void* base, size_t bytes);
  // Plugins may give the same handle for several buffers, so the address decides among them.
  [[nodiscard]] const Memory* memory(const void* comm, const void* handle, const void* data) const;
  void remove_memory(const void* comm, const void* handle);

  // Label of the buffer that ends where `data` begins, empty for none.
  [[nodiscard]] std::string ends_at(const void* data) const;
  void add_buffer_end(const void* data, size_t bytes, const std::string& label);

  struct Request {
    std::string label;
    const void* comm = nullptr;
    int buffers = 0;
    bool counts_bytes = false;  // the comm's bytes are known only when it is done
  };
  Request& add_request(const void* request, const void* comm, int buffers);
  Request& add_flush(const void* request);  // belongs to no comm's count
  Request* request(const void* request);
  void remove_request(const void* request);

  // What went over a comm, for its closing line.
  struct Usage {
    uint64_t operations = 0;
    uint64_t bytes = 0;
    int outstanding = 0;
    int most_outstanding = 0;
  };
  Usage& usage(const void* comm) { return usage_[comm]; }
  void forget_usage(const void* comm) { usage_.erase(comm); }

 private:
  std::string next(std::string_view kind);

  std::map<std::string, uint64_t, std::less<>> counters_;
  std::map<std::pair<std::string, const void*>, std::string> labels_;
  std::map<std::pair<std::string, uint64_t>, std::string> numbers_;
  std::map<const void*, std::vector<Memory>> memory_;
  std::map<const void*, std::string> buffer_ends_;
  std::map<const void*, Request> requests_;
  std::map<const void*, Usage> usage_;
};

}  // namespace netsense::engine
