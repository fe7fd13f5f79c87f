#include "rewrite/promised_pairs.h"

#include <algorithm>

#include "core/files/mapped_file.h"
#include "ops/traits.h"

namespace detent {

namespace {

PromisedInput& slot_of(PromisedFile& file, NodeId node, int slot) {
  return file.nodes[static_cast<size_t>(node)].inputs[static_cast<size_t>(slot)];
}

// Copies of constants, one for each value: constants of a graph refer to its model, which is about to change. Content
// in a mapped file stays there, and the file is held.
class ContentCopies {
 public:
  ContentCopies(const Graph& graph, PromisedFile& file) : graph_(graph), file_(file) {}

  const Tensor& of(ValueId value) {
    Tensor& copy = copies_[value];
    const Tensor* content = graph_.constant(value);
    if (content && copy.empty_handle()) copy = held(*content);
    return copy;
  }

 private:
  Tensor held(const Tensor& content) {
    const std::shared_ptr<const MappedFile> mapped = MappedFile::holding(content.raw(), content.byte_count());
    if (!mapped) return content.clone();
    if (std::ranges::find(file_.mapped, mapped) == file_.mapped.end()) file_.mapped.push_back(mapped);
    return content;
  }

  const Graph& graph_;
  PromisedFile& file_;
  std::map<ValueId, Tensor> copies_;
};

bool is_number(DataType type) {
  return type != DataType::String && type != DataType::Sequence && type != DataType::Undefined;
}

}  // namespace

void PromisedFile::forget_contents() {
  for (PromisedNode& node : nodes)
    for (PromisedInput& input : node.inputs) input.content = Tensor();
  mapped.clear();
}

void PromisedFile::rename(const std::map<std::string, std::string>& renamed, const std::set<std::string>& gone) {
  std::erase_if(nodes, [&](const PromisedNode& node) { return gone.contains(node.name); });
  const auto follow = [&](std::string& name) {
    if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
  };
  for (PromisedNode& node : nodes) {
    follow(node.output);
    for (PromisedInput& input : node.inputs) follow(input.value);
  }
}

PromisedFile promise_of(const Graph& graph, const PlacementPlan& plan) {
  PromisedFile file;
  ContentCopies contents(graph, file);
  file.target = plan.target;
  file.type = plan.type;
  for (const Value& value : graph.values()) file.values.insert(value.name);
  for (const Node& node : graph.nodes()) {
    const OpTraits& traits = traits_of(graph, node);
    PromisedNode promised{node.name, node.op_type, "", traits.kind, {}, false};
    for (const ValueId output : present(node.outputs))
      if (promised.output.empty()) promised.output = graph.value(output).name;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      PromisedInput& input = promised.inputs.emplace_back();
      if (!node.inputs[slot]) continue;
      input.value = graph.value(*node.inputs[slot]).name;
      if (const Node* cast = graph.producer(node.inputs[slot]); cast && traits_of(graph, *cast).kind == OpKind::Cast)
        input.cast_of = graph.value(*cast->input(0)).name;
      input.constant = graph.value(*node.inputs[slot]).is_constant;
      if (const Tensor* content = input.constant ? graph.constant(node.inputs[slot]) : nullptr;
          content && is_number(content->type()))
        input.content = contents.of(*node.inputs[slot]);
      if (static_cast<int>(slot) == traits.bias_slot) input.read = ReadAs::Bias;
    }
    file.nodes.push_back(std::move(promised));
  }
  for (const EdgeDecision& edge : plan.edges) {
    if (!edge.reads_pair()) continue;
    const ValueDecision& value = plan.about(edge.value);
    PromisedInput& input = slot_of(file, edge.consumer, edge.slot);
    input.read = ReadAs::Pair;
    input.scale_group = value.scale_group;
    input.wide = plan.codes_of(edge) == CodeType::A16W8;
    input.second = edge.reads == Reads::SecondPair;
    if (const Tensor* constant = graph.constant(edge.value)) input.shape = constant->shape();
    input.mask = value.mask;
  }
  for (const WeightDecision& weight : plan.weights) {
    PromisedInput& input = slot_of(file, weight.node, weight.slot);
    input.read = ReadAs::Weight;
    file.nodes[static_cast<size_t>(weight.node)].dynamic = weight.dynamic;
    input.axis = weight.axis;
    if (const Tensor* constant = graph.constant(weight.value)) input.shape = constant->shape();
    if (weight.bias) slot_of(file, weight.bias->node, weight.bias->slot).read = ReadAs::Bias;
  }
  for (const auto& [id, value] : plan.values)
    if (value.output) file.output_pairs[graph.value(id).name] = value.scale_group;
  return file;
}

}  // namespace detent
