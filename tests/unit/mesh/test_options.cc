#include "tests/catch.h"
#include "tools/perf/error.h"
#include "tools/probe/options.h"

using namespace netsense::mesh;
using Catch::Contains;

namespace {

Options parse(std::vector<const char*> words) {
  words.insert(words.begin(), "netsense-probe");
  return *parse_options(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST_CASE("a host list by hand says who is who and where to meet") {
  const auto first = *parse({"--hosts", "a,b,c", "--rank", "0"}).by_hand;
  const auto last = *parse({"--hosts", "a,b,c", "--rank", "2", "--port", "4711"}).by_hand;
  CHECK((first.rank == 0 && first.ranks == 3 && first.address.host == "a"));
  CHECK((last.rank == 2 && last.address.port == 4711));
  CHECK(first.token == last.token);
  CHECK(first.token != parse({"--hosts", "a,b,d", "--rank", "0"}).by_hand->token);
}

TEST_CASE("a wrong command line is refused, and the message says what is wrong") {
  using netsense::perf::UsageError;
  CHECK_THROWS_AS(parse({"--rank", "0"}), UsageError);
  CHECK_THROWS_WITH(parse({"--hosts", "a,b"}), Contains("--rank"));
  CHECK_THROWS_WITH(parse({"--hosts", "a,b", "--rank", "2"}), Contains("give 0 to 1"));
  CHECK_THROWS_WITH(parse({"--hosts", "a,a", "--rank", "0"}), Contains("a twice"));
  CHECK_THROWS_AS(parse({"--hosts", "a,b", "--rank", "0", "--ranks", "2"}), UsageError);
  CHECK_THROWS_AS(parse({"-4", "-6"}), UsageError);
  CHECK_THROWS_AS(parse({"--step", "0"}), UsageError);
}
