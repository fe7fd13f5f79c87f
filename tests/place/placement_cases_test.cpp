#include <gtest/gtest.h>

#include "place/plan_checker.h"

namespace detent::test {

// gtest finds it by name lookup and prints the place, not the bytes.
void PrintTo(const PlacementCase& one, std::ostream* out) { *out << one.file.string() << ":" << one.number; }

namespace {

class PlacementText : public testing::TestWithParam<PlacementCase> {};

TEST_P(PlacementText, MatchesItsPlan) {
  const PlacementCase& one = GetParam();
  const Model model = model_of(one);
  ASSERT_FALSE(one.expectations.empty()) << one.file << ":" << one.number;
  for (const Expectation& expectation : one.expectations)
    check_expectation(one, expectation, model.graph(), find_target(expectation.target));
}

INSTANTIATE_TEST_SUITE_P(Cases, PlacementText,
                         testing::ValuesIn(read_placement_cases(std::filesystem::path(DETENT_SOURCE_DIR) /
                                                                "tests/place/cases")),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace detent::test
