#include "repair/trained_pairs.h"

#include <algorithm>
#include <utility>

#include "exec/executor.h"
#include "lint/reading/odd_pairs.h"
#include "model/graph_patch.h"
#include "repair/implied_relus.h"

namespace detent {

namespace {

/// Returns the constants in `names`, which are computed from initializers alone.
std::vector<Tensor> compute_constants(const Graph& graph, const std::vector<ValueId>& wanted) {
  const std::vector<Tensor> absent(graph.inputs().size());
  return run_once(graph, absent, wanted);
}

bool is_weight_alone(const QuantizedOperand& operand, const QdqReading& reading) {
  return operand.dequantize >= 0 && reading.nodes[static_cast<size_t>(operand.dequantize)].is_weight_alone();
}

/// Adds the names of the nodes that compute a value from constants.
void add_makers(const Graph& graph, MaybeValue value, std::set<std::string>& names) {
  const Node* maker = graph.producer(value);
  if (!maker || !names.insert(maker->name).second) return;
  for (const ValueId input : present(maker->inputs)) add_makers(graph, input, names);
}

/// True for the operand of the Identity or Cast that stands for a pair at a graph output, or in front of a body.
bool stands_for_output(const Graph& before, const Graph& graph, const QuantizedOperand& operand) {
  return !is_qdq(graph, graph.node(*graph.find_node(operand.node))) &&
         is_qdq(before, before.node(*before.find_node(operand.node)));
}

bool is_read_once(const Graph& graph, const std::string& constant) {
  const Value& value = graph.value(*graph.find_value(constant));
  return value.is_constant && value.uses.size() == 1;
}

/// Returns the patch that takes all pairs away except those of weights alone.
GraphPatch without_pairs(const Graph& graph, const QdqReading& reading) {
  GraphPatch patch = reading.float_patch;
  std::set<Slot> kept;
  std::set<std::string> makers, placeholders;
  for (const QuantizedOperand& operand : reading.operands) {
    if (!is_weight_alone(operand, reading)) continue;
    kept.emplace(operand.node, operand.slot);
    add_makers(graph, graph.node(*graph.find_node(operand.node)).input(operand.slot), makers);
  }
  std::erase_if(patch.rewire, [&](const GraphPatch::Rewire& rewire) {
    if (!kept.contains({rewire.node, rewire.slot})) return false;
    return placeholders.insert(rewire.value), true;
  });
  for (const GraphPatch::Rewire& rewire : patch.rewire) placeholders.erase(rewire.value);
  std::erase_if(patch.add_initializers, [&](const auto& one) { return placeholders.contains(one.first); });
  std::erase_if(patch.remove_nodes, [&](const std::string& name) { return makers.contains(name); });
  return patch;
}

}  // namespace

TrainedPairs::TrainedPairs(const Model& written, QdqReading pairs, bool direct_outputs)
    : model(written.clone()), reading(std::move(pairs)) {
  const Graph& before = written.graph();
  apply_patch(model, without_pairs(before, reading));
  const Graph& graph = model.graph();
  std::map<std::string, std::map<const QdqNode*, size_t>> votes;
  std::map<std::string, MaybeValue> placeholders;
  for (const auto& [name, zeros] : reading.float_patch.add_initializers)
    if (graph.find_value(name)) placeholders.emplace(name, kNoValue);
  for (const QuantizedOperand& operand : reading.operands) {
    const int index = operand.dequantize >= 0 ? operand.dequantize : operand.quantize;
    const MaybeNode node = graph.find_node(operand.node);
    if (index < 0 || !node || is_weight_alone(operand, reading)) continue;
    const QdqNode& last = reading.nodes[static_cast<size_t>(index)];
    // Behind codes of 16 bits a second pair converts them to 8 for some readers.
    const QdqNode* first = operand.first < 0 ? &last : &reading.nodes[static_cast<size_t>(operand.first)];
    const QdqNode& grid = is_wide(*first) ? *first : last;
    const Slot slot{operand.node, operand.slot};
    const std::string& name = graph.value(*graph.node(*node).input(operand.slot)).name;
    if (const auto found = placeholders.find(name); found != placeholders.end())
      found->second = before.node(*before.find_node(operand.node)).input(operand.slot);
    const std::string unusable_here = unusable_scale(grid);
    if (grid.role == QdqRole::Weight) weights.emplace(slot, WeightGrid{&grid, operand.axes});
    if (grid.role == QdqRole::Constant) constants.emplace(slot, WeightGrid{&grid, operand.axes});
    if (grid.role == QdqRole::Weight && operand.quantize >= 0 && unusable_here.empty() && is_read_once(graph, name))
      placeholders.emplace(name, before.node(*before.find_node(operand.node)).input(operand.slot));
    if (grid.role == QdqRole::Bias) biases.insert(slot);
    if (grid.role == QdqRole::Weight || grid.role == QdqRole::Bias) continue;
    if (stands_for_output(before, graph, operand))
      outputs.push_back(name);
    else
      read.emplace(slot, name);
    if (!unusable_here.empty())
      unusable.emplace(name, unusable_here);
    else if (grid.scales.size() == 1)
      ++votes[name][&grid];
  }
  for (const auto& [name, grids] : votes) {
    unusable.erase(name);
    values[name] = std::ranges::max_element(grids, {}, [](const auto& vote) { return vote.second; })->first;
  }
  // A pair in front of a Cast to 16-bit floats is read behind it; its scale is that of the value in front, too.
  for (const auto& [name, grid] : std::map(values)) {
    const Node* cast = graph.producer(*graph.find_value(name));
    if (cast && cast->op_type == "Cast" && cast->input(0)) values.try_emplace(graph.value(*cast->input(0)).name, grid);
  }
  find_unread(before);

  GraphPatch numbers;
  numbers.reason = "put the numbers in that the codes stand for";
  std::vector<ValueId> wanted;
  std::vector<std::string> names;
  for (const auto& [name, value] : placeholders)
    if (value) wanted.push_back(*value), names.push_back(name);
  std::vector<Tensor> tensors = compute_constants(before, wanted);
  for (size_t i = 0; i < names.size(); ++i) numbers.replace_constants.emplace_back(names[i], std::move(tensors[i]));
  if (!names.empty()) apply_patch(model, numbers);
  put_relus_back(direct_outputs ? write_outputs() : std::set<std::string>());
}

void TrainedPairs::find_unread(const Graph& before) {
  std::set<int> read_by_operands;
  for (const QuantizedOperand& operand : reading.operands) read_by_operands.insert({operand.first, operand.quantize});
  for (size_t i = 0; i < reading.nodes.size(); ++i) {
    const QdqNode& pair = reading.nodes[i];
    if (!pair.quantizes || pair.role != QdqRole::Activation || read_by_operands.contains(static_cast<int>(i))) continue;
    const Value& value = before.value(*before.node(*before.find_node(pair.name)).input(0));
    if (!value.is_constant && !values.contains(value.name) && !unusable.contains(value.name) &&
        model.graph().find_value(value.name))
      unread.push_back(value.name);
  }
}

std::set<std::string> TrainedPairs::write_outputs() {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "let values write the outputs that their pairs wrote";
  std::map<std::string, std::string> renamed;
  for (const NodeSpec& identity : reading.float_patch.add_nodes) {
    const MaybeNode node = graph.find_node(identity.name);
    if (!node || identity.op_type != "Identity") continue;
    const Value& value = graph.value(*graph.node(*node).input(0));
    const Node* maker = graph.producer(value.id);
    const bool inside_bodies = std::ranges::any_of(value.uses, [](const Use& use) { return use.slot < 0; });
    const std::string& output = identity.outputs.front();
    const bool writes_output = graph.value(*graph.find_value(output)).is_output;  // else a body reads it
    if (!writes_output || !maker || value.is_constant || value.is_output || inside_bodies) continue;
    if (!renamed.emplace(value.name, output).second) continue;  // the second output of one value
    patch.remove_nodes.push_back(identity.name);
    const auto slot = std::ranges::find(maker->outputs, MaybeValue(value.id)) - maker->outputs.begin();
    patch.rename_outputs.push_back({maker->name, static_cast<int>(slot), output});
    for (const Use& use : value.uses)
      if (use.node != *node) patch.rewire.push_back({graph.node(use.node).name, use.slot, output});
  }
  if (renamed.empty()) return {};
  std::erase_if(reading.operands,
                [&](const auto& operand) { return std::ranges::count(patch.remove_nodes, operand.node) > 0; });
  apply_patch(model, patch);
  const auto rename = [&](std::string& name) {
    if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
  };
  for (auto& [slot, value] : read) rename(value);
  for (std::string& value : outputs) rename(value);
  std::set<std::string> direct;
  for (const auto& [before, after] : renamed) {
    direct.insert(after);
    if (auto entry = values.extract(before)) entry.key() = after, values.insert(std::move(entry));
    if (auto entry = unusable.extract(before)) entry.key() = after, unusable.insert(std::move(entry));
  }
  return direct;
}

const WeightGrid* TrainedPairs::find_weight(const Slot& slot) const {
  for (const auto* grids : {&weights, &constants})
    if (const auto found = grids->find(slot); found != grids->end()) return &found->second;
  return nullptr;
}

bool TrainedPairs::is_stand_in(const std::string& node) const {
  return std::ranges::count(reading.float_patch.add_nodes, node, &NodeSpec::name) > 0;
}

void TrainedPairs::put_relu_in_front_of(const Value& output, const Node& maker, NameSource& names,
                                        GraphPatch& patch) const {
  const std::string before = names.fresh(output.name + "_before_relu");
  const auto slot = std::ranges::find(maker.outputs, MaybeValue(output.id)) - maker.outputs.begin();
  patch.rename_outputs.push_back({maker.name, static_cast<int>(slot), before});
  patch.add_nodes.push_back({"Relu", names.fresh("Relu_" + output.name), {before}, {output.name}, {}, ""});
  for (const Use& use : output.uses)
    if (const std::string& reader = model.graph().node(use.node).name;
        use.slot >= 0 && !read.contains({reader, use.slot}) && !is_stand_in(reader))
      patch.rewire.push_back({reader, use.slot, before});
}

void TrainedPairs::put_relus_back(const std::set<std::string>& direct) {
  const std::set<std::string> cut = values_cut_at_zero(model.graph(), values);
  if (cut.empty()) return;
  GraphPatch patch;
  patch.reason = "put in the Relu that a pair stands for";
  NameSource names(model.graph());
  std::map<std::string, std::string> behind;
  const Graph& graph = model.graph();
  for (const std::string& value : cut) {
    const Value& written = graph.value(*graph.find_value(value));
    const Node* maker = graph.producer(written.id);
    if (maker && direct.contains(value)) {
      put_relu_in_front_of(written, *maker, names, patch);
      continue;
    }
    behind[value] = names.fresh(value + "_relu");
    patch.add_nodes.push_back({"Relu", names.fresh("Relu_" + value), {value}, {behind[value]}, {}, ""});
    values[behind[value]] = values.at(value);
    values.erase(value);
    relus[behind[value]] = value;
    // An Identity that stands for the pair at an output reads through it, too.
    for (const Use& use : written.uses)
      if (const std::string& reader = graph.node(use.node).name; use.slot >= 0 && is_stand_in(reader))
        patch.rewire.push_back({reader, use.slot, behind[value]});
    std::ranges::replace(outputs, value, behind[value]);
  }
  for (auto& [slot, value] : read) {
    const auto relu = behind.find(value);
    if (relu == behind.end()) continue;
    patch.rewire.push_back({slot.first, slot.second, relu->second});
    value = relu->second;
  }
  apply_patch(model, patch);
}

}  // namespace detent
