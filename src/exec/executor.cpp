#include "exec/executor.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "core/files/mapped_file.h"
#include "core/stop.h"
#include "exec/node_errors.h"
#include "exec/step.h"

namespace detent {

namespace {

/// The multiply-adds of a step: `fixed`, and `each` for every element of its output. 0 and 0 where they are not known.
struct StepWork {
  double fixed = 0;
  double each = 0;
};

/// Counts the multiply-adds of convolutions and products from the shapes of their inputs; other operators' are not
/// known. Shapes that do not fit give some number: the kernel refuses them.
StepWork work_of(const Step& step, std::span<const Tensor> inputs) {
  if (step.weight_axis == WeightAxis::None || inputs.size() < 2) return {};
  const Shape &data = inputs[0].shape(), &weight = inputs[1].shape();
  if (data.rank() == 0 || weight.rank() == 0) return {};
  const auto count = [](int64_t elements) { return static_cast<double>(elements); };
  switch (step.weight_axis) {
    case WeightAxis::First:  // weights [OC, IC/group, kernel...]
      return {.each = count(weight.element_count(1, weight.rank()))};
    case WeightAxis::Second:  // every input element meets its channel's weights [IC, OC/group, kernel...]
      return {.fixed = count(data.element_count()) * count(weight.element_count(1, weight.rank()))};
    case WeightAxis::GemmOutput: return {.each = count(weight[step.transposed_weight ? weight.rank() - 1 : 0])};
    default: return {.each = count(data[data.rank() - 1])};
  }
}

void arrange(std::span<Tensor> inputs, LayoutNeed need, Allocator& allocator) {
  if (need == LayoutNeed::Any) return;
  const auto is_last = [](const Tensor& tensor) {
    return !tensor.empty_handle() && tensor.layout() == Layout::ChannelsLast;
  };
  if (std::none_of(inputs.begin(), inputs.end(), is_last)) return;
  const bool same_shape = std::all_of(inputs.begin(), inputs.end(), [&](const Tensor& tensor) {
    return tensor.empty_handle() || tensor.shape() == inputs.front().shape();
  });
  for (Tensor& tensor : inputs) {
    if (tensor.empty_handle()) continue;
    tensor = need == LayoutNeed::Same && same_shape ? to_channels_last(tensor, allocator) : to_plain(tensor, allocator);
  }
}

/// An observer that keeps the wanted values, which may share memory with the executor's.
struct ResultKeeper : Observer {
  ValueMap<Tensor> kept;
  explicit ResultKeeper(size_t values) : kept(values) {}
  void observe(ValueId value, const Tensor& tensor) override { kept[value] = tensor; }
};

}  // namespace

class Executor::StepSubgraphs final : public SubgraphRunner {
 public:
  StepSubgraphs(Executor& executor, const Step& step) : executor_(executor), step_(step) {}
  std::vector<Tensor> run(std::string_view attribute, std::span<const Tensor> inputs) override {
    return executor_.run_subgraph(step_, attribute, inputs);
  }

 private:
  Executor& executor_;
  const Step& step_;
};

Executor::Executor(const Schedule& schedule)
    : schedule_(schedule), constants_(schedule.graph().values().size(), nullptr),
      own_pool_(std::make_unique<BufferPool>()), pool_(*own_pool_), values_(schedule.graph().values().size()),
      held_(schedule) {
  find_constants();
}

Executor::Executor(const Schedule& schedule, BufferPool& pool)
    : schedule_(schedule), constants_(schedule.graph().values().size(), nullptr), pool_(pool),
      values_(schedule.graph().values().size()), held_(schedule) {
  find_constants();
}

void Executor::find_constants() {
  for (const Step& step : schedule_.steps()) {
    for (const ValueId value : present(step.inputs)) constants_[value] = schedule_.constant(value);
    for (const ValueId value : step.residuals) constants_[value] = schedule_.constant(value);
  }
}

void Executor::take_inputs(std::span<const Tensor> inputs, Observer& observer) {
  const Graph& graph = schedule_.graph();
  if (inputs.size() != graph.inputs().size())
    throw Error(ErrorCode::InvalidData, "the model has " + std::to_string(graph.inputs().size()) + " inputs, got " +
                                            std::to_string(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    if (!schedule_.needs_input(value.id)) continue;
    const bool absent = inputs[i].empty_handle() && value.is_optional;
    if (value.declared_type && *value.declared_type != inputs[i].type() && !absent)
      throw Error(ErrorCode::InvalidData, "input '" + value.name + "' is " +
                                              std::string(name_of(*value.declared_type)) + ", got " +
                                              std::string(name_of(inputs[i].type())));
    values_[value.id] = inputs[i];
  }
  for (const Value& value : graph.values()) {
    if (!schedule_.is_wanted(value.id)) continue;
    if (const Tensor* constant = schedule_.constant(value.id))
      observer.observe(value.id, *constant);
    else if (const Tensor& given = values_[value.id]; value.is_input && !given.empty_handle())
      observer.observe(value.id, given);
  }
}

Tensor Executor::fetch(MaybeValue operand, const Step& step) {
  if (!operand) return {};
  const ValueId value = *operand;
  if (const Tensor* constant = constants_[value]) return *constant;
  Tensor& held = values_[value];
  // At its last use the value moves into the call, so that an in-place kernel may take over the memory.
  const bool once = std::count(step.inputs.begin(), step.inputs.end(), value) +
                        std::count(step.residuals.begin(), step.residuals.end(), value) ==
                    1;
  const bool last = std::find(step.last_uses.begin(), step.last_uses.end(), value) != step.last_uses.end();
  return once && last ? std::move(held) : held;
}

void Executor::check_operand(MaybeValue value, const Tensor& tensor, const Step& step) const {
  if (!value || step.any_value) return;
  if (!tensor.empty_handle() && !tensor.is_sequence()) return;
  const std::string input = "input '" + schedule_.graph().value(*value).name + "' ";
  if (tensor.empty_handle()) throw Error(ErrorCode::InvalidData, input + "was not given");
  throw Error(ErrorCode::InvalidModel, input + "is a sequence, expected a tensor");
}

void Executor::take_outputs(const Step& step) {
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (!step.outputs[i]) continue;
    const Value& value = schedule_.graph().value(*step.outputs[i]);
    // Only operators of optionals leave out an output that is read.
    if (outputs_[i].empty_handle() && !step.any_value && (value.is_output || !value.uses.empty()))
      throw Error(ErrorCode::Unsupported, "output '" + value.name + "' is not computed");
    values_[value.id] = std::move(outputs_[i]);
  }
}

void Executor::run_step(const Step& step, size_t index, StepTeller& teller) {
  inputs_.clear();
  residuals_.clear();
  for (const MaybeValue value : step.inputs) check_operand(value, inputs_.emplace_back(fetch(value, step)), step);
  for (const ValueId value : step.residuals) check_operand(value, residuals_.emplace_back(fetch(value, step)), step);
  const StepWork work = work_of(step, inputs_);
  teller.begin(index, work.fixed, work.each);
  arrange(inputs_, step.layout, pool_);
  outputs_.assign(step.outputs.size(), Tensor());
  KernelCall call(inputs_, outputs_, residuals_, pool_, workspace_);
  StepSubgraphs subgraphs(*this, step);
  call.set_subgraphs(subgraphs);
  call.set_teller(teller);
  step.kernel->run(call);
  take_outputs(step);
  if (schedule_.is_lean()) let_go_of_weights(step);
}

void Executor::let_go_of_weights(const Step& step) const {
  constexpr size_t kLarge = size_t{1} << 20;  // bytes: fewer are read faster than they are let go
  for (const MaybeValue value : step.inputs)
    if (const Tensor* weights = value ? constants_[*value] : nullptr; weights && weights->byte_count() > kLarge)
      let_go_of_pages(weights->raw(), weights->byte_count());
}

std::vector<Tensor> Executor::run_subgraph(const Step& step, std::string_view attribute,
                                           std::span<const Tensor> inputs) {
  if (may_stop_) stop_if_interrupted();  // a body may have no step
  const auto subgraph = std::ranges::find(step.subgraphs, attribute, &ScheduledSubgraph::attribute);
  if (subgraph == step.subgraphs.end())
    throw Error(ErrorCode::InvalidModel, "attribute '" + std::string(attribute) + "' must be a graph");
  std::vector<std::pair<ValueId, Tensor>> captured;
  for (const auto& [outer, inner] : subgraph->captured) captured.emplace_back(inner, values_[outer]);
  std::unique_ptr<Executor>& executor = subgraphs_[subgraph->schedule.get()];
  if (!executor) executor = std::make_unique<Executor>(*subgraph->schedule, pool_);
  executor->may_stop_ = may_stop_;
  return executor->run_inside(inputs, captured);
}

std::vector<Tensor> Executor::run_inside(std::span<const Tensor> inputs,
                                         std::span<const std::pair<ValueId, Tensor>> captured) {
  const Graph& graph = schedule_.graph();
  ResultKeeper keeper(values_.size());
  take_inputs(inputs, keeper);
  for (const auto& [value, tensor] : captured) {
    values_[value] = tensor;
    keeper.observe(value, tensor);  // a branch may return a value that it reads
  }
  run_steps(keeper);
  std::fill(values_.begin(), values_.end(), Tensor());
  std::vector<Tensor> results;
  for (const ValueId output : graph.outputs()) results.push_back(keeper.kept[output]);
  return results;
}

namespace {

/// True where the model alone is to blame for an error: it declares the extents of all inputs, these inputs have them,
/// and zeros fail in the same way.
bool fails_on_zeros(const Schedule& schedule, std::span<const Tensor> inputs, std::string_view error) {
  thread_local bool tried = false;
  if (tried) return false;
  const Graph& graph = schedule.graph();
  std::vector<Tensor> zeros;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& declared = graph.value(graph.inputs()[i]).declared_shape;
    const bool as_declared = declared && !inputs[i].empty_handle() && !inputs[i].is_sequence() &&
                             std::ranges::equal(*declared, inputs[i].shape());
    if (!as_declared) return false;
    zeros.emplace_back(inputs[i].type(), inputs[i].shape());
    std::memset(zeros.back().mutable_raw(), 0, zeros.back().byte_count());
  }
  tried = true;
  std::string again;
  try {
    OutputKeeper nothing(graph, {});
    Executor(schedule).run(zeros, nothing);
  } catch (const Error& failed) {
    again = failed.what();
  }
  tried = false;
  return again == error;
}

}  // namespace

void Executor::run(std::span<const Tensor> inputs, Observer& observer) {
  std::fill(values_.begin(), values_.end(), Tensor());
  take_inputs(inputs, observer);
  const bool made = held_.begin(inputs, values_);
  try {
    run_steps(observer, &held_, made);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::InvalidData && fails_on_zeros(schedule_, inputs, error.what()))
      throw as_fault_of_model(error);
    throw;
  }
  if (!held_.empty() && !made) held_.end(inputs);
}

void Executor::resume(std::span<const Tensor> inputs, std::span<const Tensor> given, Observer& observer) {
  std::fill(values_.begin(), values_.end(), Tensor());
  take_inputs(inputs, observer);
  for (size_t i = 0; i < given.size(); ++i) {
    const ValueId value = schedule_.given()[i];
    values_[value] = given[i];
    if (schedule_.is_wanted(value) && !given[i].empty_handle()) observer.observe(value, given[i]);
  }
  run_steps(observer);
}

void Executor::observe_outputs(const Step& step, Observer& observer) {
  for (const ValueId value : present(step.outputs)) {
    if (!schedule_.is_wanted(value)) continue;
    const Tensor& computed = values_[value];
    if (computed.empty_handle()) continue;
    const TimeAdder adder(times_ ? &times_->observing : nullptr);
    observer.observe(value, computed);
  }
}

void Executor::run_steps(Observer& observer, HeldSteps* held, bool made) {
  const Graph& graph = schedule_.graph();
  if (times_) ++times_->runs;
  StepTeller teller([&](size_t step) {
    const Node& node = graph.node(schedule_.steps()[step].node);
    return "node '" + node.name + "' (" + (node.domain.empty() ? "" : node.domain + ".") + node.op_type + ")";
  });
  for (size_t i = 0; i < schedule_.steps().size(); ++i) {
    const Step& step = schedule_.steps()[i];
    if (may_stop_) stop_if_interrupted();
    const bool is_held = held && held->contains(i);
    if (!is_held || !made) {
      with_node_in_errors(graph, graph.node(step.node), [&] {
        const TimeAdder adder(times_ ? &times_->steps[i] : nullptr);
        run_step(step, i, teller);
      });
      if (is_held) held->keep(step, values_);
    }
    observe_outputs(step, observer);
    inputs_.clear();
    residuals_.clear();
    for (const ValueId value : step.last_uses) values_[value] = Tensor();
  }
}

OutputKeeper::OutputKeeper(const Graph& graph, std::span<const ValueId> wanted)
    : places_(graph.values().size()), kept_(wanted.size()) {
  for (size_t i = 0; i < wanted.size(); ++i) places_[wanted[i]].push_back(i);
}

void OutputKeeper::observe(ValueId value, const Tensor& tensor) {
  for (const size_t place : places_[value]) {
    const Tensor plain = to_plain(tensor);  // heap memory when it had to be reordered
    kept_[place] = tensor.layout() == Layout::Plain || plain.raw() == tensor.raw() ? plain.clone() : plain;
  }
}

std::vector<Tensor> run_once(const Graph& graph, std::span<const Tensor> inputs, std::span<const ValueId> wanted) {
  const Schedule schedule(graph, wanted);
  OutputKeeper keeper(graph, wanted);
  Executor(schedule).run(inputs, keeper);
  return keeper.take();
}

}  // namespace detent
