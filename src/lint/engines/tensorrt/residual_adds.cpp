//   wrong:   Conv --> Q/DQ --> Add            wrong:   Conv --> Add           right:   Conv --> Add
//               x --> Q/DQ ----^                          x ----^                         x --> Q/DQ --^
//
// TensorRT runs the Conv and the Add behind it in one kernel if the Conv's branch has no pair and the other branch, the
// skip, has one. The main branch is chosen as in the placement rule; when both branches end in a Conv, a pair on the
// other one is as good.

#include <fmt/core.h>

#include "lint/engines/tensorrt/findings.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

struct ResidualAdd {
  const Node* node = nullptr;
  int main = 0, skip = 1;
};

bool decided_by_residual_rule(const EdgeDecision& edge) { return edge.rule && edge.rule->residual_adds; }

// Returns the Adds of which the rule keeps one input float and quantizes the other.
std::vector<ResidualAdd> residual_adds(const LintView& view) {
  std::vector<ResidualAdd> found;
  const PlacementPlan& plan = view.given_plan();
  for (const EdgeDecision& edge : plan.edges) {
    if (edge.reads_pair() || !decided_by_residual_rule(edge)) continue;
    const EdgeDecision* other = plan.find_edge(edge.consumer, 1 - edge.slot);
    if (other && other->reads_pair() && decided_by_residual_rule(*other))
      found.push_back({&view.node(edge.consumer), edge.slot, 1 - edge.slot});
  }
  return found;
}

MaybeValue input(const ResidualAdd& add, int slot) { return add.node->input(slot); }

// True when the skip is a convolution's output too, whose kernel could include the Add.
bool may_be_main(const LintView& view, const ResidualAdd& add) {
  const MaybeNode layer = view.layer_writing(input(add, add.skip));
  return layer && view.is_meant_int8(*layer) && sole_use(view.graph(), input(add, add.skip)) &&
         view.facts().kind(*layer) == OpKind::Conv;
}

std::vector<NodeId> layers_of(const LintView& view, const ResidualAdd& add) {
  const MaybeNode layer = view.layer_writing(input(add, add.main));
  return layer ? std::vector{*layer} : std::vector<NodeId>{};
}

// Returns the value between the main branch's convolution and the Add that carries a pair: the Add's input, or that of
// the convolution's BatchNormalization; kNoValue when there is none.
MaybeValue parted_value(const LintView& view, const ResidualAdd& add) {
  if (view.is_quantized(add.node->id, add.main)) return input(add, add.main);
  const Node* norm = view.producer(input(add, add.main));
  const bool parts = norm && layer_of_norm(view.facts(), norm->id) && view.is_quantized(norm->id, 0);
  return parts ? norm->input(0) : kNoValue;
}

std::string name(const LintView& view, MaybeValue value) { return "'" + view.value(*value).name + "'"; }

}  // namespace

void skip_not_quantized(const LintView& view, FindingLog& log) {
  for (const ResidualAdd& add : residual_adds(view)) {
    if (view.is_quantized(add.node->id, add.skip) || parted_value(view, add)) continue;
    const MaybeNode layer = view.layer_writing(input(add, add.main));
    const std::string skip = name(view, input(add, add.skip));
    log.add(add.node->name,
            fmt::format("the skip {} is float: the kernel of {} and this Add reads floats and cannot write {}", skip,
                        layer ? view.facts().describe(*layer) : "the convolution", view.codes()),
            "put a pair on " + skip + " in front of the Add", layers_of(view, add));
  }
}

void pair_between_conv_and_add(const LintView& view, FindingLog& log) {
  for (const ResidualAdd& add : residual_adds(view)) {
    const MaybeValue parted = parted_value(view, add);
    if (!parted) continue;
    const bool skip = view.is_quantized(add.node->id, add.skip);
    if (!skip && may_be_main(view, add)) continue;
    log.add(add.node->name,
            "a pair stands on " + name(view, parted) +
                ", between the convolution and this Add: they run as two kernels instead of one" +
                (skip ? "" : ", and the skip has none"),
            skip ? "remove the pair on " + name(view, parted) + "; the one on the skip stays"
                 : "move the pair to the skip " + name(view, input(add, add.skip)),
            layers_of(view, add));
  }
}

}  // namespace detent::findings
