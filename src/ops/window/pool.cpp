#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_cache.h"
#include "ops/shape_only.h"
#include "ops/types/float_types.h"
#include "ops/window/pool_backend.h"
#include "ops/window/window.h"
#include "ops/window/window_loop.h"

namespace detent {

namespace {

WindowAttributes pool_attributes(const Node& node) {
  WindowAttributes attributes = WindowAttributes::parse(node);
  if (attributes.kernel.empty()) throw Error(ErrorCode::InvalidModel, "kernel_shape is missing");
  return attributes;
}

class PoolKernel : public Kernel {
 public:
  explicit PoolKernel(const KernelContext& context)
      : attributes_(pool_attributes(context.node)), shape_suffices_(context.shape_suffices) {}

 protected:
  /// Runs the backend where it means the same. Returns false where the caller must use its loop; output 0 is not made
  /// then.
  bool run_fast(KernelCall& call, PoolKind kind, bool allowed) const {
    const Tensor& given = call.input(0);
    if (allowed && shape_suffices_) {
      const Shape& shape = given.shape();
      return leave_unseen(call, 0, true, window_for(shape).output_shape(shape[0], shape[1]), given.type());
    }
    if (!allowed || given.type() != DataType::Float32 || given.shape().rank() < 3 || given.shape().rank() > 5)
      return false;
    const Tensor input = to_channels_last(given, call.allocator());
    const CompiledPool& compiled = cache_.get(input.shape(), [&](const Shape& shape) {
      CompiledPool made{window_for(shape), {}, nullptr};
      made.output = made.window.output_shape(shape[0], shape[1]);
      if (made.output.element_count() > 0) made.pool = make_pool(kind, shape, made.window, made.output);
      return made;
    });
    if (!compiled.pool) return false;
    compiled.pool->run(input, call.make_output(0, DataType::Float32, compiled.output, Layout::ChannelsLast),
                       call.workspace());
    return true;
  }

  [[nodiscard]] Window window_for(const Shape& input) const {
    if (input.rank() < 3)
      throw Error(ErrorCode::InvalidData, "pooling needs an input of rank 3 or more, got " + input.to_string());
    return resolve_window(attributes_, {input.begin() + 2, input.end()}, attributes_.kernel);
  }

  WindowAttributes attributes_;
  bool shape_suffices_;

 private:
  struct CompiledPool {
    Window window;
    Shape output;
    std::unique_ptr<const ChannelsLastPool> pool;
  };

  mutable ShapeCache<Shape, CompiledPool> cache_;
};

/// Calls each(i, first, position) for every window, i counting over all planes: `first` is the offset of its input
/// plane, `position` its place in the output plane.
template <class Each>
void for_each_window(const Shape& input, const Window& window, Each&& each) {
  const int64_t plane = input.element_count(2, input.rank());
  int64_t i = 0;
  for (int64_t p = 0; p < input[0] * input[1]; ++p)
    for_each_position(window.output,
                      [&](int64_t, std::span<const int64_t> position) { each(i++, p * plane, position); });
}

class MaxPoolKernel final : public PoolKernel {
 public:
  explicit MaxPoolKernel(const KernelContext& context)
      : PoolKernel(context), column_major_(context.node.int_or("storage_order", 0) != 0),
        wants_indices_(context.node.output(1)) {}

  void run(KernelCall& call) const override {
    if (run_fast(call, PoolKind::Max, !wants_indices_)) return;
    const Tensor input = to_plain(call.input(0), call.allocator());
    visit_number(input.type(), [&]<class T>(T) { run_loop<T>(call, input); });
  }

 private:
  template <class T>
  void run_loop(KernelCall& call, const Tensor& input) const {
    const Window window = window_for(input.shape());
    const Shape shape = window.output_shape(input.shape()[0], input.shape()[1]);
    Tensor& output = call.make_output(0, input.type(), shape);
    Tensor indices = wants_indices_ ? Tensor(DataType::Int64, shape, call.allocator()) : Tensor();
    const auto extents = input.shape().dims().subspan(2);
    const T* source = input.data<T>().data();
    T* target = output.mutable_data<T>().data();
    int64_t* found = wants_indices_ ? indices.mutable_data<int64_t>().data() : nullptr;
    for_each_window(input.shape(), window, [&](int64_t i, int64_t first, std::span<const int64_t> position) {
      T best = std::numeric_limits<T>::lowest();
      int64_t where = -1;
      for_each_tap(window, extents, position, [&](int64_t offset) {
        const T x = source[first + offset];
        if (where < 0 || x > best) best = x, where = offset;
      });
      target[i] = best;
      if (found) found[i] = first + (column_major_ && where >= 0 ? column_major(where, extents) : where);
    });
    if (wants_indices_) call.set_output(1, std::move(indices));
  }

  /// Returns the offset of a position when the first spatial axis runs fastest (storage_order = 1).
  static int64_t column_major(int64_t offset, std::span<const int64_t> extents) {
    std::vector<int64_t> position(extents.size());
    for (size_t axis = extents.size(); axis-- > 0;) {
      position[axis] = offset % extents[axis];
      offset /= extents[axis];
    }
    int64_t result = 0;
    for (size_t axis = extents.size(); axis-- > 0;) result = result * extents[axis] + position[axis];
    return result;
  }

  bool column_major_;
  bool wants_indices_;
};

class AveragePoolKernel final : public PoolKernel {
 public:
  explicit AveragePoolKernel(const KernelContext& context)
      : PoolKernel(context), include_padding_(context.node.int_or("count_include_pad", 0) != 0) {}

  void run(KernelCall& call) const override {
    // In ceil mode ONNX counts the declared padding but not what lies beyond it, which backends cannot express.
    const bool same_meaning = !include_padding_ || !attributes_.ceil_mode;
    if (run_fast(call, include_padding_ ? PoolKind::MeanWithPadding : PoolKind::Mean, same_meaning)) return;
    const Tensor input = to_plain(cast(call.input(0), DataType::Float32, call.allocator()), call.allocator());
    const Window window = window_for(input.shape());
    const Shape& shape = input.shape();
    Tensor& output = call.make_output(0, DataType::Float32, window.output_shape(shape[0], shape[1]));
    const auto extents = shape.dims().subspan(2);
    const float* source = input.data<float>().data();
    float* target = output.mutable_data<float>().data();
    for_each_window(shape, window, [&](int64_t i, int64_t first, std::span<const int64_t> position) {
      double sum = 0;
      int64_t count = 0;
      for_each_tap(window, extents, position, [&](int64_t offset) {
        sum += source[first + offset];
        ++count;
      });
      if (include_padding_) count = padded_taps(window, extents, position);
      target[i] = count ? static_cast<float>(sum / static_cast<double>(count)) : 0.0F;
    });
    if (call.input(0).type() != DataType::Float32)
      call.set_output(0, cast(output, call.input(0).type(), call.allocator()));
  }

 private:
  /// Counts the taps of one window that lie in the image or in the declared padding.
  static int64_t padded_taps(const Window& window, std::span<const int64_t> input, std::span<const int64_t> position) {
    int64_t taps = 1;
    for (size_t i = 0; i < input.size(); ++i) {
      const int64_t start = position[i] * window.strides[i] - window.pad_begin[i];
      taps *= taps_before(window, i, start, input[i] + window.pad_end[i]);
    }
    return taps;
  }

  bool include_padding_;
};

/// Computes the p-norm of every window; padding adds nothing.
template <class T>
void pool(const Tensor& input, Tensor& output, const Window& window, double p) {
  const auto extents = input.shape().dims().subspan(2);
  const T* in = input.data<T>().data();
  T* out = output.mutable_data<T>().data();
  for_each_window(input.shape(), window, [&](int64_t i, int64_t first, std::span<const int64_t> position) {
    double sum = 0;
    for_each_tap(window, extents, position,
                 [&](int64_t offset) { sum += std::pow(std::abs(static_cast<double>(in[first + offset])), p); });
    out[i] = static_cast<T>(std::pow(sum, 1 / p));
  });
}

/// A global pool is one window over everything.
enum class Reach : uint8_t { Window, Global };

void run_pool(KernelCall& call, WindowAttributes attributes, double p, Reach reach) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  if (shape.rank() < 3)
    throw Error(ErrorCode::InvalidData, "input of shape " + shape.to_string() + " has no spatial axes");
  const std::vector<int64_t> extents(shape.begin() + 2, shape.end());
  if (reach == Reach::Global) attributes.kernel = extents;
  const Window window = resolve_window(attributes, extents, attributes.kernel);
  Tensor output(input.type(), window.output_shape(shape[0], shape[1]), call.allocator());
  visit_float(input.type(), [&]<class T>(T) { pool<T>(input, output, window, p); });
  call.set_output(0, std::move(output));
}

template <Reach reach>
std::unique_ptr<Kernel> make_lp_pool(const KernelContext& context) {
  const WindowAttributes attributes = reach == Reach::Global ? WindowAttributes() : pool_attributes(context.node);
  const auto p = static_cast<double>(context.node.int_or("p", 2));
  if (p < 1) throw Error(ErrorCode::InvalidModel, "attribute p must be at least 1");
  return kernel_of([attributes, p](KernelCall& call) { run_pool(call, attributes, p, reach); });
}

/// Returns the shape of MaxPool's input if its windows came out even.
Shape inferred_shape(const WindowAttributes& attributes, const Shape& pooled) {
  const size_t axes = attributes.kernel.size();
  if (pooled.rank() != axes + 2 || (!attributes.strides.empty() && attributes.strides.size() != axes) ||
      (!attributes.pads.empty() && attributes.pads.size() != 2 * axes))
    throw Error(ErrorCode::InvalidData,
                "a kernel of " + std::to_string(axes) + " axes does not fit an input of shape " + pooled.to_string());
  Shape shape{pooled[0], pooled[1]};
  for (size_t i = 0; i < axes; ++i) {
    const int64_t stride = attributes.strides.empty() ? 1 : attributes.strides[i];
    const int64_t pads = attributes.pads.empty() ? 0 : attributes.pads[i] + attributes.pads[i + axes];
    shape.push_back((pooled[i + 2] - 1) * stride - pads + attributes.kernel[i]);
    if (shape[i + 2] < 0)
      throw Error(ErrorCode::InvalidData, "the pads leave nothing of spatial axis " + std::to_string(i));
  }
  return shape;
}

/// Returns the offset in `to` of the element at flat index `at` of `from`.
int64_t moved(int64_t at, const Shape& from, const Shape& to) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < from.rank(); ++axis)
    offset = offset * to[axis] + at / from.element_count(axis + 1, from.rank()) % from[axis];
  return offset;
}

/// Moves elements back; indices count in the inferred shape even when a larger output_shape is asked for.
void run_unpool(KernelCall& call, const WindowAttributes& attributes) {
  const Tensor& input = call.input(0);
  const Shape inferred = inferred_shape(attributes, input.shape());
  const std::vector<int64_t> wanted = call.has_input(2) ? integers_of(call.input(2)) : std::vector<int64_t>();
  const Shape to = call.has_input(2) ? Shape(std::span(wanted)) : inferred;
  bool fits = to.rank() == inferred.rank() && call.input(1).shape() == input.shape();
  for (size_t i = 0; fits && i < to.rank(); ++i) fits = to[i] >= inferred[i];
  if (!fits)
    throw Error(ErrorCode::InvalidData, "indices of shape " + call.input(1).shape().to_string() + " and output shape " +
                                            to.to_string() + " do not fit an input of shape " +
                                            input.shape().to_string());
  const std::vector<int64_t> indices = integers_of(call.input(1));
  Tensor output(input.type(), to, call.allocator());
  visit_size(byte_size(input.type()), [&]<class T>(T) {
    const T* in = static_cast<const T*>(input.raw());
    T* out = static_cast<T*>(output.mutable_raw());
    std::fill_n(out, to.element_count(), T{0});
    for (const int64_t index : indices) {
      if (index < 0 || index >= inferred.element_count())
        throw Error(ErrorCode::InvalidData,
                    "index " + std::to_string(index) + " is outside a tensor of shape " + inferred.to_string());
      out[moved(index, inferred, to)] = *in++;
    }
  });
  call.set_output(0, std::move(output));
}

}  // namespace

std::vector<OperatorDef> pool_operators() {
  const OpTraits largest{.kind = OpKind::MaxPool, .commutes = true};
  return {
      {"MaxPool", largest, with_half<make_kernel<MaxPoolKernel>>, 1, LayoutNeed::Any},
      {"AveragePool", {.kind = OpKind::AveragePool}, with_half<make_kernel<AveragePoolKernel>>, 1, LayoutNeed::Any},
      {"LpPool", {.kind = OpKind::OtherReduction}, with_half<make_lp_pool<Reach::Window>>, 2},
      {"GlobalLpPool", {.kind = OpKind::OtherReduction}, with_half<make_lp_pool<Reach::Global>>, 2},
      {"MaxUnpool", {.data_inputs = 1}, make_with<pool_attributes, run_unpool>, 9},
  };
}

}  // namespace detent
