// The levels, what they cost, and how they are chosen.
#include "plugin/adapt/lossy_level.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace netsense::adapt {
namespace {

// Every level that can be chosen, from fine to coarse.
std::vector<LossyLevel> levels(const LossyData& data = {}) {
  std::vector<LossyLevel> found;
  for (double ratio = 1; ratio > 1e-4; ratio *= 0.99) {
    const LossyLevel level = finest_within(ratio, 0, data);
    if (found.empty() || !(found.back() == level)) found.push_back(level);
  }
  return found;
}

// Energy of the error over energy, when groups of 256 of the values kept are rounded stochastically to
// q scale / L: the variance of a value is that of a coin between its two neighbours.
double error(const LossyLevel& level, const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return std::abs(a) > std::abs(b); });
  const auto kept = static_cast<size_t>(level.keep * static_cast<double>(values.size()));
  const double least = std::abs(sorted[kept - 1]);
  const double steps = std::exp2(level.bits - 1) - 1;
  double lost = 0;
  double energy = 0;
  std::vector<double> group;
  for (const double value : values) {
    energy += value * value;
    if (std::abs(value) < least) {
      lost += value * value;
      continue;
    }
    group.push_back(std::abs(value));
    if (group.size() < 256) continue;
    const double step = *std::max_element(group.begin(), group.end()) / steps;
    for (const double each : group) {
      const double fraction = each / step - std::floor(each / step);
      lost += fraction * (1 - fraction) * step * step;
    }
    group.clear();
  }
  return lost / energy;
}

std::vector<double> draw(const std::function<double(std::mt19937_64&)>& one) {
  std::mt19937_64 random(7);
  std::vector<double> values(1 << 17);
  std::generate(values.begin(), values.end(), [&] { return one(random); });
  return values;
}

}  // namespace

TEST_CASE("what a level sends is counted as the format lays it out") {
  CHECK(wire_bits({.lossless = false, .bits = 8}) == 8.0625);
  // A bitmap where that is less than gaps, which are log2(10) + 1.5 bits each.
  CHECK(wire_bits({.lossless = false, .bits = 4, .keep = 0.5}) == 0.5 * 4.0625 + 1);
  CHECK(wire_bits({.lossless = false, .bits = 4, .keep = 0.1F}) ==
        Approx(0.1 * 4.0625 + 0.1 * (std::log2(10) + 1.5)));
  // What is pruned cannot be kept.
  CHECK(wire_bits({.lossless = false, .bits = 4, .keep = 0.7F, .prune = 0.5F}) == 0.5 * 4.0625 + 1);
  CHECK(wire_bits({.lossless = false, .bits = 4, .keep = 0.7F, .prune = 1}) == 0);
  CHECK(expected_ratio({.lossless = false, .bits = 4}, 4) == 4.0625 / 32);
  CHECK(expected_ratio({.lossless = false, .bits = 4}, 2) == 4.0625 / 16);
  CHECK(expected_ratio({}, 4) == 1);
}

TEST_CASE("each level sends less than the one before, and no step is wide") {
  const std::vector<LossyLevel> all = levels();
  REQUIRE(all.size() > 30);
  CHECK(all.front().lossless);
  CHECK(all[1] == LossyLevel{.lossless = false, .bits = 8});
  CHECK(all.back().keep == 0.005F);
  for (size_t i = 2; i < all.size(); ++i) {
    INFO(i);
    CHECK(wire_bits(all[i]) < wire_bits(all[i - 1]));
    CHECK(wire_bits(all[i]) > 0.7 * wire_bits(all[i - 1]));
  }
}

TEST_CASE("each level loses more than the one before, of normal and of heavier tails") {
  const auto normal = draw([](auto& random) { return std::normal_distribution<>()(random); });
  const auto laplace = draw(
      [](auto& random) { return std::exponential_distribution<>()(random) * (random() % 2 == 0 ? 1 : -1); });
  const std::vector<LossyLevel> all = levels();
  for (const auto* values : {&normal, &laplace}) {
    for (size_t i = 2; i < all.size(); ++i) {
      INFO(i);
      CHECK(error(all[i], *values) > error(all[i - 1], *values));
    }
  }
}

TEST_CASE("half of the values with 4 bits cost no more than all with 3, and lose less") {
  const auto normal = draw([](auto& random) { return std::normal_distribution<>()(random); });
  const LossyLevel sparse{.lossless = false, .bits = 4, .keep = 0.5};
  const LossyLevel dense{.lossless = false, .bits = 3};
  CHECK(wire_bits(sparse) < wire_bits(dense));
  CHECK(error(sparse, normal) < 0.75 * error(dense, normal));
}

TEST_CASE("the finest level within a ratio is taken") {
  for (const size_t bytes : {2, 4}) {
    for (double ratio = 0.99; ratio > 0.01; ratio *= 0.97) {
      const LossyLevel found = finest_within(ratio, 0.005, {.element_bytes = bytes});
      INFO(ratio << " of " << bytes);
      CHECK(expected_ratio(found, bytes) <= ratio);
      for (const LossyLevel& other : levels()) {
        const double of_other = expected_ratio(other, bytes);
        if (of_other <= ratio) CHECK(of_other <= expected_ratio(found, bytes));
      }
    }
  }
}

TEST_CASE("the least ratio holds, also where nothing fits") {
  for (const double least : {0.002, 0.005, 0.05, 0.3, 1.0}) {
    const LossyLevel found = finest_within(0.0001, least, {});
    INFO(least);
    CHECK(expected_ratio(found, 4) >= least);
    CHECK((found.lossless || expected_ratio(found, 4) < 1.5 * least));
  }
}

TEST_CASE("nothing is lost where lossless coding fits") {
  CHECK(finest_within(0.9, 0.005, {}).bits == 8);
  CHECK(finest_within(0.9, 0.005, {.lossless_ratio = 0.85}).lossless);
  CHECK_FALSE(finest_within(0.8, 0.005, {.lossless_ratio = 0.85}).lossless);
}

TEST_CASE("without sparse levels all elements are sent, with 4 bits at least") {
  const LossyData data{.allow_sparse = false};
  for (const LossyLevel& level : levels(data)) {
    CHECK(level.keep == 1);
    CHECK(level.bits >= 4);
  }
  CHECK(finest_within(0.001, 0.005, data) == LossyLevel{.lossless = false, .bits = 4});
  CHECK(without_leaving_out({.lossless = false, .bits = 2, .keep = 0.1F, .prune = 0.5F}) ==
        LossyLevel{.lossless = false, .bits = 4});
  CHECK(without_leaving_out({.lossless = false, .bits = 7}).bits == 7);
  CHECK(without_leaving_out({}).lossless);
}

}  // namespace netsense::adapt
