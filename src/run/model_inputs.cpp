#include "run/model_inputs.h"

#include <algorithm>
#include <cstring>

#include "detent/error.h"

namespace detent {

std::vector<InputSpec> input_specs(const Graph& graph) {
  std::vector<InputSpec> specs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (value.declared_type == DataType::Sequence)
      throw Error(ErrorCode::Unsupported, "input '" + value.name + "' is a sequence; samples are made of tensors");
    specs.push_back({value.name, value.declared_type.value_or(DataType::Float32),
                     value.declared_shape.value_or(std::vector<int64_t>{})});
  }
  return specs;
}

int64_t fixed_batch(const Graph& graph) { return static_cast<int64_t>(group_size(input_specs(graph))); }

std::vector<Tensor> stack_samples(std::vector<Sample> samples) {
  if (samples.size() == 1) return std::move(samples.front().inputs);
  std::vector<Tensor> stacked;
  for (size_t i = 0; i < samples.front().inputs.size(); ++i) {
    const Tensor& first = samples.front().inputs[i];
    Shape shape = first.shape();
    if (shape.rank() == 0) throw Error(ErrorCode::InvalidData, "a scalar input cannot be joined to a batch");
    shape[0] = 0;
    for (const Sample& sample : samples) shape[0] += sample.inputs[i].shape()[0];
    Tensor whole(first.type(), shape);
    auto* out = static_cast<std::byte*>(whole.mutable_raw());
    for (const Sample& sample : samples) {
      const Tensor& part = sample.inputs[i];
      Shape expected = first.shape();
      expected[0] = part.shape()[0];
      if (part.shape() != expected)
        throw Error(ErrorCode::InvalidData, "sample '" + sample.name + "' has shape " + part.shape().to_string() +
                                                " but its batch holds " + first.shape().to_string());
      std::memcpy(out, part.raw(), part.byte_count());
      out += part.byte_count();
    }
    stacked.push_back(std::move(whole));
  }
  return stacked;
}

std::vector<Tensor> read_first_inputs(const DataSource& source, const Graph& graph, const RunSettings& settings) {
  const auto batch = static_cast<size_t>(fixed_batch(graph));
  std::vector<Sample> samples;
  for (size_t i = 0; i < source.size() && samples.size() < batch; ++i) {
    try {
      samples.push_back(source.read(i));
    } catch (const Error& error) {
      if (!settings.skip_bad_data || error.code() != ErrorCode::InvalidData) throw;
    }
  }
  if (samples.empty()) throw Error(ErrorCode::InvalidData, "no sample of the data could be read");
  while (samples.size() < batch) samples.push_back(samples.back());
  return stack_samples(std::move(samples));
}

std::vector<Tensor> made_up_inputs(const Graph& graph) {
  const DataOptions random{.sources = {"random:normal,n=" + std::to_string(std::max<int64_t>(1, fixed_batch(graph)))}};
  try {
    return read_first_inputs(*open_data(random, input_specs(graph)), graph, {});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidOption && error.code() != ErrorCode::Unsupported) throw;
    return {};
  }
}

}  // namespace detent
