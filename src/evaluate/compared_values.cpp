#include "evaluate/compared_values.h"

#include <algorithm>

#include "core/float_type.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

/// Returns the computed inputs of the nodes that make `values`, each once.
std::vector<ValueId> values_before(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<ValueId> before;
  for (const ValueId value : values) {
    const Node* producer = graph.producer(value);
    if (!producer) continue;
    for (const ValueId input : producer->inputs)
      if (input != kNoValue && graph.producer(input) && !graph.constant(input) &&
          std::find(before.begin(), before.end(), input) == before.end())
        before.push_back(input);
  }
  return before;
}

}  // namespace

std::vector<std::string> values_to_compare(const Model& model, std::span<const Tensor> inputs) {
  const Graph& graph = model.graph();
  std::vector<ValueId> candidates = RunnablePart(graph).ends();
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

std::vector<std::string> comparable_values(const Model& model, std::span<const Tensor> inputs) {
  std::vector<std::string> values = values_to_compare(model, inputs);
  if (!values.empty()) return values;
  throw Error(ErrorCode::InvalidOption, "no output can be compared: none that can run comes from float values");
}

std::vector<std::string> values_to_judge(const Model& model, const DataSource& samples, const RunSettings& settings) {
  std::vector<std::string> names = names_of(model.graph(), RunnablePart(model.graph()).ends());
  for (const std::string& name : values_to_compare(model, read_first_inputs(samples, settings)))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  if (names.empty()) throw Error(ErrorCode::InvalidOption, "the model has no output that can run here");
  return names;
}

}  // namespace detent
