#include "datasets/image_transform.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "core/float_type.h"
#include "core/index.h"
#include "core/memory_limit.h"
#include "datasets/antialiased_resize.h"
#include "datasets/array_fit.h"
#include "datasets/load_codecs.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using TransformSpec = PreprocessSpec;

std::string size_text(PixelSize size) { return std::to_string(size.height) + "x" + std::to_string(size.width); }

[[noreturn]] void refuse_input(const std::string& what, std::string hint) {
  throw Error(ErrorCode::InvalidData, what, std::move(hint));
}

void check_channels(const TransformSpec& spec, const InputSpec& input) {
  const std::string name = "input '" + input.name + "' (" + describe_shape(input) + ")";
  if (input.shape.size() != 4)
    refuse_input(name + " does not take images, which have 4 axes: batch, channels, height, width",
                 "give the data as .npy or .npz");
  const int64_t here = input.shape[spec.channels_last ? 3 : 1];
  const int64_t there = input.shape[spec.channels_last ? 1 : 3];
  if (here < 0 || here == spec.channels()) return;
  std::string hint = "give the data as .npy or .npz";
  if (there == spec.channels())
    hint = spec.channels_last ? "add layout=nchw to --preprocess" : "add layout=nhwc to --preprocess";
  else if (here == 1)
    hint = "add color=gray to --preprocess";
  else if (here == 3)
    hint = "add color=rgb or color=bgr to --preprocess";
  refuse_input(
      name + " has " + std::to_string(here) + " channels, the preprocessing gives " + std::to_string(spec.channels()),
      hint);
}

/// Computes (x / div - mean) / std for each channel and each of the 256 pixel values, in float32 operation by
/// operation.
std::vector<std::array<float, 256>> levels_of(const TransformSpec& spec) {
  std::vector<std::array<float, 256>> levels(as_index(spec.channels()));
  for (size_t channel = 0; channel < levels.size(); ++channel) {
    const float mean = spec.mean[spec.mean.size() == 1 ? 0 : channel];
    const float std = spec.std[spec.std.size() == 1 ? 0 : channel];
    for (size_t x = 0; x < 256; ++x) levels[channel][x] = (static_cast<float>(x) / spec.div - mean) / std;
  }
  return levels;
}

/// Refuses levels that an integer input cannot hold, and would cut, mostly to 0. Infinite levels (std=0) do not depend
/// on the type.
void check_levels(const std::vector<std::array<float, 256>>& levels, const InputSpec& input) {
  if (is_floating_point(input.type)) return;
  for (const std::array<float, 256>& channel : levels) {
    const Tensor all = Tensor::from<float>({256}, channel);
    const Tensor back = cast(cast(all, input.type), DataType::Float32);
    if (std::ranges::equal(back.data<float>(), channel)) continue;
    const auto [low, high] = std::ranges::minmax(channel);
    std::ostringstream range;
    range << low << " to " << high;
    throw Error(ErrorCode::InvalidOption,
                "input '" + input.name + "' (" + describe_shape(input) + ") is " + std::string(name_of(input.type)) +
                    ", which cannot hold the pixels of --preprocess, " + range.str(),
                "use --preprocess raw, which feeds 0..255, or give the data as .npy");
  }
}

/// Suggests a resize and crop to the model's size: the same part of the picture, or all of it.
std::string smaller_crop(const TransformSpec& spec, PixelSize model) {
  const std::string whole = "resize=" + size_text(model) + ",crop=" + size_text(model);
  if (!spec.resize_short) return "use " + whole;
  const double share = static_cast<double>(*spec.resize_short) / std::min(spec.crop->height, spec.crop->width);
  const auto side = std::lround(share * std::min(model.height, model.width));
  const auto enough = std::max<long>(side, std::max(model.height, model.width));
  return "use resize=" + std::to_string(enough) + ",crop=" + size_text(model) +
         " for the same part of the picture, or " + whole + " for all of it";
}

/// Checks that an image like `image`, as large as `size`, fits --max-memory.
/// Errors  InvalidData when it does not.
void check_room(PixelSize size, const Pixels& image) {
  const uint64_t bytes = static_cast<uint64_t>(size.height) * static_cast<uint64_t>(size.width) * image.pixel_bytes();
  check_memory(bytes, [&] { return "an image that --preprocess resizes to " + size_text(size) + " pixels"; });
}

SideRounding resize_rounding(const TransformSpec& spec) {
  return spec.resizes_by_pillow() ? SideRounding::Down : SideRounding::HalfToEven;
}

SideRounding crop_rounding(const TransformSpec& spec) {
  return spec.resizes_by_pillow() ? SideRounding::HalfToEven : SideRounding::Down;
}

SideRounding letterbox_rounding(const TransformSpec& spec) {
  return spec.letterbox->centred ? SideRounding::HalfToEven : SideRounding::Down;
}

/// Returns the size that every image gets, if the spec fixes it.
std::optional<PixelSize> fixed_size(const TransformSpec& spec) {
  if (spec.letterbox) return spec.letterbox->size;
  if (spec.crop) return spec.crop;
  return spec.resize_to;
}

}  // namespace

PixelSize short_side_size(PixelSize image, int side, SideRounding rounding) {
  const int64_t shorter = std::min(image.height, image.width);
  const int64_t longer = std::max(image.height, image.width);
  const int64_t product = longer * side;
  int64_t rounded = product / shorter;
  const int64_t twice_rest = 2 * (product % shorter);
  const bool up = twice_rest > shorter || (twice_rest == shorter && rounded % 2 == 1);
  if (rounding == SideRounding::HalfToEven && up) ++rounded;
  // A larger size is refused when its memory is requested.
  const auto long_side = static_cast<int>(std::clamp<int64_t>(rounded, side, std::numeric_limits<int>::max()));
  return image.height <= image.width ? PixelSize{side, long_side} : PixelSize{long_side, side};
}

PixelSize letterboxed_size(PixelSize image, PixelSize box, SideRounding rounding) {
  const double ratio =
      std::min(static_cast<double>(box.height) / image.height, static_cast<double>(box.width) / image.width);
  const auto side = [&](int length) {
    const double exact = length * ratio;
    return std::max(1, static_cast<int>(rounding == SideRounding::Down ? std::trunc(exact) : std::nearbyint(exact)));
  };
  return {side(image.height), side(image.width)};
}

PixelSize centre_offset(PixelSize whole, PixelSize size, SideRounding rounding) {
  const auto half = [&](int spare) {
    return rounding == SideRounding::Down ? spare / 2 : static_cast<int>(std::nearbyint(spare / 2.0));
  };
  return {half(whole.height - size.height), half(whole.width - size.width)};
}

ImagePlacement placement_of(const PreprocessSpec& spec, PixelSize image, PixelSize input) {
  PixelSize inner = spec.resize_to.value_or(image), offset{0, 0};
  if (spec.letterbox) {
    const PixelSize box = spec.letterbox->size.value_or(input);
    inner = letterboxed_size(image, box, letterbox_rounding(spec));
    if (spec.letterbox->centred) offset = {(box.height - inner.height) / 2, (box.width - inner.width) / 2};
  } else {
    if (spec.resize_short) inner = short_side_size(image, *spec.resize_short, resize_rounding(spec));
    if (spec.crop) {
      const PixelSize first = centre_offset(inner, *spec.crop, crop_rounding(spec));
      offset = {-first.height, -first.width};
    } else if (!spec.resize_short && !spec.resize_to)
      inner = input;
  }
  return {static_cast<double>(inner.width) / image.width, static_cast<double>(inner.height) / image.height,
          static_cast<double>(offset.width), static_cast<double>(offset.height)};
}

ImageTransform::ImageTransform(TransformSpec spec, const InputSpec& input) : spec_(std::move(spec)), type_(input.type) {
  check_channels(spec_, input);
  height_ = input.shape[spec_.channels_last ? 1 : 2];
  width_ = input.shape[spec_.channels_last ? 2 : 3];
  const bool model_fixes = height_ > 0 && width_ > 0;
  const PixelSize model_size{static_cast<int>(height_), static_cast<int>(width_)};
  const bool geometry =
      spec_.resize_short || spec_.resize_to || spec_.crop || (spec_.letterbox && spec_.letterbox->size);
  const std::string name = "input '" + input.name + "' (" + describe_shape(input) + ")";
  if (!geometry && !model_fixes)
    throw Error(ErrorCode::InvalidOption, name + " leaves its height or width open, and --preprocess gives no size",
                spec_.letterbox ? "add letterbox=HxW:114:topleft or center to --preprocess"
                                : "add resize=HxW (or resize=S,crop=S, or letterbox=HxW:114:center) to --preprocess");
  if (!geometry && spec_.letterbox) spec_.letterbox->size = model_size;
  if (!geometry && !spec_.letterbox) spec_.resize_to = model_size;
  const std::optional<PixelSize> size = fixed_size(spec_);
  const auto differs = [](int64_t wanted, int given) { return wanted > 0 && wanted != given; };
  if (size && (differs(height_, size->height) || differs(width_, size->width)))
    refuse_input(name + " does not take the " + size_text(*size) + " pixels that --preprocess gives",
                 model_fixes ? (spec_.letterbox ? "use letterbox=" + size_text(model_size) + ":FILL:center|topleft"
                                : spec_.crop    ? smaller_crop(spec_, model_size)
                                                : "use resize=" + size_text(model_size))
                             : "");
  if (!size && model_fixes && std::min(height_, width_) != *spec_.resize_short)
    refuse_input(name + " is not what resize=" + std::to_string(*spec_.resize_short) + " without a crop gives",
                 "add crop=" + size_text(model_size) + " to --preprocess, or use resize=" + size_text(model_size));
  if (spec_.crop && spec_.resize_to &&
      (spec_.crop->height > spec_.resize_to->height || spec_.crop->width > spec_.resize_to->width))
    throw Error(ErrorCode::InvalidOption, "--preprocess: crop " + size_text(*spec_.crop) +
                                              " is larger than the resized image, " + size_text(*spec_.resize_to));
  levels_ = levels_of(spec_);
  check_levels(levels_, input);
}

Pixels ImageTransform::resize(const Pixels& image, PixelSize size) const {
  if (image.size() == size) return image;
  check_room(size, image);
  check_room({image.size().height, size.width}, image);  // between the passes of Pillow's resize
  if (!spec_.resizes_by_pillow()) return load_codecs().resize(image, size, spec_.interpolation);
  const bool bilinear = spec_.interpolation == TransformSpec::Interpolation::PilBilinear;
  return antialiased_resize(image, size, bilinear ? ResizeKernel::Bilinear : ResizeKernel::Bicubic);
}

Pixels ImageTransform::crop(const Pixels& image) const {
  const PixelSize size = *spec_.crop;
  const PixelSize whole = image.size();
  if (size.height > whole.height || size.width > whole.width)
    refuse_input("crop " + size_text(size) + " is larger than the image, " + size_text(whole),
                 "add resize=S to --preprocess, with S at least the crop's longer side");
  const PixelSize first = centre_offset(whole, size, crop_rounding(spec_));
  return image.part(first.height, first.width, size);
}

Pixels ImageTransform::letterbox(const Pixels& image, PixelSize whole) const {
  const PixelSize box = *spec_.letterbox->size;
  const PixelSize inner = letterboxed_size(whole, box, letterbox_rounding(spec_));
  check_room(box, image);
  const size_t row_bytes = as_index(box.width) * image.pixel_bytes();
  const auto canvas = std::make_shared<std::vector<unsigned char>>(as_index(box.height) * row_bytes,
                                                                   static_cast<unsigned char>(spec_.letterbox->fill));
  const bool centred = spec_.letterbox->centred;
  const int top = centred ? (box.height - inner.height) / 2 : 0, left = centred ? (box.width - inner.width) / 2 : 0;
  const Pixels content = resize(image, inner);
  for (int y = 0; y < inner.height; ++y)
    std::memcpy(canvas->data() + as_index(top + y) * row_bytes + as_index(left) * image.pixel_bytes(), content.row(y),
                as_index(inner.width) * image.pixel_bytes());
  return {canvas, canvas->data(), box, image.channels(), image.depth(), row_bytes};
}

Pixels ImageTransform::place(const Pixels& image, PixelSize whole) const {
  if (spec_.letterbox) return letterbox(image, whole);
  Pixels result = image;
  if (spec_.resize_short) result = resize(image, short_side_size(whole, *spec_.resize_short, resize_rounding(spec_)));
  if (spec_.resize_to) result = resize(image, *spec_.resize_to);
  return spec_.crop ? crop(result) : result;
}

std::optional<int> ImageTransform::sufficient_side() const {
  constexpr int kTimes = 5;
  if (!spec_.resizes_by_pillow()) return std::nullopt;
  if (spec_.resize_short) return kTimes * *spec_.resize_short;
  const PixelSize size = spec_.letterbox ? *spec_.letterbox->size : spec_.resize_to.value_or(PixelSize{});
  if (size == PixelSize{}) return std::nullopt;
  return kTimes * std::max(size.height, size.width);
}

Tensor ImageTransform::apply(const DecodedImage& image) const {
  const Pixels& bgr = image.pixels;
  const Pixels pixels = place(spec_.color == TransformSpec::Color::Gray ? load_codecs().gray(bgr) : bgr, image.whole);
  const auto [rows, columns] = pixels.size();
  if ((height_ > 0 && height_ != rows) || (width_ > 0 && width_ != columns))
    refuse_input("the image has " + size_text(pixels.size()) + " pixels after preprocessing, the model wants " +
                     std::to_string(height_) + "x" + std::to_string(width_) + " (-1 is open)",
                 "add a crop or a full resize=HxW to --preprocess");
  const int64_t channels = spec_.channels();
  Tensor result(DataType::Float32,
                spec_.channels_last ? Shape{1, rows, columns, channels} : Shape{1, channels, rows, columns});
  float* out = result.mutable_data<float>().data();
  const int64_t pixel_step = spec_.channels_last ? channels : 1;
  const int64_t channel_step = spec_.channels_last ? 1 : int64_t{rows} * columns;
  for (int y = 0; y < rows; ++y)
    for (int64_t c = 0; c < channels; ++c) {
      const uint8_t* source = pixels.row(y) + (spec_.color == TransformSpec::Color::Rgb ? channels - 1 - c : c);
      const std::array<float, 256>& level = levels_[as_index(c)];
      float* target = out + int64_t{y} * columns * pixel_step + c * channel_step;
      for (int64_t x = 0; x < columns; ++x) target[x * pixel_step] = level[source[x * channels]];
    }
  return cast(result, type_);
}

}  // namespace detent
