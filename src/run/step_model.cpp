#include "run/step_model.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "model/fingerprint.h"

namespace detent {

namespace {

std::vector<ValueId> state_outputs(const Graph& graph, const Recurrence& recurrence) {
  std::vector<ValueId> outputs;
  for (const Recurrence::State& state : recurrence.states) outputs.push_back(*graph.find_value(state.output));
  return outputs;
}

/// Returns the values that no state and no cut input decides, and that a node reads which one does. Nodes without
/// inputs may be random.
std::vector<ValueId> held_values(const Graph& graph, const Recurrence& recurrence) {
  ValueMap<bool> moves(graph.values().size());
  for (const Recurrence::State& state : recurrence.states) moves[graph.inputs()[state.input]] = true;
  for (const Recurrence::Cut& cut : recurrence.cuts) moves[graph.inputs()[cut.input]] = true;
  std::vector<ValueId> held;
  for (const Node& node : graph.nodes()) {
    std::vector<ValueId> reads = graph.captured_by(node);
    for (const ValueId input : present(node.inputs)) reads.push_back(input);
    if (!reads.empty() && std::ranges::none_of(reads, [&](ValueId value) { return moves[value]; })) continue;
    for (const ValueId output : present(node.outputs)) moves[output] = !graph.value(output).is_constant;
    for (const ValueId value : reads)
      if (!moves[value] && graph.producer(value) && !graph.value(value).is_constant &&
          std::ranges::find(held, value) == held.end())
        held.push_back(value);
  }
  return held;
}

}  // namespace

StepModel::StepModel(Model model, const Recurrence& recurrence, CpuProducts products)
    : model_(std::move(model)), outputs_(state_outputs(model_.graph(), recurrence)),
      held_(model_.graph(), held_values(model_.graph(), recurrence), {.products = products, .kernels = &kernels_}),
      moving_(model_.graph(), outputs_, {.products = products, .kernels = &kernels_}) {
  moving_.leave_shared_steps_to(held_);
  held_.watch(moving_.given());
}

void StepModel::share(HeldOutputs& outputs) {
  std::set<std::string> names;
  ContentHash hash;
  for (const ValueId value : moving_.given()) {
    names.insert(model_.graph().value(value).name);
    hash.add_text(model_.graph().value(value).name);  // in this order they are kept
  }
  hash.add_text(fingerprint_of(model_, std::move(names)).hex());
  part_ = hash.digest();
  shared_ = &outputs;
}

std::vector<Tensor> StepModel::hold(std::span<const Tensor> inputs, std::span<const size_t> samples) const {
  if (moving_.given().empty()) return {};
  if (shared_)
    if (auto known = shared_->find(part_, samples)) return *std::move(known);
  OutputKeeper keeper(model_.graph(), moving_.given());
  Executor(held_).run(inputs, keeper);
  std::vector<Tensor> values = keeper.take();
  if (shared_) shared_->keep(part_, samples, values);
  return values;
}

std::vector<Tensor> StepModel::advance(std::span<const Tensor> inputs, std::span<const Tensor> held) const {
  std::unique_ptr<Executor> executor;
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      executor = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!executor) executor = std::make_unique<Executor>(moving_);
  OutputKeeper keeper(model_.graph(), outputs_);
  executor->resume(inputs, held, keeper);
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(executor));
  return keeper.take();
}

}  // namespace detent
