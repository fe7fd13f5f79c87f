#pragma once

#include <optional>

#include "report/document/document.h"

namespace detent::build {

/// Sections of several documents. One without parts is not printed.

/// Parts of a plan that the text of a document lists.
enum class Listed : uint8_t {
  Everything,   ///< layers, pairs, attention and notes, each under a heading
  FloatLayers,  ///< layers that stay float
  Nothing       ///< unless everything is listed
};
/// Lists layers and edges with the decision and its reason, blocks of attention, nodes of 16 bits, and notes.
[[nodiscard]] document::Section placement(const PlanReport& plan, Listed listed);
/// Shares on codes and, where something is half, those on codes, in half and in FP32.
[[nodiscard]] document::Section coverage(const PlanReport& plan);
/// Says whether INT8 is likely to beat FP16 with TensorRT, and the quantizers that would be layers by themselves.
[[nodiscard]] document::Section quantizers(const PlanReport& plan);
/// Nodes in the 16-bit type, and those that stay FP32 with their reasons.
[[nodiscard]] document::Section floats(const std::optional<FloatReport>& report);
/// Lists what lint finds, worst first.
[[nodiscard]] document::Section findings(const LintReport& report);
/// The graph as it is drawn.
[[nodiscard]] document::Section graph(const PlanReport& plan, const std::vector<LintReport::Finding>& findings = {});
/// Says where rules and scale groups are explained.
[[nodiscard]] document::Words rules_words();
/// The table of shares by type; no rows where nothing is half.
[[nodiscard]] document::Grid type_shares(const CoverageReport& coverage);
/// "14 of 18 weighted layers INT8 (95.4 % of MACs)".
[[nodiscard]] document::Words coverage_words(const CoverageReport& coverage);
/// The share of MACs on codes, large; none where MACs are not known.
[[nodiscard]] std::vector<document::Figures::Figure> coverage_figures(const CoverageReport& coverage);
/// Facts beside a model's name: opset and nodes.
[[nodiscard]] std::vector<document::Words> model_facts(const PlanReport& plan);

}  // namespace detent::build
