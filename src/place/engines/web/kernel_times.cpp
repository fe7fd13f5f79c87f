#include "place/engines/web/kernel_times.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace detent {
namespace {

// Measured and fitted by bench/web. Most of 178 kernels are within 25 %; depthwise Convs of large windows and products
// of one row are further off. All numbers are nanoseconds.

/// A Conv, for each thing that its kernel does. Channels and the numbers under a window are rounded up to what the
/// integer kernel takes at once, pixels to what the float kernel does: it is slow on few.
struct ConvRates {
  double start, product, column, tap, output, weight;
};
constexpr ConvRates kFloatConv{.start = 0, .product = .0813, .column = .327, .tap = 0, .output = 0, .weight = 0},
    kCodesConv{.start = 1100, .product = .0403, .column = .0821, .tap = 4.01, .output = 1.81, .weight = .146};
constexpr int64_t kChannelsAtOnce = 8, kNumbersAtOnce = 4, kPixelsAtOnce = 16;
constexpr double kGroupedCodes = 1.5;  // of the time of one group

/// A depthwise Conv, for each channel, product, and row of an output channel.
struct DepthwiseRates {
  double channel, product, row;
};
constexpr DepthwiseRates kFloatDepthwise3x3{15.9, .149, 65}, kFloatDepthwise{49, .272, 163};
constexpr DepthwiseRates kCodesDepthwise3x3{0, 1.07, 0}, kCodesDepthwise{0, .894, 0};

struct ProductRates {
  double start, product, element, weight;
};
constexpr ProductRates kFloatProduct{.start = 0, .product = .0813, .element = 0, .weight = .1},
    kCodesProduct{.start = 470, .product = .0475, .element = 1.24, .weight = .14},
    kDynamicProduct{.start = 1160, .product = .0328, .element = 1.17, .weight = .16};
constexpr double kCachedWeights = 1e6;  // a weight with more comes from memory each time
constexpr double kFloatBeyond = .35, kCodesBeyond = .1;

/// An operator without weights, for each element of its larger side.
struct ElementRates {
  OpKind kind;
  double floats, codes;
};
constexpr double kMeasuredWindow = 9;  // of poolings
constexpr std::array kElements{ElementRates{OpKind::Add, .165, 1.21},
                               ElementRates{OpKind::Mul, .18, 1.1},
                               ElementRates{OpKind::MaxPool, 1.8, 21},
                               ElementRates{OpKind::AveragePool, 4.4, 16.7},
                               ElementRates{OpKind::GlobalAveragePool, .19, .23},
                               ElementRates{OpKind::Sigmoid, 2.8, .26},
                               ElementRates{OpKind::LeakyRelu, .5, .5},
                               ElementRates{OpKind::Softmax, 2.2, 4.9},
                               ElementRates{OpKind::Concat, 1.2, 1.2}};

// Beside a Conv also the Transpose to the order in which integer kernels have channels.
constexpr double kQuantize = .85, kDequantize = .45, kQuantizeImage = 1.7, kDequantizeImage = 1.3, kStart = 4000;
constexpr size_t kImageRank = 4;

double rounded_up(int64_t number, int64_t step) { return static_cast<double>((number + step - 1) / step * step); }

double product_of(const std::vector<int64_t>& extents) {
  double product = 1;
  for (const int64_t extent : extents) product *= static_cast<double>(extent);
  return product;
}

}  // namespace

std::vector<int64_t> WebKernels::extents(MaybeValue value) {
  constexpr int64_t kOpenExtent = 16;
  if (const Shape* shape = facts_.find_shape(value)) return {shape->dims().begin(), shape->dims().end()};
  std::vector<int64_t> found = certain_.of(value).value_or(std::vector<int64_t>());
  for (size_t axis = 0; axis < found.size(); ++axis)
    if (found[axis] < 0) found[axis] = axis == 0 ? 1 : kOpenExtent;
  return found;
}

double WebKernels::elements(MaybeValue value) {
  const std::vector<int64_t> found = extents(value);
  return found.empty() ? 0 : product_of(found);
}

double WebKernels::quantizing(ValueId value) {
  return kStart + elements(value) * (extents(value).size() == kImageRank ? kQuantizeImage : kQuantize);
}

double WebKernels::dequantizing(ValueId value) {
  return kStart + elements(value) * (extents(value).size() == kImageRank ? kDequantizeImage : kDequantize);
}

KernelTimes WebKernels::convolution(const Node& conv) {
  const Shape& weight = facts_.weight(conv.id).shape();
  const std::vector<int64_t> output = extents(conv.output(0));
  if (weight.rank() < 3 || output.size() != weight.rank() || weight.element_count() == 0) return {};
  const int64_t groups = std::max<int64_t>(conv.int_or("group", 1), 1);
  const auto window = static_cast<double>(weight.element_count(2, weight.rank()));
  const double outputs = product_of(output), pixels = outputs / static_cast<double>(weight[0]);
  const double products = outputs * static_cast<double>(weight[1]) * window;
  if (outputs == 0) return {};
  if (weight[1] == 1 && groups == weight[0]) {
    const double rows = outputs / static_cast<double>(std::max<int64_t>(output.back(), 1));
    const auto time = [&](const DepthwiseRates& rates) {
      return rates.channel * static_cast<double>(weight[0]) + rates.product * products + rates.row * rows;
    };
    constexpr double kSmallWindow = 9;
    const bool small = window <= kSmallWindow;
    return {time(small ? kFloatDepthwise3x3 : kFloatDepthwise), time(small ? kCodesDepthwise3x3 : kCodesDepthwise)};
  }
  const double columns =
      window > 1 ? pixels * static_cast<double>(weight[1]) * static_cast<double>(groups) * window : 0;
  const double filled = rounded_up(std::llround(pixels), kPixelsAtOnce) / pixels;
  const auto time = [&](const ConvRates& rates, double counted, double read) {
    return rates.start + rates.product * counted + rates.column * read +
           rates.tap * (window > 1 ? pixels * window * static_cast<double>(groups) : 0) + rates.output * outputs +
           rates.weight * static_cast<double>(weight.element_count());
  };
  const double whole = pixels * static_cast<double>(groups) * rounded_up(weight[0] / groups, kChannelsAtOnce) *
                       rounded_up(weight.element_count(1, weight.rank()), kNumbersAtOnce);
  return {time(kFloatConv, products * filled, columns * filled),
          time(kCodesConv, whole, columns) * (groups > 1 ? kGroupedCodes : 1)};
}

KernelTimes WebKernels::product(const Node& product) {
  const MaybeValue data = facts_.data_input(product.id);
  const double read = elements(data), written = elements(product.output(0));
  if (read == 0 || written == 0) return {};
  double products = 0, weights = 0;
  if (facts_.is_weighted(product.id)) {
    weights = static_cast<double>(facts_.weight(product.id).element_count());
    const std::vector<int64_t> output = extents(product.output(0));
    if (output.empty() || output.back() == 0) return {};
    products = written / static_cast<double>(output.back()) * weights;
  } else {
    const std::vector<int64_t> inner = extents(data);
    products = written * static_cast<double>(inner.empty() ? 1 : inner.back());
  }
  const double beyond = std::max(weights - kCachedWeights, 0.0);
  const auto time = [&](const ProductRates& rates, double from_memory) {
    return rates.start + rates.product * products + rates.element * (read + written) / 2 + rates.weight * weights +
           from_memory * beyond;
  };
  return {time(kFloatProduct, kFloatBeyond), time(kCodesProduct, kCodesBeyond), time(kDynamicProduct, kCodesBeyond)};
}

KernelTimes WebKernels::times(const Node& node) {
  const OpKind kind = facts_.kind(node.id);
  if (kind == OpKind::Conv && facts_.is_weighted(node.id)) return convolution(node);
  if (kind == OpKind::MatMul || kind == OpKind::Gemm) return product(node);
  const auto* const rates = std::ranges::find(kElements, kind, &ElementRates::kind);
  if (rates == kElements.end()) return {};
  const bool pools = kind == OpKind::GlobalAveragePool;
  double count = elements(pools ? node.input(0) : node.output(0));
  if (kind == OpKind::MaxPool || kind == OpKind::AveragePool)
    count *= product_of(node.ints_or("kernel_shape", {})) / kMeasuredWindow;
  return {rates->floats * count, rates->codes * count};
}

}  // namespace detent
