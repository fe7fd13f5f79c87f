#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "detent/compare.h"
#include "report/document/document.h"

namespace detent::build {

/// Rows of any comparison, for the parts that all three have.
struct Compared {
  const ComparisonReport& report;
  std::string kind;  ///< of the variants: "calibrator", "target", "type"
  std::vector<const ComparedVariant*> variants = {};
  std::vector<std::string> calibrators = {};  ///< by variant: gave the ranges; "" where the name says it
  std::vector<bool> quantized = {};           ///< by variant: false for a type that no layer has: the float model

  /// Returns the position of the winner; nothing without variants.
  [[nodiscard]] std::optional<size_t> winner() const {
    const auto found = std::ranges::find(variants, report.winner, &ComparedVariant::name);
    return found == variants.end() ? std::nullopt : std::optional<size_t>(found - variants.begin());
  }
  [[nodiscard]] bool wins(size_t variant) const { return variants[variant]->name == report.winner; }
};

[[nodiscard]] Compared compared(const CompareCalibratorsReport& report);
[[nodiscard]] Compared compared(const CompareTargetsReport& report);
[[nodiscard]] Compared compared(const CompareTypesReport& report);

/// Returns a difference of two scores: "2.05 points", "1.20 dB".
[[nodiscard]] document::Number amount_of(const Metric& metric, double amount);
/// Returns a document with its head and the figures of the winner.
[[nodiscard]] document::Document comparison_document(const Compared& compared, const std::string& target);
/// Says on which samples the variants were judged.
/// variants  "3 calibrators"
[[nodiscard]] document::Section judged(const Compared& compared, const document::Words& variants);
/// Adds the best variant with its lead over the next one and FP32, and the candidates that tie with it.
/// option  that takes the name of a variant: "--calibrator "; may be empty
void add_winner(document::Document& document, const Compared& compared, const std::string& option);
/// The criterion, SQNR or agreement, and size of the winner, large.
[[nodiscard]] std::vector<document::Figures::Figure> winner_figures(const Compared& compared);

/// A column that only one kind of comparison has, with a cell for each variant.
struct OwnColumn {
  Table::Column column;
  std::vector<document::Cell> cells;
};
/// Lists the variants with all scores, the float models apart; the errors of several outputs, and those of each sample.
/// own  columns behind the scores; `sized`: also the size of the files
[[nodiscard]] document::Section candidates(const Compared& compared, const document::Words& lead,
                                           const std::vector<OwnColumn>& own, bool sized = true);

/// Names the smallest type within the limit with its loss and size, or the closest one where none is; empty without a
/// limit.
[[nodiscard]] document::Words limit_words(const CompareTypesReport& report);

}  // namespace detent::build
