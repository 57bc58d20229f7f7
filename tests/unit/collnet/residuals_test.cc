// The memory of error feedback: what is left over comes back for the same elements, within the bound.
#include "plugin/collnet/residuals.h"

#include "tests/catch.h"

namespace netsense::collnet {
namespace {

constexpr size_t kElements = 100;
constexpr size_t kBytes = kElements * 4;
using Values = std::vector<float>;

Values of(const Residual& residual) {
  Values values(residual.elements());
  residual.add_to(0, values.size(), values.data());
  return values;
}

}  // namespace

TEST_CASE("what is stored is added later, at its place, to the same key only") {
  ResidualBudget budget(10 * kBytes);
  Residuals residuals(budget, config::ResidualType::kF32);
  Residual* residual = residuals.find({1, 0, 0}, kElements, 0);
  REQUIRE(residual != nullptr);
  CHECK(of(*residual) == Values(kElements, 0));
  const Values left{1.25F, -3};
  residual->store(10, left.size(), left.data());
  Values sum{1, 1, 1};
  residuals.find({1, 0, 0}, kElements, 1)->add_to(9, sum.size(), sum.data());
  CHECK(sum == Values{1, 2.25F, -2});
  CHECK(of(*residuals.find({1, 1, 0}, kElements, 1)) == Values(kElements, 0));
  CHECK(of(*residuals.find({1, 0, 1}, kElements, 1)) == Values(kElements, 0));
  CHECK(of(*residuals.find({2, 0, 0}, kElements, 1)) == Values(kElements, 0));
}

TEST_CASE("another number of elements begins anew") {
  ResidualBudget budget(10 * kBytes);
  Residuals residuals(budget, config::ResidualType::kF32);
  const Values left{7};
  residuals.find({1, 0, 0}, kElements, 0)->store(0, 1, left.data());
  CHECK(residuals.existing({1, 0, 0}, kElements + 1) == nullptr);
  Residual* other = residuals.find({1, 0, 0}, kElements + 1, 1);
  REQUIRE(other != nullptr);
  CHECK(of(*other) == Values(kElements + 1, 0));
}

TEST_CASE("bf16 takes half the memory and keeps eight bits") {
  ResidualBudget budget(kBytes);
  Residuals residuals(budget, config::ResidualType::kBf16);
  REQUIRE(residuals.find({1, 0, 0}, kElements, 0) != nullptr);
  Residual* second = residuals.find({2, 0, 0}, kElements, 0);
  REQUIRE(second != nullptr);
  const Values left{1.00390625F};  // 1 + 2^-8: halfway, to even
  second->store(0, 1, left.data());
  CHECK(of(*second)[0] == 1);
  CHECK(residuals.find({3, 0, 0}, kElements, 0) == nullptr);
}

TEST_CASE("the bound holds for all comms together, and is given back") {
  ResidualBudget budget(3 * kBytes);
  Residuals first(budget, config::ResidualType::kF32);
  REQUIRE(first.find({1, 0, 0}, kElements, 0) != nullptr);
  {
    Residuals second(budget, config::ResidualType::kF32);
    REQUIRE(second.find({1, 0, 0}, kElements, 0) != nullptr);
    REQUIRE(second.find({2, 0, 0}, kElements, 0) != nullptr);
    CHECK(first.find({2, 0, 0}, kElements, 0) == nullptr);
  }
  CHECK(first.find({2, 0, 0}, kElements, 0) != nullptr);
}

TEST_CASE("only what has long not been used makes room") {
  ResidualBudget budget(2 * kBytes);
  Residuals residuals(budget, config::ResidualType::kF32);
  REQUIRE(residuals.find({1, 0, 0}, kElements, 0) != nullptr);
  REQUIRE(residuals.find({2, 0, 0}, kElements, 1) != nullptr);
  CHECK(residuals.find({3, 0, 0}, kElements, 2) == nullptr);
  CHECK(residuals.existing({1, 0, 0}, kElements) != nullptr);
  // The second stays in use; the first is over.
  for (uint64_t call = 2; call < 100; ++call) REQUIRE(residuals.find({2, 0, 0}, kElements, call) != nullptr);
  CHECK(residuals.find({3, 0, 0}, kElements, 100) != nullptr);
  CHECK(residuals.existing({1, 0, 0}, kElements) == nullptr);
  CHECK(residuals.existing({2, 0, 0}, kElements) != nullptr);
}

TEST_CASE("what a call under way uses makes no room") {
  ResidualBudget budget(kBytes);
  Residuals residuals(budget, config::ResidualType::kF32);
  REQUIRE(residuals.find({1, 0, 0}, kElements, 9) != nullptr);
  CHECK(residuals.find({1, 0, 1}, kElements, 8) == nullptr);  // the sums of a call before it
  CHECK(residuals.find({1, 0, 1}, kElements, 60) ==
        nullptr);  // a call that may have begun before it has ended
  CHECK(residuals.existing({1, 0, 0}, kElements) != nullptr);
}

TEST_CASE("no memory, no residual") {
  ResidualBudget budget(0);
  Residuals residuals(budget, config::ResidualType::kF32);
  CHECK(residuals.find({1, 0, 0}, 1, 0) == nullptr);
}

}  // namespace netsense::collnet
