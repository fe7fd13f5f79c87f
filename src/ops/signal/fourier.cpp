#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

using Complex = std::complex<double>;

enum class Direction : uint8_t { Forward, Inverse };

/// The first `bins` sums of in[k] * exp(-+ 2 pi i k b / n), n = in.size(): O(n * bins), signals in graphs are short.
std::vector<Complex> transform(const std::vector<Complex>& in, size_t bins, Direction direction) {
  const bool inverse = direction == Direction::Inverse;
  const size_t n = in.size();
  std::vector<Complex> roots(n), out(bins);
  for (size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  for (size_t b = 0; b < bins; ++b) {
    for (size_t k = 0; k < n; ++k) out[b] += in[k] * roots[k * b % n];
    if (inverse) out[b] /= static_cast<double>(n);
  }
  return out;
}

/// Numbers of a tensor whose last axis is 1 (real) or 2 (real, imaginary).
Complex complex_at(const double* data, int64_t index, int64_t parts) {
  return parts == 1 ? Complex(data[index]) : Complex(data[2 * index], data[2 * index + 1]);
}

int64_t parts_of(const Shape& shape) {
  const int64_t parts = shape.rank() >= 2 ? shape[shape.rank() - 1] : 0;
  if (parts != 1 && parts != 2)
    throw Error(ErrorCode::InvalidData,
                "a last axis of 1 (real) or 2 (complex) was expected, the signal has shape " + shape.to_string());
  return parts;
}

std::optional<int64_t> number_in(const KernelCall& call, size_t slot) {
  if (!call.has_input(slot)) return std::nullopt;
  const std::vector<int64_t> numbers = integers_of(call.input(slot));
  if (numbers.size() != 1) throw Error(ErrorCode::InvalidModel, "one number was expected");
  return numbers[0];
}

/// The other half of the spectrum of a real signal of `length` samples.
void mirror(std::vector<Complex>& line, size_t length) {
  const size_t given = line.size();
  line.resize(length);
  for (size_t k = given; k < length; ++k) line[k] = std::conj(length - k < given ? line[length - k] : Complex());
}

struct DftOptions {
  int64_t axis;
  Direction direction;
  bool onesided;
};

void run_dft(KernelCall& call, const DftOptions& options) {
  const DataType type = call.input(0).type();
  const Tensor input = cast(call.input(0), DataType::Float64, call.allocator());
  const Shape& shape = input.shape();
  const int64_t parts = parts_of(shape);
  const size_t axis = axis_from_front(number_in(call, 2).value_or(options.axis), shape.rank());
  if (axis + 1 == shape.rank())
    throw Error(ErrorCode::InvalidModel, "the axis of real and imaginary parts is no signal");
  const bool to_real = options.direction == Direction::Inverse && options.onesided;
  const int64_t length = number_in(call, 1).value_or(to_real ? 2 * (shape[axis] - 1) : shape[axis]);
  if (length < 1) throw Error(ErrorCode::InvalidData, "a transform of " + std::to_string(length) + " samples");
  Shape to = shape;
  to[axis] = options.onesided && options.direction == Direction::Forward ? length / 2 + 1 : length;
  to[shape.rank() - 1] = to_real ? 1 : 2;
  Tensor output(DataType::Float64, to, call.allocator());
  const int64_t outer = shape.element_count(0, axis), inner = shape.element_count(axis + 1, shape.rank() - 1);
  const double* in = input.data<double>().data();
  double* out = output.mutable_data<double>().data();
  std::vector<Complex> line;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t used = std::min(shape[axis], to_real ? length / 2 + 1 : length);
      line.assign(static_cast<size_t>(to_real ? used : length), Complex());
      for (int64_t k = 0; k < used; ++k)
        line[static_cast<size_t>(k)] = complex_at(in, (o * shape[axis] + k) * inner + i, parts);
      if (to_real) mirror(line, static_cast<size_t>(length));
      const std::vector<Complex> bins = transform(line, static_cast<size_t>(to[axis]), options.direction);
      for (int64_t b = 0; b < to[axis]; ++b) {
        const int64_t at = (o * to[axis] + b) * inner + i;
        const Complex value = bins[static_cast<size_t>(b)];
        out[to_real ? at : 2 * at] = value.real();
        if (!to_real) out[2 * at + 1] = value.imag();
      }
    }
  call.set_output(0, cast(output, type, call.allocator()));
}

/// The axis is an attribute before opset 20, where it counts from 1, and an input since.
std::unique_ptr<Kernel> make_dft(const KernelContext& context) {
  const DftOptions options{
      .axis = context.node.int_or("axis", context.opset < 20 ? 1 : -2),
      .direction = context.node.int_or("inverse", 0) != 0 ? Direction::Inverse : Direction::Forward,
      .onesided = context.node.int_or("onesided", 0) != 0};
  return kernel_of([options](KernelCall& call) { run_dft(call, options); });
}

/// Transforms of frames of the signal, `step` samples apart, times the window.
void run_stft(KernelCall& call, bool onesided) {
  const DataType type = call.input(0).type();
  const Tensor signal = cast(call.input(0), DataType::Float64, call.allocator());
  const Shape shape = signal.shape().rank() == 2 ? Shape{signal.shape()[0], signal.shape()[1], 1} : signal.shape();
  const int64_t parts = parts_of(shape);
  const int64_t step = number_in(call, 1).value_or(0);
  const Tensor window = call.has_input(2) ? cast(call.input(2), DataType::Float64, call.allocator()) : Tensor();
  const int64_t length = number_in(call, 3).value_or(window.empty_handle() ? 0 : window.element_count());
  if (shape.rank() != 3 || step < 1 || length < 1 || length > shape[1] ||
      (!window.empty_handle() && window.element_count() != length))
    throw Error(ErrorCode::InvalidData, "frames of " + std::to_string(length) + " samples, " + std::to_string(step) +
                                            " apart, do not fit a signal of shape " + shape.to_string());
  const int64_t frames = (shape[1] - length) / step + 1, bins = onesided ? length / 2 + 1 : length;
  Tensor output(DataType::Float64, Shape{shape[0], frames, bins, 2}, call.allocator());
  double* out = output.mutable_data<double>().data();
  std::vector<Complex> line(static_cast<size_t>(length));
  for (int64_t frame = 0; frame < shape[0] * frames; ++frame) {
    const int64_t start = frame / frames * shape[1] + frame % frames * step;
    for (size_t k = 0; k < line.size(); ++k) {
      line[k] = complex_at(signal.data<double>().data(), start + static_cast<int64_t>(k), parts);
      if (!window.empty_handle()) line[k] *= window.data<double>()[k];
    }
    for (const Complex& value : transform(line, static_cast<size_t>(bins), Direction::Forward)) {
      *out++ = value.real();
      *out++ = value.imag();
    }
  }
  call.set_output(0, cast(output, type, call.allocator()));
}

std::unique_ptr<Kernel> make_stft(const KernelContext& context) {
  return kernel_of(
      [onesided = context.node.int_or("onesided", 1) != 0](KernelCall& call) { run_stft(call, onesided); });
}

constexpr OperatorDef kDefinitions[] = {
    {.op_type = "DFT", .traits = {.data_inputs = 1}, .make = make_dft, .first_opset = 17},
    {.op_type = "STFT", .traits = {.data_inputs = 1}, .make = make_stft, .first_opset = 17},
};

}  // namespace

std::span<const OperatorDef> fourier_operators() { return kDefinitions; }

}  // namespace detent
