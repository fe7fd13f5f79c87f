#include <algorithm>

#include "core/files/mapped_file.h"
#include "ops/elementwise/activation.h"
#include "ops/onednn/integer_operands.h"
#include "ops/onednn/onednn.h"
#include "ops/onednn/post_op_chain.h"
#include "ops/onednn/sound_kernels.h"
#include "ops/operands.h"
#include "ops/shape_cache.h"
#include "ops/window/convolution_backend.h"

namespace detent {

namespace {

/// Conv, as a parameter of PrimitiveConvolution.
struct ForwardConvolution {
  using Primitive = dnnl::convolution_forward;
  static constexpr bool finish_inside = true;  // bias and post-ops belong to the primitive
  static constexpr bool sums_integers = true;  // between pairs
  static constexpr auto algorithm = dnnl::algorithm::convolution_direct;
  static constexpr const char* name = "convolution";
  /// Describes ONNX weights (O, I/g, k...) as oneDNN's (g, O/g, I/g, k...), which is the same memory.
  static dnnl::memory::desc weights_in_file(const Shape& weights, int64_t group) {
    dnnl::memory::dims dims{weights[0] / group, weights[1]};
    dims.insert(dims.end(), weights.begin() + 2, weights.end());
    dims.insert(dims.begin(), group);
    return onednn::describe(Shape(std::span<const int64_t>(dims)), Layout::Plain);
  }
};

/// ConvTranspose, as a parameter of PrimitiveConvolution.
struct TransposedConvolution {
  using Primitive = dnnl::deconvolution_forward;
  // oneDNN 2.6 adds bias and post-ops of a deconvolution in reference loops, up to 30 times slower than the kernel
  // itself.
  static constexpr bool finish_inside = false;
  static constexpr bool sums_integers = false;
  static constexpr auto algorithm = dnnl::algorithm::deconvolution_direct;
  static constexpr const char* name = "transposed convolution";
  /// Describes ONNX weights (I, O/g, k...) as oneDNN's (g, O/g, I/g, k...): input and output channels change places.
  static dnnl::memory::desc weights_in_file(const Shape& weights, int64_t group) {
    const int64_t inputs = weights[0] / group;
    const int64_t outputs = weights[1];
    const int64_t window = weights.element_count(2, weights.rank());
    dnnl::memory::dims dims{group, outputs, inputs};
    dnnl::memory::dims strides{inputs * outputs * window, window, outputs * window};
    int64_t stride = window;
    for (size_t i = 2; i < weights.rank(); ++i) {
      stride /= weights[i];
      dims.push_back(weights[i]);
      strides.push_back(stride);
    }
    return {dims, dnnl::memory::data_type::f32, strides};
  }
};

using dnnl::memory;

memory::dims dims_of(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

memory::dims less_one(const std::vector<int64_t>& values) {
  memory::dims out(values.begin(), values.end());
  for (auto& value : out) --value;  // oneDNN counts a dense kernel as dilation 0
  return out;
}

/// Removes the leading 1 of ungrouped weights, as oneDNN takes them.
memory::dims without_group(const memory::dims& dims, int64_t group) {
  return group == 1 ? memory::dims(dims.begin() + 1, dims.end()) : dims;
}

/// Returns the shape {1, C, 1 ..., N * pixels} of the same channels-last memory.
Shape in_one_row(const Shape& shape) {
  Shape row{1, shape[1]};
  for (size_t axis = 3; axis < shape.rank(); ++axis) row.push_back(1);
  row.push_back(shape[0] * shape.element_count(2, shape.rank()));
  return row;
}

/// True where every output pixel is a product of the input pixel at its place.
bool is_by_pixel(const Window& window, int64_t group) {
  const auto all = [](const std::vector<int64_t>& numbers, int64_t wanted) {
    return std::ranges::all_of(numbers, [&](int64_t number) { return number == wanted; });
  };
  return group == 1 && all(window.kernel, 1) && all(window.strides, 1) && all(window.pad_begin, 0) &&
         all(window.pad_end, 0);
}

struct CompiledConvolution {
  dnnl::primitive primitive;
  memory::desc source, weights, destination, scratchpad;
  bool fused = false;     // post-ops are inside the primitive
  bool integer = false;   // it sums the codes of IntegerOperands
  Tensor packed_weights;  // empty when the weights are not constant
  OwnerNumber number;
};

struct ConvolutionKey {
  Shape input, weights;
  bool fuse;
  friend bool operator==(const ConvolutionKey&, const ConvolutionKey&) = default;
};

template <class Variant>
class PrimitiveConvolution final : public ConvolutionBackend {
 public:
  PrimitiveConvolution(const KernelContext& context, const PostOps& post_ops)
      : group_(context.node.int_or("group", 1)), post_ops_(post_ops) {
    if (Variant::sums_integers) integers_ = IntegerOperands::find(context);
    if (const Tensor* weights = context.constant(1); weights && !integers_)
      weights_ = cast(*weights, DataType::Float32);
  }

  [[nodiscard]] bool takes_codes(DataType type) const override { return integers_ && type == integers_->code_type(); }

  void run(const ConvolutionStep& step, KernelCall& call) const override {
    Tensor& output = call.make_output(0, DataType::Float32, step.output, Layout::ChannelsLast);
    if (output.element_count() == 0) return;
    const onednn::Team team(step.threads);
    const bool fits = !post_ops_.empty() && post_ops_.residuals_fit(step.output, call.residuals());
    const bool fuse = Variant::finish_inside && fits && !post_ops_.has_exponential();
    const CompiledConvolution& compiled = compiled_for(step, fuse, call);
    execute(compiled, step.input, step.weights, call);
    if constexpr (!Variant::finish_inside)
      apply_bias_activation(output, call.has_input(2) ? call.input(2).data<float>() : std::span<const float>(),
                            post_ops_.only_activation());
    else if (!compiled.fused && fits)
      post_ops_.apply_in_stretches(call, step.threads);
    else if (!compiled.fused)
      post_ops_.apply(call);
  }

 private:
  void execute(const CompiledConvolution& compiled, const Tensor& input, const Tensor& weights,
               KernelCall& call) const {
    std::vector<Tensor> keep;
    Tensor packed = compiled.packed_weights;
    if (packed.empty_handle()) packed = pack(weights, compiled.weights, call.allocator());
    const bool has_codes = input.type() != DataType::Float32;
    const Tensor source = has_codes == compiled.integer ? input
                          : compiled.integer            ? integers_->codes(input, call.allocator())
                                                        : integers_->dequantized(input, call.allocator());
    Tensor& output = call.output(0);
    auto& objects = call.workspace().kept<onednn::MemoryObjects>(compiled.number);
    onednn::Arguments arguments{
        {DNNL_ARG_SRC, objects.wrap(DNNL_ARG_SRC, source, compiled.source)},
        {DNNL_ARG_WEIGHTS, objects.wrap(DNNL_ARG_WEIGHTS, packed, compiled.weights)},
        {DNNL_ARG_DST, objects.wrap(DNNL_ARG_DST, output, compiled.destination)},
    };
    if (Variant::finish_inside && call.has_input(2))
      arguments.push_back(
          {DNNL_ARG_BIAS, objects.wrap(DNNL_ARG_BIAS, compiled.integer ? integers_->bias() : call.input(2))});
    if (compiled.integer) integers_->bind(arguments);
    const int first = compiled.integer ? IntegerOperands::kPostOps : 0;
    if (compiled.fused)
      onednn::bind(post_ops_, compiled.destination, arguments, first, call.residuals(), call.allocator(), keep);
    onednn::execute(compiled.primitive, compiled.scratchpad, std::move(arguments), call.workspace(), &objects);
  }

  const CompiledConvolution& compiled_for(const ConvolutionStep& step, bool fuse, KernelCall& call) const {
    const ConvolutionKey key{.input = step.input.shape(), .weights = step.weights.shape(), .fuse = fuse};
    return cache_.get(key, [&](const ConvolutionKey& wanted) {
      try {
        CompiledConvolution compiled;
        const bool has_bias = Variant::finish_inside && call.has_input(2);
        if (!integers_ || !compile(compiled, wanted, step, has_bias, integers_.get()))
          compile(compiled, wanted, step, has_bias, nullptr);
        return compiled;
      } catch (const dnnl::error& error) {
        throw onednn::as_error(error, std::string(Variant::name) + " of " + wanted.input.to_string());
      }
    });
  }

  /// Makes the primitive; returns false where `integers` are given and oneDNN has no fast kernel for them.
  bool compile(CompiledConvolution& compiled, const ConvolutionKey& key, const ConvolutionStep& step, bool has_bias,
               const IntegerOperands* integers) const {
    const Window& window = step.window;
    // oneDNN reads the weights anew for each image, which may have one pixel: as one image of all pixels, eight images
    // of 2 x 2 pixels take 0.8, of one pixel 0.3 of the time.
    constexpr int64_t kMostPixels = 1 << 24;  // oneDNN counts some of its steps in 32 bits
    const bool joined = Variant::finish_inside && !integers && is_by_pixel(window, group_) &&
                        step.output.element_count() / step.output[1] <= kMostPixels;
    compiled.destination = onednn::describe(joined ? in_one_row(step.output) : step.output, Layout::ChannelsLast);
    const auto source = integers ? integers->source_type() : memory::data_type::f32;
    const auto dims = Variant::weights_in_file(key.weights, group_).dims();
    const memory::desc any_weights(without_group(dims, group_), weights_type(integers), memory::format_tag::any);
    const memory::desc bias =
        has_bias ? memory::desc({step.output[1]}, memory::data_type::f32, memory::format_tag::x) : memory::desc();
    compiled.source = onednn::describe(joined ? in_one_row(key.input) : key.input, Layout::ChannelsLast, source);
    const typename Variant::Primitive::desc description(dnnl::prop_kind::forward_inference, Variant::algorithm,
                                                        compiled.source, any_weights, bias, compiled.destination,
                                                        dims_of(window.strides), less_one(window.dilations),
                                                        dims_of(window.pad_begin), dims_of(window.pad_end));
    // Few positions of many channels: the kernel that may add a residual (sound_kernels.cpp) reads weights so slowly
    // that a pass over the output costs less. 512 to 2048 channels of 7 x 7 pixels: 1.6 ms with it, 1.1 without (Xeon).
    constexpr int64_t kWeightsEachNumber = 8;
    const bool apart = post_ops_.has_residual() && !integers &&
                       key.weights.element_count() >= kWeightsEachNumber * step.output.element_count();
    if (!choose(compiled, description, key.fuse && !apart, integers)) return false;
    compiled.integer = integers != nullptr;
    if (integers)
      compiled.packed_weights = packed_for(compiled.weights, integers->weights());
    else if (integers_)
      compiled.packed_weights = packed_for(compiled.weights, integers_->float_weights());
    else if (!weights_.empty_handle())
      compiled.packed_weights = packed_for(compiled.weights, weights_);
    return true;
  }

  static memory::data_type weights_type(const IntegerOperands* integers) {
    return integers ? memory::data_type::s8 : memory::data_type::f32;
  }

  /// Chooses the implementation; post-ops go inside only where a JIT kernel takes them.
  bool choose(CompiledConvolution& compiled, const typename Variant::Primitive::desc& description, bool fuse,
              const IntegerOperands* integers) const {
    using PrimitiveDesc = typename Variant::Primitive::primitive_desc;
    enum class Accept : uint8_t { JitOnly, Any };
    const auto take = [&](bool with_post_ops, Accept accept) {
      const bool need_fast = accept == Accept::JitOnly;
      dnnl::primitive_attr attributes = onednn::base_attributes();
      dnnl::post_ops chain;
      if (integers) integers->describe(attributes, chain);
      if (with_post_ops) onednn::append(post_ops_, chain, compiled.destination);
      attributes.set_post_ops(chain);
      PrimitiveDesc chosen(description, attributes, onednn::engine(), need_fast);
      const onednn::KernelUse use{.residual = with_post_ops && post_ops_.has_residual(),
                                  .groups = group_,
                                  .channels = compiled.destination.dims()[1]};
      if (need_fast && !onednn::find_sound_kernel(chosen, use)) return false;
      compiled.weights = chosen.weights_desc();
      compiled.scratchpad = chosen.scratchpad_desc();
      compiled.primitive = typename Variant::Primitive(chosen);
      return true;
    };
    compiled.fused = fuse && take(true, Accept::JitOnly);
    return compiled.fused || take(false, integers ? Accept::JitOnly : Accept::Any);
  }

  Tensor pack(const Tensor& weights, const memory::desc& wanted, Allocator& allocator) const {
    const memory::desc grouped = Variant::weights_in_file(weights.shape(), group_);
    const auto strides = grouped.data.format_desc.blocking.strides;
    memory::dims kept(strides, strides + grouped.data.ndims);
    const auto type = weights.type() == DataType::Int8 ? memory::data_type::s8 : memory::data_type::f32;
    const memory::desc in_file(without_group(grouped.dims(), group_), type, without_group(kept, group_));
    return onednn::reorder(onednn::wrap(weights, in_file), wanted, allocator);
  }

  /// Returns packed constant weights, shared by input shapes for which oneDNN wants the same packing. The caller holds
  /// the cache's lock.
  Tensor packed_for(const memory::desc& wanted, const Tensor& weights) const {
    for (const auto& [desc, tensor] : packed_)
      if (desc == wanted) return tensor;
    const Tensor elements = weights.made();
    packed_.emplace_back(wanted, pack(elements, wanted, Allocator::heap()));
    let_go_of_pages(elements.raw(), elements.byte_count());
    return packed_.back().second;
  }

  int64_t group_;
  Tensor weights_;
  std::unique_ptr<const IntegerOperands> integers_;  // nullptr: floats are summed; else the float weights may be zeros
  const PostOps& post_ops_;
  mutable ShapeCache<ConvolutionKey, CompiledConvolution> cache_;
  mutable std::vector<std::pair<memory::desc, Tensor>> packed_;  // guarded by the cache's lock
};

}  // namespace

std::unique_ptr<const ConvolutionBackend> make_convolution_backend(const KernelContext& context,
                                                                   const PostOps& post_ops) {
  if (context.node.op_type == "ConvTranspose")
    return std::make_unique<PrimitiveConvolution<TransposedConvolution>>(context, post_ops);
  return std::make_unique<PrimitiveConvolution<ForwardConvolution>>(context, post_ops);
}

bool backend_takes_codes(const KernelContext& context) { return IntegerOperands::find(context) != nullptr; }

}  // namespace detent
