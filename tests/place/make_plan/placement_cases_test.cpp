#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/half_constants.h"
#include "place/draft/certain_shapes.h"
#include "place/make_plan.h"
#include "place/plan_checker.h"

namespace detent::test {

// gtest finds it by name lookup and prints the place, not the bytes.
void PrintTo(const PlacementCase& one, std::ostream* out) { *out << one.file.string() << ":" << one.number; }

namespace {

void check_error(const PlacementCase& one, const Expectation& expectation, const Graph& graph, const Target& target,
                 const Line& line) {
  const std::string wanted = line.text.substr(std::string("error ").size());
  try {
    (void)make_placement_plan(graph, target, expectation.options, {}, expectation.measured);
    ADD_FAILURE_AT(one.file.c_str(), line.number) << "planning succeeded";
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidOption || std::string(error.what()).find(wanted) == std::string::npos)
      ADD_FAILURE_AT(one.file.c_str(), line.number) << "the error is: " << error.what();
  }
}

bool is_sized(const Expectation& expectation) {
  return std::ranges::any_of(expectation.lines, [](const Line& line) { return line.text == "sized"; });
}

ValueShapes certain_sizes(const Graph& graph, const Target& target) {
  const GraphFacts facts(graph, target);
  CertainShapes certain(facts);
  ValueShapes sizes;
  for (const Value& value : graph.values())
    if (const auto extents = certain.of(value.id);
        extents && std::ranges::all_of(*extents, [](auto n) { return n >= 0; }))
      sizes.emplace(value.id, Shape(*extents));
  return sizes;
}

void check_expectation(const PlacementCase& one, const Expectation& expectation, const Graph& graph,
                       const Target& target) {
  if (!expectation.lines.empty() && expectation.lines.front().text.starts_with("error "))
    return check_error(one, expectation, graph, target, expectation.lines.front());
  const ValueShapes shapes = is_sized(expectation) ? certain_sizes(graph, target) : ValueShapes{};
  const PlacementPlan plan = make_placement_plan(graph, target, expectation.options, shapes, expectation.measured);
  PlanChecker(one, expectation, graph, plan).check();
}

Model model_of(const PlacementCase& one) {
  try {
    return parse_half_model(one.model);
  } catch (const Error& error) {
    throw error.in(one.file.string() + ":" + std::to_string(one.number));
  }
}

std::vector<PlacementCase> all_cases() {
  return read_placement_cases(std::filesystem::path(DETENT_SOURCE_DIR) / "tests/place/cases");
}

class PlacementText : public testing::TestWithParam<PlacementCase> {};

TEST_P(PlacementText, MatchesItsPlan) {
  const PlacementCase& one = GetParam();
  const Model model = model_of(one);
  ASSERT_FALSE(one.expectations.empty()) << one.file << ":" << one.number;
  for (const Expectation& expectation : one.expectations)
    check_expectation(one, expectation, model.graph(), find_target(expectation.target));
}

INSTANTIATE_TEST_SUITE_P(Cases, PlacementText, testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

/// Returns every sentence of a plan.
std::vector<std::string> sentences_of(const PlacementPlan& plan) {
  std::vector<std::string> said = plan.notes;
  for (const LayerDecision& layer : plan.layers) said.push_back(layer.reason);
  for (const EdgeDecision& edge : plan.edges) said.push_back(edge.reason);
  for (const auto& [id, value] : plan.values)
    if (value.output) said.push_back(value.output->reason);
  for (const AttentionDecision& decision : plan.attention) said.push_back(decision.reason + decision.otherwise);
  return said;
}

TEST(SentencesOfAPlan, OfFP8NeverSayINT8) {
  std::set<std::string> fp8;
  for (const PlacementCase& one : all_cases()) {
    const Model model = model_of(one);
    for (const Expectation& expectation : one.expectations) {
      const Target& target = find_target(expectation.target);
      if (!target.takes_fp8() || (!expectation.lines.empty() && expectation.lines.front().text.starts_with("error ")))
        continue;
      PlacementRequest options = expectation.options;
      options.type = CodeType::Fp8;
      for (const std::string& sentence :
           sentences_of(make_placement_plan(model.graph(), target, options, {}, expectation.measured))) {
        EXPECT_EQ(sentence.find("INT8"), std::string::npos)
            << one.file << ":" << expectation.number << ": " << sentence;
        if (sentence.find("FP8") != std::string::npos) fp8.insert(sentence);
      }
    }
  }
  EXPECT_GT(fp8.size(), 10U) << "few sentences name the type";
}

/// The rules of an engine without one of them.
std::vector<const Rule*> other_rules;

/// Returns the target with `engine` as its engine.
Target target_of(const Target& target, const EngineDef& engine) {
  return Target{.engine = engine,
                .version_major = target.version_major,
                .version_minor = target.version_minor,
                .variant = target.variant,
                .activation = target.activation,
                .activation_types = target.activation_types,
                .other_types = target.other_types,
                .int8_weight_initializer = target.int8_weight_initializer,
                .default_axis_is_1 = target.default_axis_is_1,
                .reads_uint8_as_int8 = target.reads_uint8_as_int8,
                .saturates_without_vnni = target.saturates_without_vnni,
                .pairs_taps_apart = target.pairs_taps_apart,
                .int8_deconvolutions = target.int8_deconvolutions,
                .concat_shares_scale = target.concat_shares_scale,
                .operands_share_scale = target.operands_share_scale,
                .float_type = target.float_type,
                .fp8_refusal = target.fp8_refusal,
                .strongly_typed = target.strongly_typed,
                .attention_kernels = target.attention_kernels,
                .parser = target.parser};
}

/// Returns true if an expectation for an engine does not hold for `changed` in its place.
bool notices(const PlacementCase& one, const Graph& graph, const EngineDef& engine, const EngineDef& changed) {
  using Reporter = testing::ScopedFakeTestPartResultReporter;
  testing::TestPartResultArray failures;
  const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
  for (const Expectation& expectation : one.expectations) {
    const Target& target = find_target(expectation.target);
    if (&target.engine != &engine) continue;
    check_expectation(one, expectation, graph, target_of(target, changed));
    if (failures.size() > 0) return true;
  }
  return false;
}

// A rule of several engines needs a case of one of them.
TEST(PlacementRules, HaveACaseThatFailsWithoutThem) {
  std::vector<std::pair<PlacementCase, Model>> cases;
  for (const PlacementCase& one : all_cases()) cases.emplace_back(one, model_of(one));
  std::map<const Rule*, bool> needed;
  for (const EngineDef* engine : engine_list()) {
    const auto rules = *engine->rules;
    EngineDef changed = *engine;
    const auto noticed = [&] {
      changed.rules = std::span<const Rule* const>(other_rules);
      return std::ranges::any_of(
          cases, [&](const auto& one) { return notices(one.first, one.second.graph(), *engine, changed); });
    };
    other_rules.assign(rules.begin(), rules.end());
    EXPECT_FALSE(noticed()) << *engine->name << ": a case fails with all rules";
    for (const Rule* rule : rules) {
      other_rules.assign(rules.begin(), rules.end());
      std::erase(other_rules, rule);
      needed[rule] |= noticed();
    }
  }
  for (const auto& [rule, found] : needed)
    EXPECT_TRUE(found) << "no case in tests/place/cases fails without " << name_of(rule);
}

}  // namespace
}  // namespace detent::test
