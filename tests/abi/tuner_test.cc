// The tuner: whatever a rank has measured or is set to, all ranks get the same answer, and what NCCL's table
// says to ignore stays ignored. Elsewhere ranks that chose differently hung, and a tuner overwrote ignored
// entries (nccl#1136, #1661). Every version's exported table is called directly.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugin/abi/tuner_v2.h"
#include "plugin/abi/tuner_v3.h"
#include "plugin/abi/tuner_v4.h"
#include "plugin/abi/tuner_v5.h"
#include "plugin/abi/tuner_v6.h"
#include "tests/abi/environment.h"
#include "tests/abi/net_api.h"
#include "tests/catch.h"

namespace netsense::testing {
namespace {

using abi::Result;

constexpr int kAlgorithms = 7;
constexpr int kProtocols = 3;
constexpr int kFunctions = 5;
constexpr float kIgnore = -1;
constexpr int kUndecided = -1;

// What one call was given and may have changed.
struct Answer {
  std::array<float, size_t{kAlgorithms} * kProtocols> costs{};
  int algorithm = kUndecided;
  int protocol = kUndecided;
  int channels = 0;
  uint64_t chunk_bytes = 0;
  bool operator==(const Answer&) const = default;
};

// A table in which every third entry is ignored, and some times are so small that changing them would change
// the choice.
Answer question(int function, size_t bytes, int channels) {
  Answer answer;
  for (size_t i = 0; i < answer.costs.size(); ++i) {
    const bool ignored = (i + static_cast<size_t>(function)) % 3 == 0;
    answer.costs[i] = ignored ? kIgnore : 0.5F + static_cast<float>(bytes >> 10) * static_cast<float>(i % 5);
  }
  answer.channels = channels;
  answer.chunk_bytes = bytes / 2;
  return answer;
}

template <int kNumber, typename TableType>
struct Version {
  static constexpr int kVersion = kNumber;
  using Table = TableType;
};
using V2 = Version<2, abi::TunerV2>;
using V3 = Version<3, abi::TunerV3>;
using V4 = Version<4, abi::TunerV4>;
using V5 = Version<5, abi::TunerV5>;
using V6 = Version<6, abi::TunerV6>;

template <typename V>
const typename V::Table& find_table(void* library) {
  const std::string symbol = "ncclTunerPlugin_v" + std::to_string(V::kVersion);
  const void* table = dlsym(library, symbol.c_str());
  if (table == nullptr) throw std::runtime_error("no symbol " + symbol);
  return *static_cast<const typename V::Table*>(table);
}

void require_ok(Result result, const char* what) {
  if (result != Result::kOk) throw std::runtime_error(std::string(what) + " failed");
}

// constants: null for the versions that are given none.
template <typename V>
void* init(const typename V::Table& table, abi::TunerConstantsV5* constants) {
  void* context = nullptr;
  if constexpr (V::kVersion >= 5) {
    abi::NvlDomainInfoV5 domains{4, 1, 1};
    require_ok(table.init(&context, 1, 4, 4, nullptr, &domains, constants), "init");
  } else {
    require_ok(table.init(4, 4, nullptr, &context), "init");
  }
  return context;
}

template <typename V>
void ask(const typename V::Table& table, void* context, int function, size_t bytes, int registered,
         Answer& answer) {
  auto** costs = reinterpret_cast<float**>(answer.costs.data());
  Result result = Result::kOk;
  if constexpr (V::kVersion == 2) {
    result = table.get_coll_info(context, function, bytes, 0, 0, 1, &answer.algorithm, &answer.protocol,
                                 &answer.channels);
  } else if constexpr (V::kVersion == 3) {
    result =
        table.get_coll_info(context, function, bytes, 1, costs, kAlgorithms, kProtocols, &answer.channels);
  } else {
    result = table.get_coll_info(context, function, bytes, 1, costs, kAlgorithms, kProtocols, registered,
                                 &answer.channels);
  }
  require_ok(result, "getCollInfo");
  if constexpr (V::kVersion >= 6) {
    if (table.get_chunk_size == nullptr) return;
    require_ok(table.get_chunk_size(context, function, bytes, 1, 2, 2, &answer.chunk_bytes), "getChunkSize");
  }
}

// Calls `visit` with the question and the answer to it, for all collectives and sizes.
template <typename V, typename Visit>
void ask_all(void* library, Visit visit) {
  const auto& table = find_table<V>(library);
  abi::TunerConstantsV5 constants{};
  void* context = init<V>(table, &constants);
  for (int function = 0; function < kFunctions; ++function) {
    for (size_t bytes = 1; bytes <= size_t{1} << 32; bytes *= 8) {
      for (const int registered : {0, 1}) {
        const Answer asked = question(function, bytes, registered * 2);
        Answer answer = asked;
        ask<V>(table, context, function, bytes, registered, answer);
        visit(asked, answer);
      }
    }
  }
  if constexpr (V::kVersion >= 5) {
    require_ok(table.finalize(context), "finalize");
  } else {
    require_ok(table.destroy(context), "destroy");
  }
}

template <typename V>
std::vector<Answer> all_answers(void* library) {
  std::vector<Answer> answers;
  ask_all<V>(library, [&](const Answer&, const Answer& answer) { answers.push_back(answer); });
  return answers;
}

void send_some(Plugin& plugin) {
  Connection connection(plugin);
  std::vector<uint8_t> sent = floats(size_t{1} << 20, 1);
  std::vector<uint8_t> received(sent.size());
  const Registration from(connection.net(), connection.send_comm(), sent.data(), sent.size());
  const Registration to(connection.net(), connection.recv_comm(), received.data(), received.size());
  for (int i = 0; i < 4; ++i) {
    const std::array<void*, 2> requests{connection.post_recv(received.data(), received.size(), to.handle()),
                                        connection.post_send(sent.data(), sent.size(), from.handle())};
    connection.wait(requests);
  }
}

// The answers of a rank that lives under other settings and has sent and measured, from a process of its own.
template <typename V>
std::vector<Answer> answers_of_another_rank(size_t expected) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    int code = 1;
    try {
      setenv("NETSENSE_TCP_STREAMS", "5", 1);
      setenv("NETSENSE_TCP_THREADS", "1", 1);
      setenv("NETSENSE_CODEC", "tight", 1);
      setenv("NCCL_SOCKET_FAMILY", "AF_INET", 1);
      setenv("NCCL_ALGO", "Tree", 1);
      setenv("NCCL_PROTO", "LL", 1);
      Plugin plugin(library_path());
      send_some(plugin);
      const Library library = open_library(library_path());
      const std::vector<Answer> answers = all_answers<V>(library.get());
      const size_t bytes = answers.size() * sizeof(Answer);
      if (write(ends[1], answers.data(), bytes) == static_cast<ssize_t>(bytes)) code = 0;
    } catch (const std::exception& error) {
      fprintf(stderr, "the other rank: %s\n", error.what());
    }
    _exit(code);
  }
  close(ends[1]);
  std::vector<Answer> answers(expected);
  size_t got = 0;
  auto* bytes = reinterpret_cast<char*>(answers.data());
  for (ssize_t n = 1; n > 0 && got < expected * sizeof(Answer);) {
    n = read(ends[0], bytes + got, expected * sizeof(Answer) - got);
    got += n > 0 ? static_cast<size_t>(n) : 0;
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(got == expected * sizeof(Answer));
  return answers;
}

// The structure has nothing but doubles in it.
std::vector<double> numbers(const abi::TunerConstantsV5& constants) {
  std::vector<double> values(sizeof constants / sizeof(double));
  memcpy(values.data(), &constants, sizeof constants);
  return values;
}

}  // namespace

TEMPLATE_TEST_CASE("NCCL's table and channels stay as they are, but that CollNet is avoided", "", V2, V3, V4, V5,
                   V6) {
  const Library library = open_library(library_path());
  size_t calls = 0;
  ask_all<TestType>(library.get(), [&](const Answer& asked, const Answer& answer) {
    ++calls;
    Answer but_collnet = answer;
    for (size_t i = 0; i < asked.costs.size(); ++i) {
      const size_t algorithm = i / kProtocols;
      if (algorithm != 2 && algorithm != 3) continue;  // CollNetDirect and CollNetChain
      but_collnet.costs[i] = asked.costs[i];
      if (asked.costs[i] == kIgnore || TestType::kVersion == 2) {
        CHECK(answer.costs[i] == asked.costs[i]);
      } else {
        CHECK(answer.costs[i] > *std::max_element(asked.costs.begin(), asked.costs.end()));
      }
    }
    CHECK(but_collnet == asked);
  });
  CHECK(calls == size_t{kFunctions} * 11 * 2);
}

TEMPLATE_TEST_CASE("ranks with other settings and measurements get the same answers", "", V2, V3, V4, V5,
                   V6) {
  std::vector<Answer> ours;
  {
    const Library library = open_library(library_path());
    ours = all_answers<TestType>(library.get());
  }
  CHECK(answers_of_another_rank<TestType>(ours.size()) == ours);
}

TEMPLATE_TEST_CASE("init succeeds without logger, context, domains and constants", "", V5, V6) {
  const Library library = open_library(library_path());
  const auto& table = find_table<TestType>(library.get());
  CHECK(table.init(nullptr, 0, 0, 0, nullptr, nullptr, nullptr) == Result::kOk);
  CHECK(table.finalize(nullptr) == Result::kOk);
}

TEMPLATE_TEST_CASE("init leaves the constants of NCCL's model alone", "", V5, V6) {
  const Library library = open_library(library_path());
  abi::TunerConstantsV5 constants{};
  constants.base_latencies[1][2] = 8.4;
  constants.tree_channel_bandwidths[2][1] = 24;
  const abi::TunerConstantsV5 before = constants;
  init<TestType>(find_table<TestType>(library.get()), &constants);
  CHECK(numbers(constants) == numbers(before));
}

TEMPLATE_TEST_CASE("init of old versions succeeds with nothing", "", V2, V3, V4) {
  const Library library = open_library(library_path());
  const auto& table = find_table<TestType>(library.get());
  CHECK(table.init(0, 0, nullptr, nullptr) == Result::kOk);
  CHECK(table.destroy(nullptr) == Result::kOk);
}

}  // namespace netsense::testing
