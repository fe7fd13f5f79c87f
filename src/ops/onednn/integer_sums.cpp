#include "ops/product/integer_sums.h"

#include "ops/onednn/integer_operands.h"
#include "ops/onednn/onednn.h"
#include "ops/onednn/sound_kernels.h"
#include "ops/shape_cache.h"

namespace detent {

namespace {

using dnnl::memory;

class PrimitiveSums final : public IntegerSums {
 public:
  explicit PrimitiveSums(const Tensor& weights) : weights_(weights) {}

  bool run(const Tensor& codes, Tensor& sums, const KernelCall& call) const override {
    const Compiled& compiled = cache_.get(codes.shape(), [&](const Shape& source) {
      try {
        return compile(source, sums.shape());
      } catch (const dnnl::error& error) {
        throw onednn::as_error(error, "product of " + source.to_string() + " and " + weights_.shape().to_string());
      }
    });
    if (!compiled.primitive) return false;
    onednn::Arguments arguments{
        {DNNL_ARG_SRC, onednn::wrap(codes, compiled.source)},
        {DNNL_ARG_WEIGHTS, onednn::wrap(weights_, compiled.weights)},
        {DNNL_ARG_DST, onednn::wrap(sums, compiled.output)},
    };
    onednn::execute(compiled.primitive, compiled.scratchpad, std::move(arguments), call.workspace());
    return true;
  }

 private:
  struct Compiled {
    dnnl::primitive primitive;  // empty where oneDNN has no fast kernel
    memory::desc source, weights, output, scratchpad;
  };

  [[nodiscard]] Compiled compile(const Shape& source, const Shape& output) const {
    static_cast<void>(onednn::engine());
    Compiled compiled;
    compiled.source = onednn::describe(source, Layout::Plain, memory::data_type::u8);
    compiled.weights = onednn::describe(weights_.shape(), Layout::Plain, memory::data_type::s8);
    compiled.output = onednn::describe(output, Layout::Plain, memory::data_type::s32);
    const dnnl::matmul::desc description(compiled.source, compiled.weights, compiled.output);
    dnnl::matmul::primitive_desc chosen(description, onednn::base_attributes(), onednn::engine(), true);
    if (!onednn::find_sound_kernel(chosen, {})) return compiled;
    compiled.scratchpad = chosen.scratchpad_desc();
    compiled.primitive = dnnl::matmul(chosen);
    return compiled;
  }

  Tensor weights_;
  ShapeCache<Shape, Compiled> cache_;
};

}  // namespace

std::unique_ptr<const IntegerSums> make_integer_sums(const Tensor& weights) {
  return onednn::sums_bytes_exactly() ? std::make_unique<PrimitiveSums>(weights) : nullptr;
}

}  // namespace detent
