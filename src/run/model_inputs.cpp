#include "run/model_inputs.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/index.h"
#include "detent/base/error.h"
#include "run/batch_axes.h"

namespace detent {

namespace {

/// Joins tensors on `axis`; only this extent may differ.
Tensor joined_on(std::span<const Sample> samples, size_t input, size_t axis) {
  const Tensor& first = samples.front().inputs[input];
  Shape shape = first.shape();
  shape[axis] = 0;
  for (const Sample& sample : samples) {
    const Shape& part = sample.inputs[input].shape();
    Shape expected = first.shape();
    if (part.rank() == expected.rank()) expected[axis] = part[axis];
    if (part != expected)
      throw Error(ErrorCode::InvalidData, "sample '" + sample.name + "' has shape " + part.to_string() +
                                              " but its batch holds " + first.shape().to_string());
    shape[axis] += part[axis];
  }
  Tensor whole(first.type(), shape);
  auto* out = static_cast<std::byte*>(whole.mutable_raw());
  const int64_t rows = shape.element_count(0, axis);
  for (int64_t row = 0; row < rows; ++row)
    for (const Sample& sample : samples) {
      const Tensor& part = sample.inputs[input];
      const size_t bytes = part.byte_count() / as_index(rows);
      std::memcpy(out, static_cast<const std::byte*>(part.raw()) + as_index(row) * bytes, bytes);
      out += bytes;
    }
  return whole;
}

/// Returns an input that all samples of a batch share. Errors  InvalidData when they differ.
const Tensor& shared_value(std::span<const Sample> samples, size_t input) {
  const Tensor& first = samples.front().inputs[input];
  for (const Sample& sample : samples) {
    const Tensor& other = sample.inputs[input];
    if (other.shape() != first.shape() || std::memcmp(other.raw(), first.raw(), first.byte_count()) != 0)
      throw Error(ErrorCode::InvalidData, "sample '" + sample.name + "' differs from others of its batch in input " +
                                              std::to_string(input) + ", which has no batch axis");
  }
  return first;
}

/// Returns the inputs as the model declares them, without batch axes.
std::vector<InputSpec> declared_inputs(const Graph& graph) {
  std::vector<InputSpec> specs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (value.declared_type == DataType::Sequence)
      throw Error(ErrorCode::Unsupported, "input '" + value.name + "' is a sequence; samples are made of tensors");
    if (value.declared_type == DataType::String)
      throw Error(ErrorCode::Unsupported, "input '" + value.name + "' holds strings; samples are made of numbers");
    specs.push_back({value.name, value.declared_type.value_or(DataType::Float32),
                     value.declared_shape.value_or(std::vector<int64_t>{})});
    specs.back().has_shape = value.declared_shape.has_value();
  }
  return specs;
}

}  // namespace

std::vector<InputSpec> input_specs(const Graph& graph, std::span<const NamedAxis> named) {
  std::vector<InputSpec> specs = declared_inputs(graph);
  const std::vector<int> axes = find_batch_axes(graph, named);
  for (size_t i = 0; i < specs.size(); ++i) {
    specs[i].batch_axis = axes[i];
    specs[i].batch_axis_named = std::ranges::count(named, specs[i].name, &NamedAxis::input) > 0;
  }
  return specs;
}

void warn_of_unused_preprocess(const SampleRequest& data, const SampleRequest& eval, const Graph& graph,
                               Reporter& reporter) {
  if (data.preprocess.text.empty() || (!data.given() && !eval.given())) return;
  const std::vector<InputSpec> specs = declared_inputs(graph);
  if (holds_preprocessed(data, specs) || holds_preprocessed(eval, specs)) return;
  reporter.warn("--preprocess " + data.preprocess.text +
                " is not used: the data holds neither images nor audio, and arrays are fed as they are");
}

std::vector<Tensor> stack_samples(std::vector<Sample> samples) {
  if (samples.size() == 1) return std::move(samples.front().inputs);
  std::vector<Tensor> stacked;
  const std::vector<int>& axes = samples.front().batch_axes;
  for (size_t i = 0; i < samples.front().inputs.size(); ++i) {
    const int axis = axes.empty() ? 0 : axes[i];
    if (axis != kNoBatchAxis && samples.front().inputs[i].shape().rank() == 0)
      throw Error(ErrorCode::InvalidData, "a scalar input cannot be joined to a batch");
    stacked.push_back(axis == kNoBatchAxis ? shared_value(samples, i) : joined_on(samples, i, as_index(axis)));
  }
  return stacked;
}

std::vector<Tensor> read_first_inputs(const DataSource& source, const RunSettings& settings) {
  std::vector<Sample> samples;
  for (size_t i = 0; i < source.size() && samples.size() < source.batch(); ++i) {
    try {
      samples.push_back(source.read(i));
    } catch (const Error& error) {
      if (!settings.skip_bad_data || error.code() != ErrorCode::InvalidData) throw;
    }
  }
  if (samples.empty()) throw Error(ErrorCode::InvalidData, "no sample of the data could be read");
  while (samples.size() < source.batch()) samples.push_back(samples.back());
  return stack_samples(std::move(samples));
}

std::vector<Tensor> made_up_inputs(const Graph& graph) {
  try {
    std::vector<InputSpec> specs = input_specs(graph);
    const size_t batch = group_size(specs);
    const auto source = open_data({.sources = {"random:normal,n=" + std::to_string(batch)}}, specs);
    return read_first_inputs(*source, {});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidOption && error.code() != ErrorCode::Unsupported) throw;
    return {};
  }
}

}  // namespace detent
