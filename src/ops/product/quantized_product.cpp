#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/index.h"
#include "core/saturated.h"
#include "detent/base/tensor.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/product/integer_sums.h"
#include "ops/product/matmul_shape.h"
#include "ops/window/saturating_layer.h"
#include "ops/window/window_loop.h"

namespace detent {

namespace {

/// Returns the elements of an 8- or 16-bit integer tensor minus its zero point (empty: none).
///
/// zero_point  one number, or one for each index of `axis`, or a tensor that broadcasts along the last axis.
/// Errors  InvalidModel when the counts do not fit.
std::vector<int32_t> centred(const Tensor& tensor, const Tensor& zero_point, size_t axis) {
  const std::vector<int64_t> wide = integers_of(tensor);
  std::vector<int32_t> result(wide.begin(), wide.end());
  if (zero_point.empty_handle() || result.empty()) return result;
  const std::vector<int64_t> zeros = integers_of(zero_point);
  const Shape& shape = tensor.shape();
  const AxisView view = shape.rank() == 0 ? AxisView{} : view_around(shape, Layout::Plain, axis);
  // Batched matrices carry one zero point for each row or column of every matrix.
  const bool batched = zero_point.shape().rank() > 1 && zeros.size() != 1;
  const auto count = std::ssize(zeros);
  if (count != 1 && count != view.extent && (!batched || count != view.outer * view.extent))
    throw Error(ErrorCode::InvalidModel, "zero points of shape " + zero_point.shape().to_string() +
                                             " do not fit axis " + std::to_string(axis) + " of " + shape.to_string());
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t line = as_extent(i) / view.inner;
    const int64_t at = count == 1 ? 0 : count == view.extent ? line % view.extent : line;
    // In uint32: numbers of more than 16 bits wrap around.
    result[i] = static_cast<int32_t>(static_cast<uint32_t>(result[i]) - static_cast<uint32_t>(zeros[as_index(at)]));
  }
  return result;
}

/// Computes out[rows x columns] = a[rows x inner] * b[inner x columns], row-major. Sums wrap around at 32 bits.
void multiply_integers(const int32_t* a, const int32_t* b, int32_t* out, int64_t rows, int64_t inner, int64_t columns) {
  std::fill_n(out, rows * columns, 0);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < inner; ++k) {
      const auto factor = static_cast<uint32_t>(a[r * inner + k]);
      if (factor == 0) continue;
      const int32_t* row = b + k * columns;
      int32_t* sums = out + r * columns;
      for (int64_t c = 0; c < columns; ++c)
        sums[c] = static_cast<int32_t>(static_cast<uint32_t>(sums[c]) + factor * static_cast<uint32_t>(row[c]));
    }
}

/// Returns numpy's matmul of centred integers, int32: 1-D operands promoted, batch extents broadcast.
/// Errors  InvalidData when the shapes do not fit.
Tensor integer_matmul(const std::vector<int32_t>& a, const Shape& a_shape, const std::vector<int32_t>& b,
                      const Shape& b_shape, Allocator& allocator) {
  const MatMulShape shape(a_shape, b_shape);
  Tensor output(DataType::Int32, shape.output, allocator);
  int32_t* out = output.mutable_data<int32_t>().data();
  for (int64_t i = 0; i < shape.batch.element_count(); ++i, out += shape.rows * shape.columns)
    multiply_integers(a.data() + shape.matrix_of(i, a_shape) * shape.rows * shape.inner,
                      b.data() + shape.matrix_of(i, b_shape) * shape.inner * shape.columns, out, shape.rows,
                      shape.inner, shape.columns);
  return output;
}

Tensor optional_input(const KernelCall& call, size_t slot) {
  return call.has_input(slot) ? call.input(slot) : Tensor();
}

/// Return the row axis of a left operand, and the column axis of a right one; a vector has one axis.
size_t row_axis(const Shape& shape) { return shape.rank() >= 2 ? shape.rank() - 2 : 0; }
size_t column_axis(const Shape& shape) { return shape.rank() >= 1 ? shape.rank() - 1 : 0; }

void run_matmul_integer(KernelCall& call) {
  const Tensor &a = call.input(0), &b = call.input(1);
  call.set_output(
      0, integer_matmul(centred(a, optional_input(call, 2), row_axis(a.shape())), a.shape(),
                        centred(b, optional_input(call, 3), column_axis(b.shape())), b.shape(), call.allocator()));
}

/// MatMulInteger by a constant INT8 matrix without a zero point, the form of dynamic quantization: sums of the codes as
/// they are, minus the data's zero point times the sum of each column.
class CodesByMatrix final : public Kernel {
 public:
  /// Returns nullptr where the operands are others.
  static std::unique_ptr<Kernel> find(const KernelContext& context) {
    const Tensor *weights = context.constant(1), *point = context.constant(3);
    if (!weights || weights->type() != DataType::Int8 || weights->shape().rank() != 2 ||
        weights->layout() != Layout::Plain || weights->element_count() == 0)
      return nullptr;
    if (context.node.input(3) && (!point || point->type() != DataType::Int8 ||
                                  std::ranges::any_of(point->data<int8_t>(), [](int8_t zero) { return zero != 0; })))
      return nullptr;
    std::unique_ptr<CodesByMatrix> kernel(new CodesByMatrix(*weights));
    if (context.products == CpuProducts::Avx2)
      kernel->saturating_.emplace(*weights, PairOrder{PairOrder::Kind::Matrix, 1}, 0, kernel->columns_);
    else
      kernel->exact_ = make_integer_sums(*weights);
    return kernel;
  }

  void run(KernelCall& call) const override {
    const Tensor &codes = call.input(0), &point = call.has_input(2) ? call.input(2) : kNone;
    const Shape& shape = codes.shape();
    const bool one_point = point.empty_handle() || (point.type() == DataType::UInt8 && point.element_count() == 1);
    const size_t rank = shape.rank();
    if (codes.type() != DataType::UInt8 || !one_point || rank == 0 || shape[rank - 1] != inner_ ||
        codes.element_count() == 0)
      return run_matmul_integer(call);
    const int64_t rows = codes.element_count() / inner_;
    Shape full = shape;
    full[rank - 1] = columns_;
    Tensor sums(DataType::Int32, Shape{rows, columns_}, call.allocator());
    call.tell_output(full);
    if (!sum(codes.reshaped({rows, inner_}), sums, call)) return run_matmul_integer(call);
    const int32_t zero = point.empty_handle() ? 0 : int32_t{point.data<uint8_t>()[0]};
    if (zero != 0) {
      std::vector<uint32_t> shift(column_sums_.size());
      for (size_t c = 0; c < shift.size(); ++c)
        shift[c] = static_cast<uint32_t>(zero) * static_cast<uint32_t>(column_sums_[c]);
      int32_t* out = sums.mutable_data<int32_t>().data();
      for (int64_t r = 0; r < rows; ++r, out += columns_)
        for (size_t c = 0; c < shift.size(); ++c)
          out[c] = static_cast<int32_t>(static_cast<uint32_t>(out[c]) - shift[c]);
    }
    call.set_output(0, sums.reshaped(full));
  }

 private:
  explicit CodesByMatrix(const Tensor& weights)
      : inner_(weights.shape()[0]), columns_(weights.shape()[1]), column_sums_(as_index(columns_)) {
    const int8_t* row = weights.data<int8_t>().data();
    for (int64_t k = 0; k < inner_; ++k, row += columns_)
      for (size_t c = 0; c < column_sums_.size(); ++c) column_sums_[c] += row[c];
  }

  [[nodiscard]] bool sum(const Tensor& codes, Tensor& sums, const KernelCall& call) const {
    if (!saturating_) return exact_ && exact_->run(codes, sums, call);
    constexpr int64_t kLinesAtOnce = 64;
    const int64_t rows = codes.shape()[0];
    Tensor lines(DataType::UInt8, Shape{kLinesAtOnce, saturating_->inner()}, call.allocator());
    Tensor padded(DataType::Int32, Shape{kLinesAtOnce, saturating_->sums_row()}, call.allocator());
    uint8_t* const line = lines.mutable_data<uint8_t>().data();
    int32_t* const sum = padded.mutable_data<int32_t>().data();
    const uint8_t* from = codes.data<uint8_t>().data();
    int32_t* out = sums.mutable_data<int32_t>().data();
    std::ranges::fill(lines.mutable_data<uint8_t>(), uint8_t{0});
    for (int64_t begin = 0; begin < rows; begin += kLinesAtOnce) {
      const int64_t count = std::min(kLinesAtOnce, rows - begin);
      for (int64_t r = 0; r < count; ++r, from += inner_) std::copy_n(from, inner_, line + r * saturating_->inner());
      saturating_->multiply(line, count, sum);
      for (int64_t r = 0; r < count; ++r, out += columns_)
        std::copy_n(sum + r * saturating_->sums_row(), columns_, out);
    }
    return true;
  }

  static inline const Tensor kNone;
  int64_t inner_, columns_;
  std::vector<int32_t> column_sums_;
  std::optional<SaturatingMatrix> saturating_;
  std::unique_ptr<const IntegerSums> exact_;
};

std::unique_ptr<Kernel> make_matmul_integer(const KernelContext& context) {
  auto kernel = CodesByMatrix::find(context);
  return kernel ? std::move(kernel) : stateless<run_matmul_integer>(context);
}

std::vector<double> scales_of(const Tensor& tensor) {
  if (tensor.element_count() == 0) throw Error(ErrorCode::InvalidModel, "a scale holds no number");
  const Tensor wide = cast(tensor, DataType::Float64);
  return {wide.data<double>().begin(), wide.data<double>().end()};
}

/// Returns one of the scales: there is one, one for each index along an axis, or one for each index and matrix.
double pick(const std::vector<double>& scales, int64_t index, int64_t extent, int64_t matrix) {
  if (scales.size() == 1) return scales[0];
  const int64_t at = std::ssize(scales) == extent ? index : matrix * extent + index;
  if (at >= std::ssize(scales))
    throw Error(ErrorCode::InvalidModel,
                std::to_string(scales.size()) + " scales do not fit an axis of " + std::to_string(extent));
  return scales[as_index(at)];
}

/// Returns sums times factor(i), rounded to even and shifted by the zero point, in the zero point's type.
template <class Factor>
Tensor requantized(const Tensor& sums, const Tensor& zero_point, Factor factor, Allocator& allocator) {
  if (zero_point.element_count() == 0) throw Error(ErrorCode::InvalidModel, "a zero point holds no number");
  const int64_t zero = integers_of(zero_point)[0];
  Tensor output(zero_point.type(), sums.shape(), allocator);
  visit_number(zero_point.type(), [&]<class Q>(Q) {
    if constexpr (std::is_integral_v<Q>) {
      const auto in = sums.data<int32_t>();
      auto out = output.mutable_data<Q>();
      for (size_t i = 0; i < in.size(); ++i) {
        const double x = std::nearbyint(in[i] * factor(as_extent(i))) + static_cast<double>(zero);
        out[i] = saturated<Q>(x);
      }
    } else {
      throw unsupported_type(zero_point.type());
    }
  });
  return output;
}

void run_qlinear_matmul(KernelCall& call) {
  const Tensor &a = call.input(0), &b = call.input(3);
  const Tensor sums = integer_matmul(centred(a, call.input(2), row_axis(a.shape())), a.shape(),
                                     centred(b, call.input(5), column_axis(b.shape())), b.shape(), call.allocator());
  const auto a_scales = scales_of(call.input(1)), b_scales = scales_of(call.input(4));
  const double y_scale = scales_of(call.input(6))[0];
  const int64_t rows = a.shape().rank() >= 2 ? a.shape()[a.shape().rank() - 2] : 1;
  const int64_t columns = b.shape().rank() >= 2 ? b.shape()[b.shape().rank() - 1] : 1;
  const auto factor = [&](int64_t i) {
    const int64_t matrix = i / (rows * columns);
    return pick(a_scales, i / columns % rows, rows, matrix) * pick(b_scales, i % columns, columns, matrix) / y_scale;
  };
  call.set_output(0, requantized(sums, call.input(7), factor, call.allocator()));
}

/// Writes the columns of one group of one sample: row (channel, tap), one column for each output position; 0 in the
/// padding.
void unfold(const int32_t* in, int32_t* columns, int64_t channels, std::span<const int64_t> extents,
            const Window& window) {
  const int64_t taps = Shape(std::span(window.kernel)).element_count();
  const int64_t positions = Shape(std::span(window.output)).element_count();
  const int64_t plane = Shape(extents).element_count();
  const size_t axes = extents.size();
  const Shape kernel{std::span(window.kernel)};
  std::vector<int64_t> shift(axes);
  for (int64_t row = 0; row < channels * taps; ++row) {
    for (size_t k = 0; k < axes; ++k) {
      const int64_t tap = row % taps / kernel.element_count(k + 1, axes) % kernel[k];
      shift[k] = tap * window.dilations[k] - window.pad_begin[k];
    }
    for_each_position(window.output, [&](int64_t i, std::span<const int64_t> position) {
      int64_t offset = 0;
      bool inside = true;
      for (size_t k = 0; k < axes && inside; ++k) {  // further than the first axis outside, an offset may leave 64 bits
        const int64_t x = position[k] * window.strides[k] + shift[k];
        inside = x >= 0 && x < extents[k];
        offset = offset * extents[k] + x;
      }
      columns[row * positions + i] = inside ? in[row / taps * plane + offset] : 0;
    });
  }
}

struct IntegerConvolution {
  WindowAttributes attributes;
  int64_t groups;

  explicit IntegerConvolution(const Node& node)
      : attributes(WindowAttributes::parse(node)), groups(node.int_or("group", 1)) {}

  /// Returns sums of products of centred integers, N x M x spatial.
  [[nodiscard]] Tensor run(const Tensor& x, const Tensor& x_zero, const Tensor& w, const Tensor& w_zero,
                           Allocator& allocator) const {
    const Shape &in = x.shape(), &weights = w.shape();
    if (in.rank() < 3 || weights.rank() != in.rank() || !can_group(groups, in[1]) || in[1] / groups != weights[1] ||
        weights[0] % groups != 0)
      throw Error(ErrorCode::InvalidData, "weights of shape " + weights.to_string() + " in " + std::to_string(groups) +
                                              " groups do not fit an input of shape " + in.to_string());
    const std::vector<int64_t> extents(in.begin() + 2, in.end());
    const Window window = resolve_window(attributes, extents, {weights.begin() + 2, weights.end()});
    const Shape to = window.output_shape(in[0], weights[0]);
    const std::vector<int32_t> data = centred(x, x_zero, 1), factors = centred(w, w_zero, 0);
    const int64_t inner = weights.element_count(1, weights.rank()), rows = weights[0] / groups;
    const int64_t positions = to.element_count(2, to.rank()), group_in = in.element_count(1, in.rank()) / groups;
    Tensor output(DataType::Int32, to, allocator);
    if (output.element_count() == 0) return output;
    Tensor columns(DataType::Int32, Shape{inner, positions}, allocator);
    int32_t* const unfolded = columns.mutable_data<int32_t>().data();
    int32_t* out = output.mutable_data<int32_t>().data();
    for (int64_t part = 0; part < in[0] * groups; ++part, out += rows * positions) {
      unfold(data.data() + part * group_in, unfolded, weights[1], extents, window);
      multiply_integers(factors.data() + part % groups * rows * inner, unfolded, out, rows, inner, positions);
    }
    return output;
  }
};

std::unique_ptr<Kernel> make_conv_integer(const KernelContext& context) {
  return kernel_of([convolution = IntegerConvolution(context.node)](KernelCall& call) {
    call.set_output(0, convolution.run(call.input(0), optional_input(call, 2), call.input(1), optional_input(call, 3),
                                       call.allocator()));
  });
}

std::unique_ptr<Kernel> make_qlinear_conv(const KernelContext& context) {
  return kernel_of([convolution = IntegerConvolution(context.node)](KernelCall& call) {
    Tensor sums = convolution.run(call.input(0), call.input(2), call.input(3), call.input(5), call.allocator());
    const int64_t channels = sums.shape()[1], space = sums.shape().element_count(2, sums.shape().rank());
    if (call.has_input(8)) {
      const std::vector<int64_t> bias = integers_of(call.input(8));
      if (std::ssize(bias) != channels)
        throw Error(ErrorCode::InvalidModel,
                    "one bias for each of " + std::to_string(channels) + " channels was expected");
      auto out = sums.mutable_data<int32_t>();
      for (size_t i = 0; i < out.size(); ++i) {
        const int64_t c = as_extent(i) / space % channels;
        out[i] = static_cast<int32_t>(static_cast<uint32_t>(out[i]) + static_cast<uint32_t>(bias[as_index(c)]));
      }
    }
    const auto w_scales = scales_of(call.input(4));
    const double scale = scales_of(call.input(1))[0] / scales_of(call.input(6))[0];
    const auto factor = [&](int64_t i) { return scale * pick(w_scales, i / space % channels, channels, 0); };
    call.set_output(0, requantized(sums, call.input(7), factor, call.allocator()));
  });
}

std::unique_ptr<Kernel> make_qlinear_matmul(const KernelContext&) { return kernel_of(run_qlinear_matmul); }

constexpr OpTraits kQuantized{.kind = OpKind::QOperator, .data_inputs = 0};

}  // namespace

std::vector<OperatorDef> quantized_product_operators() {
  return {
      {"MatMulInteger", kQuantized, make_matmul_integer, 10},
      {"QLinearMatMul", kQuantized, make_qlinear_matmul, 10},
      {"ConvInteger", kQuantized, make_conv_integer, 10},
      {"QLinearConv", kQuantized, make_qlinear_conv, 10},
  };
}

}  // namespace detent
