#include <map>

#include "tests/catch.h"
#include "tools/perf/error.h"
#include "tools/perf/membership.h"

namespace netsense::perf {
namespace {

Environment environment_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace

TEST_CASE("torchrun's environment says everything") {
  const auto membership = detect_membership(environment_of({{"RANK", "3"},
                                                            {"WORLD_SIZE", "8"},
                                                            {"LOCAL_RANK", "1"},
                                                            {"MASTER_ADDR", "10.0.0.1"},
                                                            {"MASTER_PORT", "29500"}}),
                                            "");
  REQUIRE(membership.has_value());
  CHECK(membership->rank == 3);
  CHECK(membership->ranks == 8);
  CHECK(membership->local_rank == 1);
  CHECK(membership->address.host == "10.0.0.1");
  CHECK(membership->address.port == 29500);
}

TEST_CASE("the port is left to torchrun's agent when it serves a store there") {
  const auto membership = detect_membership(environment_of({{"RANK", "0"},
                                                            {"WORLD_SIZE", "2"},
                                                            {"MASTER_ADDR", "h"},
                                                            {"MASTER_PORT", "29500"},
                                                            {"TORCHELASTIC_USE_AGENT_STORE", "True"}}),
                                            "");
  CHECK(membership.value().address.port == 29501);
}

TEST_CASE("Open MPI and PMI need an address from somewhere") {
  const std::map<std::string, std::string> open_mpi{{"OMPI_COMM_WORLD_RANK", "1"},
                                                    {"OMPI_COMM_WORLD_SIZE", "2"}};
  CHECK_THROWS_WITH(detect_membership(environment_of(open_mpi), ""), Catch::Contains("--rendezvous"));
  CHECK(detect_membership(environment_of(open_mpi), "[fd00::1]:4000").value().address.host == "fd00::1");
  CHECK(detect_membership(environment_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}}), "h:1").value().ranks == 4);
}

TEST_CASE("Slurm counts only inside a step, and gives address and port") {
  std::map<std::string, std::string> slurm{
      {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "20005"}};
  CHECK_FALSE(detect_membership(environment_of(slurm), "").has_value());
  slurm["SLURM_LAUNCH_NODE_IPADDR"] = "10.1.1.1";
  const auto membership = detect_membership(environment_of(slurm), "");
  CHECK(membership.value().rank == 2);
  CHECK(membership->address.host == "10.1.1.1");
  CHECK(membership->address.port == 20005);
}

TEST_CASE("an incomplete or contradicting environment is refused, naming the variable") {
  CHECK_FALSE(detect_membership(environment_of({}), "").has_value());
  CHECK_THROWS_AS(detect_membership(environment_of({{"RANK", "1"}}), ""), UsageError);
  CHECK_THROWS_WITH(detect_membership(environment_of({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), "h:1"),
                    Catch::Contains("RANK=x"));
  CHECK_THROWS_AS(detect_membership(environment_of({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), "h:1"), UsageError);
  CHECK_THROWS_WITH(
      detect_membership(
          environment_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}, {"MASTER_PORT", "0"}}),
          ""),
      Catch::Contains("MASTER_PORT"));
}

TEST_CASE("jobs have different tokens, ranks of one job the same") {
  const auto token = [](const char* job, const char* rank) {
    return detect_membership(
               environment_of({{"RANK", rank}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", job}}), "h:1")
        .value()
        .token;
  };
  CHECK(token("a", "0") == token("a", "1"));
  CHECK(token("a", "0") != token("b", "0"));
}

TEST_CASE("addresses are read and written with brackets for IPv6") {
  CHECK(parse_address("node1:80").host == "node1");
  CHECK(parse_address("node1:80").port == 80);
  CHECK(format_address(parse_address("[::1]:80")) == "[::1]:80");
  CHECK(format_address({"h", 1}) == "h:1");
  for (const char* text : {"", "host", ":80", "host:", "host:0", "host:65536", "host:x", "::1:80"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_address(text), UsageError);
  }
}

}  // namespace netsense::perf
