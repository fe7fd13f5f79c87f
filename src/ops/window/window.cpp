#include "ops/window/window.h"

#include <algorithm>
#include <limits>

#include "core/index.h"
#include "ops/operands.h"

namespace detent {

namespace {

std::vector<int64_t> one_per_axis(const std::vector<int64_t>& given, size_t axes, int64_t fallback, const char* what) {
  if (given.empty()) return std::vector<int64_t>(axes, fallback);
  if (given.size() != axes)
    throw Error(ErrorCode::InvalidModel, std::string(what) + " has " + std::to_string(given.size()) +
                                             " entries, expected " + std::to_string(axes));
  return given;
}

/// The largest number in attributes: products and sums of a few stay within 64 bits.
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

void check_numbers(const std::vector<int64_t>& numbers, const char* what, int64_t least) {
  for (const int64_t number : numbers)
    if (number < least || number > kMost)
      throw Error(ErrorCode::InvalidModel, std::string(what) + " holds " + std::to_string(number) + ", expected " +
                                               (least < 0   ? "a number of 32 bits"
                                                : least > 0 ? "a positive number of 32 bits"
                                                            : "0 or a positive number of 32 bits"));
}

Window unpadded_window(const WindowAttributes& attributes, size_t axes, const std::vector<int64_t>& kernel) {
  Window window;
  window.kernel = one_per_axis(kernel, axes, 1, "kernel_shape");
  window.strides = one_per_axis(attributes.strides, axes, 1, "strides");
  window.dilations = one_per_axis(attributes.dilations, axes, 1, "dilations");
  window.pad_begin.assign(axes, 0);
  window.pad_end.assign(axes, 0);
  window.output.assign(axes, 0);
  check_numbers(window.kernel, "kernel_shape", 1);
  return window;
}

void take_pads(const WindowAttributes& attributes, Window& window) {
  const size_t axes = window.kernel.size();
  if (attributes.pads.empty()) return;
  if (attributes.pads.size() != 2 * axes)
    throw Error(ErrorCode::InvalidModel, "pads has " + std::to_string(attributes.pads.size()) + " entries, expected " +
                                             std::to_string(2 * axes));
  std::copy_n(attributes.pads.begin(), axes, window.pad_begin.begin());
  std::copy_n(attributes.pads.begin() + as_extent(axes), axes, window.pad_end.begin());
}

/// Splits `total` padding: SAME_UPPER puts the odd one at the end.
void split_padding(WindowAttributes::AutoPad mode, int64_t total, int64_t& begin, int64_t& end) {
  begin = mode == WindowAttributes::AutoPad::SameLower ? total - total / 2 : total / 2;
  end = total - begin;
}

/// Checks that negative padding, which crops, leaves something. Errors  InvalidModel otherwise.
void check_crop(const Window& window, int64_t extent, size_t axis) {
  const int64_t cropped = std::max<int64_t>(-window.pad_begin[axis], 0) + std::max<int64_t>(-window.pad_end[axis], 0);
  if (cropped >= extent)
    throw Error(ErrorCode::InvalidModel, "negative pads crop all " + std::to_string(extent) +
                                             " elements of spatial axis " + std::to_string(axis));
}

constexpr Named<WindowAttributes::AutoPad> kAutoPads[] = {{"NOTSET", WindowAttributes::AutoPad::NotSet},
                                                          {"SAME_UPPER", WindowAttributes::AutoPad::SameUpper},
                                                          {"SAME_LOWER", WindowAttributes::AutoPad::SameLower},
                                                          {"VALID", WindowAttributes::AutoPad::Valid}};

}  // namespace

WindowAttributes WindowAttributes::parse(const Node& node) {
  WindowAttributes window;
  window.kernel = node.ints_or("kernel_shape", {});
  window.strides = node.ints_or("strides", {});
  window.dilations = node.ints_or("dilations", {});
  window.pads = node.ints_or("pads", {});
  window.ceil_mode = node.int_or("ceil_mode", 0) != 0;
  window.auto_pad = value_named(node, "auto_pad", "NOTSET", kAutoPads);
  check_numbers(window.kernel, "kernel_shape", 1);
  check_numbers(window.strides, "strides", 1);
  check_numbers(window.dilations, "dilations", 1);
  check_numbers(window.pads, "pads", -kMost);
  return window;
}

bool Window::dilated() const {
  return std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; });
}

Shape Window::output_shape(int64_t samples, int64_t channels) const {
  Shape shape{samples, channels};
  for (const int64_t extent : output) shape.push_back(extent);
  return shape;
}

Window resolve_window(const WindowAttributes& attributes, const std::vector<int64_t>& input,
                      const std::vector<int64_t>& kernel) {
  using AutoPad = WindowAttributes::AutoPad;
  const size_t axes = input.size();
  check_numbers(input, "image", 0);
  Window window = unpadded_window(attributes, axes, kernel);
  if (attributes.auto_pad == AutoPad::NotSet) take_pads(attributes, window);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t reach = window.dilations[i] * (window.kernel[i] - 1) + 1;
    const int64_t stride = window.strides[i];
    if (attributes.auto_pad == AutoPad::SameUpper || attributes.auto_pad == AutoPad::SameLower) {
      window.output[i] = (input[i] + stride - 1) / stride;
      split_padding(attributes.auto_pad, std::max<int64_t>(0, (window.output[i] - 1) * stride + reach - input[i]),
                    window.pad_begin[i], window.pad_end[i]);
      continue;
    }
    if (window.pad_begin[i] < 0 || window.pad_end[i] < 0) check_crop(window, input[i], i);
    const int64_t room = input[i] + window.pad_begin[i] + window.pad_end[i] - reach;
    // In ceil mode a window may reach beyond the padding by less than a stride.
    const int64_t beyond = attributes.ceil_mode ? stride - 1 : 0;
    if (room + beyond < 0)
      throw Error(ErrorCode::InvalidModel, "the window of " + std::to_string(reach) +
                                               " is larger than the padded input of " + std::to_string(room + reach) +
                                               " on spatial axis " + std::to_string(i));
    // Also with VALID, as in ONNX Runtime and TensorRT; the formula of the operator's page can be read either way.
    window.output[i] = (room + beyond) / stride + 1;
    if (attributes.ceil_mode && (window.output[i] - 1) * stride >= input[i] + window.pad_begin[i]) --window.output[i];
  }
  return window;
}

Window resolve_transposed_window(const WindowAttributes& attributes, const std::vector<int64_t>& input,
                                 const std::vector<int64_t>& kernel, const std::vector<int64_t>& output_padding,
                                 const std::vector<int64_t>& output_shape) {
  using AutoPad = WindowAttributes::AutoPad;
  const size_t axes = input.size();
  check_numbers(input, "image", 0);
  Window window = unpadded_window(attributes, axes, kernel);
  const std::vector<int64_t> extra = one_per_axis(output_padding, axes, 0, "output_padding");
  check_numbers(extra, "output_padding", 0);
  check_numbers(output_shape, "output_shape", 0);
  if (!output_shape.empty() && output_shape.size() < axes)
    throw Error(ErrorCode::InvalidModel, "output_shape has " + std::to_string(output_shape.size()) +
                                             " entries, expected " + std::to_string(axes));
  if (attributes.auto_pad == AutoPad::NotSet && output_shape.empty()) take_pads(attributes, window);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t full =
        window.strides[i] * (input[i] - 1) + extra[i] + window.dilations[i] * (window.kernel[i] - 1) + 1;
    const bool same = attributes.auto_pad == AutoPad::SameUpper || attributes.auto_pad == AutoPad::SameLower;
    if (!output_shape.empty() || same) {
      // output_shape may carry batch and channels in front; only the spatial tail counts.
      window.output[i] =
          output_shape.empty() ? input[i] * window.strides[i] : output_shape[output_shape.size() - axes + i];
      const int64_t total = std::max<int64_t>(0, full - window.output[i]);
      const auto mode = attributes.auto_pad == AutoPad::SameUpper ? AutoPad::SameUpper : AutoPad::SameLower;
      split_padding(mode, total, window.pad_begin[i], window.pad_end[i]);
    } else {
      window.output[i] = full - window.pad_begin[i] - window.pad_end[i];
    }
    if (window.output[i] < 0) throw Error(ErrorCode::InvalidModel, "ConvTranspose would give a negative extent");
  }
  return window;
}

}  // namespace detent
