#include "tests/engine/matrix/operation.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL  // the library is not linked
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <span>

#include "tests/engine/matrix/number.h"
#include "tests/engine/matrix/reduction.h"

namespace netsense::engine_test {
namespace {

// Written around results; must be there afterwards.
constexpr size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xA5};

const char* kind_name(Kind kind) {
  static constexpr std::array<const char*, 7> kNames{"all_reduce",     "broadcast",  "reduce", "all_gather",
                                                     "reduce_scatter", "all_to_all", "ring"};
  return kNames.at(static_cast<size_t>(kind));
}

}  // namespace

std::string Operation::describe() const {
  return fmt::format("{} {} {}{}{}{}", kind_name(kind), type_name(type), count,
                     reduces() ? fmt::format(" {}", op_name(op)) : "",
                     kind == Kind::kBroadcast || kind == Kind::kReduce ? fmt::format(" root {}", root) : "",
                     in_place ? " in place" : "");
}

bool Operation::reduces() const {
  return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter;
}

bool Operation::same_everywhere() const {
  return kind == Kind::kAllReduce || kind == Kind::kBroadcast || kind == Kind::kAllGather;
}

Execution::Execution(Operation operation, Place place, uint64_t seed)
    : operation_(operation), place_(place), seed_(seed) {
  const size_t element = ns_type_size(operation_.type);
  const size_t send_elements = operation_.in_place ? std::max(send_count(), result_count()) : send_count();
  send_.assign(send_elements * element + 2 * kGuardBytes, kGuard);
  if (!operation_.in_place) receive_.assign(result_count() * element + 2 * kGuardBytes, kGuard);
  for (size_t i = 0; i < send_count(); ++i) {
    store_number(operation_.type, input(place_.rank, i), send_data() + i * element);
  }
}

size_t Execution::send_count() const {
  const bool scattered = operation_.kind == Kind::kReduceScatter || operation_.kind == Kind::kAllToAll;
  return operation_.count * (scattered ? static_cast<size_t>(place_.ranks) : 1);
}

size_t Execution::result_count() const {
  const bool gathered = operation_.kind == Kind::kAllGather || operation_.kind == Kind::kAllToAll;
  return operation_.count * (gathered ? static_cast<size_t>(place_.ranks) : 1);
}

bool Execution::has_result() const {
  return operation_.kind != Kind::kReduce || place_.rank == operation_.root;
}

std::byte* Execution::send_data() {
  // In-place all-gather: the own part of the result.
  const bool own_part = operation_.in_place && operation_.kind == Kind::kAllGather;
  return send_.data() + kGuardBytes +
         bytes(own_part ? static_cast<size_t>(place_.rank) * operation_.count : 0);
}

std::byte* Execution::result_data() {
  if (!operation_.in_place) return receive_.data() + kGuardBytes;
  const bool own_part = operation_.kind == Kind::kReduceScatter;
  return send_.data() + kGuardBytes +
         bytes(own_part ? static_cast<size_t>(place_.rank) * operation_.count : 0);
}

double Execution::input(int rank, size_t index) const {
  return input_number(operation_.type, operation_.reduces() ? operation_.op : ns_sum, seed_, rank, index);
}

ns_result Execution::enqueue(ns_comm* comm) {
  const Operation& o = operation_;
  const std::byte* send = send_data();
  std::byte* result = result_data();
  switch (o.kind) {
    case Kind::kAllReduce:
      return ns_all_reduce(send, result, o.count, o.type, o.op, comm);
    case Kind::kBroadcast:
      return ns_broadcast(send, result, o.count, o.type, o.root, comm);
    case Kind::kReduce:
      return ns_reduce(send, result, o.count, o.type, o.op, o.root, comm);
    case Kind::kAllGather:
      return ns_all_gather(send, result, o.count, o.type, comm);
    case Kind::kReduceScatter:
      return ns_reduce_scatter(send, result, o.count, o.type, o.op, comm);
    case Kind::kAllToAll:
      return ns_all_to_all(send, result, o.count, o.type, comm);
    case Kind::kRing:
      break;
  }
  // A send and its receive may wait for each other unless they are in one group.
  ns_result result_code = ns_group_start();
  if (result_code == ns_success) {
    result_code = ns_send(send, o.count, o.type, (place_.rank + 1) % place_.ranks, comm);
  }
  if (result_code == ns_success) {
    result_code = ns_recv(result, o.count, o.type, (place_.rank + place_.ranks - 1) % place_.ranks, comm);
  }
  const ns_result ended = ns_group_end();
  return result_code == ns_success ? ended : result_code;
}

std::string Execution::verify() const {
  std::string wrong = check_bounds();
  for (size_t i = 0; has_result() && wrong.empty() && i < result_count(); ++i) wrong = check_element(i);
  return wrong;
}

std::string Execution::check_element(size_t index) const {
  const auto block = static_cast<int>(index / operation_.count);
  const size_t within = index % operation_.count;
  const size_t own_offset = static_cast<size_t>(place_.rank) * operation_.count;
  double expected = 0;
  switch (operation_.kind) {
    case Kind::kAllReduce:
    case Kind::kReduce:
      return check_reduced(index, index);
    case Kind::kReduceScatter:
      return check_reduced(index, own_offset + index);
    case Kind::kBroadcast:
      expected = input(operation_.root, index);
      break;
    case Kind::kAllGather:
      expected = input(block, within);
      break;
    case Kind::kAllToAll:
      expected = input(block, own_offset + within);
      break;
    case Kind::kRing:
      expected = input((place_.rank + place_.ranks - 1) % place_.ranks, index);
      break;
  }
  const double found = load_number(operation_.type, result_data() + bytes(index));
  return found == expected ? "" : fmt::format("element {} is {}, not {}", index, found, expected);
}

std::string Execution::check_reduced(size_t index, size_t input_index) const {
  std::array<double, kMaxRanks> inputs;
  for (int rank = 0; rank < place_.ranks; ++rank)
    inputs[static_cast<size_t>(rank)] = input(rank, input_index);
  const Reduced expected = reduce_numbers(operation_.type, operation_.op,
                                          std::span(inputs).first(static_cast<size_t>(place_.ranks)));
  const double found = load_number(operation_.type, result_data() + bytes(index));
  if (std::abs(found - expected.value) <= expected.tolerance) return "";
  return fmt::format("element {} is {}, not {} +- {}", index, found, expected.value, expected.tolerance);
}

std::string Execution::check_bounds() const {
  for (const std::vector<std::byte>* buffer : {&send_, &receive_}) {
    if (buffer->empty()) continue;
    const bool intact =
        std::all_of(buffer->begin(), buffer->begin() + kGuardBytes, [](auto b) { return b == kGuard; }) &&
        std::all_of(buffer->end() - kGuardBytes, buffer->end(), [](auto b) { return b == kGuard; });
    if (!intact) return "bytes around a buffer were overwritten";
  }
  if (operation_.in_place) return "";
  for (size_t i = 0; i < send_count(); ++i) {
    const double kept = load_number(operation_.type, send_.data() + kGuardBytes + bytes(i));
    if (kept != input(place_.rank, i)) return fmt::format("element {} of the input was overwritten", i);
  }
  return "";
}

uint64_t Execution::digest() const {
  return has_result() ? XXH3_64bits(result_data(), bytes(result_count())) : 0;
}

}  // namespace netsense::engine_test
