#include "run/step_walk.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/index.h"
#include "datasets/base/array_fit.h"
#include "detent/base/error.h"

namespace detent {

namespace {

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

bool is_suppressed(int64_t token, const Recurrence& recurrence) {
  return recurrence.decode && std::ranges::any_of(recurrence.decode->suppressed, [&](const auto& range) {
           return token >= range.first && token <= range.second;
         });
}

/// Returns the class that the last position of scores [.., vocabulary] gives the highest score; the first of several.
int64_t highest_of_last(const Tensor& scores, const Recurrence& recurrence) {
  const Shape& shape = scores.shape();
  const int64_t classes = shape.rank() == 0 ? 0 : shape[shape.rank() - 1];
  if (classes == 0 || scores.element_count() == 0) return 0;
  const Tensor numbers = cast(scores, DataType::Float32);
  const auto last = numbers.data<float>().last(as_index(classes));
  std::optional<int64_t> best;
  for (int64_t token = 0; token < classes; ++token)
    if ((!best || last[as_index(token)] > last[as_index(*best)]) && !is_suppressed(token, recurrence)) best = token;
  return best.value_or(0);
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

/// Returns the most tokens of a text; no limit without "decode".
size_t longest_text(const Recurrence& recurrence, const Sample& whole) {
  if (!recurrence.decode) return std::numeric_limits<size_t>::max();
  size_t longest = recurrence.decode->most.value_or(recurrence.steps);
  if (recurrence.decode->most_per_second && whole.seconds > 0) {
    const double most = std::ceil(*recurrence.decode->most_per_second * whole.seconds);
    longest = std::min(longest, std::max<size_t>(1, static_cast<size_t>(most)));
  }
  return longest;
}

}  // namespace

StepPlan::StepPlan(Recurrence made, std::span<const InputSpec> inputs)
    : recurrence(std::move(made)), specs(inputs.begin(), inputs.end()), place(inputs.size(), kFed) {
  const std::vector<size_t> fed = recurrence.data_inputs(inputs.size());
  for (size_t i = 0; i < fed.size(); ++i) place[fed[i]] = i;
}

StepWalk::StepWalk(const StepModel& model, const StepPlan& plan, Sample whole)
    : model_(model), plan_(plan), whole_(std::move(whole)), longest_(longest_text(plan.recurrence, whole_)) {
  check_length();
  std::vector<Tensor> states;
  for (const Recurrence::State& state : plan_.recurrence.states) {
    const DataType type = plan_.specs[state.input].type;
    if (state.start == StateStart::Data)
      states.push_back(whole_.inputs[plan_.place[state.input]]);
    else if (state.start == StateStart::Tokens)
      states.push_back(token_ids(type, state.first, state.tokens));
    else
      states.push_back(zeros(type, state.first));
  }
  held_ = model_.hold(inputs_of(0, states));
  states_.push_back(std::move(states));
}

void StepWalk::take_step(size_t kept, const Teacher& teacher) {
  const size_t step = end() - 1;
  if (!last_) {
    std::vector<Tensor> states = model_.advance(inputs_of(step, states_.back()), held_);
    if (choose_tokens(step, states, teacher)) {
      check_states(states, step);
      states_.push_back(std::move(states));
    } else {
      last_ = step;
    }
  }
  if (last_) states_.push_back(std::vector<Tensor>(states_.back()));
  if (states_.size() <= kept) return;
  states_.pop_front();
  ++first_;
}

Sample StepWalk::step(size_t step) const {
  const std::vector<Tensor>& states = *std::next(states_.begin(), as_extent(step - first_));
  const size_t run = last_ ? std::min(step, *last_) : step;
  Sample sample;
  sample.inputs = inputs_of(run, states), sample.next = next_of(run);
  sample.image_size = whole_.image_size, sample.seconds = whole_.seconds;
  sample.is_behind_the_end = last_ && step > *last_;
  return sample;
}

bool StepWalk::goes_on(int64_t token) {
  if (plan_.recurrence.decode && token == plan_.recurrence.decode->end) return false;
  tokens_.push_back(token);
  return tokens_.size() < longest_;
}

bool StepWalk::choose_tokens(size_t step, std::vector<Tensor>& states, const Teacher& teacher) {
  using Way = Recurrence::State::Way;
  std::optional<Sample> taught;
  bool more = true;
  for (size_t i = 0; i < states.size(); ++i) {
    const Recurrence::State& state = plan_.recurrence.states[i];
    if (state.way == Way::Same) continue;
    if (teacher) {
      if (!taught) taught = teacher(step + 1);
      more = more && !taught->is_behind_the_end;
      states[i] = taught->inputs[state.input];
      continue;
    }
    const InputSpec& spec = plan_.specs[state.input];
    const int64_t token = highest_of_last(states[i], plan_.recurrence);
    more = goes_on(token) && more;
    if (state.way == Way::Append) {
      states[i] = with_token(states_.back()[i], token, spec.batch_axis);
    } else {
      const size_t rank = spec.shape.size();
      states[i] = token_ids(spec.type, rank == 2 ? Shape{1, 1} : rank == 1 ? Shape{1} : Shape{}, {token});
    }
  }
  return more;
}

std::vector<Tensor> StepWalk::inputs_of(size_t step, const std::vector<Tensor>& states) const {
  std::vector<Tensor> inputs(plan_.specs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (plan_.place[i] != StepPlan::kFed) inputs[i] = whole_.inputs[plan_.place[i]];
  for (size_t i = 0; i < states.size(); ++i) inputs[plan_.recurrence.states[i].input] = states[i];
  for (const Recurrence::Cut& cut : plan_.recurrence.cuts) {
    const int64_t first = as_extent(step) * cut.length;
    inputs[cut.input] = slice(inputs[cut.input], cut.axis, cut.from_start ? 0 : first, first + cut.length);
  }
  return inputs;
}

std::vector<std::optional<int64_t>> StepWalk::next_of(size_t step) const {
  std::vector<std::optional<int64_t>> next(plan_.specs.size());
  for (const Recurrence::Cut& cut : plan_.recurrence.cuts) {
    const Tensor& ids = whole_.inputs[plan_.place[cut.input]];
    const int64_t end = as_extent(step + 1) * cut.length;
    if (cut.from_start || (ids.type() != DataType::Int64 && ids.type() != DataType::Int32)) continue;
    if (ids.element_count() != ids.shape()[cut.axis]) continue;  // one id a position
    if (end < ids.element_count())
      next[cut.input] = cast(ids, DataType::Int64).data<int64_t>()[as_index(end)];
    else if (plan_.place[cut.input] < whole_.next.size())
      next[cut.input] = whole_.next[plan_.place[cut.input]];
  }
  return next;
}

void StepWalk::check_length() const {
  for (const Recurrence::Cut& cut : plan_.recurrence.cuts) {
    const Shape& shape = whole_.inputs[plan_.place[cut.input]].shape();
    const int64_t needed = as_extent(plan_.recurrence.steps) * cut.length;
    if (shape[cut.axis] >= needed) continue;
    throw Error(ErrorCode::InvalidData,
                "sample '" + whole_.name + "' has " + std::to_string(shape[cut.axis]) + " positions on axis " +
                    std::to_string(cut.axis) + " of the input '" + plan_.specs[cut.input].name + "'; " +
                    std::to_string(plan_.recurrence.steps) + " steps of " + std::to_string(cut.length) + " need " +
                    std::to_string(needed),
                "--steps " + std::to_string(shape[cut.axis] / cut.length) + " at most");
  }
}

void StepWalk::check_states(const std::vector<Tensor>& states, size_t step) const {
  for (size_t i = 0; i < states.size(); ++i) {
    const InputSpec& spec = plan_.specs[plan_.recurrence.states[i].input];
    const Shape& shape = states[i].shape();
    bool fits = shape.rank() == spec.shape.size() && states[i].type() == spec.type;
    for (size_t axis = 0; fits && axis < shape.rank(); ++axis)
      fits = spec.shape[axis] < 0 || spec.shape[axis] == shape[axis];
    if (!fits)
      throw Error(ErrorCode::InvalidData,
                  "after step " + std::to_string(step + 1) + " the output '" + plan_.recurrence.states[i].output +
                      "' is " + std::string(name_of(states[i].type())) + " " + shape.to_string() +
                      ", which does not fit the input '" + spec.name + "' (" + describe_shape(spec) + ")");
  }
}

}  // namespace detent
