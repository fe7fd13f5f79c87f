#include "place/plan/rule.h"

namespace detent {

std::string name_of(RuleId rule) {
  if (!rule) return "-";
  return (rule->name.number.empty() ? "" : std::string(rule->name.number) + " ") + std::string(rule->name.words);
}

}  // namespace detent
