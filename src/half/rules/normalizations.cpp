//   mean = ReduceMean(x)   d = x - mean   v = ReduceMean(d * d)   y = d / Sqrt(v + epsilon)          LayerNorm
//                          d = x          v = ReduceMean(d * d)   y = d * Reciprocal(Sqrt(v + eps))  RMSNorm
//
// The squares of a large residual overflow where x itself does not, and one FP32 part among 16-bit parts saves nothing:
// when one of these nodes stays FP32, all do. Decomposed LayerNorms ruin raw FP16 conversions of transformers.

#include <algorithm>
#include <vector>

#include "half/float_rules.h"

namespace detent::half {
namespace {

/// Returns the value that the node squares; kNoValue when it is not a square.
MaybeValue squared(const Graph& graph, const Node& node) {
  if (node.op_type == "Mul" && node.input(0) == node.input(1)) return node.input(0);
  if (node.op_type != "Pow") return kNoValue;
  const Tensor* exponent = graph.constant(node.input(1));
  if (!exponent || exponent->shape().element_count() != 1) return kNoValue;
  return cast(*exponent, DataType::Float32).data<float>()[0] == 2 ? node.input(0) : kNoValue;
}

bool is_reduction(const Node& node) { return node.op_type == "ReduceMean" || node.op_type == "ReduceSum"; }

/// The nodes of a normalization written out as primitives.
class Normalization {
 public:
  /// Searches from a reduction; finds no nodes unless it reduces squares.
  Normalization(const Graph& graph, const Node& reduction) : graph_(graph) {
    const Node* square = graph.producer(reduction.input(0));
    if (!square || !(d_ = squared(graph, *square))) return;
    nodes_ = {square->id, reduction.id};
    follow(reduction.output(0));
    if (!ends_) nodes_.clear();
    if (ends_) add_centering();
  }

  [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_; }

 private:
  /// Follows + epsilon, root and reciprocal until the result meets d again.
  void follow(MaybeValue value) {
    if (!value) return;
    for (const Use& use : graph_.value(*value).uses) {
      const Node& node = graph_.node(use.node);
      const std::string& op = node.op_type;
      const bool meets = std::ranges::count(node.inputs, d_) > 0;
      const bool on_the_way =
          op == "Add" || op == "Sqrt" || op == "Reciprocal" || op == "Pow" || op == "Div" || op == "Max";
      if (meets && (op == "Div" || op == "Mul")) {
        nodes_.push_back(node.id);
        ends_ = true;
      } else if (on_the_way && use.slot >= 0 && nodes_.size() < kLongest) {
        nodes_.push_back(node.id);
        follow(node.output(0));
      }
    }
  }

  void add_centering() {
    const Node* sub = graph_.producer(d_);
    if (!sub || sub->op_type != "Sub") return;
    const Node* mean = graph_.producer(sub->input(1));
    if (!mean || !is_reduction(*mean) || mean->input(0) != sub->input(0)) return;
    nodes_.push_back(sub->id);
    nodes_.push_back(mean->id);
  }

  static constexpr size_t kLongest = 12;
  const Graph& graph_;
  MaybeValue d_;
  bool ends_ = false;
  std::vector<NodeId> nodes_;
};

}  // namespace

void normalizations(FloatDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    if (!is_reduction(node)) continue;
    const Normalization group(draft.graph(), node);
    const auto kept = std::ranges::find_if(group.nodes(), [&](NodeId id) { return draft.is_kept(id); });
    if (kept == group.nodes().end()) continue;
    const std::string reason = "it is part of the normalization of '" + draft.graph().node(*kept).name + "'";
    for (const NodeId id : group.nodes()) draft.keep({id, "normalization", kNoValue, 0, reason});
  }
}

}  // namespace detent::half
