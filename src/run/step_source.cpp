#include "run/step_source.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <thread>

#include "core/index.h"
#include "datasets/array_fit.h"
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

}  // namespace

StepModel::StepModel(Model model, const Recurrence& recurrence, CpuProducts products)
    : model_(std::move(model)), outputs_(state_outputs(model_.graph(), recurrence)),
      schedule_(model_.graph(), outputs_, {.products = products}) {}

std::vector<Tensor> StepModel::advance(std::span<const Tensor> inputs) const {
  std::unique_ptr<Executor> executor;
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      executor = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!executor) executor = std::make_unique<Executor>(schedule_);
  OutputKeeper keeper(model_.graph(), outputs_);
  executor->run(inputs, keeper);
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(executor));
  return keeper.take();
}

StepSource::StepSource(std::unique_ptr<DataSource> whole, std::unique_ptr<const StepModel> model, Recurrence recurrence,
                       std::span<const InputSpec> inputs)
    : whole_(std::move(whole)), model_(std::move(model)), recurrence_(std::move(recurrence)),
      specs_(inputs.begin(), inputs.end()), place_(inputs.size(), kFed),
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
  for (const Recurrence::State& state : recurrence_.states)
    states.push_back(state.start == StateStart::Data ? walk.whole.inputs[place_[state.input]]
                                                     : zeros(specs_[state.input].type, state.first));
  walk.states.push_back(std::move(states));
  walk.begun = true;
}

void StepSource::take_step(Walk& walk) const {
  const size_t step = walk.first + walk.states.size() - 1;
  std::vector<Tensor> states = model_->advance(inputs_of(walk, step, walk.states.back()));
  check_states(states, step);
  walk.states.push_back(std::move(states));
  if (walk.states.size() <= kept_states_) return;
  walk.states.pop_front();
  ++walk.first;
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
