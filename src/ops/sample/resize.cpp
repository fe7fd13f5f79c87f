#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/index.h"
#include "core/memory_limit.h"
#include "core/saturated.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/blend.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

enum class ResizeMode : uint8_t { Nearest, Linear, Cubic };
enum class CoordinateMode : uint8_t {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNearest,
  TfCropAndResize,
};
enum class NearestMode : uint8_t {
  RoundPreferFloor,
  RoundPreferCeil,
  Floor,
  Ceil,
  FloorUpCeilDown,  ///< below opset 11: down where the axis grows, up where it shrinks
};

struct ResizeOptions {
  ResizeMode mode = ResizeMode::Nearest;
  CoordinateMode coordinates = CoordinateMode::HalfPixel;
  NearestMode nearest = NearestMode::RoundPreferFloor;
  float cubic_coefficient = -0.75F;
  bool exclude_outside = false;
  bool antialias = false;
  float extrapolation_value = 0;
};

/// An axis to be resized. `scale` is out / in as the model states it (not the quotient of the rounded extents).
struct ResizeAxis {
  int64_t in = 0, out = 0;
  float scale = 1;
  float roi_start = 0, roi_end = 1;  ///< tf_crop_and_resize only
};

/// The input indices that every output index is made of, and their weights, which add up to 1. An output index without
/// taps lies outside (tf_crop_and_resize) and takes the extrapolation value. Nearest: one tap of weight 1.
struct ResizeTaps {
  std::vector<int64_t> first;  ///< taps of output o: [first[o], first[o + 1])
  std::vector<int64_t> index;
  std::vector<float> weight;
};

float input_coordinate(const ResizeAxis& axis, CoordinateMode mode, int64_t o) {
  const auto x = static_cast<float>(o), in = static_cast<float>(axis.in), out = static_cast<float>(axis.out);
  switch (mode) {
    case CoordinateMode::HalfPixel: return (x + 0.5F) / axis.scale - 0.5F;
    case CoordinateMode::HalfPixelSymmetric: {
      const float adjustment = out / (axis.scale * in);
      const float offset = in / 2 * (1 - adjustment);
      return offset + (x + 0.5F) / axis.scale - 0.5F;
    }
    case CoordinateMode::PytorchHalfPixel: return axis.out > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0.0F;
    case CoordinateMode::AlignCorners: return axis.out > 1 ? x * (in - 1) / (out - 1) : 0.0F;
    case CoordinateMode::Asymmetric: return x / axis.scale;
    case CoordinateMode::TfHalfPixelForNearest: return (x + 0.5F) / axis.scale;
    case CoordinateMode::TfCropAndResize:
      return axis.out > 1 ? axis.roi_start * (in - 1) + x * (axis.roi_end - axis.roi_start) * (in - 1) / (out - 1)
                          : 0.5F * (axis.roi_start + axis.roi_end) * (in - 1);
  }
  return x;
}

int64_t nearest_index(float x, NearestMode mode, const ResizeAxis& axis) {
  float rounded = x;
  switch (mode) {
    case NearestMode::RoundPreferFloor: rounded = std::ceil(x - 0.5F); break;
    case NearestMode::RoundPreferCeil: rounded = std::floor(x + 0.5F); break;
    case NearestMode::Floor: rounded = std::floor(x); break;
    case NearestMode::Ceil: rounded = std::ceil(x); break;
    case NearestMode::FloorUpCeilDown: rounded = axis.scale < 1 ? std::ceil(x) : std::floor(x); break;
  }
  return std::clamp(saturated<int64_t>(rounded), int64_t{0}, axis.in - 1);
}

/// Returns the weight of a sample `distance` away. Cubic: R. Keys, "Cubic convolution interpolation for digital image
/// processing", 1981.
float kernel_weight(const ResizeOptions& options, float distance) {
  const float d = std::abs(distance), a = options.cubic_coefficient;
  if (options.mode == ResizeMode::Linear) return std::max(0.0F, 1 - d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

/// Returns the distance up to which samples count: larger with antialias where the axis shrinks.
float reach_of(const ResizeAxis& axis, const ResizeOptions& options) {
  const float stretch = options.antialias ? std::min(axis.scale, 1.0F) : 1.0F;
  return (options.mode == ResizeMode::Linear ? 1.0F : 2.0F) / stretch;
}

/// Adds all samples under the kernel around x; beyond the border the edge counts again, or not at all
/// (exclude_outside).
void add_kernel_taps(const ResizeAxis& axis, const ResizeOptions& options, float x, ResizeTaps& taps) {
  const float stretch = options.antialias ? std::min(axis.scale, 1.0F) : 1.0F;
  const float reach = reach_of(axis, options);
  const bool skip_outside = options.exclude_outside && (options.antialias || options.mode == ResizeMode::Cubic);
  const size_t begin = taps.index.size();
  float sum = 0;
  // Further out every tap is the edge; a region of interest may lie anywhere, or be no number.
  x = std::isnan(x) ? 0 : std::clamp(x, -reach - 1, static_cast<float>(axis.in) + reach + 1);
  for (auto i = static_cast<int64_t>(std::floor(x - reach)) + 1; static_cast<float>(i) < x + reach; ++i) {
    const float weight = kernel_weight(options, (static_cast<float>(i) - x) * stretch);
    if (weight == 0 || (skip_outside && (i < 0 || i >= axis.in))) continue;
    taps.index.push_back(std::clamp(i, int64_t{0}, axis.in - 1));
    taps.weight.push_back(weight);
    sum += weight;
  }
  if (!(skip_outside || options.antialias) || sum == 0) return;
  for (size_t i = begin; i < taps.weight.size(); ++i) taps.weight[i] /= sum;
}

/// Returns an upper bound of the taps of one output index; infinite where a scale of antialias is next to 0
/// (tf_crop_and_resize).
double kernel_width(const ResizeAxis& axis, const ResizeOptions& options) {
  return options.mode == ResizeMode::Nearest ? 1 : 2 * static_cast<double>(reach_of(axis, options)) + 1;
}

/// Returns the taps of an axis.
///
/// Input   an axis whose taps fit memory: axis.out times kernel_width().
/// Source  ONNX operator Resize, opset 19, and its reference for coordinates; arithmetic in float as ONNX Runtime's.
///         FloorUpCeilDown: ONNX Runtime, Resize of opset 10, whose text leaves it open.
ResizeTaps make_taps(const ResizeAxis& axis, const ResizeOptions& options) {
  ResizeTaps taps;
  taps.first.push_back(0);
  for (int64_t o = 0; o < axis.out; ++o) {
    const float x = input_coordinate(axis, options.coordinates, o);
    const bool outside =
        options.coordinates == CoordinateMode::TfCropAndResize && (x < 0 || x > static_cast<float>(axis.in - 1));
    if (!outside && options.mode == ResizeMode::Nearest) {
      taps.index.push_back(nearest_index(x, options.nearest, axis));
      taps.weight.push_back(1);
    } else if (!outside) {
      // Linear never looks beyond the border: with the coordinate clamped the edge repeats as well.
      const bool clamped = options.mode == ResizeMode::Linear && !options.antialias;
      add_kernel_taps(axis, options, clamped ? std::clamp(x, 0.0F, static_cast<float>(axis.in - 1)) : x, taps);
    }
    taps.first.push_back(std::ssize(taps.index));
  }
  return taps;
}

constexpr Named<ResizeMode> kModes[] = {{"nearest", ResizeMode::Nearest},
                                        {"linear", ResizeMode::Linear},
                                        {"bilinear", ResizeMode::Linear},
                                        {"cubic", ResizeMode::Cubic}};
constexpr Named<CoordinateMode> kCoordinates[] = {{"half_pixel", CoordinateMode::HalfPixel},
                                                  {"half_pixel_symmetric", CoordinateMode::HalfPixelSymmetric},
                                                  {"pytorch_half_pixel", CoordinateMode::PytorchHalfPixel},
                                                  {"align_corners", CoordinateMode::AlignCorners},
                                                  {"asymmetric", CoordinateMode::Asymmetric},
                                                  {"tf_half_pixel_for_nn", CoordinateMode::TfHalfPixelForNearest},
                                                  {"tf_crop_and_resize", CoordinateMode::TfCropAndResize}};
constexpr Named<NearestMode> kNearest[] = {{"round_prefer_floor", NearestMode::RoundPreferFloor},
                                           {"round_prefer_ceil", NearestMode::RoundPreferCeil},
                                           {"floor", NearestMode::Floor},
                                           {"ceil", NearestMode::Ceil}};

enum class AspectPolicy : uint8_t { Stretch, NotLarger, NotSmaller };
constexpr Named<AspectPolicy> kPolicies[] = {{"stretch", AspectPolicy::Stretch},
                                             {"not_larger", AspectPolicy::NotLarger},
                                             {"not_smaller", AspectPolicy::NotSmaller}};

struct Settings {
  ResizeOptions options;
  AspectPolicy policy = AspectPolicy::Stretch;
  std::vector<int64_t> axes;        ///< of roi, scales and sizes; empty = all
  std::vector<float> fixed_scales;  ///< the oldest form has them as attribute
  size_t roi_slot = 1, scales_slot = 2, sizes_slot = 3;
};

Settings resize_settings(const KernelContext& context) {
  const Node& node = context.node;
  Settings settings;
  ResizeOptions& options = settings.options;
  options.mode = value_named(node, "mode", "nearest", kModes);
  settings.fixed_scales = node.floats_or("scales", {});
  if (context.opset < 11 || !settings.fixed_scales.empty()) {  // two inputs, the corner-aligned grid
    options.coordinates = CoordinateMode::Asymmetric;
    options.nearest = NearestMode::FloorUpCeilDown;
    settings.scales_slot = 1;
    settings.roi_slot = settings.sizes_slot = std::numeric_limits<size_t>::max();
    return settings;
  }
  options.coordinates = value_named(node, "coordinate_transformation_mode", "half_pixel", kCoordinates);
  options.nearest = value_named(node, "nearest_mode", "round_prefer_floor", kNearest);
  options.cubic_coefficient = node.float_or("cubic_coeff_a", -0.75F);
  options.exclude_outside = node.int_or("exclude_outside", 0) != 0;
  options.antialias = node.int_or("antialias", 0) != 0;
  options.extrapolation_value = node.float_or("extrapolation_value", 0);
  settings.policy = value_named(node, "keep_aspect_ratio_policy", "stretch", kPolicies);
  settings.axes = node.ints_or("axes", {});
  return settings;
}

std::vector<float> floats_in(const KernelCall& call, size_t slot) {
  if (!call.has_input(slot) || call.input(slot).element_count() == 0) return {};
  const Tensor values = cast(call.input(slot), DataType::Float32);
  return {values.data<float>().begin(), values.data<float>().end()};
}

[[noreturn]] void refuse_length(std::string_view what, size_t given, size_t expected) {
  throw Error(ErrorCode::InvalidModel,
              std::to_string(given) + " " + std::string(what) + ", expected " + std::to_string(expected));
}

/// Returns a computed extent as an integer. Errors  InvalidData where no tensor has it.
int64_t extent_of(float extent) {
  constexpr float kMost = 0x1p31F;
  if (!(std::abs(extent) < kMost)) throw Error(ErrorCode::InvalidData, "an axis would become longer than 2^31");
  return static_cast<int64_t>(extent);
}

/// Sets output extents from the wanted sizes; a kept aspect ratio makes one scale of all.
void set_sizes(std::vector<ResizeAxis>& resized, const std::vector<size_t>& axes, const std::vector<int64_t>& sizes,
               AspectPolicy policy) {
  if (sizes.size() != axes.size()) refuse_length("sizes", sizes.size(), axes.size());
  std::vector<float> scales;
  for (const int64_t size : sizes)
    if (size < 0 || size > std::numeric_limits<int32_t>::max())
      throw Error(ErrorCode::InvalidData, "an axis cannot be resized to " + std::to_string(size));
  for (size_t i = 0; i < axes.size(); ++i)
    scales.push_back(static_cast<float>(sizes[i]) / static_cast<float>(resized[axes[i]].in));
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = resized[axes[i]];
    axis.scale = scales[i];
    axis.out = sizes[i];
    if (policy == AspectPolicy::Stretch) continue;
    axis.scale = policy == AspectPolicy::NotLarger ? std::ranges::min(scales) : std::ranges::max(scales);
    axis.out = extent_of(std::floor(axis.scale * static_cast<float>(axis.in) + 0.5F));
  }
}

std::vector<ResizeAxis> resized_axes(const KernelCall& call, const Settings& settings) {
  const Shape& shape = call.input(0).shape();
  std::vector<ResizeAxis> resized;
  for (const int64_t extent : shape) resized.push_back({.in = extent, .out = extent});
  std::vector<size_t> axes;
  for (const int64_t axis : settings.axes.empty() ? all_axes(shape.rank()) : settings.axes)
    axes.push_back(axis_from_front(axis, shape.rank()));
  const bool crops = settings.options.coordinates == CoordinateMode::TfCropAndResize;
  if (crops) {
    const std::vector<float> roi = floats_in(call, settings.roi_slot);
    if (roi.size() != 2 * axes.size()) refuse_length("numbers in roi", roi.size(), 2 * axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
      resized[axes[i]].roi_start = roi[i];
      resized[axes[i]].roi_end = roi[i + axes.size()];
    }
  }
  const std::vector<float> scales =
      settings.fixed_scales.empty() ? floats_in(call, settings.scales_slot) : settings.fixed_scales;
  if (!scales.empty()) {
    if (scales.size() != axes.size()) refuse_length("scales", scales.size(), axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
      ResizeAxis& axis = resized[axes[i]];
      if (!(scales[i] > 0) || !std::isfinite(scales[i]))
        throw Error(ErrorCode::InvalidModel, "a scale is not a positive number");
      axis.scale = scales[i];
      const float part = crops ? axis.roi_end - axis.roi_start : 1;
      axis.out = extent_of(std::floor(static_cast<float>(axis.in) * part * scales[i]));
      if (axis.out < 0) throw Error(ErrorCode::InvalidData, "a region of interest ends before it starts");
    }
  } else if (call.has_input(settings.sizes_slot)) {
    set_sizes(resized, axes, integers_of(call.input(settings.sizes_slot)), settings.policy);
  } else {
    throw Error(ErrorCode::InvalidModel, "neither scales nor sizes are given");
  }
  return resized;
}

/// Resizes an axis of float data: every output row is a weighted sum of input rows.
void blend_axis(const float* in, float* out, const AxisView& view, const ResizeTaps& taps, float outside) {
  const auto count = std::ssize(taps.first) - 1;
  for (int64_t o = 0; o < view.outer; ++o, in += view.extent * view.inner)
    for (int64_t x = 0; x < count; ++x, out += view.inner) {
      const auto begin = as_index(taps.first[as_index(x)]), end = as_index(taps.first[as_index(x) + 1]);
      if (begin == end) {
        std::fill_n(out, view.inner, outside);
        continue;
      }
      const float* first = in + taps.index[begin] * view.inner;
      for (int64_t i = 0; i < view.inner; ++i) out[i] = taps.weight[begin] * first[i];
      for (size_t t = begin + 1; t < end; ++t) {
        const float* row = in + taps.index[t] * view.inner;
        for (int64_t i = 0; i < view.inner; ++i) out[i] += taps.weight[t] * row[i];
      }
    }
}

/// Does the same where there are one or two taps everywhere (linear, upwards); returns false otherwise.
bool blend_pairs(const float* in, float* out, const AxisView& view, const ResizeTaps& taps) {
  if (view.extent > std::numeric_limits<int32_t>::max()) return false;  // places are of 32 bits here
  std::vector<int32_t> index[2];
  std::vector<float> weight[2];
  for (size_t x = 0; x + 1 < taps.first.size(); ++x) {
    const auto begin = as_index(taps.first[x]), count = as_index(taps.first[x + 1]) - begin;
    if (count < 1 || count > 2) return false;
    for (size_t t = 0; t < 2; ++t) {
      index[t].push_back(static_cast<int32_t>(taps.index[begin + std::min(t, count - 1)]));
      weight[t].push_back(t < count ? taps.weight[begin + t] : 0);
    }
  }
  blend_axis_pairs(in, out, view.outer, view.extent, view.inner,
                   {index[0].data(), index[1].data(), weight[0].data(), weight[1].data(), as_extent(index[0].size())});
  return true;
}

Tensor resize_axis(const Tensor& input, size_t at, const ResizeAxis& axis, const ResizeOptions& options,
                   Allocator& allocator) {
  Shape shape = input.shape();
  shape[at] = axis.out;
  if (shape.element_count() == 0) return {input.type(), shape, allocator, input.layout()};
  if (axis.in == 0) throw Error(ErrorCode::InvalidData, "an empty axis cannot be resized");
  constexpr double kTap = 16;  // bytes of a place and a weight
  check_memory(saturated<uint64_t>(kTap * static_cast<double>(axis.out) * std::max(4.0, kernel_width(axis, options))),
               [&] { return "the taps of an axis of " + std::to_string(axis.out); });
  const ResizeTaps taps = make_taps(axis, options);
  if (options.mode != ResizeMode::Nearest) {
    Tensor output(input.type(), shape, allocator, input.layout());
    const AxisView view = view_around(input.shape(), input.layout(), at);
    const float* in = input.data<float>().data();
    float* out = output.mutable_data<float>().data();
    if (!blend_pairs(in, out, view, taps)) blend_axis(in, out, view, taps, options.extrapolation_value);
    return output;
  }
  std::vector<int64_t> table;
  for (size_t o = 0; o + 1 < taps.first.size(); ++o)
    table.push_back(taps.first[o] == taps.first[o + 1] ? -1 : taps.index[as_index(taps.first[o])]);
  const Tensor outside = cast(Tensor::scalar(options.extrapolation_value), input.type());
  return gathered(input, at, table, outside.raw(), allocator);
}

/// Returns blended values as `type`: integers are the nearest in range, halves to even, as in ONNX's reference (a cast
/// would cut 47.9 down to 47 and let a cubic overshoot wrap around).
Tensor back_to(DataType type, const Tensor& blended, Allocator& allocator) {
  constexpr DataType kNoIntegers[] = {DataType::Float64, DataType::Float16, DataType::BFloat16, DataType::Bool};
  if (std::ranges::find(kNoIntegers, type) != std::end(kNoIntegers)) return convert(blended, type, allocator);
  Tensor output(type, blended.shape(), allocator, blended.layout());
  const float* in = blended.data<float>().data();
  visit_number(type, [&]<class T>(T) {
    T* out = output.mutable_data<T>().data();
    constexpr auto low = static_cast<double>(std::numeric_limits<T>::lowest());
    constexpr auto high = static_cast<double>(std::numeric_limits<T>::max());
    for (int64_t i = 0; i < output.element_count(); ++i) {
      const double x = std::nearbyint(static_cast<double>(in[i]));
      out[i] = x >= high ? std::numeric_limits<T>::max() : static_cast<T>(std::max(low, x));
    }
  });
  return output;
}

/// Returns the order in which axes are resized: axes that shrink go first, so that the later ones have less to do; of
/// axes that grow the one whose elements are scattered most goes first, while the tensor is small.
std::vector<size_t> axis_order(const std::vector<ResizeAxis>& resized, Layout layout) {
  std::vector<size_t> order(resized.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rank_of = [&](size_t axis) {
    const auto place = static_cast<double>(memory_axis(axis, resized.size(), layout));
    return resized[axis].scale < 1 ? std::pair(0.0, place) : std::pair(1.0, -place);
  };
  std::ranges::stable_sort(order, {}, rank_of);
  return order;
}

void run_resize(KernelCall& call, const Settings& settings) {
  const std::vector<ResizeAxis> resized = resized_axes(call, settings);
  const bool crops = settings.options.coordinates == CoordinateMode::TfCropAndResize;
  const bool blends = settings.options.mode != ResizeMode::Nearest && call.input(0).type() != DataType::Float32;
  Tensor current = blends ? cast(call.input(0), DataType::Float32, call.allocator()) : call.input(0);
  for (const size_t axis : axis_order(resized, current.layout())) {
    const ResizeAxis& one = resized[axis];
    if (one.in == one.out && (!crops || (one.roi_start == 0 && one.roi_end == 1)) && one.scale == 1.0F) continue;
    current = resize_axis(current, axis, one, settings.options, call.allocator());
  }
  call.set_output(0, blends ? back_to(call.input(0).type(), current, call.allocator()) : current);
}

}  // namespace

std::vector<OperatorDef> resize_operators() {
  const OpTraits resize{.kind = OpKind::Resize, .data_inputs = 1};
  constexpr auto make = make_with<resize_settings, run_resize>;
  constexpr auto check = refuse_unreadable<resize_settings>;
  return {
      {"Resize", resize, make, 10, LayoutNeed::Any, check},
      {"Upsample", resize, make, 7, LayoutNeed::Any, check, 9},
  };
}

}  // namespace detent
