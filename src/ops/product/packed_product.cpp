#include "ops/product/packed_product.h"

#include <algorithm>
#include <vector>

#include "core/files/mapped_file.h"
#include "core/index.h"
#include "core/stop.h"
#include "ops/product/matmul_shape.h"
#include "ops/simd/panel_product.h"

namespace detent {

namespace {

// Rows that are multiplied with one panel after the other stay in the second-level cache.
constexpr size_t kLinesFloats = 1 << 16, kLeastLines = 12, kMostLines = 240;

Shape with_last_two_swapped(const Shape& shape) {
  std::vector<int64_t> dims(shape.begin(), shape.end());
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return Shape(std::span<const int64_t>(dims));
}

class PackedProduct final : public FloatProduct {
 public:
  PackedProduct(const GemmOptions& options, const Tensor* constant_b, const KernelContext& context)
      : options_(options) {
    if (!constant_b || !context.keep_copies || constant_b->shape().rank() != 2) return;
    const Tensor floats = constant_b->made();
    packed_ = packed(floats, 0, Allocator::heap());
    let_go_of_pages(floats.raw(), floats.byte_count());
  }

  void run(const Tensor& a, const Tensor& b, const Tensor& bias, Tensor& output,
           const KernelCall& call) const override {
    const Shape left = options_.transpose_a ? with_last_two_swapped(a.shape()) : a.shape();
    const Shape right = options_.transpose_b ? with_last_two_swapped(b.shape()) : b.shape();
    const MatMulShape shape(left, right);
    const auto rows = as_index(shape.rows), inner = as_index(shape.inner), columns = as_index(shape.columns);
    Tensor turned =
        options_.transpose_a ? Tensor(DataType::Float32, Shape{shape.rows, shape.inner}, call.allocator()) : Tensor();
    Tensor matrix = packed_;
    int64_t matrix_of = -1;
    float* out = output.mutable_data<float>().data();
    for (int64_t i = 0; i < shape.batch.element_count(); ++i, out += rows * columns) {
      const float* from = a.data<float>().data() + as_index(shape.matrix_of(i, left)) * rows * inner;
      if (options_.transpose_a) {
        const auto to = turned.mutable_data<float>();
        for (size_t r = 0; r < rows; ++r)
          for (size_t k = 0; k < inner; ++k) to[r * inner + k] = from[k * rows + r];
        from = to.data();
      }
      if (const int64_t wanted = shape.matrix_of(i, right); packed_.empty_handle() && wanted != matrix_of) {
        matrix = packed(b, wanted, call.allocator());
        matrix_of = wanted;
      }
      multiply(from, rows, inner, matrix.data<float>().data(), columns, bias, out);
    }
  }

 private:
  /// Packs matrix `number` of b.
  [[nodiscard]] Tensor packed(const Tensor& b, int64_t number, Allocator& allocator) const {
    const Shape& shape = b.shape();
    const auto rows = as_index(shape[shape.rank() - 2]), columns = as_index(shape[shape.rank() - 1]);
    const float* from = b.data<float>().data() + as_index(number) * rows * columns;
    const size_t depth = options_.transpose_b ? columns : rows, width = options_.transpose_b ? rows : columns;
    Tensor out(DataType::Float32, Shape{as_extent(packed_floats(depth, width))}, allocator);
    pack_panels(from, options_.transpose_b ? 1 : columns, options_.transpose_b ? columns : 1, depth, width,
                options_.alpha, out.mutable_data<float>().data());
    return out;
  }

  static void multiply(const float* a, size_t rows, size_t inner, const float* packed, size_t columns,
                       const Tensor& bias, float* out) {
    RowDestination to{.output = out};
    if (!bias.empty_handle()) to.finish.bias = bias.data<float>().data();
    const size_t block = std::clamp(kLinesFloats / inner / kLeastLines * kLeastLines, kLeastLines, kMostLines);
    const float* lines[kMostLines];
    size_t places[kMostLines];
    to.places = places;
    for (size_t begin = 0; begin < rows; begin += block) {
      stop_if_interrupted();
      const size_t count = std::min(block, rows - begin);
      for (size_t r = 0; r < count; ++r) {
        lines[r] = a + (begin + r) * inner;
        places[r] = (begin + r) * columns;
      }
      multiply_panels({.rows = lines, .count = count, .row_step = count, .parts = 1, .inner = inner}, packed, columns,
                      to);
    }
  }

  GemmOptions options_;
  Tensor packed_;  // a constant right-hand side; empty where it varies or is packed in every call
};

}  // namespace

std::unique_ptr<const FloatProduct> make_packed_product(const GemmOptions& options, const Tensor* constant_b,
                                                        const KernelContext& context) {
  return std::make_unique<PackedProduct>(options, constant_b, context);
}

}  // namespace detent
