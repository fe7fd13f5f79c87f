#include <algorithm>
#include <string>

#include "core/files/mapped_file.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_cache.h"
#include "ops/shape_only.h"
#include "ops/traits.h"
#include "ops/types/float_types.h"
#include "ops/window/channels_last_convolution.h"
#include "ops/window/convolution_backend.h"
#include "ops/window/saturating_layer.h"
#include "ops/window/window.h"

namespace detent {

namespace {

std::vector<int64_t> spatial_of(const Shape& shape) { return {shape.begin() + 2, shape.end()}; }

bool is_dequantized(const KernelContext& context, size_t slot) {
  const Node* producer = context.graph.producer(context.node.inputs[slot]);
  return producer && traits_of(context.graph, *producer).kind == OpKind::DequantizeLinear;
}

struct ConvolutionShapes {
  Shape input, weights;
  friend bool operator==(const ConvolutionShapes&, const ConvolutionShapes&) = default;
};

struct ResolvedConvolution {
  Window window;
  Shape output;
  std::unique_ptr<const ChannelsLastConvolution> own;  // nullptr: the backend, or weights that vary
};

/// Conv and ConvTranspose.
class ConvolutionKernel final : public Kernel {
 public:
  explicit ConvolutionKernel(const KernelContext& context)
      : node_(context.node), transposed_(node_.op_type == "ConvTranspose"),
        attributes_(WindowAttributes::parse(context.node)), group_(context.node.int_or("group", 1)),
        team_(context.team), quantized_(is_dequantized(context, 0) || is_dequantized(context, 1)),
        shape_suffices_(context.shape_suffices && context.fused.empty()), post_ops_(context),
        backend_(make_convolution_backend(context, post_ops_)) {
    const Tensor* weights = context.constant(1);
    if (weights && !(backend_ && quantized_)) weights_ = cast(*weights, DataType::Float32);
  }

  void run(KernelCall& call) const override {
    const Tensor& weights = call.input(1);
    check_shapes(call.input(0).shape(), weights.shape());
    check_elements(call);
    if (shape_suffices_) {
      const Shape output = window_for(call.input(0).shape(), weights.shape())
                               .output_shape(call.input(0).shape()[0], output_channels(weights.shape()));
      call.tell_output(output);
      call.set_output(0, unseen_zeros(output));
      return;
    }
    const Tensor input = to_channels_last(call.input(0), call.allocator());
    const int threads = threads_for(input.shape(), weights.shape());
    const ConvolutionShapes shapes{input.shape(), weights.shape()};
    const ResolvedConvolution& resolved =
        cache_.get(shapes, [&](const ConvolutionShapes& key) { return resolve(key); });
    if (resolved.own)
      run_own(*resolved.own, resolved.output, input, call, threads);
    else if (backend_)
      backend_->run({input, weights, resolved.window, resolved.output, threads}, call);
    else
      run_own(*make_direct(problem(shapes, resolved, weights)), resolved.output, input, call, threads);
  }

 private:
  void run_own(const ChannelsLastConvolution& own, const Shape& shape, const Tensor& input, KernelCall& call,
               int threads) const {
    Tensor& output = call.make_output(0, DataType::Float32, shape, Layout::ChannelsLast);
    if (output.element_count() == 0) return;
    RegisterFinish finish;
    if (call.has_input(2)) finish.bias = call.input(2).data<float>().data();
    const auto execute = [&](const StretchFinish* rest) {
      own.run(input.data<float>().data(), output.mutable_data<float>().data(), finish, rest, call.workspace(), threads);
    };
    if (post_ops_.residuals_fit(shape, call.residuals())) {
      const PostOps::Stretches rest(post_ops_, call, finish);
      execute(rest.or_null());
    } else {
      execute(nullptr);
      post_ops_.apply(call);
    }
  }

  void check_shapes(const Shape& input, const Shape& weights) const {
    if (input.rank() != weights.rank() || input.rank() < 3 || input.rank() > 5)
      throw Error(ErrorCode::Unsupported, "an input of shape " + input.to_string() + " with weights " +
                                              weights.to_string() + " is not a 1-D, 2-D or 3-D " + name());
    if (group_ < 1 || group_ > std::max(weights[0], int64_t{1}))
      throw Error(ErrorCode::InvalidModel, "attribute 'group' is " + std::to_string(group_) +
                                               ", expected 1 or more, up to the " + std::to_string(weights[0]) +
                                               " channels of the weights");
    if (input_channels(weights) != input[1] || weights[0] % group_ != 0)
      throw Error(ErrorCode::InvalidData, "the input has " + std::to_string(input[1]) +
                                              " channels, the weights expect " +
                                              std::to_string(input_channels(weights)));
  }

  /// Checks what kernels read: floats, or codes where these are summed, and one number of the bias a channel.
  void check_elements(const KernelCall& call) const {
    for (size_t slot = 0; slot < call.input_count(); ++slot) {
      const bool takes_codes = slot == 0 && backend_ && backend_->takes_codes(call.input(0).type());
      if (call.has_input(slot) && call.input(slot).type() != DataType::Float32 && !takes_codes)
        throw unsupported_type(call.input(slot).type());
    }
    const int64_t channels = output_channels(call.input(1).shape());
    if (call.has_input(2) && call.input(2).element_count() != channels)
      throw Error(ErrorCode::InvalidModel, "a bias of shape " + call.input(2).shape().to_string() + " for " +
                                               std::to_string(channels) + " output channels");
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

  [[nodiscard]] const char* name() const { return transposed_ ? "transposed convolution" : "convolution"; }
  [[nodiscard]] int64_t input_channels(const Shape& weights) const {
    return transposed_ ? weights[0] : weights[1] * group_;
  }
  [[nodiscard]] int64_t output_channels(const Shape& weights) const {
    return transposed_ ? weights[1] * group_ : weights[0];
  }

  [[nodiscard]] Window window_for(const Shape& input, const Shape& weights) const {
    return transposed_
               ? resolve_transposed_window(attributes_, spatial_of(input), spatial_of(weights),
                                           node_.ints_or("output_padding", {}), node_.ints_or("output_shape", {}))
               : resolve_window(attributes_, spatial_of(input), spatial_of(weights));
  }

  [[nodiscard]] ConvolutionProblem problem(const ConvolutionShapes& shapes, const ResolvedConvolution& resolved,
                                           const Tensor& weights) const {
    return {shapes.input, resolved.output, resolved.window, weights, group_, transposed_};
  }

  [[nodiscard]] ResolvedConvolution resolve(const ConvolutionShapes& shapes) const {
    ResolvedConvolution resolved;
    resolved.window = window_for(shapes.input, shapes.weights);
    resolved.output = resolved.window.output_shape(shapes.input[0], output_channels(shapes.weights));
    if (resolved.output.element_count() == 0 || weights_.empty_handle()) return resolved;
    const Tensor weights = weights_.made();
    const ConvolutionProblem wanted = problem(shapes, resolved, weights);
    if (!quantized_) resolved.own = make_winograd(wanted);
    if (!resolved.own && !backend_) resolved.own = make_direct(wanted);
    if (resolved.own) let_go_of_pages(weights.raw(), weights.byte_count());
    return resolved;
  }

  Node node_;
  bool transposed_;
  WindowAttributes attributes_;
  int64_t group_;
  int team_;
  bool quantized_;  // an engine sums integers exactly: no transformed sums, whose rounding would move results by a step
  bool shape_suffices_;
  Tensor weights_;  // empty: they vary, or only the backend reads them
  PostOps post_ops_;
  std::unique_ptr<const ConvolutionBackend> backend_;
  mutable ShapeCache<ConvolutionShapes, ResolvedConvolution> cache_;
};

/// True when the kernel takes codes.
bool sums_codes(const KernelContext& context) {
  if (context.products == CpuProducts::Avx2 && SaturatingLayer::find(context)) return true;
  return backend_takes_codes(context);
}

std::unique_ptr<Kernel> make_convolution(const KernelContext& context) {
  if (context.products == CpuProducts::Avx2)
    if (auto kernel = make_saturating_convolution(context)) return kernel;
  return make_kernel<ConvolutionKernel>(context);
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
       .make = with_float<make_kernel<ConvolutionKernel>>,
       .layout = LayoutNeed::Any,
       .fuse = PostOps::accept_activation},
  };
}

}  // namespace detent
