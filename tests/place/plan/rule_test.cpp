// The numbers of rules: one for one name, and those in tests/place/cases are those of rules.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "place/engines/target.h"
#include "place/plan/rule.h"
#include "place/rules/rules.h"

namespace detent::test {
namespace {

/// Returns every rule of every engine, and that of weights alone, which is in no list.
std::set<const Rule*> all_rules() {
  std::set<const Rule*> rules{&rules::kWeightsAlone};
  for (const EngineDef* engine : engine_list())
    for (const Rule* rule : *engine->rules) rules.insert(rule);
  return rules;
}

TEST(RuleNumbers, ANumberIsThatOfOneRule) {
  std::map<std::string_view, RuleName> names;
  for (const Rule* rule : all_rules()) {
    const auto [first, fresh] =
        names.emplace(rule->name.number.empty() ? rule->name.words : rule->name.number, rule->name);
    EXPECT_EQ(first->second.words, rule->name.words) << rule->name.number;
  }
}

TEST(RuleNumbers, EveryNumberInTheCasesIsThatOfARule) {
  std::set<std::string> numbers;
  for (const Rule* rule : all_rules()) numbers.emplace(rule->name.number);
  static const std::regex number(R"(\b[A-Z][0-9]{1,2}\b)");
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(DETENT_SOURCE_DIR) / "tests/place/cases")) {
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
