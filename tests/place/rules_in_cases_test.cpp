// Every rule is expected by a case in tests/place/cases: without it some case does not match its plan. The numbers in
// the cases are those of rules.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>

#include "place/plan_checker.h"
#include "place/rules/rules.h"
#include "place/weights_plan.h"

namespace detent::test {
namespace {

/// A target whose engine has all its rules but one, while the object lives. One at a time.
class TargetWithout {
 public:
  TargetWithout(const Target& whole, const Rule& left_out)
      : engine_(without(whole.engine, left_out)), target_{.engine = engine_,
                                                          .version_major = whole.version_major,
                                                          .version_minor = whole.version_minor,
                                                          .variant = whole.variant,
                                                          .activation = whole.activation,
                                                          .activation_types = whole.activation_types,
                                                          .other_types = whole.other_types,
                                                          .int8_weight_initializer = whole.int8_weight_initializer,
                                                          .default_axis_is_1 = whole.default_axis_is_1,
                                                          .reads_uint8_as_int8 = whole.reads_uint8_as_int8,
                                                          .saturates_without_vnni = whole.saturates_without_vnni,
                                                          .concat_shares_scale = whole.concat_shares_scale,
                                                          .operands_share_scale = whole.operands_share_scale,
                                                          .float_type = whole.float_type,
                                                          .fp8_refusal = whole.fp8_refusal,
                                                          .strongly_typed = whole.strongly_typed,
                                                          .attention_kernels = whole.attention_kernels,
                                                          .facts = whole.facts} {}
  [[nodiscard]] const Target& target() const { return target_; }

 private:
  static std::vector<const Rule*>& kept() {
    static std::vector<const Rule*> rules;
    return rules;
  }
  static EngineDef without(const EngineDef& whole, const Rule& left_out) {
    const auto all = (*whole.rules)();
    kept().assign(all.begin(), all.end());
    std::erase(kept(), &left_out);
    EngineDef engine = whole;
    engine.rules = +[] { return std::span<const Rule* const>(kept()); };
    return engine;
  }

  EngineDef engine_;
  Target target_;
};

struct ReadCase {
  PlacementCase text;
  Model model;
};

const std::filesystem::path kCases = std::filesystem::path(DETENT_SOURCE_DIR) / "tests/place/cases";

std::vector<ReadCase> read_cases() {
  std::vector<ReadCase> cases;
  for (PlacementCase& one : read_placement_cases(kCases)) {
    Model model = model_of(one);
    cases.push_back({std::move(one), std::move(model)});
  }
  return cases;
}

/// True when the case, planned without the rule, is not as it expects.
bool misses(const ReadCase& one, const Expectation& expectation, const Target& whole, const Rule& rule) {
  const TargetWithout without(whole, rule);
  testing::TestPartResultArray failures;
  try {
    const testing::ScopedFakeTestPartResultReporter caught(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    check_expectation(one.text, expectation, one.model.graph(), without.target());
  } catch (const Error&) {
    return true;
  }
  return failures.size() > 0;
}

/// True when some case of an engine that has the rule needs it.
bool is_expected(const std::vector<ReadCase>& cases, const Rule& rule) {
  for (const ReadCase& one : cases)
    for (const Expectation& expectation : one.text.expectations) {
      const Target& target = find_target(expectation.target);
      const auto rules = (*target.engine.rules)();
      if (std::ranges::find(rules, &rule) != rules.end() && misses(one, expectation, target, rule)) return true;
    }
  return false;
}

/// Returns the rules of all engines.
std::set<const Rule*> engine_rules() {
  std::set<const Rule*> rules;
  for (const EngineDef* engine : engine_list())
    for (const Rule* rule : (*engine->rules)()) rules.insert(rule);
  return rules;
}

/// Returns every rule. R16 places no pairs, so no case has it: weights_plan_test.cpp.
std::set<const Rule*> all_rules() {
  std::set<const Rule*> rules = engine_rules();
  rules.insert(&rules::weights_alone());
  return rules;
}

TEST(RulesInCases, EveryRuleHasACaseThatFailsWithoutIt) {
  const std::vector<ReadCase> cases = read_cases();
  for (const Rule* rule : engine_rules())
    EXPECT_TRUE(is_expected(cases, *rule))
        << "no case in tests/place/cases needs " << name_of(rule) << ", " << rule->name.source;
}

TEST(RulesInCases, ANumberIsThatOfOneRule) {
  std::map<std::string_view, RuleName> names;
  for (const Rule* rule : all_rules()) {
    const auto [first, fresh] =
        names.emplace(rule->name.number.empty() ? rule->name.words : rule->name.number, rule->name);
    EXPECT_EQ(first->second.words, rule->name.words) << rule->name.number;
    EXPECT_EQ(first->second.source, rule->name.source) << name_of(rule);
  }
}

TEST(RulesInCases, EveryNumberInTheCasesIsThatOfARule) {
  std::set<std::string> numbers;
  for (const Rule* rule : all_rules()) numbers.emplace(rule->name.number);
  static const std::regex number(R"(\b[A-Z][0-9]{1,2}\b)");
  for (const auto& file : std::filesystem::directory_iterator(kCases)) {
    std::ifstream lines(file.path());
    bool in_model = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("model")) in_model = true;
      if (line.starts_with("expect ")) in_model = false;
      if (in_model && !line.starts_with("#")) continue;
      for (std::sregex_iterator at(line.begin(), line.end(), number), end; at != end; ++at)
        EXPECT_TRUE(numbers.contains(at->str())) << file.path() << ": " << line;
    }
  }
}

}  // namespace
}  // namespace detent::test
