#include "run/step_walk.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/index.h"
#include "datasets/base/array_fit.h"
#include "detent/base/error.h"
#include "run/model_inputs.h"
#include "run/samples_together.h"

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

/// Returns ids [length] or [samples, length] with one behind each row; of an input whose length is fixed the first
/// goes.
Tensor with_tokens(const Tensor& ids, const std::vector<int64_t>& tokens, const InputSpec& spec) {
  const Tensor wide = cast(ids, DataType::Int64);
  Shape shape = ids.shape();
  int64_t& length = shape[shape.rank() - 1];
  const int64_t gone = spec.shape.back() >= 0 ? 1 : 0;
  std::vector<int64_t> all;
  for (size_t row = 0; row < tokens.size(); ++row) {
    const auto before = wide.data<int64_t>().subspan(row * as_index(length), as_index(length));
    all.insert(all.end(), before.begin() + gone, before.end());
    all.push_back(tokens[row]);
  }
  length += 1 - gone;
  return token_ids(ids.type(), shape, all);
}

/// Returns one token of each sample as an input of one position.
Tensor as_input(const std::vector<int64_t>& tokens, const InputSpec& spec) {
  const int64_t samples = std::ssize(tokens);
  const size_t rank = spec.shape.size();
  return token_ids(spec.type, rank == 2 ? Shape{samples, 1} : rank == 1 ? Shape{samples} : Shape{}, tokens);
}

/// Returns the tensor once for each of `count` samples, along axis 0.
Tensor repeated(Tensor one, size_t count) {
  if (count == 1) return one;
  Shape shape = one.shape();
  shape[0] *= as_extent(count);
  Tensor all(one.type(), shape);
  for (size_t i = 0; i < count && one.byte_count() > 0; ++i)
    std::memcpy(static_cast<std::byte*>(all.mutable_raw()) + i * one.byte_count(), one.raw(), one.byte_count());
  return all;
}

bool same_bits(const Tensor& one, const Tensor& other) {
  return one.shape() == other.shape() && one.type() == other.type() &&
         (one.byte_count() == 0 || std::memcmp(one.raw(), other.raw(), one.byte_count()) == 0);
}

/// Returns the most tokens of a text; no limit without "decode".
size_t longest_text(const Recurrence& recurrence, const Sample& whole) {
  constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();
  if (!recurrence.decode) return kNoLimit;
  size_t longest = recurrence.decode->most.value_or(recurrence.decode->has_frames() ? kNoLimit : recurrence.steps);
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

bool stacks_samples(const Graph& graph, const StepPlan& plan) {
  const auto counts_samples = [](const InputSpec& spec) {
    return spec.has_shape && !spec.shape.empty() && spec.shape[0] < 0 && spec.batch_axis.value_or(0) == 0;
  };
  const auto begins_with_one = [](const Recurrence::State& state) {
    return state.start == StateStart::Data || (state.first.rank() > 0 && state.first[0] == 1);
  };
  const std::optional<DecodeRules>& decode = plan.recurrence.decode;
  return decode && !decode->has_frames() && std::ranges::all_of(plan.specs, counts_samples) &&
         std::ranges::all_of(plan.recurrence.states, begins_with_one) && !may_mix_samples(graph);
}

StepWalk::StepWalk(const StepModel& model, const StepPlan& plan, std::vector<Sample> whole)
    : model_(model), plan_(plan), whole_(whole.front()), texts_(whole.size()) {
  std::vector<size_t> samples;
  for (size_t i = 0; i < whole.size(); ++i) {
    texts_[i].longest = longest_text(plan.recurrence, whole[i]);
    samples.push_back(whole[i].index);
  }
  whole_.inputs = stack_samples(std::move(whole));
  check_length();
  std::vector<Tensor> states;
  for (const Recurrence::State& state : plan_.recurrence.states) {
    const DataType type = plan_.specs[state.input].type;
    if (state.start == StateStart::Data)
      states.push_back(whole_.inputs[plan_.place[state.input]]);
    else if (state.start == StateStart::Tokens)
      states.push_back(repeated(token_ids(type, state.first, state.tokens), texts_.size()));
    else
      states.push_back(repeated(zeros(type, state.first), texts_.size()));
  }
  held_ = model_.hold(inputs_of(0, states), samples);
  states_.push_back(std::move(states));
}

void StepWalk::take_step(size_t kept, const Teacher& teacher) {
  const size_t step = end() - 1;
  if (!last_) {
    std::vector<Tensor> states = outputs();
    if (teacher ? take_tokens(step, states, teacher) : choose_tokens(states)) {
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

size_t StepWalk::bytes() const {
  size_t bytes = 0;
  const auto add = [&](const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors) bytes += tensor.byte_count();
  };
  add(whole_.inputs), add(held_);
  for (const std::vector<Tensor>& states : states_) add(states);
  return bytes;
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

std::vector<std::vector<int64_t>> StepWalk::tokens() const {
  std::vector<std::vector<int64_t>> tokens;
  for (const Text& text : texts_) tokens.push_back(text.tokens);
  return tokens;
}

bool StepWalk::goes_on(Text& text, const GreedyChoice& choice, const std::vector<Tensor>& states) {
  using Way = Recurrence::State::Way;
  if (choice.ends) return false;
  int64_t frames = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < states.size(); ++i)
    if (plan_.recurrence.states[i].way == Way::Frame) frames = states[i].data<int64_t>()[0];
  if (frame_ >= frames) return false;  // there is none
  if (choice.token) text.tokens.push_back(*choice.token);
  of_frame_ = choice.frames > 0 ? 0 : of_frame_ + (choice.token ? 1 : 0);
  frame_ += choice.frames;
  return frame_ < frames && text.tokens.size() < text.longest;
}

bool StepWalk::choose_tokens(std::vector<Tensor>& states) {
  using Way = Recurrence::State::Way;
  const Recurrence& recurrence = plan_.recurrence;
  const DecodeRules* rules = recurrence.decode ? &*recurrence.decode : nullptr;
  std::vector<std::vector<int64_t>> tokens(states.size(), std::vector<int64_t>(texts_.size()));
  bool more = false, stays = false;
  for (size_t row = 0; row < texts_.size(); ++row) {
    Text& text = texts_[row];
    if (text.has_ended) continue;  // any token will do
    for (size_t i = 0; i < states.size(); ++i) {
      if (recurrence.states[i].way == Way::Same || recurrence.states[i].way == Way::Frame) continue;
      const auto from = as_extent(row);
      const Tensor scores = texts_.size() == 1 ? states[i] : states[i].slice0(from, from + 1);
      const GreedyChoice choice = choose_greedily(scores, rules, of_frame_);
      tokens[i][row] = choice.token.value_or(0);
      stays = stays || !choice.token;
      text.has_ended = !goes_on(text, choice, states) || text.has_ended;
    }
    more = more || !text.has_ended;
  }
  for (size_t i = 0; more && i < states.size(); ++i) {
    const InputSpec& spec = plan_.specs[recurrence.states[i].input];
    const Way way = recurrence.states[i].way;
    if (way == Way::Frame)
      states[i] = Tensor::from<int64_t>({1}, {frame_});
    else if (stays && texts_.size() == 1)
      states[i] = states_.back()[i];  // a blank changes the frame alone
    else if (way == Way::Append)
      states[i] = with_tokens(states_.back()[i], tokens[i], spec);
    else if (way == Way::Argmax)
      states[i] = as_input(tokens[i], spec);
  }
  return more;
}

bool StepWalk::take_tokens(size_t step, std::vector<Tensor>& states, const Teacher& teacher) const {
  using Way = Recurrence::State::Way;
  const std::vector<Recurrence::State>& all = plan_.recurrence.states;
  const bool chooses = std::ranges::any_of(all, [](const auto& state) { return state.way != Way::Same; });
  if (!chooses) return true;
  const Sample taught = teacher(step + 1);
  bool stays = false;
  if (plan_.recurrence.decode && plan_.recurrence.decode->has_frames()) {
    const Sample before = teacher(step);
    stays = std::ranges::all_of(all, [&](const Recurrence::State& state) {
      return state.way == Way::Frame || same_bits(taught.inputs[state.input], before.inputs[state.input]);
    });
  }
  for (size_t i = 0; i < states.size(); ++i) {
    if (all[i].way != Way::Same)
      states[i] = taught.inputs[all[i].input];
    else if (stays)
      states[i] = states_.back()[i];
  }
  return !taught.is_behind_the_end;
}

std::vector<Tensor> StepWalk::inputs_of(size_t step, const std::vector<Tensor>& states) const {
  std::vector<Tensor> inputs(plan_.specs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (plan_.place[i] != StepPlan::kFed) inputs[i] = whole_.inputs[plan_.place[i]];
  for (size_t i = 0; i < states.size(); ++i) inputs[plan_.recurrence.states[i].input] = states[i];
  for (const Recurrence::Cut& cut : plan_.recurrence.cuts) {
    const int64_t end = cut.end_of(step), extent = inputs[cut.input].shape()[cut.axis];
    if (end > extent)  // a decoder goes on until its text ends
      throw Error(ErrorCode::InvalidData, "step " + std::to_string(step + 1) + " reads beyond the " +
                                              std::to_string(extent) + " positions of input '" +
                                              plan_.specs[cut.input].name + "', which is cut into steps");
    inputs[cut.input] = slice(inputs[cut.input], cut.axis, cut.from_start ? 0 : end - cut.length, end);
  }
  return inputs;
}

std::vector<std::optional<int64_t>> StepWalk::next_of(size_t step) const {
  std::vector<std::optional<int64_t>> next(plan_.specs.size());
  for (const Recurrence::Cut& cut : plan_.recurrence.cuts) {
    const Tensor& ids = whole_.inputs[plan_.place[cut.input]];
    const int64_t end = cut.end_of(step);
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
    const int64_t needed = cut.end_of(plan_.recurrence.steps - 1);
    if (shape[cut.axis] >= needed) continue;
    const int64_t fitting = shape[cut.axis] < cut.length ? 0 : (shape[cut.axis] - cut.length) / cut.hop + 1;
    throw Error(ErrorCode::InvalidData,
                "sample '" + whole_.name + "' has " + std::to_string(shape[cut.axis]) + " positions on axis " +
                    std::to_string(cut.axis) + " of the input '" + plan_.specs[cut.input].name + "'; " +
                    std::to_string(plan_.recurrence.steps) + " steps of " + std::to_string(cut.length) + " need " +
                    std::to_string(needed),
                "--steps " + std::to_string(fitting) + " at most");
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
