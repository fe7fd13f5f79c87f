#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "model/graph/tensor_proto.h"
#include "model/name_source.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// Numbers at which functions of one value are compared; two of this kind that agree here are the same.
constexpr std::array kPoints{-6.0, -3.1, -1.7, -0.6, -0.05, 0.0, 0.3, 0.9, 1.6, 2.7, 5.0};
using Curve = std::array<double, kPoints.size()>;

constexpr double kTolerance = 1e-5;  // constants are FP32, sqrt(2) often with fewer digits
constexpr size_t kLargest = 12;      // nodes of an activation; exporters write nine at most
constexpr size_t kFarthest = 4;      // nodes between x and the operator by which an activation is found

double softplus(double x) { return std::log1p(std::exp(x)); }

struct Unary {
  std::string_view op;
  double (*function)(double);
};
constexpr Unary kUnary[] = {
    {"Abs", [](double x) { return std::abs(x); }},
    {"Erf", [](double x) { return std::erf(x); }},
    {"Exp", [](double x) { return std::exp(x); }},
    {"Gelu", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"Identity", [](double x) { return x; }},
    {"Log", [](double x) { return std::log(x); }},
    {"Neg", [](double x) { return -x; }},
    {"Reciprocal", [](double x) { return 1 / x; }},
    {"Relu", [](double x) { return std::max(x, 0.0); }},
    {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"Softplus", softplus},
    {"Tanh", [](double x) { return std::tanh(x); }},
};

struct Binary {
  std::string_view op;
  double (*function)(double, double);
};
constexpr Binary kBinary[] = {
    {"Add", [](double x, double y) { return x + y; }},
    {"Div", [](double x, double y) { return x / y; }},
    {"Max", [](double x, double y) { return std::max(x, y); }},
    {"Min", [](double x, double y) { return std::min(x, y); }},
    {"Mul", [](double x, double y) { return x * y; }},
    {"Pow", [](double x, double y) { return std::pow(x, y); }},
    {"Sub", [](double x, double y) { return x - y; }},
};

const Unary* find_unary(std::string_view op) {
  const auto found = std::ranges::find(kUnary, op, &Unary::op);
  return found == std::end(kUnary) ? nullptr : found;
}

template <typename Function>
Curve curve_of(const Function& function) {
  Curve curve;
  std::ranges::transform(kPoints, curve.begin(), function);
  return curve;
}

/// An activation as few operators write it, one after the other from x; a Mul multiplies by x.
using Chain = std::vector<std::string_view>;

Curve curve_of(const Chain& chain) {
  return curve_of([&](double x) {
    double y = x;
    for (const std::string_view op : chain) y = op == "Mul" ? y * x : find_unary(op)->function(y);
    return y;
  });
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

/// The nodes behind a value as functions of it.
class Functions {
 public:
  Functions(const Graph& graph, ValueId x) : graph_(graph), x_(x) {
    curves_[x] = curve_of([](double point) { return point; });
    grow();
  }

  /// Returns the nodes that write the function.
  [[nodiscard]] std::vector<const Node*> find(const Curve& wanted) const {
    std::vector<const Node*> found;
    for (const auto& [value, curve] : curves_)
      if (value != x_ && agree(curve, wanted)) found.push_back(graph_.producer(value));
    return found;
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
    if (const Unary* unary = find_unary(node.op_type)) {
      Curve result = *a;
      std::ranges::transform(result, result.begin(), unary->function);
      return result;
    }
    const auto binary = std::ranges::find(kBinary, node.op_type, &Binary::op);
    const auto b = operand(node, 1);
    if (binary == std::end(kBinary) || !b || node.inputs.size() != 2) return std::nullopt;
    Curve result;
    std::ranges::transform(*a, *b, result.begin(), binary->function);
    return result;
  }

  const Graph& graph_;
  ValueId x_;
  std::map<ValueId, Curve> curves_;
};

/// Returns the values that a function of the anchor's output may be a function of, the farthest first: its input and
/// what that is computed from without another value.
std::vector<ValueId> arguments_of(const Graph& graph, const Node& anchor) {
  std::vector<ValueId> found;
  const Node* node = &anchor;
  while (node && found.size() <= kFarthest && node->domain.empty()) {
    const bool unary = find_unary(node->op_type) != nullptr;
    if (!unary &&
        (std::ranges::find(kBinary, node->op_type, &Binary::op) == std::end(kBinary) || node->inputs.size() != 2))
      break;
    const MaybeValue x = unary || number_of(graph, node->input(1)) ? node->input(0)
                         : number_of(graph, node->input(0))        ? node->input(1)
                                                                   : kNoValue;
    if (!x || graph.constant(x)) break;
    found.insert(found.begin(), *x);
    node = graph.producer(*x);
  }
  return found;
}

/// Replaces written activations that contain an anchor by the first of the chains that computes the same.
class Writer {
 public:
  /// anchors_go  an activation whose anchor another node reads stays
  Writer(const Graph& graph, std::span<const Chain> chains, bool anchors_go)
      : graph_(graph), names_(graph), anchors_go_(anchors_go) {
    for (const Chain& chain : chains) chains_.emplace_back(&chain, curve_of(chain));
  }

  void replace_around(const Node& anchor) {
    if (removed_.contains(anchor.id) || !anchor.domain.empty() || !anchor.input(0)) return;
    for (const ValueId x : arguments_of(graph_, anchor)) {
      const Functions functions(graph_, x);
      for (const auto& [chain, curve] : chains_)
        for (const Node* last : functions.find(curve))
          if (replace(functions, x, *chain, *last, anchor)) return;
    }
  }

  [[nodiscard]] GraphPatch take() { return std::move(patch_); }

 private:
  // Returns false where the anchor would stay and must not.
  bool replace(const Functions& functions, ValueId x, const Chain& chain, const Node& last, const Node& anchor) {
    const std::set<NodeId> unread = functions.unread_without(last);
    const bool stays = anchors_go_ && !unread.contains(anchor.id);
    if (stays || std::ranges::any_of(unread, [&](NodeId id) { return removed_.contains(id); })) return false;
    const std::string argument = graph_.value(x).name;
    std::string value = argument;
    for (size_t i = 0; i < chain.size(); ++i) {
      const bool ends = i + 1 == chain.size();
      const std::string op(chain[i]);
      const std::string written = ends ? graph_.value(*last.output(0)).name : names_.fresh(last.name + "_" + op);
      patch_.add_nodes.push_back({op,
                                  ends ? last.name : written,
                                  op == "Mul" ? std::vector{argument, value} : std::vector{value},
                                  {written},
                                  {},
                                  ""});
      value = written;
    }
    for (const NodeId node : unread) {
      removed_.insert(node);
      patch_.remove_nodes.push_back(graph_.node(node).name);
    }
    return true;
  }

  const Graph& graph_;
  NameSource names_;
  bool anchors_go_;
  std::vector<std::pair<const Chain*, Curve>> chains_;
  std::set<NodeId> removed_;
  GraphPatch patch_;
};

GraphPatch written_as(const Graph& graph, std::span<const std::string_view> anchors, std::span<const Chain> chains,
                      bool anchors_go, const char* reason) {
  Writer writer(graph, chains, anchors_go);
  for (const Node& node : graph.nodes())
    if (std::ranges::find(anchors, node.op_type) != anchors.end()) writer.replace_around(node);
  GraphPatch patch = writer.take();
  patch.reason = reason;
  return patch;
}

}  // namespace

GraphPatch gelu_operator(const Graph& graph) {
  static const std::array kChains{Chain{"Gelu"}};
  constexpr std::array<std::string_view, 1> kAnchors{"Erf"};
  return written_as(graph, kAnchors, kChains, false, "write GELU as one operator");
}

GraphPatch bounded_activations(const Graph& graph) {
  static const std::array kChains{Chain{"Softplus", "Tanh", "Mul"}, Chain{"Sigmoid", "Mul"}, Chain{"Softplus"},
                                  Chain{"Neg", "Softplus", "Neg"},  Chain{"Tanh"},           Chain{"Sigmoid"}};
  constexpr std::array<std::string_view, 2> kAnchors{"Exp", "Log"};
  return written_as(graph, kAnchors, kChains, true, "write activations without their exponentials");
}

}  // namespace detent::forms
