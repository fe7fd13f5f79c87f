#include "evaluate/batch_errors.h"

#include <cstring>

namespace detent {

namespace {

/// Returns the first `count` samples.
Tensor first_samples(const Tensor& tensor, size_t axis, const SampleCut& cut, size_t count) {
  Shape shape = tensor.shape();
  shape[axis] = shape[axis] / static_cast<int64_t>(cut.samples) * static_cast<int64_t>(count);
  Tensor part(tensor.type(), shape);
  const size_t block = cut.inner * byte_size(tensor.type());
  const auto* from = static_cast<const std::byte*>(tensor.raw());
  auto* to = static_cast<std::byte*>(part.mutable_raw());
  for (size_t outer = 0; outer < cut.outer; ++outer)
    std::memcpy(to + outer * count * block, from + outer * cut.samples * block, count * block);
  return part;
}

/// Moves the samples to axis 0. `each` consecutive indices of `axis` belong to one sample.
Tensor samples_first(const Tensor& tensor, size_t axis, size_t samples, size_t each) {
  const Shape& shape = tensor.shape();
  const size_t steps = static_cast<size_t>(shape[axis]) / (samples * each);
  std::vector<int64_t> extents{static_cast<int64_t>(samples)};
  for (size_t d = 0; d < axis; ++d) extents.push_back(shape[d]);
  if (steps > 1) extents.push_back(static_cast<int64_t>(steps));
  if (each > 1) extents.push_back(static_cast<int64_t>(each));
  for (size_t d = axis + 1; d < shape.rank(); ++d) extents.push_back(shape[d]);
  Tensor moved(tensor.type(), Shape(extents));
  const size_t outer = static_cast<size_t>(shape.element_count(0, axis)) * steps;
  const size_t block = moved.byte_count() / (outer * samples);
  const auto* from = static_cast<const std::byte*>(tensor.raw());
  auto* to = static_cast<std::byte*>(moved.mutable_raw());
  for (size_t n = 0; n < samples; ++n)
    for (size_t o = 0; o < outer; ++o)
      std::memcpy(to + (n * outer + o) * block, from + (o * samples + n) * block, block);
  return moved;
}

/// True when no axis except the first has the extent of the samples.
bool only_front_fits(const Shape& shape, size_t samples) {
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    if ((shape[axis] == static_cast<int64_t>(samples)) != (axis == 0)) return false;
  return shape.rank() > 0;
}

SampleAxis axis_at(OutputAxes axes, size_t i) { return axes.empty() ? SampleAxis{} : axes[i]; }

}  // namespace

std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real, OutputAxes axes) {
  if (real == batch) return outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty_handle() || outputs[i].is_sequence()) continue;
    const SampleAxis where = axis_at(axes, i);
    if (const auto cut = where.cut(outputs[i].shape(), batch))
      outputs[i] = first_samples(outputs[i], where.axis, *cut, real);
  }
  return outputs;
}

std::vector<Tensor> with_samples_in_front(std::span<const Tensor> outputs, size_t samples, OutputAxes axes) {
  std::vector<Tensor> moved;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    const SampleAxis where = axis_at(axes, i);
    const bool told = where.kind == SampleAxis::Kind::Counts ||
                      (where.kind == SampleAxis::Kind::Unknown && only_front_fits(output.shape(), samples));
    if (output.empty_handle() || output.is_sequence() || output.element_count() == 0 || !told) {
      moved.push_back(told ? output : Tensor());
      continue;
    }
    const size_t axis = where.kind == SampleAxis::Kind::Counts ? where.axis : 0;
    const int64_t number = static_cast<int64_t>(samples);
    const bool divides = axis < output.shape().rank() && output.shape()[axis] % number == 0;
    const int64_t each = !divides ? 0 : where.inner > 0 ? where.inner : output.shape()[axis] / number;
    const bool in_front = axis == 0 && (samples == 1 || output.shape()[0] == number);
    if (in_front || each == 0 || output.shape()[axis] % (number * each) != 0)
      moved.push_back(output);
    else
      moved.push_back(samples_first(output, axis, samples, static_cast<size_t>(each)));
  }
  return moved;
}

std::vector<Tensor> row_of(const std::vector<Tensor>& outputs, size_t row) {
  std::vector<Tensor> rows;
  for (const Tensor& output : outputs) {
    Shape shape = output.shape();
    shape[0] = 1;
    Tensor& part = rows.emplace_back(output.type(), shape);
    const auto* from = static_cast<const std::byte*>(output.raw()) + row * part.byte_count();
    std::memcpy(part.mutable_raw(), from, part.byte_count());
  }
  return rows;
}

std::vector<ErrorSums> errors_of(const std::vector<Tensor>& expected, const std::vector<Tensor>& outputs,
                                 const BatchContent& content, OutputAxes axes, std::vector<bool>& comparable,
                                 std::span<const OutputReading* const> readings) {
  std::vector<ErrorSums> sums(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (expected[i].type() == outputs[i].type() && expected[i].shape() == outputs[i].shape())
      sums[i] = ErrorSums::of(expected[i], outputs[i], counted_elements(expected[i].shape(), content, axis_at(axes, i)),
                              readings.empty() ? nullptr : readings[i]);
    else
      comparable[i] = false;
  }
  return sums;
}

}  // namespace detent
