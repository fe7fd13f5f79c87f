#include <algorithm>
#include <complex>

#include "core/fourier_transform.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

using Complex = FourierTransform::Complex;

enum class Direction : uint8_t { Forward, Inverse };

/// Transforms of lines of one length to their first `bins` bins; real lines take a shorter way.
class LineTransform {
 public:
  const std::vector<Complex>& run(const std::vector<Complex>& line, Direction direction, size_t bins) {
    out_.resize(line.size());
    if (direction == Direction::Inverse)
      transform_.inverse(line, out_);
    else
      transform_.forward(std::span<const Complex>(line), out_);
    out_.resize(bins);
    return out_;
  }
  /// Transforms a real line. bins  at most half of the line and one.
  const std::vector<Complex>& run(const std::vector<double>& line, size_t bins) {
    out_.resize(line.size() / 2 + 1);
    transform_.forward(std::span<const double>(line), out_);
    out_.resize(bins);
    return out_;
  }

 private:
  FourierTransform transform_;
  std::vector<Complex> out_;
};

/// Returns a number of a tensor whose last axis is 1 (real) or 2 (real, imaginary).
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

/// Adds the other half of the spectrum of a real signal of `length` samples.
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
    throw Error(ErrorCode::InvalidModel, "the axis of real and imaginary parts is not a signal axis");
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
  LineTransform transform;
  std::vector<Complex> line;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t used = std::min(shape[axis], to_real ? length / 2 + 1 : length);
      line.assign(as_index(to_real ? used : length), Complex());
      for (int64_t k = 0; k < used; ++k) line[as_index(k)] = complex_at(in, (o * shape[axis] + k) * inner + i, parts);
      if (to_real) mirror(line, as_index(length));
      const auto& bins = transform.run(line, options.direction, as_index(to[axis]));
      for (int64_t b = 0; b < to[axis]; ++b) {
        const int64_t at = (o * to[axis] + b) * inner + i;
        const Complex value = bins[as_index(b)];
        out[to_real ? at : 2 * at] = value.real();
        if (!to_real) out[2 * at + 1] = value.imag();
      }
    }
  call.set_output(0, cast(output, type, call.allocator()));
}

/// Reads the attributes; the axis is one of them before opset 20, where it counts from 1, and an input since.
DftOptions dft_options(const KernelContext& context) {
  return {.axis = context.node.int_or("axis", context.opset < 20 ? 1 : -2),
          .direction = context.node.int_or("inverse", 0) != 0 ? Direction::Inverse : Direction::Forward,
          .onesided = context.node.int_or("onesided", 0) != 0};
}

/// Frames of a signal N x samples x parts, `step` samples apart.
struct Frames {
  Shape signal;
  int64_t step = 0, length = 0;
  [[nodiscard]] int64_t parts() const { return signal[2]; }
  [[nodiscard]] int64_t each() const { return (signal[1] - length) / step + 1; }
  /// Returns the index of the first sample of frame `number`, counted over the batch.
  [[nodiscard]] int64_t start(int64_t number) const { return number / each() * signal[1] + number % each() * step; }
};

/// Reads the inputs. Errors  InvalidData when no frame fits.
Frames frames_of(const KernelCall& call) {
  const Shape& given = call.input(0).shape();
  Frames frames{given.rank() == 2 ? Shape{given[0], given[1], 1} : given, number_in(call, 1).value_or(0), 0};
  parts_of(frames.signal);
  const int64_t window = call.has_input(2) ? call.input(2).element_count() : 0;
  frames.length = number_in(call, 3).value_or(window);
  const bool fits = frames.signal.rank() == 3 && frames.step >= 1 && frames.length >= 1 &&
                    frames.length <= frames.signal[1] && (!call.has_input(2) || window == frames.length);
  if (!fits)
    throw Error(ErrorCode::InvalidData, "frames of " + std::to_string(frames.length) + " samples, " +
                                            std::to_string(frames.step) + " apart, do not fit a signal of shape " +
                                            frames.signal.to_string());
  return frames;
}

/// Transforms frames of the signal times the window.
void run_stft(KernelCall& call, bool onesided) {
  const DataType type = call.input(0).type();
  const Frames frames = frames_of(call);
  const Tensor signal = cast(call.input(0), DataType::Float64, call.allocator());
  const Tensor window = call.has_input(2) ? cast(call.input(2), DataType::Float64, call.allocator()) : Tensor();
  const auto length = as_index(frames.length), bins = onesided ? length / 2 + 1 : length;
  Tensor output(DataType::Float64, Shape{frames.signal[0], frames.each(), as_extent(bins), 2}, call.allocator());
  Complex* out = reinterpret_cast<Complex*>(output.mutable_data<double>().data());
  const double* factors = call.has_input(2) ? window.data<double>().data() : nullptr;
  LineTransform transform;
  std::vector<double> reals(length);
  std::vector<Complex> line(length);
  for (int64_t frame = 0; frame < frames.signal[0] * frames.each(); ++frame, out += bins) {
    const int64_t start = frames.start(frame);
    const double* samples = signal.data<double>().data() + start * frames.parts();
    if (frames.parts() == 1 && onesided) {
      for (size_t k = 0; k < length; ++k) reals[k] = factors ? samples[k] * factors[k] : samples[k];
      std::ranges::copy(transform.run(reals, bins), out);
      continue;
    }
    for (size_t k = 0; k < length; ++k)
      line[k] = complex_at(samples, as_extent(k), frames.parts()) * (factors ? factors[k] : 1.0);
    std::ranges::copy(transform.run(line, Direction::Forward, bins), out);
  }
  call.set_output(0, cast(output, type, call.allocator()));
}

bool is_onesided(const Node& node) { return node.int_or("onesided", 1) != 0; }

}  // namespace

std::vector<OperatorDef> fourier_operators() {
  return {
      {"DFT", {.kind = OpKind::Fourier, .data_inputs = 1}, make_with<dft_options, run_dft>, 17},
      {"STFT", {.kind = OpKind::Fourier, .data_inputs = 1}, make_with<is_onesided, run_stft>, 17},
  };
}

}  // namespace detent
