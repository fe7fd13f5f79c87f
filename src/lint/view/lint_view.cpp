#include "lint/view/lint_view.h"

#include "lint/view/lint_engine.h"
#include "ops/traits.h"
#include "place/make_plan.h"

namespace detent {

LintView::LintView(const Graph& graph, const QdqReading& reading, const Target& target, const ValueShapes& shapes,
                   const LintedFile& file)
    : PairView(graph, reading, target, shapes, file.left_float), file_(file),
      given_(facts(), given_options_, wanted().measured()) {
  judge_layers();
  found_plan_ = found_draft().finish(shapes);
  apply_given_rules();
}

std::string LintView::engine_obstacle(NodeId layer) const {
  return (*lint_engine(target().engine.id).obstacle)(*this, layer);
}

void LintView::judge_layers() {
  obstacles_.resize(graph().nodes().size());
  for (const Node& node : graph().nodes()) {
    const bool weighted = facts().is_weighted(node.id);
    if (!weighted && !(target().engine.whole_graph && is_recurrent(node))) continue;
    std::string& obstacle = obstacles_[node.id];
    if (weighted) obstacle = weight_alone(node.id);
    const bool alone = !obstacle.empty();
    if (!alone) obstacle = engine_obstacle(node.id);
    const LayerDecision* wanted = wanted_plan().find_layer(node.id);
    const bool by_rule = wanted && !wanted->runs_on_codes() && !alone;
    found_draft().begin_rule(!obstacle.empty() && by_rule ? wanted->rule : nullptr);
    if (obstacle.empty())
      found_draft().run_int8(node.id, "quantized input and weight");
    else
      found_draft().run_float(node.id, by_rule ? wanted->reason : obstacle);
  }
}

void LintView::apply_given_rules() {
  given_options_.type = reading().type();
  given_options_.small_layers = PlacementOptions::SmallLayers::Quantize;  // the file quantizes them on purpose
  given_.begin_rule(nullptr);
  for (const Node& node : graph().nodes()) {
    if (!facts().is_weighted(node.id)) continue;
    const bool int8 = target().engine.pairs_in_front_suffice ? is_meant_int8(node.id) : found().is_int8(node.id);
    if (!int8) given_.keep_out(node.id, "float in the file");
  }
  apply_rules(given_);
  given_plan_ = given_.finish({});
}

}  // namespace detent
