#include "pipeline/parts/extents_cure.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "evaluate/closing_error.h"
#include "evaluate/error_sums.h"
#include "evaluate/judge.h"
#include "exec/shape_needs.h"
#include "place/make_plan.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

namespace {

/// Returns a name as a regular expression (ECMAScript) that matches it alone.
std::string regex_quoted(const std::string& name) {
  std::string text;
  for (const char character : name) {
    if (std::string_view("^$\\.*+?()[]{}|").find(character) != std::string_view::npos) text += '\\';
    text += character;
  }
  return text;
}

}  // namespace

std::string exclude_pattern(const std::vector<std::string>& nodes) {
  return nodes.size() == 1 ? "^" + regex_quoted(nodes.front()) + "$" : "^(" + join(nodes, "|", regex_quoted) + ")$";
}

namespace {

/// Returns the names of nodes on codes whose outputs decide extents, in the order of the graph.
std::vector<std::string> deciding_nodes(const Graph& graph, const PlacementPlan& plan) {
  const ValueMap<bool> decides = values_that_decide_shapes(graph);
  std::vector<bool> on_codes(graph.nodes().size(), false);
  for (const EdgeDecision& edge : plan.edges)
    if (edge.reads_pair()) on_codes[index_of(edge.consumer)] = true;
  for (const WeightDecision& weight : plan.weights) on_codes[index_of(weight.node)] = true;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    const bool is_read = std::ranges::any_of(present(node.outputs), [&](ValueId value) { return decides[value]; });
    if (is_read && on_codes[index_of(node.id)]) names.push_back(node.name);
  }
  return names;
}

/// Returns the model quantized with this plan.
Model quantized(const Prepared& prepared, const Chosen& chosen, const PlacementPlan& plan) {
  Model model = prepared.model().clone();
  if (!chosen.constants.empty()) apply_patch(model, chosen.constants);
  const GraphPatch patch = make_qdq_patch(model.graph(), plan, chosen.ranges, chosen.format).patch;
  apply_patch(model, patch);
  return model;
}

}  // namespace

ExtentsCure find_extents_cure(const Prepared& prepared, const Chosen& chosen, const DataSource& samples,
                              const RunSettings& run) {
  const Graph& graph = prepared.graph();
  const std::vector<std::string> nodes = deciding_nodes(graph, prepared.plan);
  if (nodes.empty()) return {{}, "no quantized node decides the extents of outputs: they may differ by chance"};
  const std::string pattern = exclude_pattern(nodes);
  PlacementRequest placement = prepared.recipe.placement;
  placement.exclude.push_back(pattern);
  const PlacementPlan plan =
      make_placement_plan(graph, *prepared.recipe.target, placement, prepared.shapes, prepared.recipe.kept);
  if (plan.weights.empty() && plan.paired_values().empty())
    return {{}, "all quantized layers decide the extents of outputs: such a model stays float"};
  const ReferenceOutputs reference = keep_outputs(*prepared.float32, samples, samples.size(), run);
  const ClosingError error = measure_closing_error(reference, quantized(prepared, chosen, plan), samples, run);
  const double reached = worst_sqnr_db(error.report);
  if (!error.uncomparable.empty() || judge({.closing = error}).quality == Quality::Unknown)
    return {{},
            fmt::format("{} that decide the extents of outputs were left float on trial, and it does not help",
                        plural(nodes.size(), "node"))};
  return {
      fmt::format("--exclude {} (what decides the extents of outputs: SQNR {:.1f} dB then, with {} of {} "
                  "weighted layers {})",
                  shell_quoted(pattern), reached, plan.coverage.int8_layers, plan.coverage.layers, name_of(plan.type)),
      {}};
}

}  // namespace detent
