#include "report/compared_types.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace detent {

namespace {

constexpr std::array<std::string_view, 4> kFirst{"int8", "fp8", "int4", "int32"};

}  // namespace

std::optional<double> find_metric(const std::map<std::string, double>& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

double ratio_of(uint64_t part, uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1));
}

std::vector<std::string> weight_types(const CompareTypesReport& report) {
  std::vector<std::string> types{"float"};
  for (const TypeVariant& variant : report.variants)
    for (const auto& [type, bytes] : variant.facts.weight_bytes)
      if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  std::ranges::sort(types, {}, [](const std::string& type) {
    return std::tuple(type == "float", std::ranges::find(kFirst, type) - kFirst.begin(), type);
  });
  return types;
}

uint64_t weight_bytes(const TypeFacts& facts) {
  uint64_t bytes = 0;
  for (const auto& [type, stored] : facts.weight_bytes) bytes += stored;
  return bytes;
}

double weight_share(const TypeFacts& facts, const std::string& type) {
  const auto found = facts.weight_bytes.find(type);
  return found == facts.weight_bytes.end() ? 0 : ratio_of(found->second, weight_bytes(facts));
}

}  // namespace detent
