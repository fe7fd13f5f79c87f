#include <algorithm>
#include <array>
#include <map>

#include "report/build/documents.h"

namespace detent::build {

namespace {

using namespace document;
using Outcome = VerifyReport::Line::Outcome;

/// Integers that differ, and outputs that could not be compared, have no such error.
Words distance_words(const VerifyReport::Line& model) {
  constexpr int kDigits = 2;
  if (model.worst_relative_error > 0)
    return {"  worst error ", significant(model.worst_relative_error, kDigits), " of the largest value"};
  return model.outcome == Outcome::Passed ? "  exact" : "";
}

/// Lists the models in their order.
document::Grid models_table(const VerifyReport& report) {
  static constexpr std::array<const char*, 3> kOutcomes{"passed       ", "FAILED       ", "unsupported  "};
  document::Grid table{.noun = "model"};
  for (const auto& model : report.lines)
    table.rows.push_back({.item = {{.lead = kOutcomes[static_cast<size_t>(model.outcome)],
                                    .name = name(model.folder + "/" + model.model),
                                    .after = distance_words(model),
                                    .reason = model.detail,
                                    .key = std::to_string(table.rows.size())}}});
  return table;
}

/// Counts the operators of the models with one outcome, most frequent first: "Resize 2, Cast 1"; empty without any.
Words operators_words(const VerifyReport& report, Outcome outcome) {
  std::map<std::string, size_t> counts;
  for (const auto& model : report.lines) {
    if (model.outcome != outcome) continue;
    for (const std::string& op : model.operators) ++counts[op];
    if (model.operators.empty()) ++counts["(other)"];
  }
  std::vector<std::pair<std::string, size_t>> ranked(counts.begin(), counts.end());
  std::ranges::stable_sort(ranked, std::ranges::greater{}, [](const auto& pair) { return pair.second; });
  std::vector<Words> words;
  for (const auto& [op, models] : ranked) words.push_back({op, " ", count(models)});
  return joined(words);
}

}  // namespace

Document document_of(const VerifyReport& report) {
  return {.subject = "Verification",
          .title = "verification",
          .verdict = {Line{{count(report.passed), " passed, ", count(report.failed), " failed, ",
                            count(report.unsupported), " unsupported"}}},
          .sections = {{Topic::Error,
                        {models_table(report),
                         Properties{"",
                                    {{"Failed by operator", operators_words(report, Outcome::Failed)},
                                     {"Unsupported by operator", operators_words(report, Outcome::Unsupported)}}}}}}};
}

}  // namespace detent::build
