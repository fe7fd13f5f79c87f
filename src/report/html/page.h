#pragma once

#include <optional>
#include <string>

#include "detent/compare.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/sensitivity.h"
#include "report/html/origin.h"

namespace detent {

/// One self-contained HTML page: nothing is fetched when it is opened, every chart is drawn when it is written, so it
/// also reads without scripts and on paper. Its script sorts and filters tables, chooses a value and shows what is
/// pointed at.
///
/// sensitivity  adds the chart of layers and the values' own errors; absent -> those parts are not there.
/// origin       command, versions, digest; empty: the page says nothing of its making.
/// Empty        a part without content is left out; without variants the summary says that nothing was compared.
/// Size         about 8 kB a value with seven candidates, 0.5 kB a layer or edge.
/// Text that comes from the model or the command line is escaped; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_html(const ComparisonReport& comparison,
                                  const std::optional<SensitivityReport>& sensitivity, const PageOrigin& origin = {});

/// The same page for one calibrator: layers first, no candidates.
[[nodiscard]] std::string to_html(const SensitivityReport& sensitivity, const PageOrigin& origin = {});

/// The same page for one run of quantize: its verdict first, and what it rests on.
[[nodiscard]] std::string to_html(const QuantizeReport& report, const PageOrigin& origin = {});

/// The same page for weights alone: its verdict, what rounding gained, and every layer with what its weight lost.
[[nodiscard]] std::string to_html(const QuantizeWeightsReport& report, const PageOrigin& origin = {});

/// The same page for a plan: no values, for there was no data.
[[nodiscard]] std::string to_html(const PlanReport& plan, const PageOrigin& origin = {});

/// The same page for a quantized file: its findings, and what of it runs in INT8.
[[nodiscard]] std::string to_html(const LintReport& report, const PageOrigin& origin = {});

}  // namespace detent
