#include "exec/executor.h"

#include <algorithm>

namespace detent {

namespace {

std::string describe(const Graph& graph, const Node& node) {
  return "node '" + node.name + "' (" + node.op_type + ", opset " + std::to_string(graph.opset(node.domain)) + ")";
}

void arrange(std::span<Tensor> inputs, LayoutNeed need, Allocator& allocator) {
  if (need == LayoutNeed::Any) return;
  const auto is_last = [](const Tensor& tensor) { return !tensor.empty_handle() && tensor.layout() == Layout::ChannelsLast; };
  if (std::none_of(inputs.begin(), inputs.end(), is_last)) return;
  const bool same_shape = std::all_of(inputs.begin(), inputs.end(), [&](const Tensor& tensor) {
    return tensor.empty_handle() || tensor.shape() == inputs.front().shape();
  });
  for (Tensor& tensor : inputs) {
    if (tensor.empty_handle()) continue;
    tensor = need == LayoutNeed::Same && same_shape ? to_channels_last(tensor, allocator) : to_plain(tensor, allocator);
  }
}

}  // namespace

Executor::Executor(const ExecutionPlan& plan) : plan_(plan), values_(plan.graph().values().size()) {}

void Executor::take_inputs(std::span<const Tensor> inputs, Observer& observer) {
  const Graph& graph = plan_.graph();
  if (inputs.size() != graph.inputs().size())
    throw Error(ErrorCode::InvalidData, "the model has " + std::to_string(graph.inputs().size()) + " inputs, got " +
                                            std::to_string(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    if (!plan_.needs_input(value.id)) continue;
    if (value.declared_type && *value.declared_type != inputs[i].type())
      throw Error(ErrorCode::InvalidData, "input '" + value.name + "' is " + std::string(name_of(*value.declared_type)) +
                                              ", got " + std::string(name_of(inputs[i].type())));
    values_[static_cast<size_t>(value.id)] = inputs[i];
  }
  for (const Value& value : graph.values()) {
    if (!plan_.is_wanted(value.id)) continue;
    if (const Tensor* constant = plan_.constant(value.id)) observer.observe(value.id, *constant);
    else if (value.is_input) observer.observe(value.id, values_[static_cast<size_t>(value.id)]);
  }
}

Tensor Executor::fetch(ValueId value, const Step& step) {
  if (value == kNoValue) return {};
  if (const Tensor* constant = plan_.constant(value)) return *constant;
  Tensor& held = values_[static_cast<size_t>(value)];
  if (held.empty_handle()) throw Error(ErrorCode::InvalidData, "input '" + plan_.graph().value(value).name + "' was not given");
  // At its last use the value moves into the call, so that an in-place kernel may take over the memory.
  const bool once = std::count(step.inputs.begin(), step.inputs.end(), value) +
                        std::count(step.residuals.begin(), step.residuals.end(), value) == 1;
  const bool last = std::find(step.last_uses.begin(), step.last_uses.end(), value) != step.last_uses.end();
  return once && last ? std::move(held) : held;
}

void Executor::run_step(const Step& step) {
  inputs_.clear();
  residuals_.clear();
  for (const ValueId value : step.inputs) inputs_.push_back(fetch(value, step));
  for (const ValueId value : step.residuals) residuals_.push_back(fetch(value, step));
  arrange(inputs_, step.layout, pool_);
  outputs_.assign(step.outputs.size(), Tensor());
  KernelCall call(inputs_, outputs_, residuals_, pool_, workspace_);
  step.kernel->run(call);
  for (size_t i = 0; i < step.outputs.size(); ++i)
    if (step.outputs[i] != kNoValue) values_[static_cast<size_t>(step.outputs[i])] = std::move(outputs_[i]);
}

void Executor::run(std::span<const Tensor> inputs, Observer& observer) {
  const Graph& graph = plan_.graph();
  std::fill(values_.begin(), values_.end(), Tensor());
  take_inputs(inputs, observer);
  for (const Step& step : plan_.steps()) {
    try {
      run_step(step);
    } catch (const Error& error) {
      throw error.in(describe(graph, graph.node(step.node)));
    }
    for (const ValueId value : step.outputs)
      if (value != kNoValue && plan_.is_wanted(value)) observer.observe(value, values_[static_cast<size_t>(value)]);
    inputs_.clear();
    residuals_.clear();
    for (const ValueId value : step.last_uses) values_[static_cast<size_t>(value)] = Tensor();
  }
}

std::vector<Tensor> run_once(const Graph& graph, std::span<const Tensor> inputs, std::span<const ValueId> wanted) {
  struct Keeper : Observer {
    std::vector<Tensor> kept;
    explicit Keeper(size_t values) : kept(values) {}
    void observe(ValueId value, const Tensor& tensor) override {
      kept[static_cast<size_t>(value)] = to_plain(tensor).clone();
    }
  };
  const ExecutionPlan plan(graph, wanted);
  Executor executor(plan);
  Keeper keeper(graph.values().size());
  executor.run(inputs, keeper);
  std::vector<Tensor> results;
  for (const ValueId value : wanted) results.push_back(keeper.kept[static_cast<size_t>(value)]);
  return results;
}

}  // namespace detent
