#include "ops/product/float_product.h"

#include <algorithm>
#include <string>

#include "core/files/mapped_file.h"
#include "ops/onednn/integer_product.h"
#include "ops/onednn/onednn.h"
#include "ops/product/packed_product.h"
#include "ops/shape_cache.h"

namespace detent {

namespace {

using dnnl::memory;

/// A matrix or batch of matrices, with the strides under which oneDNN reads it.
struct MatMulOperand {
  memory::dims dims, strides;
};

MatMulOperand row_major(const Shape& shape) {
  MatMulOperand operand;
  operand.dims.assign(shape.begin(), shape.end());
  operand.strides.assign(shape.rank(), 1);
  for (size_t i = shape.rank(); i-- > 1;) operand.strides[i - 1] = operand.strides[i] * std::max<int64_t>(1, shape[i]);
  return operand;
}

void swap_last_two(MatMulOperand& operand) {
  const size_t rank = operand.dims.size();
  std::swap(operand.dims[rank - 1], operand.dims[rank - 2]);
  std::swap(operand.strides[rank - 1], operand.strides[rank - 2]);
}

void pad_rank(MatMulOperand& operand, size_t rank) {
  while (operand.dims.size() < rank) {
    operand.strides.insert(operand.strides.begin(),
                           operand.strides.empty() ? 1 : operand.dims.front() * operand.strides.front());
    operand.dims.insert(operand.dims.begin(), 1);
  }
}

memory::desc describe(const MatMulOperand& operand) { return {operand.dims, memory::data_type::f32, operand.strides}; }

struct CompiledProduct {
  dnnl::primitive primitive;
  memory::desc a, b, bias, output, scratchpad;
  Tensor packed_b;  // constant right-hand side in oneDNN's own order; empty where it varies or is packed in every call
  OwnerNumber number;
  memory::desc to_pack;  // as the file holds a right-hand side that is packed in every call; empty otherwise
};

struct ProductKey {
  Shape a, b;
  bool bias;
  friend bool operator==(const ProductKey&, const ProductKey&) = default;
};

/// Returns constant codes that stay codes in memory, from which the right operand is computed in every run; nullptr if
/// it comes from elsewhere.
const Tensor* codes_of_right(const KernelContext& context) {
  const Node* dequantize = context.graph.producer(context.node.input(1));
  return dequantize && dequantize->domain.empty() && dequantize->op_type == "DequantizeLinear"
             ? context.graph.constant(dequantize->input(0))
             : nullptr;
}

/// True for a constant matrix `b` on a CPU without AVX-512, where oneDNN packs it anew in every call and takes 1.0 to
/// 1.8 times the time of Detent's product (bench/README.md).
bool packs_in_every_call(const Tensor* b) {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  return b && b->shape().rank() == 2 && (isa == dnnl::cpu_isa::avx2 || isa == dnnl::cpu_isa::avx2_vnni);
}

/// Cached primitives.
class PrimitiveProduct final : public FloatProduct {
 public:
  PrimitiveProduct(const GemmOptions& options, const Tensor* constant_b, const KernelContext& context)
      : options_(options), keep_packed_(constant_b && context.keep_copies),
        pack_(constant_b || codes_of_right(context)) {
    if (constant_b) constant_b_ = *constant_b;
  }

  void run(const Tensor& a, const Tensor& b, const Tensor& bias, Tensor& output,
           const KernelCall& call) const override {
    const bool has_bias = !bias.empty_handle();
    const ProductKey key{a.shape(), b.shape(), has_bias};
    const CompiledProduct& compiled = cache_.get(key, [&](const ProductKey& wanted) {
      try {
        return compile(wanted, output.shape());
      } catch (const dnnl::error& error) {
        throw onednn::as_error(error, "product of " + wanted.a.to_string() + " and " + wanted.b.to_string());
      }
    });
    Tensor right = compiled.packed_b.empty_handle() ? b : compiled.packed_b;
    if (!compiled.to_pack.is_zero())
      right = onednn::reorder(onednn::wrap(b, compiled.to_pack), compiled.b, call.allocator());
    auto& objects = call.workspace().kept<onednn::MemoryObjects>(compiled.number);
    onednn::Arguments arguments{
        {DNNL_ARG_SRC, objects.wrap(DNNL_ARG_SRC, a, compiled.a)},
        {DNNL_ARG_WEIGHTS, objects.wrap(DNNL_ARG_WEIGHTS, right, compiled.b)},
        {DNNL_ARG_DST, objects.wrap(DNNL_ARG_DST, output, compiled.output)},
    };
    if (has_bias) arguments.push_back({DNNL_ARG_BIAS, objects.wrap(DNNL_ARG_BIAS, bias, compiled.bias)});
    onednn::execute(compiled.primitive, compiled.scratchpad, std::move(arguments), call.workspace(), &objects);
  }

 private:
  CompiledProduct compile(const ProductKey& key, const Shape& output_shape) const {
    static_cast<void>(onednn::engine());
    const size_t rank = output_shape.rank();
    MatMulOperand a = row_major(key.a);
    MatMulOperand b = row_major(key.b);
    if (options_.transpose_a) swap_last_two(a);
    if (options_.transpose_b) swap_last_two(b);
    pad_rank(a, rank);
    pad_rank(b, rank);
    CompiledProduct compiled;
    compiled.a = describe(a);
    compiled.output = describe(row_major(output_shape));
    const memory::desc b_in_file = describe(b);
    const memory::desc b_wanted =
        pack_ ? memory::desc(b.dims, memory::data_type::f32, memory::format_tag::any) : b_in_file;
    if (key.bias) {
      memory::dims dims(rank, 1);
      dims.back() = output_shape[rank - 1];
      compiled.bias = memory::desc(dims, memory::data_type::f32, memory::dims(rank, 1));
    }
    dnnl::primitive_attr attributes = onednn::base_attributes();
    if (options_.alpha != 1.0F) attributes.set_output_scales(0, {options_.alpha});
    const dnnl::matmul::desc description =
        key.bias ? dnnl::matmul::desc(compiled.a, b_wanted, compiled.bias, compiled.output)
                 : dnnl::matmul::desc(compiled.a, b_wanted, compiled.output);
    const dnnl::matmul::primitive_desc chosen(description, attributes, onednn::engine());
    compiled.b = chosen.weights_desc();
    compiled.scratchpad = chosen.scratchpad_desc();
    compiled.primitive = dnnl::matmul(chosen);
    if (pack_ && keep_packed_) compiled.packed_b = packed_for(compiled.b, b_in_file);
    if (pack_ && !keep_packed_ && compiled.b != b_in_file) compiled.to_pack = b_in_file;
    return compiled;
  }

  Tensor packed_for(const memory::desc& wanted, const memory::desc& in_file) const {
    for (const auto& [desc, tensor] : packed_)
      if (desc == wanted) return tensor;
    const Tensor floats = constant_b_.made();
    packed_.emplace_back(wanted, onednn::reorder(onednn::wrap(floats, in_file), wanted, Allocator::heap()));
    let_go_of_pages(floats.raw(), floats.byte_count());
    return packed_.back().second;
  }

  GemmOptions options_;
  bool keep_packed_, pack_;
  Tensor constant_b_;
  mutable ShapeCache<ProductKey, CompiledProduct> cache_;
  mutable std::vector<std::pair<memory::desc, Tensor>> packed_;  // guarded by the cache's lock
};

}  // namespace

std::unique_ptr<const FloatProduct> make_float_product(const GemmOptions& options, const Tensor* constant_b,
                                                       const KernelContext& context) {
  if (auto product =
          make_integer_product(options, context, std::make_unique<PrimitiveProduct>(options, nullptr, context)))
    return product;
  if (packs_in_every_call(constant_b ? constant_b : codes_of_right(context)))
    return make_packed_product(options, constant_b, context);
  return std::make_unique<PrimitiveProduct>(options, constant_b, context);
}

bool product_takes_codes(const GemmOptions& options, const KernelContext& context) {
  return find_product_operands(options, context) != nullptr;
}

}  // namespace detent
