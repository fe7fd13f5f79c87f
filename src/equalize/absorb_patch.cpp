#include "equalize/absorb_patch.h"

#include <algorithm>
#include <functional>

#include "equalize/channel_constants.h"
#include "equalize/shift_flow.h"
#include "equalize/weight_channels.h"
#include "model/constant_editor.h"
#include "ops/traits.h"

namespace detent {

namespace {

Error mismatch(const std::string& what) {
  return {ErrorCode::TableMismatch, "the absorbed biases do not fit the model: there is no " + what + " like that",
          "calibrate again with --absorb-bias on"};
}

class AbsorbPatchMaker {
 public:
  AbsorbPatchMaker(const Graph& graph, const Shifts& shifts) : graph_(graph), shifts_(shifts) {
    for (const auto& [name, value] : shifts)
      if (graph.find_value(name) == kNoValue) throw mismatch("value '" + name + "'");
  }

  GraphPatch make() {
    for (const Node& node : graph_.nodes()) visit(node);
    for (const auto& [use, addition] : additions_) change(graph_.node(use.first), use.second, addition);
    return editor_.take("absorb high biases");
  }

 private:
  /// The numbers that a constant gains, along the axis `from_right` of its end.
  struct Addition {
    size_t from_right = 0;
    std::vector<double> numbers;
  };

  [[nodiscard]] const ShiftedValue* shifted(ValueId value) const {
    if (value == kNoValue) return nullptr;
    const auto found = shifts_.find(graph_.value(value).name);
    return found == shifts_.end() ? nullptr : &found->second;
  }

  void visit(const Node& node) {
    const ShiftedValue *read = shifted(node.input(0)), *written = shifted(node.output(0));
    if (is_rescalable(graph_, node)) {
      check_channels(node, read, input_channels(graph_, node));
      check_channels(node, written, output_channels(graph_, node));
      if (read) gain(node, *read);
      if (written) lose(bias_of(node), 0, written->shifts);
    } else if (written) {
      visit_sum(node, *written);
    }
  }

  static void check_channels(const Node& node, const ShiftedValue* shifted, int64_t channels) {
    if (shifted && static_cast<int64_t>(shifted->shifts.size()) != channels)
      throw mismatch("weighted op '" + node.name + "'");
  }

  /// value + constant: the constant loses the shift of the sum where the value is not shifted. The sum of two values is
  /// shifted by an operand.
  void visit_sum(const Node& node, const ShiftedValue& written) {
    const auto from_right = static_cast<size_t>(written.from_right);
    const auto slot = added_constant(graph_, node, from_right, static_cast<int64_t>(written.shifts.size()));
    if (slot && !shifted(node.input(1 - *slot))) lose({node.id, static_cast<int>(*slot)}, from_right, written.shifts);
  }

  [[nodiscard]] Use bias_of(const Node& node) const {
    const auto use = bias_behind(graph_, node);
    if (!use) throw mismatch("bias of '" + node.name + "'");
    return *use;
  }

  void gain(const Node& node, const ShiftedValue& read) {
    std::vector<double> response = response_to(graph_, node, read.shifts);
    if (traits_of(graph_, node).kind == OpKind::Gemm)
      for (double& number : response) number *= static_cast<double>(node.float_or("alpha", 1));
    add(bias_of(node), 0, response);
  }

  void lose(const Use& constant, size_t from_right, const std::vector<float>& shifts) {
    std::vector<double> numbers;
    for (const float shift : shifts) numbers.push_back(-static_cast<double>(shift));
    add(constant, from_right, numbers);
  }

  void add(const Use& constant, size_t from_right, const std::vector<double>& numbers) {
    Addition& addition = additions_[{constant.node, constant.slot}];
    if (addition.numbers.empty()) addition = {from_right, std::vector<double>(numbers.size())};
    if (addition.from_right != from_right || addition.numbers.size() != numbers.size())
      throw mismatch("constant of '" + graph_.node(constant.node).name + "'");
    std::ranges::transform(addition.numbers, numbers, addition.numbers.begin(), std::plus<>());
  }

  void change(const Node& node, int constant_slot, Addition addition) {
    const auto slot = static_cast<size_t>(constant_slot);
    const std::string wish = graph_.value(node.output(0)).name + "_bias";
    if (traits_of(graph_, node).kind == OpKind::Gemm)
      for (double& number : addition.numbers) number /= static_cast<double>(node.float_or("beta", 1));
    if (node.input(slot) == kNoValue) {
      const Tensor bias = Tensor::from<double>({static_cast<int64_t>(addition.numbers.size())},
                                               std::span<const double>(addition.numbers));
      return editor_.replace(node, slot, cast(bias, graph_.constant(node.input(1))->type()), wish);
    }
    const Tensor& constant = *graph_.constant(node.input(slot));
    if (!has_channels(constant, addition.from_right, addition.numbers.size()))
      throw mismatch("constant '" + graph_.value(node.input(slot)).name + "'");
    editor_.replace(node, slot, over_channels(constant, addition.from_right, addition.numbers, std::plus<>()), wish);
  }

  const Graph& graph_;
  const Shifts& shifts_;
  std::map<std::pair<NodeId, int>, Addition> additions_;
  ConstantEditor editor_{graph_};
};

}  // namespace

GraphPatch make_absorb_patch(const Graph& graph, const Shifts& shifts) {
  return AbsorbPatchMaker(graph, shifts).make();
}

}  // namespace detent
