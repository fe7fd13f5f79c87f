#include <algorithm>
#include <memory>
#include <string>

#include "core/index.h"
#include "core/stop.h"
#include "detent/base/tensor.h"
#include "ops/elementwise/binary.h"
#include "ops/kernel.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/product/float_product.h"
#include "ops/product/matmul_shape.h"
#include "ops/shape_only.h"
#include "ops/traits.h"
#include "ops/types/float_types.h"
#include "ops/window/saturating_layer.h"

namespace detent {

namespace {

class SaturatingMatMul final : public Kernel {
 public:
  SaturatingMatMul(const KernelContext& context, std::unique_ptr<const SaturatingLayer> layer)
      : layer_(std::move(layer)), transposed_(context.node.int_or("transA", 0) != 0),
        matrix_(layer_->weights(), layer_->order(), 0, layer_->outputs()),
        inner_(layer_->weights().element_count() / layer_->outputs()) {}

  void run(KernelCall& call) const override {
    const Tensor& given = call.input(0);
    const Shape& in = given.shape();
    layer_->check_type(given);
    const size_t along = transposed_ ? 0 : in.rank() - 1;
    if (in.rank() == 0 || (transposed_ && in.rank() != 2) || in[along] != inner_)
      throw Error(ErrorCode::InvalidData,
                  "cannot multiply " + in.to_string() + " by " + layer_->weights().shape().to_string());
    Shape to = in;
    if (transposed_) to[0] = in[1];
    to[in.rank() - 1] = layer_->outputs();
    const Tensor codes = layer_->codes(given, call.allocator());
    Tensor& output = call.make_output(0, DataType::Float32, to);
    const int64_t rows = in.element_count() / inner_;
    const uint8_t* const from = codes.data<uint8_t>().data();
    float* const out = output.mutable_data<float>().data();
    constexpr int64_t kLinesAtOnce = 64;
    Tensor lines(DataType::UInt8, Shape{kLinesAtOnce, matrix_.inner()}, call.allocator());
    Tensor sums(DataType::Int32, Shape{kLinesAtOnce, matrix_.sums_row()}, call.allocator());
    uint8_t* const line = lines.mutable_data<uint8_t>().data();
    int32_t* const sum = sums.mutable_data<int32_t>().data();
    for (int64_t begin = 0; begin < rows; begin += kLinesAtOnce) {
      stop_if_interrupted();
      const int64_t count = std::min(kLinesAtOnce, rows - begin);
      for (int64_t r = 0; r < count; ++r) {
        uint8_t* const to_row = line + r * matrix_.inner();
        for (int64_t k = 0; k < inner_; ++k)
          to_row[k] = from[transposed_ ? k * rows + begin + r : (begin + r) * inner_ + k];
        std::fill(to_row + inner_, to_row + matrix_.inner(), uint8_t{0});
      }
      matrix_.multiply(line, count, sum);
      for (int64_t r = 0; r < count; ++r)
        layer_->finish(sum + r * matrix_.sums_row(), 0, layer_->outputs(), out + (begin + r) * layer_->outputs());
    }
  }

 private:
  std::unique_ptr<const SaturatingLayer> layer_;
  bool transposed_;
  SaturatingMatrix matrix_;
  int64_t inner_;
};

/// Makes the kernel of a Gemm or MatMul with a constant weight as ONNX Runtime's integer kernels compute it on x86 CPUs
/// without VNNI; it takes codes as well as floats. nullptr where it does not run that way (SaturatingLayer::find).
std::unique_ptr<Kernel> make_saturating_matmul(const KernelContext& context) {
  auto layer = SaturatingLayer::find(context);
  if (!layer) return nullptr;
  return std::make_unique<SaturatingMatMul>(context, std::move(layer));
}

/// A matrix read through strides.
template <class T>
struct Matrix {
  const T* data;
  int64_t row_stride, column_stride;
};

/// Multiplies matrices; integers in uint64, where overflow is defined and the low bits are the same.
template <class T>
void multiply(const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t rows, int64_t inner, int64_t columns) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      stop_if_interrupted();
      Wide sum{0};
      for (int64_t k = 0; k < inner; ++k)
        sum += static_cast<Wide>(a.data[r * a.row_stride + k * a.column_stride]) *
               static_cast<Wide>(b.data[k * b.row_stride + c * b.column_stride]);
      out[r * columns + c] = static_cast<T>(sum);
    }
}

Tensor factor(float value, DataType type) { return cast(Tensor::scalar(value), type); }

/// Computes numpy's matmul for types other than float: double, and integers, which wrap around.
/// Errors  InvalidModel when the types differ, InvalidData when the shapes do not fit, Unsupported for other types.
Tensor plain_matmul(const Tensor& a, const Tensor& b, Allocator& allocator) {
  check_same_type(a, b);
  const MatMulShape shape(a.shape(), b.shape());
  Tensor output(a.type(), shape.output, allocator);
  visit_number(a.type(), [&]<class T>(T) {
    T* out = output.mutable_data<T>().data();
    for (int64_t i = 0; i < shape.batch.element_count(); ++i, out += shape.rows * shape.columns) {
      const T* left = a.data<T>().data() + shape.matrix_of(i, a.shape()) * shape.rows * shape.inner;
      const T* right = b.data<T>().data() + shape.matrix_of(i, b.shape()) * shape.inner * shape.columns;
      multiply<T>({left, shape.inner, 1}, {right, shape.columns, 1}, out, shape.rows, shape.inner, shape.columns);
    }
  });
  return output;
}

/// Computes alpha * a * b + beta * bias for the same types; an empty handle is no bias. Integers take alpha and beta
/// truncated. Errors  as above.
Tensor plain_gemm(const Tensor& a, const Tensor& b, const Tensor& bias, const GemmOptions& options,
                  Allocator& allocator) {
  check_same_type(a, b);
  const int64_t rows = a.shape()[options.transpose_a ? 1 : 0], inner = a.shape()[options.transpose_a ? 0 : 1];
  const int64_t columns = b.shape()[options.transpose_b ? 0 : 1];
  Tensor output(a.type(), Shape{rows, columns}, allocator);
  visit_number(a.type(), [&]<class T>(T) {
    const Matrix<T> left{a.data<T>().data(), options.transpose_a ? 1 : inner, options.transpose_a ? rows : 1};
    const Matrix<T> right{b.data<T>().data(), options.transpose_b ? 1 : columns, options.transpose_b ? inner : 1};
    multiply<T>(left, right, output.mutable_data<T>().data(), rows, inner, columns);
  });
  if (options.alpha != 1.0F) output = combine(BinaryFunction::Mul, output, factor(options.alpha, a.type()), allocator);
  if (bias.empty_handle()) return output;
  Tensor addend = bias;
  if (options.beta != 1.0F) addend = combine(BinaryFunction::Mul, bias, factor(options.beta, a.type()), allocator);
  output = combine(BinaryFunction::Add, output, addend, allocator);
  if (output.shape() != Shape{rows, columns})
    throw Error(ErrorCode::InvalidData, "Gemm's bias of shape " + bias.shape().to_string() + " does not fit " +
                                            Shape{rows, columns}.to_string());
  return output;
}

/// True for floats, which FloatProduct multiplies; other types go to the plain loops.
bool are_floats(const Tensor& a, const Tensor& b) {
  return a.type() == DataType::Float32 && b.type() == DataType::Float32;
}

class MatMulKernel final : public Kernel {
 public:
  explicit MatMulKernel(const KernelContext& context)
      : shape_suffices_(context.shape_suffices), product_(make_float_product({}, matrix_constant(context), context)) {}

  void run(KernelCall& call) const override {
    if (!product_->takes_codes(call.input(0).type()) && !are_floats(call.input(0), call.input(1)))
      return call.set_output(0, plain_matmul(call.input(0), call.input(1), call.allocator()));
    const MatMulShape shape(call.input(0).shape(), call.input(1).shape());
    const Tensor a = promote(call.input(0), Side::Left);
    const Tensor b = promote(call.input(1), Side::Right);
    Shape full = shape.batch;
    full.push_back(shape.rows);
    full.push_back(shape.columns);
    call.tell_output(full);
    if (shape_suffices_) return call.set_output(0, unseen_zeros(shape.output));
    Tensor output(DataType::Float32, full, call.allocator());
    if (a.element_count() == 0 || b.element_count() == 0)
      std::fill_n(output.mutable_data<float>().begin(), output.element_count(), 0.0F);
    else
      multiply(a, b, output, call);
    call.set_output(0, output.reshaped(shape.output));
  }

 private:
  static const Tensor* matrix_constant(const KernelContext& context) {
    const Tensor* constant = context.constant(1);
    return constant && constant->shape().rank() >= 2 && constant->type() == DataType::Float32 &&
                   constant->element_count() > 0
               ? constant
               : nullptr;
  }
  /// Multiplies. One matrix for every row of `a` is one product of two matrices: only their right-hand
  /// side is packed.
  void multiply(const Tensor& a, const Tensor& b, Tensor& output, const KernelCall& call) const {
    if (b.shape().rank() > 2 || a.shape().rank() == 2) return product_->run(a, b, {}, output, call);
    const int64_t inner = a.shape()[a.shape().rank() - 1];
    const int64_t rows = a.element_count() / inner;
    Tensor matrix = output.reshaped({rows, b.shape()[1]});
    product_->run(a.reshaped({rows, inner}), b, {}, matrix, call);
  }

  enum class Side : uint8_t { Left, Right };
  static Tensor promote(const Tensor& tensor, Side side) {
    if (tensor.shape().rank() != 1) return tensor;
    const int64_t n = tensor.shape()[0];
    return tensor.reshaped(side == Side::Left ? Shape{1, n} : Shape{n, 1});
  }
  bool shape_suffices_;
  std::unique_ptr<const FloatProduct> product_;
};

GemmOptions gemm_options(const Node& node) {
  return {.transpose_a = node.int_or("transA", 0) != 0,
          .transpose_b = node.int_or("transB", 0) != 0,
          .alpha = node.float_or("alpha", 1.0F),
          .beta = node.float_or("beta", 1.0F)};
}

class GemmKernel final : public Kernel {
 public:
  explicit GemmKernel(const KernelContext& context)
      : options_(gemm_options(context.node)), shape_suffices_(context.shape_suffices),
        product_(make_float_product(options_, float_constant(context), context)) {}

  void run(KernelCall& call) const override {
    const Tensor& a = call.input(0);
    const Tensor& b = call.input(1);
    if (a.shape().rank() != 2 || b.shape().rank() != 2)
      throw Error(ErrorCode::InvalidData,
                  "Gemm needs matrices, got " + a.shape().to_string() + " and " + b.shape().to_string());
    const int64_t rows = a.shape()[options_.transpose_a ? 1 : 0];
    const int64_t inner = a.shape()[options_.transpose_a ? 0 : 1];
    const int64_t columns = b.shape()[options_.transpose_b ? 0 : 1];
    if (inner != b.shape()[options_.transpose_b ? 1 : 0])
      throw Error(ErrorCode::InvalidData, "cannot multiply " + a.shape().to_string() + " by " + b.shape().to_string());
    if (!product_->takes_codes(a.type()) && !are_floats(a, b))
      return call.set_output(
          0, plain_gemm(a, b, call.has_input(2) ? call.input(2) : Tensor(), options_, call.allocator()));
    const Shape shape{rows, columns};
    if (shape_suffices_) {
      call.tell_output(shape);
      return call.set_output(0, unseen_zeros(shape));
    }
    Tensor& output = call.make_output(0, DataType::Float32, shape);
    if (output.element_count() == 0) return;
    // The product scales its sum with the bias, ONNX the product alone.
    if (call.has_input(2)) check_same_type(call.input(2), output);
    const bool bias_inside = call.has_input(2) && options_.alpha == 1.0F && options_.beta == 1.0F &&
                             call.input(2).element_count() == columns && call.input(2).shape().rank() >= 1 &&
                             call.input(2).shape()[call.input(2).shape().rank() - 1] == columns;
    if (inner == 0)
      std::fill_n(output.mutable_data<float>().begin(), output.element_count(), 0.0F);
    else
      product_->run(a, b, bias_inside ? call.input(2) : Tensor(), output, call);
    if (call.has_input(2) && (!bias_inside || inner == 0)) add_bias(call.input(2), output);
  }

 private:
  static const Tensor* float_constant(const KernelContext& context) {
    const Tensor* constant = context.constant(1);
    return constant && constant->type() == DataType::Float32 && constant->element_count() > 0 ? constant : nullptr;
  }

  /// Adds beta * bias, bias broadcast from (), (N), (1,N), (M,1) or (M,N).
  void add_bias(const Tensor& bias, Tensor& output) const {
    const Shape& shape = bias.shape();
    const int64_t rows = output.shape()[0];
    const int64_t columns = output.shape()[1];
    const int64_t bias_columns = shape.rank() >= 1 ? shape[shape.rank() - 1] : 1;
    const int64_t bias_rows = shape.rank() >= 2 ? shape[shape.rank() - 2] : 1;
    if (shape.rank() > 2 || (bias_columns != 1 && bias_columns != columns) || (bias_rows != 1 && bias_rows != rows))
      throw Error(ErrorCode::InvalidData,
                  "Gemm's bias of shape " + shape.to_string() + " does not fit " + output.shape().to_string());
    const auto values = bias.data<float>();
    auto out = output.mutable_data<float>();
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t i = (bias_rows == 1 ? 0 : r) * bias_columns + (bias_columns == 1 ? 0 : c);
        out[as_index(r * columns + c)] += options_.beta * values[as_index(i)];
      }
  }

  GemmOptions options_;
  bool shape_suffices_;
  std::unique_ptr<const FloatProduct> product_;
};

/// True when the kernel takes codes. A MatMul has none of Gemm's attributes.
bool sums_codes(const KernelContext& context) {
  if (context.products == CpuProducts::Avx2 && SaturatingLayer::find(context)) return true;
  return product_takes_codes(gemm_options(context.node), context);
}

/// Makes the kernel, as ONNX Runtime computes the product between pairs on CPUs without VNNI where that is asked for.
template <class Own>
std::unique_ptr<Kernel> make_product(const KernelContext& context) {
  if (context.products == CpuProducts::Avx2)
    if (auto kernel = make_saturating_matmul(context)) return kernel;
  return make_kernel<Own>(context);
}

}  // namespace

std::vector<OperatorDef> matmul_operators() {
  const OpTraits matmul{.kind = OpKind::MatMul, .weight_slot = 1, .weight_axis = WeightAxis::Last, .data_inputs = 2};
  const OpTraits gemm{OpKind::Gemm, false, 1, 2, WeightAxis::GemmOutput, 3};
  return {
      {.op_type = "MatMul", .traits = matmul, .make = with_half<make_product<MatMulKernel>>, .sums_codes = sums_codes},
      {.op_type = "Gemm", .traits = gemm, .make = with_half<make_product<GemmKernel>>, .sums_codes = sums_codes},
  };
}

}  // namespace detent
