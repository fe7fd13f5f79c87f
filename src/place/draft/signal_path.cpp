#include "place/draft/signal_path.h"

#include <algorithm>
#include <set>
#include <utility>

#include "place/draft/flow.h"

namespace detent {
namespace {

/// Most values visited on the way to the signal, each once for what is asked of it; front ends have tens of nodes, one
/// with an octave after the other (constant Q) some hundreds.
constexpr int kMostSteps = 1024;

/// True when every number of a float constant passes `check`, and for a missing operand. Ends at the first that does
/// not: most weights have a negative number among the first.
template <class Check>
bool all_numbers(const GraphFacts& facts, MaybeValue value, Check check) {
  if (!value) return true;
  const Tensor* constant = facts.graph().constant(value);
  if (!constant || !facts.is_float(value)) return false;
  if (constant->type() == DataType::Float32) return std::ranges::all_of(constant->data<float>(), check);
  const Tensor wide = cast(*constant, DataType::Float32);
  return std::ranges::all_of(wide.data<float>(), check);
}

MaybeValue bias_of(const GraphFacts& facts, const Node& node) {
  const int slot = facts.traits(node.id).bias_slot;
  return slot < 0 ? kNoValue : node.input(slot);
}

/// Returns the exponent of a Pow with one constant exponent of any type; 0 for others.
double exponent_of(const GraphFacts& facts, const Node& pow) {
  const Tensor* exponent = facts.graph().constant(pow.input(1));
  return exponent && exponent->element_count() == 1 ? cast(*exponent, DataType::Float64).data<double>()[0] : 0.0;
}

bool is_root(const GraphFacts& facts, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  if (kind == OpKind::Sqrt || kind == OpKind::ReduceL2) return true;
  const double exponent = kind == OpKind::Pow ? exponent_of(facts, node) : 0.0;
  return exponent > 0 && exponent < 1;
}

bool is_square(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::Abs:
    case OpKind::ReduceL2:
    case OpKind::ReduceSumSquare: return true;
    case OpKind::Mul: return node.inputs.size() == 2 && node.inputs[0] == node.inputs[1];
    case OpKind::Pow: return exponent_of(facts, node) == 2;
    default: return false;
  }
}

bool is_filterbank(const GraphFacts& facts, const Node& node) {
  const auto passes = [](float x) { return x >= 0; };
  return facts.is_weighted(node.id) && all_numbers(facts, bias_of(facts, node), passes) &&
         all_numbers(facts, node.input(facts.weight_slot(node.id)), passes);
}

bool is_transform(const GraphFacts& facts, const Node& node) {
  if (facts.kind(node.id) == OpKind::Fourier) return true;
  return facts.is_weighted(node.id) && all_numbers(facts, bias_of(facts, node), [](float x) { return x == 0; });
}

bool moves(const GraphFacts& facts, const Node& node) {
  return facts.kind(node.id) == OpKind::Cast ||
         (facts.traits(node.id).commutes && facts.kind(node.id) != OpKind::MaxPool);
}

/// True for Mul or Div by a constant, and for Neg.
bool scales(const GraphFacts& facts, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  const bool by_constant = (kind == OpKind::Mul || kind == OpKind::Div) && is_constant_affine(facts, node.id);
  return node.op_type == "Neg" || by_constant;
}

class SignalWalk {
 public:
  SignalWalk(const GraphFacts& facts, const Node& end) : facts_(facts), end_(end) {}

  std::vector<NodeId> run() {
    if (!ends_spectrum() || !energies_from(end_) || (sums_ && divides_its_vector())) return {};
    return {path_.begin(), path_.end()};
  }

 private:
  enum class Role : uint8_t { Energies, Transformed, Signal, Size };

  /// True for a value that was asked before: had it failed, the walk would have ended.
  bool is_known(Role role, MaybeValue value) { return value && !asked_.emplace(role, *value).second; }

  [[nodiscard]] bool ends_spectrum() const {
    return facts_.kind(end_.id) == OpKind::Log || is_root(facts_, end_) || is_filterbank(facts_, end_);
  }

  /// True when the node writes energies; energies(value) when the value holds some.
  bool energies_from(const Node& node) {
    path_.insert(node.id);
    const OpKind kind = facts_.kind(node.id);
    if (is_square(facts_, node)) {
      sums_ = sums_ || kind == OpKind::ReduceL2 || kind == OpKind::ReduceSumSquare;
      return transformed(node.input(0));
    }
    if (is_filterbank(facts_, node)) filtered_ = true;
    if (kind == OpKind::ReduceSum) sums_ = true;
    const bool passes = is_filterbank(facts_, node) || kind == OpKind::Log || kind == OpKind::ReduceSum ||
                        kind == OpKind::Relu || kind == OpKind::Clip || is_root(facts_, node) || moves(facts_, node) ||
                        is_constant_affine(facts_, node.id);
    if (kind == OpKind::Add || kind == OpKind::Max || kind == OpKind::Min || kind == OpKind::Concat)
      return all_varying(node, [&](ValueId value) { return energies(value); });
    return passes && energies(data_of(node));
  }

  bool energies(MaybeValue value) {
    if (is_known(Role::Energies, value)) return true;
    if (gives_up(value)) return false;
    const Node* node = facts_.producer(value);
    if (!node) return facts_.value(*value).is_input && filtered_ && facts_.kind(end_.id) == OpKind::Log;
    return facts_.kind(node->id) != OpKind::Log && energies_from(*node);
  }

  /// True when `value` is a linear transform of the signal.
  bool transformed(MaybeValue value) {
    if (is_known(Role::Transformed, value)) return true;
    if (gives_up(value)) return false;
    vectors_.insert(*value);
    const Node* node = facts_.producer(value);
    if (!node) return facts_.value(*value).is_input;
    path_.insert(node->id);
    if (is_transform(facts_, *node)) return signal(data_of(*node));
    if (facts_.kind(node->id) == OpKind::Concat)
      return all_varying(*node, [&](ValueId part) { return transformed(part); });
    return (moves(facts_, *node) || scales(facts_, *node)) && transformed(data_of(*node));
  }

  /// True when `value` is a linear function of graph inputs, possibly divided by its size.
  bool signal(MaybeValue value) {
    if (is_known(Role::Signal, value)) return true;
    if (gives_up(value)) return false;
    const Node* node = facts_.producer(value);
    if (!node) return facts_.value(*value).is_input;
    const OpKind kind = facts_.kind(node->id);
    if (kind == OpKind::Concat || kind == OpKind::Add || kind == OpKind::Sub)
      return all_varying(*node, [&](ValueId part) { return signal(part); });
    if (kind == OpKind::Div && !is_constant_affine(facts_, node->id))
      return signal(node->input(0)) && needs_no_layer(node->input(1));
    const bool weighs = facts_.is_weighted(node->id) && is_transform(facts_, *node);
    if (weighs) path_.insert(node->id);
    return (weighs || kind == OpKind::ReduceMean || moves(facts_, *node) || scales(facts_, *node)) &&
           signal(data_of(*node));
  }

  /// True when `value` is computed without a layer: the peak or the deviation that a signal is divided by.
  bool needs_no_layer(MaybeValue value) {
    if (is_known(Role::Size, value)) return true;
    if (gives_up(value)) return false;
    const Node* node = facts_.producer(value);
    if (!node) return true;
    if (facts_.is_weighted(node->id) || facts_.kind(node->id) == OpKind::MatMul) return false;
    const auto& slots = facts_.data_slots(node->id);
    return std::ranges::all_of(slots, [&](int slot) {
      const MaybeValue input = node->input(slot);
      return facts_.is_constant(input) || needs_no_layer(input);
    });
  }

  template <class Check>
  bool all_varying(const Node& node, Check check) {
    bool varies = false;
    for (const ValueId value : present(node.inputs)) {
      if (facts_.is_constant(value)) continue;
      varies = true;
      if (!check(value)) return false;
    }
    return varies;
  }

  [[nodiscard]] MaybeValue data_of(const Node& node) const {
    return is_constant_affine(facts_, node.id) ? varying_input(facts_, node.id) : facts_.data_input(node.id);
  }

  bool gives_up(MaybeValue value) { return !value || !facts_.is_float(value) || ++steps_ > kMostSteps; }

  /// True for x / |x|: the result of the root divides one of the vectors that were squared.
  [[nodiscard]] bool divides_its_vector() const {
    std::vector<MaybeValue> open{end_.output(0)};
    for (size_t next = 0; next < open.size() && open.size() < kMostSteps; ++next) {
      if (!open[next]) continue;
      for (const Use& use : facts_.value(*open[next]).uses) {
        if (use.slot < 0) continue;
        const Node& reader = facts_.node(use.node);
        const OpKind kind = facts_.kind(use.node);
        const MaybeValue other = reader.inputs.size() == 2 ? reader.input(1 - use.slot) : kNoValue;
        if ((kind == OpKind::Div || kind == OpKind::Mul) && other && vectors_.contains(*other)) return true;
        if (moves(facts_, reader) || is_arithmetic(kind) || kind == OpKind::Clip) open.push_back(reader.output(0));
      }
    }
    return false;
  }

  const GraphFacts& facts_;
  const Node& end_;
  std::set<NodeId> path_;
  std::set<ValueId> vectors_;
  std::set<std::pair<Role, ValueId>> asked_;
  int steps_ = 0;
  bool sums_ = false, filtered_ = false;
};

}  // namespace

std::vector<NodeId> signal_path(const GraphFacts& facts, const Node& end) { return SignalWalk(facts, end).run(); }

}  // namespace detent
