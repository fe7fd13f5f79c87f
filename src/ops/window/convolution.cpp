#include <algorithm>

#include "core/files/mapped_file.h"
#include "ops/kernel_function.h"
#include "ops/onednn/onednn.h"
#include "ops/onednn/post_ops.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_only.h"
#include "ops/traits.h"
#include "ops/types/float_types.h"
#include "ops/window/channels_last_convolution.h"
#include "ops/window/integer_convolution.h"
#include "ops/window/saturating_layer.h"
#include "ops/window/window.h"

namespace detent {

namespace {

/// Conv, as a parameter of ConvolutionKernel.
struct ForwardConvolution {
  using Primitive = dnnl::convolution_forward;
  static constexpr bool finish_inside = true;  // bias and post-ops belong to the primitive
  static constexpr bool has_own = true;        // Detent has kernels for some shapes
  static constexpr bool sums_integers = true;  // between pairs
  static constexpr auto algorithm = dnnl::algorithm::convolution_direct;
  static constexpr const char* name = "convolution";
  static int64_t input_channels(const Shape& weights, int64_t group) { return weights[1] * group; }
  static int64_t output_channels(const Shape& weights, int64_t) { return weights[0]; }
  static Window resolve(const WindowAttributes& attributes, const Node&, const std::vector<int64_t>& input,
                        const std::vector<int64_t>& kernel) {
    return resolve_window(attributes, input, kernel);
  }
  /// Describes ONNX weights (O, I/g, k...) as oneDNN's (g, O/g, I/g, k...), which is the same memory.
  static dnnl::memory::desc weights_in_file(const Shape& weights, int64_t group) {
    dnnl::memory::dims dims{weights[0] / group, weights[1]};
    dims.insert(dims.end(), weights.begin() + 2, weights.end());
    dims.insert(dims.begin(), group);
    return onednn::describe(Shape(std::span<const int64_t>(dims)), Layout::Plain);
  }
};

/// ConvTranspose, as a parameter of ConvolutionKernel.
struct TransposedConvolution {
  using Primitive = dnnl::deconvolution_forward;
  // oneDNN 2.6 adds bias and post-ops of a deconvolution in reference loops, up to 30 times slower than the kernel
  // itself.
  static constexpr bool finish_inside = false;
  static constexpr bool has_own = false;
  static constexpr bool sums_integers = false;
  static constexpr auto algorithm = dnnl::algorithm::deconvolution_direct;
  static constexpr const char* name = "transposed convolution";
  static int64_t input_channels(const Shape& weights, int64_t) { return weights[0]; }
  static int64_t output_channels(const Shape& weights, int64_t group) { return weights[1] * group; }
  static Window resolve(const WindowAttributes& attributes, const Node& node, const std::vector<int64_t>& input,
                        const std::vector<int64_t>& kernel) {
    return resolve_transposed_window(attributes, input, kernel, node.ints_or("output_padding", {}),
                                     node.ints_or("output_shape", {}));
  }
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

std::vector<int64_t> spatial_of(const Shape& shape) { return {shape.begin() + 2, shape.end()}; }

/// Removes the leading 1 of ungrouped weights, as oneDNN takes them.
memory::dims without_group(const memory::dims& dims, int64_t group) {
  return group == 1 ? memory::dims(dims.begin() + 1, dims.end()) : dims;
}

struct CompiledConvolution {
  Shape output;
  dnnl::primitive primitive;
  memory::desc source, weights, destination, scratchpad;
  bool fused = false;                                  // post-ops are inside the primitive
  bool integer = false;                                // it sums the codes of IntegerOperands
  Tensor packed_weights;                               // empty when the weights are not constant
  std::unique_ptr<const ChannelsLastConvolution> own;  // instead of the primitive
};

bool is_dequantized(const KernelContext& context, size_t slot) {
  const Node* producer = context.graph.producer(context.node.inputs[slot]);
  return producer && traits_of(context.graph, *producer).kind == OpKind::DequantizeLinear;
}

struct ConvolutionKey {
  Shape input, weights;
  bool fuse;
  friend bool operator==(const ConvolutionKey&, const ConvolutionKey&) = default;
};

template <class Variant>
class ConvolutionKernel final : public Kernel {
 public:
  explicit ConvolutionKernel(const KernelContext& context)
      : node_(context.node), attributes_(WindowAttributes::parse(context.node)),
        group_(context.node.int_or("group", 1)), team_(context.team),
        quantized_(is_dequantized(context, 0) || is_dequantized(context, 1)),
        shape_suffices_(context.shape_suffices && context.fused.empty()), post_ops_(context) {
    if (Variant::sums_integers && quantized_) integers_ = IntegerOperands::find(context);
    if (const Tensor* weights = context.constant(1); weights && !integers_)
      weights_ = cast(*weights, DataType::Float32);
  }

  void run(KernelCall& call) const override {
    const Tensor& weights = call.input(1);
    check_shapes(call.input(0).shape(), weights.shape());
    check_elements(call);
    if (shape_suffices_) {
      const Window window = window_for(call.input(0).shape(), weights.shape());
      const Shape output = output_shape(call.input(0).shape(), weights.shape(), window);
      call.tell_output(output);
      call.set_output(0, unseen_zeros(output));
      return;
    }
    const Tensor input = to_channels_last(call.input(0), call.allocator());
    const int threads = threads_for(call.input(0).shape(), weights.shape());
    const onednn::Team team(threads);
    ConvolutionKey key{.input = input.shape(), .weights = weights.shape(), .fuse = false};
    const CompiledConvolution* compiled = &compiled_for(key, call);
    if (compiled->own) return run_own(*compiled, input, call, threads);
    if (Variant::finish_inside && !post_ops_.empty() && post_ops_.residuals_fit(compiled->output, call.residuals())) {
      key.fuse = true;
      compiled = &compiled_for(key, call);
    }
    Tensor& output = call.make_output(0, DataType::Float32, compiled->output, Layout::ChannelsLast);
    if (output.element_count() > 0) execute(*compiled, input, weights, call);
    if constexpr (!Variant::finish_inside)
      apply_bias_activation(output, call.has_input(2) ? call.input(2).data<float>() : std::span<const float>(),
                            post_ops_.only_activation());
    else if (!compiled->fused)
      post_ops_.apply(call);
  }

 private:
  void run_own(const CompiledConvolution& compiled, const Tensor& input, KernelCall& call, int threads) const {
    Tensor& output = call.make_output(0, DataType::Float32, compiled.output, Layout::ChannelsLast);
    RegisterFinish finish;
    if (call.has_input(2)) finish.bias = call.input(2).data<float>().data();
    const auto execute = [&](const StretchFinish* rest) {
      compiled.own->run(input.data<float>().data(), output.mutable_data<float>().data(), finish, rest, call.workspace(),
                        threads);
    };
    if (post_ops_.residuals_fit(compiled.output, call.residuals())) {
      const PostOps::Stretches rest(post_ops_, call, finish);
      execute(rest.or_null());
    } else {
      execute(nullptr);
      post_ops_.apply(call);
    }
  }

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
    onednn::Arguments arguments{
        {DNNL_ARG_SRC, onednn::wrap(source, compiled.source)},
        {DNNL_ARG_WEIGHTS, onednn::wrap(packed, compiled.weights)},
        {DNNL_ARG_DST, onednn::wrap(output, compiled.destination)},
    };
    if (Variant::finish_inside && call.has_input(2))
      arguments.push_back({DNNL_ARG_BIAS, onednn::wrap(compiled.integer ? integers_->bias() : call.input(2))});
    if (compiled.integer) integers_->bind(arguments);
    const int first = compiled.integer ? IntegerOperands::kPostOps : 0;
    if (compiled.fused)
      post_ops_.bind(arguments, first, call.residuals(), Layout::ChannelsLast, call.allocator(), keep);
    onednn::execute(compiled.primitive, compiled.scratchpad, std::move(arguments), call.workspace());
  }

  void check_shapes(const Shape& input, const Shape& weights) const {
    if (input.rank() != weights.rank() || input.rank() < 3 || input.rank() > 5)
      throw Error(ErrorCode::Unsupported, "an input of shape " + input.to_string() + " with weights " +
                                              weights.to_string() + " is not a 1-D, 2-D or 3-D " + Variant::name);
    if (group_ < 1 || group_ > std::max(weights[0], int64_t{1}))
      throw Error(ErrorCode::InvalidModel, "attribute 'group' is " + std::to_string(group_) +
                                               ", expected 1 or more, up to the " + std::to_string(weights[0]) +
                                               " channels of the weights");
    if (Variant::input_channels(weights, group_) != input[1] || weights[0] % group_ != 0)
      throw Error(ErrorCode::InvalidData, "the input has " + std::to_string(input[1]) +
                                              " channels, the weights expect " +
                                              std::to_string(Variant::input_channels(weights, group_)));
  }

  /// Checks what kernels read: floats, or codes where these are summed, and one number of the bias a channel.
  void check_elements(const KernelCall& call) const {
    for (size_t slot = 0; slot < call.input_count(); ++slot) {
      const bool takes_codes = slot == 0 && integers_ && call.input(0).type() == integers_->code_type();
      if (call.has_input(slot) && call.input(slot).type() != DataType::Float32 && !takes_codes)
        throw unsupported_type(call.input(slot).type());
    }
    const int64_t channels = Variant::output_channels(call.input(1).shape(), group_);
    if (call.has_input(2) && call.input(2).element_count() != channels)
      throw Error(ErrorCode::InvalidModel, "a bias of shape " + call.input(2).shape().to_string() + " for " +
                                               std::to_string(channels) + " output channels");
  }

  const CompiledConvolution& compiled_for(const ConvolutionKey& key, KernelCall& call) const {
    return cache_.get(key, [&](const ConvolutionKey& wanted) {
      try {
        return compile(wanted, Variant::finish_inside && call.has_input(2));
      } catch (const dnnl::error& error) {
        throw onednn::as_error(error, std::string(Variant::name) + " of " + wanted.input.to_string());
      }
    });
  }

  /// Returns the threads to use. A team that wakes up, and waits for its slowest thread on a busy machine, costs more
  /// than a small step's sums.
  int threads_for(const Shape& input, const Shape& weights) const {
    constexpr double kWorth =
        1 << 20;  // multiply-adds, upper bound from the input: 10 to 20 microseconds of one thread
    if (team_ == 1) return 1;
    const auto pixels =
        static_cast<double>(input.element_count()) / static_cast<double>(std::max<int64_t>(1, input[1]));
    return pixels * static_cast<double>(weights.element_count()) < kWorth ? 1 : team_;
  }

  Window window_for(const Shape& input, const Shape& weights) const {
    return Variant::resolve(attributes_, node_, spatial_of(input), spatial_of(weights));
  }

  Shape output_shape(const Shape& input, const Shape& weights, const Window& window) const {
    return window.output_shape(input[0], Variant::output_channels(weights, group_));
  }

  CompiledConvolution compile(const ConvolutionKey& key, bool has_bias) const {
    const Window window = window_for(key.input, key.weights);
    CompiledConvolution compiled;
    compiled.output = output_shape(key.input, key.weights, window);
    if (compiled.output.element_count() == 0) return compiled;
    if (Variant::has_own && !weights_.empty_handle() && !quantized_)
      compiled.own = make_winograd({key.input, compiled.output, window, weights_, group_});
    if (compiled.own) {
      let_go_of_pages(weights_.raw(), weights_.byte_count());
      return compiled;
    }

    compiled.destination = onednn::describe(compiled.output, Layout::ChannelsLast);
    if (integers_ && compile_primitive(compiled, key, window, has_bias, integers_.get())) return compiled;
    compile_primitive(compiled, key, window, has_bias, nullptr);
    return compiled;
  }

  /// Makes the primitive; returns false where `integers` are given and oneDNN has no fast kernel for them.
  bool compile_primitive(CompiledConvolution& compiled, const ConvolutionKey& key, const Window& window, bool has_bias,
                         const IntegerOperands* integers) const {
    const auto source = integers ? integers->source_type() : memory::data_type::f32;
    const auto dims = Variant::weights_in_file(key.weights, group_).dims();
    const memory::desc any_weights(without_group(dims, group_), weights_type(integers), memory::format_tag::any);
    const memory::desc bias =
        has_bias ? memory::desc({compiled.output[1]}, memory::data_type::f32, memory::format_tag::x) : memory::desc();
    compiled.source = onednn::describe(key.input, Layout::ChannelsLast, source);
    const typename Variant::Primitive::desc description(dnnl::prop_kind::forward_inference, Variant::algorithm,
                                                        compiled.source, any_weights, bias, compiled.destination,
                                                        dims_of(window.strides), less_one(window.dilations),
                                                        dims_of(window.pad_begin), dims_of(window.pad_end));
    if (!choose(compiled, description, key.fuse, integers)) return false;
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
      if (with_post_ops) post_ops_.append_to(chain, compiled.destination);
      attributes.set_post_ops(chain);
      const PrimitiveDesc chosen(description, attributes, onednn::engine(), need_fast);
      if (need_fast && (!chosen.get(true) || std::string_view(chosen.impl_info_str()).find("ref") != std::string::npos))
        return false;
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

  Node node_;
  WindowAttributes attributes_;
  int64_t group_;
  int team_;
  bool quantized_;  // an engine sums integers exactly: no transformed sums, whose rounding would move results by a step
  bool shape_suffices_;
  Tensor weights_;
  std::unique_ptr<const IntegerOperands> integers_;  // nullptr: floats are summed; else the float weights may be zeros
  PostOps post_ops_;
  mutable onednn::ShapeCache<ConvolutionKey, CompiledConvolution> cache_;
  mutable std::vector<std::pair<memory::desc, Tensor>> packed_;  // guarded by the cache's lock
};

/// True when the kernel takes codes; it makes floats of them itself where oneDNN has no kernel for them.
bool sums_codes(const KernelContext& context) {
  if (context.products == CpuProducts::Avx2 && SaturatingLayer::find(context)) return true;
  return IntegerOperands::find(context) != nullptr;
}

std::unique_ptr<Kernel> make_convolution(const KernelContext& context) {
  if (context.products == CpuProducts::Avx2)
    if (auto kernel = make_saturating_convolution(context)) return kernel;
  return make_kernel<ConvolutionKernel<ForwardConvolution>>(context);
}

}  // namespace

std::vector<OperatorDef> convolution_operators() {
  return {
      {.op_type = "Conv",
       .traits = {OpKind::Conv, false, 1, 2, WeightAxis::First, 3},
       .make = with_float<make_convolution>,
       .layout = LayoutNeed::Any,
       .fuse = PostOps::accept,
       .sums_codes = sums_codes},
      {.op_type = "ConvTranspose",
       .traits = {OpKind::ConvTranspose, false, 1, 2, WeightAxis::Second, 3},
       .make = with_float<make_kernel<ConvolutionKernel<TransposedConvolution>>>,
       .layout = LayoutNeed::Any,
       .fuse = PostOps::accept_activation},
  };
}

}  // namespace detent
