#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "model/graph/tensor_proto.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// Numbers at which functions of one value are compared; two of this kind that agree here are the same.
constexpr std::array kPoints{-6.0, -3.1, -1.7, -0.6, -0.05, 0.0, 0.3, 0.9, 1.6, 2.7, 5.0};
using Curve = std::array<double, kPoints.size()>;

constexpr double kTolerance = 1e-5;  // constants are FP32, sqrt(2) often with fewer digits
constexpr size_t kLargest = 12;      // nodes of a GELU; exporters write five or six

template <typename Function>
Curve curve_of(const Function& function) {
  Curve curve;
  std::ranges::transform(kPoints, curve.begin(), function);
  return curve;
}

Curve gelu_curve() {
  return curve_of([](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); });
}

bool agree(const Curve& a, const Curve& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) <= kTolerance; });
}

/// Returns the number of a constant of one element that broadcasts without adding axes.
std::optional<double> number_of(const Graph& graph, MaybeValue value) {
  const Tensor* constant = graph.constant(value);
  if (!constant || constant->element_count() != 1 || constant->shape().rank() > 1) return std::nullopt;
  return cast(*constant, DataType::Float64).data<double>()[0];
}

/// The nodes around an Erf as functions of one value.
class Functions {
 public:
  Functions(const Graph& graph, ValueId x) : graph_(graph), x_(x) {
    curves_[x] = curve_of([](double point) { return point; });
    grow();
  }

  /// Returns the node that writes GELU(x); nullptr when none does.
  [[nodiscard]] const Node* find(const Curve& wanted) const {
    for (const auto& [value, curve] : curves_)
      if (value != x_ && agree(curve, wanted)) return graph_.producer(value);
    return nullptr;
  }

  /// Returns the nodes that nothing reads once `last` is replaced, itself included.
  [[nodiscard]] std::set<NodeId> unread_without(const Node& last) const {
    std::set<NodeId> unread{last.id};
    for (bool more = true; more;) {
      more = false;
      for (const auto& [value, curve] : curves_) {
        const Node* node = value == x_ ? nullptr : graph_.producer(value);
        if (!node || unread.contains(node->id) || graph_.value(value).is_output) continue;
        const auto& uses = graph_.value(value).uses;
        if (!std::ranges::all_of(uses, [&](const Use& use) { return use.slot >= 0 && unread.contains(use.node); }))
          continue;
        more = unread.insert(node->id).second;
      }
    }
    return unread;
  }

 private:
  void grow() {
    std::vector<ValueId> open{x_};
    while (!open.empty() && curves_.size() <= kLargest) {
      const ValueId value = open.back();
      open.pop_back();
      for (const Use& use : graph_.value(value).uses) {
        if (use.slot < 0) continue;
        const Node& node = graph_.node(use.node);
        const auto curve = curve_behind(node);
        if (curve && curves_.emplace(*node.output(0), *curve).second) open.insert(open.begin(), *node.output(0));
      }
    }
  }

  [[nodiscard]] std::optional<Curve> operand(const Node& node, size_t slot) const {
    const MaybeValue value = node.input(static_cast<int>(slot));
    if (!value) return std::nullopt;
    if (const auto known = curves_.find(*value); known != curves_.end()) return known->second;
    if (const auto number = number_of(graph_, value)) return curve_of([&](double) { return *number; });
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Curve> curve_behind(const Node& node) const {
    if (!node.domain.empty() || !node.output(0)) return std::nullopt;
    const auto a = operand(node, 0);
    if (!a) return std::nullopt;
    Curve result = *a;
    if (node.op_type == "Erf" || node.op_type == "Neg" || node.op_type == "Identity") {
      for (double& number : result) {
        if (node.op_type == "Erf") number = std::erf(number);
        if (node.op_type == "Neg") number = -number;
      }
      return result;
    }
    const auto b = operand(node, 1);
    if (!b || node.inputs.size() != 2) return std::nullopt;
    for (size_t i = 0; i < result.size(); ++i) {
      if (node.op_type == "Mul")
        result[i] *= (*b)[i];
      else if (node.op_type == "Div")
        result[i] /= (*b)[i];
      else if (node.op_type == "Add")
        result[i] += (*b)[i];
      else if (node.op_type == "Sub")
        result[i] -= (*b)[i];
      else
        return std::nullopt;
    }
    return result;
  }

  const Graph& graph_;
  ValueId x_;
  std::map<ValueId, Curve> curves_;
};

/// Returns the value that one operator makes of `value` and a number; kNoValue for another node.
MaybeValue unscaled(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  if (!node || (node->op_type != "Mul" && node->op_type != "Div") || node->inputs.size() != 2) return kNoValue;
  if (number_of(graph, node->input(1))) return node->input(0);
  return node->op_type == "Mul" && number_of(graph, node->input(0)) ? node->input(1) : kNoValue;
}

}  // namespace

GraphPatch gelu_operator(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write GELU as one operator";
  const Curve wanted = gelu_curve();
  std::set<NodeId> removed;
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "Erf" || !node.domain.empty() || !node.input(0)) continue;
    for (MaybeValue x = node.input(0); x; x = unscaled(graph, *x)) {
      const Functions functions(graph, *x);
      const Node* last = functions.find(wanted);
      if (!last || removed.contains(last->id)) continue;
      patch.add_nodes.push_back(
          {"Gelu", last->name, {graph.value(*x).name}, {graph.value(*last->output(0)).name}, {}, ""});
      for (const NodeId unread : functions.unread_without(*last)) {
        removed.insert(unread);
        patch.remove_nodes.push_back(graph.node(unread).name);
      }
      break;
    }
  }
  return patch;
}

}  // namespace detent::forms
