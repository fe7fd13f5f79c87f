#include "run/step_source.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <thread>

#include "core/index.h"
#include "datasets/base/array_fit.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr size_t kFed = std::numeric_limits<size_t>::max();
/// Samples whose states are kept while threads read: in order, one ends while the next begins.
constexpr size_t kWalks = 2;

std::vector<ValueId> state_outputs(const Graph& graph, const Recurrence& recurrence) {
  std::vector<ValueId> outputs;
  for (const Recurrence::State& state : recurrence.states) outputs.push_back(*graph.find_value(state.output));
  return outputs;
}

/// Returns positions [first, last) of an axis.
Tensor slice(const Tensor& whole, size_t axis, int64_t first, int64_t last) {
  Shape shape = whole.shape();
  const int64_t rows = shape.element_count(0, axis), extent = shape[axis];
  shape[axis] = last - first;
  Tensor part(whole.type(), shape);
  const size_t bytes = part.byte_count() / std::max<size_t>(1, as_index(rows));
  const size_t row = whole.byte_count() / std::max<size_t>(1, as_index(rows));
  const auto* from = static_cast<const std::byte*>(whole.raw()) + row / as_index(extent) * as_index(first);
  auto* out = static_cast<std::byte*>(part.mutable_raw());
  for (int64_t i = 0; i < rows; ++i) std::memcpy(out + as_index(i) * bytes, from + as_index(i) * row, bytes);
  return part;
}

Tensor zeros(DataType type, const Shape& shape) {
  Tensor tensor(type, shape);
  if (tensor.byte_count() > 0) std::memset(tensor.mutable_raw(), 0, tensor.byte_count());
  return tensor;
}

/// Returns ids in the type of an input.
Tensor token_ids(DataType type, const Shape& shape, const std::vector<int64_t>& ids) {
  return cast(Tensor::from<int64_t>(shape, ids), type);
}

/// Returns the class that the last position of scores [.., vocabulary] gives the highest score; the first of several.
int64_t highest_of_last(const Tensor& scores) {
  const Shape& shape = scores.shape();
  const int64_t classes = shape.rank() == 0 ? 0 : shape[shape.rank() - 1];
  if (classes == 0 || scores.element_count() == 0) return 0;
  const Tensor numbers = cast(scores, DataType::Float32);
  const auto last = numbers.data<float>().last(as_index(classes));
  return std::ranges::max_element(last) - last.begin();
}

/// Returns the ids with one behind them; `ids` counts one sample.
Tensor with_token(const Tensor& ids, int64_t token, std::optional<int> batch_axis) {
  const Tensor wide = cast(ids, DataType::Int64);
  std::vector<int64_t> all(wide.data<int64_t>().begin(), wide.data<int64_t>().end());
  all.push_back(token);
  Shape shape = ids.shape();
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    if (as_extent(axis) != batch_axis) shape[axis] = std::ssize(all);
  return token_ids(ids.type(), shape, all);
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

std::vector<Tensor> StepModel::hold(std::span<const Tensor> inputs) const {
  OutputKeeper keeper(model_.graph(), moving_.given());
  if (!moving_.given().empty()) Executor(held_).run(inputs, keeper);
  return keeper.take();
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

StepSource::StepSource(std::unique_ptr<DataSource> whole, std::unique_ptr<const StepModel> model, Recurrence recurrence,
                       std::span<const InputSpec> inputs, const DataSource* teacher)
    : whole_(std::move(whole)), model_(std::move(model)), recurrence_(std::move(recurrence)),
      specs_(inputs.begin(), inputs.end()), teacher_(teacher), place_(inputs.size(), kFed),
      // A stream reads at most twice as many samples ahead as it has threads.
      kept_states_(2 * std::max(1U, std::thread::hardware_concurrency()) + 1) {
  const std::vector<size_t> fed = recurrence_.data_inputs(inputs.size());
  for (size_t i = 0; i < fed.size(); ++i) place_[fed[i]] = i;
  for (const InputSpec& spec : inputs) batch_axes_.push_back(spec.batch_axis.value_or(kNoBatchAxis));
}

std::string StepSource::sample_name(size_t i) const {
  return whole_->sample_name(i / recurrence_.steps) + " step " + std::to_string(i % recurrence_.steps + 1);
}

Sample StepSource::read(size_t i) const {
  const size_t step = i % recurrence_.steps;
  std::shared_ptr<Walk> walk = walk_of(i / recurrence_.steps);
  std::unique_lock lock(walk->mutex);
  if (walk->begun && step < walk->first) {  // its states are gone
    lock.unlock();
    const size_t sample = walk->sample;
    walk = std::make_shared<Walk>();
    walk->sample = sample;
    lock = std::unique_lock(walk->mutex);
  }
  if (!walk->begun) begin(*walk);
  while (walk->first + walk->states.size() <= step) take_step(*walk);
  const std::vector<Tensor> states = *std::next(walk->states.begin(), as_extent(step - walk->first));
  Sample sample{i, sample_name(i), inputs_of(*walk, step, states), batch_axes_, next_of(walk->whole, step)};
  sample.image_size = walk->whole.image_size;
  return sample;
}

std::shared_ptr<StepSource::Walk> StepSource::walk_of(size_t sample) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& walk : walks_)
    if (walk->sample == sample) return walk;
  walks_.push_front(std::make_shared<Walk>());
  walks_.front()->sample = sample;
  if (walks_.size() > kWalks) walks_.pop_back();
  return walks_.front();
}

void StepSource::begin(Walk& walk) const {
  walk.whole = whole_->read(walk.sample);
  check_length(walk.whole);
  std::vector<Tensor> states;
  for (const Recurrence::State& state : recurrence_.states) {
    const DataType type = specs_[state.input].type;
    if (state.start == StateStart::Data)
      states.push_back(walk.whole.inputs[place_[state.input]]);
    else if (state.start == StateStart::Tokens)
      states.push_back(token_ids(type, state.first, state.tokens));
    else
      states.push_back(zeros(type, state.first));
  }
  walk.held = model_->hold(inputs_of(walk, 0, states));
  walk.states.push_back(std::move(states));
  walk.begun = true;
}

void StepSource::take_step(Walk& walk) const {
  const size_t step = walk.first + walk.states.size() - 1;
  std::vector<Tensor> states = model_->advance(inputs_of(walk, step, walk.states.back()), walk.held);
  choose_tokens(walk, step, states);
  check_states(states, step);
  walk.states.push_back(std::move(states));
  if (walk.states.size() <= kept_states_) return;
  walk.states.pop_front();
  ++walk.first;
}

void StepSource::choose_tokens(const Walk& walk, size_t step, std::vector<Tensor>& states) const {
  using Way = Recurrence::State::Way;
  std::optional<Sample> taught;
  for (size_t i = 0; i < states.size(); ++i) {
    const Recurrence::State& state = recurrence_.states[i];
    if (state.way == Way::Same) continue;
    if (teacher_) {
      if (!taught) taught = teacher_->read(walk.sample * recurrence_.steps + step + 1);
      states[i] = taught->inputs[state.input];
      continue;
    }
    const InputSpec& spec = specs_[state.input];
    const int64_t token = highest_of_last(states[i]);
    if (state.way == Way::Append) {
      states[i] = with_token(walk.states.back()[i], token, spec.batch_axis);
    } else {
      const size_t rank = spec.shape.size();
      states[i] = token_ids(spec.type, rank == 2 ? Shape{1, 1} : rank == 1 ? Shape{1} : Shape{}, {token});
    }
  }
}

std::vector<Tensor> StepSource::inputs_of(const Walk& walk, size_t step, const std::vector<Tensor>& states) const {
  std::vector<Tensor> inputs(specs_.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (place_[i] != kFed) inputs[i] = walk.whole.inputs[place_[i]];
  for (size_t i = 0; i < states.size(); ++i) inputs[recurrence_.states[i].input] = states[i];
  for (const Recurrence::Cut& cut : recurrence_.cuts) {
    const int64_t first = as_extent(step) * cut.length;
    inputs[cut.input] = slice(inputs[cut.input], cut.axis, cut.from_start ? 0 : first, first + cut.length);
  }
  return inputs;
}

std::vector<std::optional<int64_t>> StepSource::next_of(const Sample& whole, size_t step) const {
  std::vector<std::optional<int64_t>> next(specs_.size());
  for (const Recurrence::Cut& cut : recurrence_.cuts) {
    const Tensor& ids = whole.inputs[place_[cut.input]];
    const int64_t end = as_extent(step + 1) * cut.length;
    if (cut.from_start || (ids.type() != DataType::Int64 && ids.type() != DataType::Int32)) continue;
    if (ids.element_count() != ids.shape()[cut.axis]) continue;  // one id a position
    if (end < ids.element_count())
      next[cut.input] = cast(ids, DataType::Int64).data<int64_t>()[as_index(end)];
    else if (place_[cut.input] < whole.next.size())
      next[cut.input] = whole.next[place_[cut.input]];
  }
  return next;
}

void StepSource::check_length(const Sample& whole) const {
  for (const Recurrence::Cut& cut : recurrence_.cuts) {
    const Shape& shape = whole.inputs[place_[cut.input]].shape();
    const int64_t needed = as_extent(recurrence_.steps) * cut.length;
    if (shape[cut.axis] >= needed) continue;
    throw Error(ErrorCode::InvalidData,
                "sample '" + whole.name + "' has " + std::to_string(shape[cut.axis]) + " positions on axis " +
                    std::to_string(cut.axis) + " of the input '" + specs_[cut.input].name + "'; " +
                    std::to_string(recurrence_.steps) + " steps of " + std::to_string(cut.length) + " need " +
                    std::to_string(needed),
                "--steps " + std::to_string(shape[cut.axis] / cut.length) + " at most");
  }
}

void StepSource::check_states(const std::vector<Tensor>& states, size_t step) const {
  for (size_t i = 0; i < states.size(); ++i) {
    const InputSpec& spec = specs_[recurrence_.states[i].input];
    const Shape& shape = states[i].shape();
    bool fits = shape.rank() == spec.shape.size() && states[i].type() == spec.type;
    for (size_t axis = 0; fits && axis < shape.rank(); ++axis)
      fits = spec.shape[axis] < 0 || spec.shape[axis] == shape[axis];
    if (!fits)
      throw Error(ErrorCode::InvalidData,
                  "after step " + std::to_string(step + 1) + " the output '" + recurrence_.states[i].output + "' is " +
                      std::string(name_of(states[i].type())) + " " + shape.to_string() +
                      ", which does not fit the input '" + spec.name + "' (" + describe_shape(spec) + ")");
  }
}

}  // namespace detent
