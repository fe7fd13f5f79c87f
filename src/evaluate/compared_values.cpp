#include "evaluate/compared_values.h"

#include <algorithm>

#include "core/float_type.h"
#include "core/nearest_names.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "model/graph/file_boundary.h"
#include "ops/source_of_copy.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

/// Returns the computed inputs of the nodes that make `values`, each once.
std::vector<ValueId> values_before(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<ValueId> before;
  for (const ValueId value : values) {
    const Node* producer = graph.producer(value);
    if (!producer) continue;
    for (const ValueId input : present(producer->inputs))
      if (graph.producer(input) && !graph.constant(input) &&
          std::find(before.begin(), before.end(), input) == before.end())
        before.push_back(input);
  }
  return before;
}

}  // namespace

std::vector<ValueId> judged_outputs(const Graph& graph, const RunSettings& settings) {
  std::vector<ValueId> outputs(graph.outputs().begin(), graph.outputs().end());
  const std::vector<std::string>& judged = settings.judged_outputs;
  if (judged.empty()) {  // several files are judged at their end
    std::erase_if(outputs, [&](ValueId id) { return feeds_a_file(graph, graph.value(id)); });
    return outputs;
  }
  const std::vector<std::string> names = names_of(graph, outputs);
  for (const std::string& name : judged)
    if (std::ranges::find(names, name) == names.end())
      throw Error(
          ErrorCode::InvalidOption,
          "--judged-outputs: the model has no output '" + name + "'; its outputs are " + join(names, ", ", quoted),
          did_you_mean(name, names));
  std::erase_if(outputs, [&](ValueId id) { return std::ranges::find(judged, graph.value(id).name) == judged.end(); });
  return outputs;
}

std::string judged_outputs_text(const Graph& graph, const RunSettings& settings) {
  const std::vector<std::string> names = names_of(graph, judged_outputs(graph, settings));
  if (names.size() == graph.outputs().size()) return {};
  return "judged by " + join(names, ", ", quoted) + " alone, of " + plural(graph.outputs().size(), "output");
}

std::string not_compared_text(const Graph& graph, const RunSettings& settings) {
  const std::vector<ValueId> judged = judged_outputs(graph, settings);
  const RunnablePart runnable(graph, judged);
  std::vector<std::string> outputs;
  std::vector<UnsupportedNode> nodes;
  for (const ValueId output : judged) {
    const MaybeNode node = runnable.stopped_by(output);
    if (!node) continue;
    outputs.push_back(quoted(graph.value(output).name));
    const auto why = std::ranges::find(runnable.unsupported(), *node, &UnsupportedNode::node);
    if (std::ranges::find(nodes, *node, &UnsupportedNode::node) == nodes.end()) nodes.push_back(*why);
  }
  if (outputs.empty()) return {};
  return "not compared: " + listed(outputs, 4) + ", because " + cannot_run_text(graph, nodes) +
         "; the last values in front were compared instead";
}

std::vector<std::string> judged_ends(const Graph& graph, const RunSettings& settings) {
  return names_of(graph, RunnablePart(graph, judged_outputs(graph, settings)).ends());
}

std::vector<std::string> values_to_compare(const Model& model, std::span<const Tensor> inputs,
                                           const RunSettings& settings) {
  const Graph& graph = model.graph();
  std::vector<ValueId> candidates = RunnablePart(graph, judged_outputs(graph, settings)).ends();
  while (!candidates.empty()) {  // at most as often as the graph is deep: each round goes one node back
    const std::vector<Tensor> tensors = run_once(graph, inputs, candidates);
    std::vector<ValueId> measured;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (is_floating_point(tensors[i].type())) measured.push_back(candidates[i]);
    if (!measured.empty()) return names_of(graph, measured);
    candidates = values_before(graph, candidates);
  }
  return {};
}

std::vector<std::string> values_to_compare(const Model& model, const DataSource& samples, const RunSettings& settings) {
  return values_to_compare(model, read_first_inputs(samples, settings), settings);
}

std::vector<std::string> in_front_of_softmax(const Graph& graph, std::vector<std::string> names) {
  for (std::string& name : names) {
    const MaybeValue value = graph.find_value(name);
    const Node* producer = value ? graph.producer(source_of_copy(graph, *value)) : nullptr;
    if (producer && producer->op_type == "Softmax" && producer->domain.empty() && graph.producer(producer->input(0)))
      name = graph.value(*producer->input(0)).name;
  }
  return names;
}

std::vector<std::string> comparable_values(const Model& model, std::span<const Tensor> inputs,
                                           const RunSettings& settings) {
  std::vector<std::string> values = values_to_compare(model, inputs, settings);
  if (!values.empty()) return values;
  throw Error(ErrorCode::InvalidOption, "no output can be compared: none that can run comes from float values");
}

std::vector<std::string> values_to_judge(const Model& model, const DataSource& samples, const RunSettings& settings) {
  std::vector<std::string> names = judged_ends(model.graph(), settings);
  for (const std::string& name : values_to_compare(model, samples, settings))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  if (names.empty()) throw Error(ErrorCode::InvalidOption, "the model has no output that can run here");
  return names;
}

}  // namespace detent
