#include "tests/engine/matrix/suites.h"

#include <array>
#include <functional>
#include <map>
#include <stdexcept>

namespace netsense::engine_test {
namespace {

constexpr std::array kKinds{Kind::kAllReduce,     Kind::kBroadcast, Kind::kReduce, Kind::kAllGather,
                            Kind::kReduceScatter, Kind::kAllToAll,  Kind::kRing};

bool rooted(Kind kind) {
  return kind == Kind::kBroadcast || kind == Kind::kReduce;
}
bool has_in_place_form(Kind kind) {
  return kind != Kind::kAllToAll && kind != Kind::kRing;
}

void add(Suite* suite, const Operation& operation) {
  suite->batches.push_back({.entries = {{.operation = operation}}});
}

Suite types(int ranks) {
  Suite suite;
  for (int type = 0; type < ns_num_types; ++type) {
    for (const Kind kind : kKinds) {
      Operation operation{.kind = kind, .type = static_cast<ns_type>(type), .root = ranks - 1};
      for (int op = 0; op < (operation.reduces() ? int{ns_num_ops} : 1); ++op) {
        operation.op = static_cast<ns_op>(op);
        for (const size_t count : {size_t{1}, size_t{1025}}) {
          operation.count = count;
          add(&suite, operation);
        }
      }
    }
  }
  return suite;
}

void add_sizes(Suite* suite, int ranks, ns_type type, const std::vector<size_t>& counts) {
  for (const Kind kind : kKinds) {
    for (const size_t count : counts) {
      for (const bool in_place : {false, true}) {
        if (in_place && !has_in_place_form(kind)) continue;
        // Every root in turn, not every root with every count: roots differ in the ring's shape only.
        const int root =
            rooted(kind) ? static_cast<int>((count + (in_place ? 1 : 0)) % static_cast<size_t>(ranks)) : 0;
        add(suite, {.kind = kind, .count = count, .type = type, .root = root, .in_place = in_place});
      }
    }
  }
}

Suite sizes(int ranks) {
  Suite suite;
  add_sizes(&suite, ranks, ns_float32,
            {0, 1, 2, 3, 5, 7, 15, 63, 64, 65, 127, 1023, 1024, 1025, 16383, 65537, 262147});
  add_sizes(&suite, ranks, ns_int8, {1, 3, 7, 8, 9, 15, 17, 4095, 4097, 65539});
  add_sizes(&suite, ranks, ns_float64, {1, 3, 511, 513, 32771});
  return suite;
}

Suite large(int ranks) {
  Suite suite;
  add_sizes(&suite, ranks, ns_float32, {size_t{3} * 1024 * 1024 / 2 + 3});
  add(&suite, {.kind = Kind::kAllReduce, .count = (size_t{5} << 20) + 1, .type = ns_uint8, .op = ns_max});
  add(&suite, {.kind = Kind::kAllReduce, .count = (size_t{2} << 20) + 5, .type = ns_bfloat16});
  return suite;
}

Suite groups(int ranks) {
  Suite suite;
  const int last = ranks - 1;
  for (const size_t count : {size_t{0}, size_t{1}, size_t{1000}, size_t{100003}}) {
    suite.batches.push_back({.entries = {{{.kind = Kind::kAllReduce, .count = count}},
                                         {{.kind = Kind::kAllGather, .count = count, .type = ns_int8}}},
                             .grouped = true});
    suite.batches.push_back(
        {.entries = {{{.kind = Kind::kAllReduce, .count = count}}, {{.kind = Kind::kRing, .count = count}}},
         .grouped = true});
    suite.batches.push_back({.entries = {{{.kind = Kind::kRing, .count = count}},
                                         {{.kind = Kind::kAllToAll, .count = count, .type = ns_int32}},
                                         {{.kind = Kind::kRing, .count = count / 2, .type = ns_uint8}}},
                             .grouped = true});
    suite.batches.push_back(
        {.entries = {{{.kind = Kind::kBroadcast, .count = count, .root = last}},
                     {{.kind = Kind::kReduce, .count = count, .root = last}},
                     {{.kind = Kind::kReduceScatter, .count = count, .op = ns_avg}},
                     {{.kind = Kind::kAllReduce, .count = 3 * count, .type = ns_float64}}},
         .grouped = true});
    // Queued one behind the other, waited for once.
    suite.batches.push_back({.entries = {{{.kind = Kind::kAllReduce, .count = count}},
                                         {{.kind = Kind::kBroadcast, .count = count, .root = 0}},
                                         {{.kind = Kind::kAllReduce, .count = count, .in_place = true}}}});
  }
  return suite;
}

Suite communicators(int /*ranks*/) {
  Suite suite;
  suite.communicators = 3;
  for (const size_t count : {size_t{1}, size_t{777}, size_t{50021}}) {
    for (int first = 0; first < suite.communicators; ++first) {
      const int second = (first + 1) % suite.communicators;
      add(&suite, {.kind = Kind::kAllReduce, .count = count});
      suite.batches.push_back({.entries = {{{.kind = Kind::kAllReduce, .count = count}, first},
                                           {{.kind = Kind::kAllGather, .count = count}, second},
                                           {{.kind = Kind::kRing, .count = count}, first}}});
    }
  }
  return suite;
}

Suite repeat(int /*ranks*/) {
  Suite suite;
  for (size_t i = 0; i < 150; ++i) {
    add(&suite, {.kind = Kind::kAllReduce, .count = 1 + (i * i) % 5000, .in_place = i % 2 == 1});
    add(&suite, {.kind = Kind::kAllGather, .count = 1 + (i * 37) % 3000, .type = ns_uint8});
  }
  return suite;
}

Suite small(int ranks) {
  Suite suite;
  add_sizes(&suite, ranks, ns_float32, {0, 1, 1025, 40001});
  for (const Suite& other : {groups(ranks)}) {
    suite.batches.insert(suite.batches.end(), other.batches.begin(), other.batches.begin() + 10);
  }
  return suite;
}

}  // namespace

std::vector<Operation> Suite::operations() const {
  std::vector<Operation> all;
  for (const Batch& batch : batches) {
    for (const Batch::Entry& entry : batch.entries) all.push_back(entry.operation);
  }
  return all;
}

Suite make_suite(const std::string& name, int ranks) {
  static const std::map<std::string, std::function<Suite(int)>> known{
      {"types", types},
      {"sizes", sizes},
      {"large", large},
      {"groups", groups},
      {"communicators", communicators},
      {"repeat", repeat},
      {"small", small},
  };
  const auto found = known.find(name);
  if (found == known.end()) throw std::invalid_argument("no suite " + name);
  return found->second(ranks);
}

}  // namespace netsense::engine_test
