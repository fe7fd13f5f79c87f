#include "ops/onednn/integer_product.h"

#include <utility>

#include "core/index.h"
#include "ops/onednn/onednn.h"
#include "ops/onednn/sound_kernels.h"
#include "ops/shape_cache.h"

namespace detent {

namespace {

using dnnl::memory;

class IntegerProduct final : public FloatProduct {
 public:
  IntegerProduct(std::unique_ptr<const IntegerOperands> operands, const GemmOptions& options,
                 std::unique_ptr<const FloatProduct> floats)
      : operands_(std::move(operands)),
        weights_(options.transpose_b ? transposed(operands_->weights()) : operands_->weights()),
        floats_(std::move(floats)) {}

  [[nodiscard]] bool takes_codes(DataType type) const override { return type == operands_->code_type(); }

  void run(const Tensor& a, const Tensor& /*b*/, const Tensor& bias, Tensor& output,
           const KernelCall& call) const override {
    const Key key{a.shape(), !bias.empty_handle()};
    const Compiled& compiled = cache_.get(key, [&](const Key& wanted) {
      try {
        return compile(wanted, output.shape());
      } catch (const dnnl::error& error) {
        throw onednn::as_error(
            error, "product of " + wanted.source.to_string() + " and " + operands_->weights().shape().to_string());
      }
    });
    if (!compiled.primitive) return sum_floats(a, bias, output, call);
    const Tensor source = a.type() == DataType::Float32 ? operands_->codes(a, call.allocator()) : a;
    onednn::Arguments arguments{
        {DNNL_ARG_SRC, onednn::wrap(source, compiled.source)},
        {DNNL_ARG_WEIGHTS, onednn::wrap(weights_, compiled.weights)},
        {DNNL_ARG_DST, onednn::wrap(output, compiled.output)},
    };
    if (key.bias) arguments.push_back({DNNL_ARG_BIAS, onednn::wrap(operands_->bias(), compiled.bias)});
    operands_->bind(arguments);
    onednn::execute(compiled.primitive, compiled.scratchpad, std::move(arguments), call.workspace());
  }

 private:
  struct Compiled {
    dnnl::primitive primitive;  // empty where oneDNN has no fast kernel
    memory::desc source, weights, bias, output, scratchpad;
  };

  struct Key {
    Shape source;
    bool bias;
    friend bool operator==(const Key&, const Key&) = default;
  };

  /// Returns no primitive where oneDNN has only reference loops.
  [[nodiscard]] Compiled compile(const Key& key, const Shape& output) const {
    static_cast<void>(onednn::engine());
    Compiled compiled;
    compiled.source = onednn::describe(key.source, Layout::Plain, operands_->source_type());
    compiled.output = onednn::describe(output, Layout::Plain);
    if (key.bias) compiled.bias = onednn::describe({1, output[1]}, Layout::Plain);
    // As they lie: oneDNN packs int8 weights in each call at a cost of some percent, once in slow reference loops.
    compiled.weights = onednn::describe(weights_.shape(), Layout::Plain, memory::data_type::s8);
    dnnl::primitive_attr attributes = onednn::base_attributes();
    dnnl::post_ops chain;
    operands_->describe(attributes, chain);
    attributes.set_post_ops(chain);
    const dnnl::matmul::desc description =
        key.bias ? dnnl::matmul::desc(compiled.source, compiled.weights, compiled.bias, compiled.output)
                 : dnnl::matmul::desc(compiled.source, compiled.weights, compiled.output);
    dnnl::matmul::primitive_desc chosen(description, attributes, onednn::engine(), true);
    if (!onednn::find_sound_kernel(chosen, {})) return compiled;
    compiled.scratchpad = chosen.scratchpad_desc();
    compiled.primitive = dnnl::matmul(chosen);
    return compiled;
  }

  static Tensor transposed(const Tensor& weights) {
    const Shape& shape = weights.shape();
    Tensor other(DataType::Int8, Shape{shape[1], shape[0]});
    const auto in = weights.data<int8_t>();
    const auto out = other.mutable_data<int8_t>();
    const size_t rows = as_index(shape[0]), columns = as_index(shape[1]);
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c) out[c * rows + r] = in[r * columns + c];
    return other;
  }

  void sum_floats(const Tensor& a, const Tensor& bias, Tensor& output, const KernelCall& call) const {
    const Tensor source = a.type() == DataType::Float32 ? a : operands_->dequantized(a, call.allocator());
    floats_->run(source, operands_->float_weights(), bias, output, call);
  }

  std::unique_ptr<const IntegerOperands> operands_;
  Tensor weights_;  // (K, N)
  std::unique_ptr<const FloatProduct> floats_;
  mutable ShapeCache<Key, Compiled> cache_;
};

}  // namespace

std::unique_ptr<const IntegerOperands> find_product_operands(const GemmOptions& options, const KernelContext& context) {
  if (options.transpose_a || options.alpha != 1.0F) return nullptr;
  auto operands = IntegerOperands::find(context, options.transpose_b ? 0 : 1);
  return operands && operands->weights().shape().rank() == 2 ? std::move(operands) : nullptr;
}

std::unique_ptr<const FloatProduct> make_integer_product(const GemmOptions& options, const KernelContext& context,
                                                         std::unique_ptr<const FloatProduct> floats) {
  auto operands = find_product_operands(options, context);
  if (!operands) return nullptr;
  return std::make_unique<IntegerProduct>(std::move(operands), options, std::move(floats));
}

}  // namespace detent
