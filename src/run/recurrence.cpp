#include "run/recurrence.h"

#include <algorithm>
#include <optional>

#include "core/index.h"
#include "core/nearest_names.h"
#include "core/text.h"
#include "datasets/base/array_fit.h"
#include "detent/base/error.h"
#include "model/graph/file_boundary.h"

namespace detent {

namespace {

[[noreturn]] void refuse_recurrence(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::InvalidOption, "--state: " + what, hint);
}

[[noreturn]] void refuse_name(const std::string& kind, const std::string& name, const std::vector<std::string>& names) {
  refuse_recurrence("the model has no " + kind + " '" + name + "'; its " + kind + "s are '" + join(names, "', '") + "'",
                    did_you_mean(name, names));
}

/// Finds names among the model's inputs and outputs.
class Ends {
 public:
  Ends(const Graph& graph, std::span<const InputSpec> specs) : graph_(graph), specs_(specs) {
    for (const ValueId output : graph.outputs()) outputs_.push_back(graph.value(output).name);
    for (const InputSpec& spec : specs) inputs_.push_back(spec.name);
  }
  [[nodiscard]] size_t input(const std::string& name) const {
    const auto found = std::ranges::find(inputs_, name);
    if (found == inputs_.end()) refuse_name("input", name, inputs_);
    return as_index(found - inputs_.begin());
  }
  [[nodiscard]] const Value& output(const std::string& name) const {
    const auto found = std::ranges::find(outputs_, name);
    if (found == outputs_.end()) refuse_name("output", name, outputs_);
    return graph_.value(graph_.outputs()[as_index(found - outputs_.begin())]);
  }
  [[nodiscard]] const InputSpec& spec(size_t input) const { return specs_[input]; }

 private:
  const Graph& graph_;
  std::span<const InputSpec> specs_;
  std::vector<std::string> outputs_, inputs_;
};

/// Compares what the model declares of both.
void check_feed(const Value& output, const InputSpec& input) {
  const std::string feed = "the output '" + output.name + "' cannot feed the input '" + input.name + "'";
  if (output.declared_type && output.declared_type != input.type)
    refuse_recurrence(feed + ": their types are " + std::string(name_of(*output.declared_type)) + " and " +
                      std::string(name_of(input.type)));
  if (!output.declared_shape) return;
  const InputSpec written{output.name, input.type, *output.declared_shape};
  bool fits = written.shape.size() == input.shape.size();
  for (size_t axis = 0; fits && axis < input.shape.size(); ++axis)
    fits = written.shape[axis] < 0 || input.shape[axis] < 0 || written.shape[axis] == input.shape[axis];
  if (!fits)
    refuse_recurrence(feed + ": their shapes are " + describe_shape(written) + " and " + describe_shape(input));
}

/// Returns the axes of an input, besides that of the batch, that the model leaves open.
std::vector<size_t> open_axes(const InputSpec& input) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < input.shape.size(); ++axis)
    if (input.shape[axis] < 0 && as_extent(axis) != input.batch_axis) axes.push_back(axis);
  return axes;
}

StateStart choose_start(const InputSpec& input, bool has_data) {
  if (has_data) return StateStart::Data;
  const size_t open = open_axes(input).size();
  if (open == 0) return StateStart::Zeros;
  if (open == 1) return StateStart::Empty;
  refuse_recurrence("the first value of '" + input.name + "' (" + describe_shape(input) +
                        ") is not known: " + std::to_string(open) + " of its axes are open",
                    "give it with --data " + input.name + "=SRC");
}

void check_start(const InputSpec& input, StateStart start) {
  const size_t open = open_axes(input).size();
  const std::string of = "\"start\" of '" + input.name + "' (" + describe_shape(input) + ")";
  if (start == StateStart::Zeros && open > 0)
    refuse_recurrence(of + " cannot be \"zeros\": the model leaves its size open", "\"empty\", or \"data\"");
  if (start == StateStart::Empty && open != 1)
    refuse_recurrence(of + " cannot be \"empty\": that needs one open axis besides the batch, and " +
                      std::to_string(open) + " are open");
}

void check_token(const Value& scores, const InputSpec& input) {
  const std::string feed = "the token of '" + scores.name + "' cannot feed the input '" + input.name + "'";
  if (input.type != DataType::Int64 && input.type != DataType::Int32)
    refuse_recurrence(feed + ", which is " + std::string(name_of(input.type)) + ": tokens are int64 or int32");
  if (input.shape.size() > 2) refuse_recurrence(feed + " (" + describe_shape(input) + "): ids are [batch, length]");
}

/// Returns the shape of the first ids of a decoder.
Shape shape_of_tokens(const InputSpec& input, size_t count) {
  Shape shape;
  int64_t fits = 1;
  for (size_t axis = 0; axis < input.shape.size(); ++axis) {
    const bool counts_samples = as_extent(axis) == input.batch_axis;
    shape.push_back(counts_samples ? 1 : input.shape[axis] < 0 ? as_extent(count) : input.shape[axis]);
    fits *= shape[axis];
  }
  if (fits != as_extent(count))
    refuse_recurrence("\"start\" of '" + input.name + "' (" + describe_shape(input) + ") has " + std::to_string(count) +
                      " tokens, which do not fit");
  return shape;
}

Recurrence::State resolve_token(size_t position, const InputSpec& spec, const StateFile& file,
                                const StateFile::Token& token, bool has_data) {
  using Way = Recurrence::State::Way;
  Recurrence::State state{position, token.output, token.appended ? Way::Append : Way::Argmax, StateStart::Data, {}, {}};
  if (token.appended && (spec.shape.empty() || open_axes(spec).size() > 1))
    refuse_recurrence("no token can be appended to the input '" + spec.name + "' (" + describe_shape(spec) +
                      "): ids are [length] or [batch, length]");
  const auto named = file.first_tokens.find(spec.name);
  if (named == file.first_tokens.end()) {
    if (has_data || file.starts.contains(spec.name)) return state;
    refuse_recurrence("the first tokens of '" + spec.name + "' are not known",
                      "\"start\": {\"" + spec.name + "\": 1}, or --data " + spec.name + "=SRC");
  }
  state.start = StateStart::Tokens;
  state.tokens = named->second;
  state.first = shape_of_tokens(spec, state.tokens.size());
  return state;
}

/// A state that begins with whole numbers, such as the length of what a predictor reads in a step.
Recurrence::State resolve_numbers(size_t position, const InputSpec& spec, const std::string& output,
                                  const std::vector<int64_t>& numbers) {
  if (spec.type != DataType::Int64 && spec.type != DataType::Int32)
    refuse_recurrence(
        "\"start\" of '" + spec.name + "' is a whole number, and the input is " + std::string(name_of(spec.type)),
        "\"zeros\", \"empty\" or \"data\"");
  return {position, output, Recurrence::State::Way::Same, StateStart::Tokens, shape_of_tokens(spec, numbers.size()),
          numbers};
}

Shape first_shape(const InputSpec& input) {
  std::vector<int64_t> extents = input.shape;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] < 0) extents[axis] = as_extent(axis) == input.batch_axis ? 1 : 0;
  return Shape(extents);
}

Recurrence::Cut resolve_cut(size_t position, const InputSpec& input, const StateFile::Cut& cut) {
  const std::string what = "\"cut\" of '" + input.name + "' (" + describe_shape(input) + ")";
  if (cut.axis >= std::ssize(input.shape)) refuse_recurrence(what + ": it has no axis " + std::to_string(cut.axis));
  if (cut.axis == input.batch_axis)
    refuse_recurrence(what + ": axis " + std::to_string(cut.axis) + " counts samples",
                      "--batch-axis " + input.name + "=AXIS|none names another");
  const int64_t declared = input.shape[as_index(cut.axis)];
  if (declared >= 0 && !cut.from_start && cut.length.value_or(declared) != declared)
    refuse_recurrence(what + ": the model fixes the length of a step at " + std::to_string(declared));
  const int64_t length = cut.length.value_or(declared >= 0 && !cut.from_start ? declared : 1);
  return {position, as_index(cut.axis), length, cut.from_start, cut.hop.value_or(length)};
}

}  // namespace

std::vector<size_t> Recurrence::data_inputs(size_t inputs) const {
  std::vector<size_t> fed;
  for (size_t i = 0; i < inputs; ++i)
    if (std::ranges::none_of(states, [&](const State& s) { return s.input == i && s.start != StateStart::Data; }))
      fed.push_back(i);
  return fed;
}

Recurrence find_recurrence(const Graph& graph, const StateFile& file, size_t steps, std::span<const InputSpec> specs,
                           const std::vector<bool>& has_data) {
  if (group_size(specs) > 1)
    refuse_recurrence("the model fixes a batch of " + std::to_string(group_size(specs)) +
                      "; steps need a batch of 1, or an open one");
  const Ends ends(graph, specs);
  Recurrence recurrence{.steps = steps, .decode = file.decode};
  for (const auto& [output, input] : file.feeds) {
    const size_t position = ends.input(input);
    const InputSpec& spec = ends.spec(position);
    check_feed(ends.output(output), spec);
    const auto named = file.starts.find(input);
    const StateStart start = named == file.starts.end() ? choose_start(spec, has_data[position]) : named->second;
    if (start == StateStart::Tokens) {
      recurrence.states.push_back(resolve_numbers(position, spec, output, file.first_tokens.at(input)));
      continue;
    }
    check_start(spec, start);
    recurrence.states.push_back({position, output, Recurrence::State::Way::Same, start, first_shape(spec), {}});
  }
  if (file.decode && file.decode->has_frames())
    recurrence.states.push_back({ends.input(std::string(kFrameInput)),
                                 std::string(kFrameCount),
                                 Recurrence::State::Way::Frame,
                                 StateStart::Tokens,
                                 Shape{1},
                                 {0}});
  for (const StateFile::Token& token : file.tokens) {
    const size_t position = ends.input(token.input);
    check_token(ends.output(token.output), ends.spec(position));
    recurrence.states.push_back(resolve_token(position, ends.spec(position), file, token, has_data[position]));
  }
  for (const auto& [input, cut] : file.cuts) {
    const size_t position = ends.input(input);
    recurrence.cuts.push_back(resolve_cut(position, ends.spec(position), cut));
  }
  return recurrence;
}

std::vector<InputSpec> data_specs(const Recurrence& recurrence, std::span<const InputSpec> specs) {
  std::vector<InputSpec> opened(specs.begin(), specs.end());
  for (const Recurrence::Cut& cut : recurrence.cuts) opened[cut.input].shape[cut.axis] = -1;
  std::vector<InputSpec> fed;
  for (const size_t input : recurrence.data_inputs(specs.size())) fed.push_back(opened[input]);
  return fed;
}

}  // namespace detent
