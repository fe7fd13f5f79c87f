#include "datasets/images/preprocess.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "core/nearest_names.h"
#include "core/parse.h"
#include "core/text.h"
#include "datasets/base/preprocess_pairs.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Spec = PreprocessSpec;

#define DETENT_IMAGENET_COLOURS "color=rgb,div=255,mean=.485/.456/.406,std=.229/.224/.225"
#define DETENT_YOLO "letterbox=model:114:center,color=rgb,div=255"
#define DETENT_RTDETR "resize=640x640,interp=pil-bilinear,color=rgb,div=255"
constexpr PreprocessPreset kPresets[] = {
    {"imagenet", "torchvision's: short side 256, centre crop 224, RGB, /255, mean .485/.456/.406, std .229/.224/.225",
     "resize=256,crop=224,interp=pil-bilinear," DETENT_IMAGENET_COLOURS},
    {"timm", "the same with bicubic interpolation, timm's default",
     "resize=256,crop=224,interp=pil-bicubic," DETENT_IMAGENET_COLOURS},
    {"imagenet-opencv", "imagenet resized by OpenCV, without antialiasing",
     "resize=256,crop=224,interp=linear," DETENT_IMAGENET_COLOURS},
    {"unit", "the model's size, RGB, /255", "color=rgb,div=255"},
    {"raw", "the model's size, RGB, 0..255", "color=rgb,div=1"},
    {"yolox", "letterbox top-left 114, BGR, 0..255", "letterbox=model:114:topleft,color=bgr,div=1"},
    {"yolo", "letterbox centred 114 as ultralytics does, RGB, /255", DETENT_YOLO},
    {"yolov5", "yolo", DETENT_YOLO},
    {"yolov8", "yolo", DETENT_YOLO},
    {"yolo11", "yolo", DETENT_YOLO},
    {"yolo26", "yolo", DETENT_YOLO},
    // Source  transformers, RTDetrImageProcessor, which D-FINE's models use, too.
    {"rtdetr", "640x640, RGB, /255", DETENT_RTDETR},
    {"dfine", "rtdetr", DETENT_RTDETR},
    // Source  OpenAI CLIP, clip.py, _transform().
    {"clip", "short side 224 bicubic, centre crop 224, RGB, /255, CLIP's mean and std",
     "resize=224,crop=224,interp=pil-bicubic,color=rgb,div=255,mean=.48145466/.4578275/.40821073,"
     "std=.26862954/.26130258/.27577711"},
    // Source  transformers, SiglipImageProcessor.
    {"siglip", "224x224 bicubic, RGB, /255, mean and std .5",
     "resize=224x224,interp=pil-bicubic,color=rgb,div=255,mean=.5,std=.5"},
    // Source  facebookresearch/dinov2, data/transforms.py, make_classification_eval_transform().
    {"dinov2", "timm", "resize=256,crop=224,interp=pil-bicubic," DETENT_IMAGENET_COLOURS},
    // Source  Keras, mobilenet.preprocess_input(); transformers, MobileNetV1ImageProcessor.
    {"mobilenet-tf", "short side 256, centre crop 224, RGB, -1 to 1",
     "resize=256,crop=224,interp=pil-bilinear,color=rgb,div=255,mean=.5,std=.5"},
    // Source  tensorflow/tpu, models/official/efficientnet/preprocessing.py: the crop leaves 16 pixels on each side.
    {"efficientnet-tf", "timm", "resize=256,crop=224,interp=pil-bicubic," DETENT_IMAGENET_COLOURS},
};
#undef DETENT_IMAGENET_COLOURS
#undef DETENT_YOLO
#undef DETENT_RTDETR

std::string preset_names() {
  return join(kPresets, ", ", [](const PreprocessPreset& preset) { return std::string(preset.name); });
}

/// Returns true for a number; `value` is 0 otherwise.
template <class T>
bool read_number(std::string_view text, T& value) {
  const auto number = parse_number<T>(text);
  value = number.value_or(T{});
  return number.has_value();
}

constexpr int kMaxSide = 1 << 16;

bool parse_side(std::string_view text, int& side) { return read_number(text, side) && side > 0 && side <= kMaxSide; }

bool parse_size(std::string_view text, PixelSize& size) {
  const auto parts = split_at_any(text, "x");
  return parts.size() == 2 && parse_side(parts[0], size.height) && parse_side(parts[1], size.width);
}

void set_resize(Spec& spec, std::string_view pair, std::string_view value) {
  int side = 0;
  PixelSize size;
  if (parse_side(value, side)) {
    spec.resize_short = side;
    spec.resize_to.reset();
  } else if (parse_size(value, size)) {
    spec.resize_to = size;
    spec.resize_short.reset();
  } else {
    refuse_pair(pair, "resize=S (short side in pixels) or resize=HxW");
  }
  spec.letterbox.reset();
}

void set_crop(Spec& spec, std::string_view pair, std::string_view value) {
  int side = 0;
  PixelSize size;
  if (parse_side(value, side))
    size = {side, side};
  else if (!parse_size(value, size))
    refuse_pair(pair, "crop=S or crop=HxW");
  spec.crop = size;
  spec.letterbox.reset();
}

void set_letterbox(Spec& spec, std::string_view pair, std::string_view value) {
  constexpr const char* kForm = "letterbox=HxW:FILL:center|topleft, FILL being 0 to 255";
  const auto parts = split_at_any(value, ":");
  Spec::Letterbox letterbox;
  PixelSize size;
  if (parts.size() > 3) refuse_pair(pair, kForm);
  if (parse_size(parts[0], size))
    letterbox.size = size;
  else if (parts[0] != "model")
    refuse_pair(pair, kForm);
  if (parts.size() > 1 && (!read_number(parts[1], letterbox.fill) || letterbox.fill < 0 || letterbox.fill > 255))
    refuse_pair(pair, kForm);
  if (parts.size() > 2) {
    if (parts[2] != "center" && parts[2] != "topleft") refuse_pair(pair, kForm);
    letterbox.centred = parts[2] == "center";
  }
  spec.letterbox = letterbox;
  spec.resize_short.reset();
  spec.resize_to.reset();
  spec.crop.reset();
}

enum class Sign { Any, Positive };

std::vector<float> parse_channels(std::string_view pair, std::string_view value, Sign sign) {
  const bool positive = sign == Sign::Positive;
  std::vector<float> numbers;
  for (const std::string_view part : split_at_any(value, "/")) {
    float number = 0;
    if (!read_number(part, number) || !std::isfinite(number) || (positive && number <= 0))
      refuse_pair(pair, positive ? "one number above 0, or one per channel: .229/.224/.225"
                                 : "one number, or one per channel: .485/.456/.406");
    numbers.push_back(number);
  }
  return numbers;
}

[[noreturn]] void refuse_key(std::string_view pair, std::string_view key) {
  std::vector<std::string> names{"resize", "crop", "letterbox", "color", "div", "mean", "std", "interp", "layout"};
  for (const PreprocessPreset& preset : kPresets) names.emplace_back(preset.name);
  refuse_pair(pair, did_you_mean(key, names,
                                 "presets: " + preset_names() +
                                     "; keys: resize, crop, letterbox, color, div, mean, std, interp, layout"));
}

void set_pair(Spec& spec, std::string_view pair) {
  static constexpr std::pair<std::string_view, Spec::Color> kColors[] = {
      {"rgb", Spec::Color::Rgb}, {"bgr", Spec::Color::Bgr}, {"gray", Spec::Color::Gray}};
  static constexpr std::pair<std::string_view, Spec::Interpolation> kInterpolations[] = {
      {"linear", Spec::Interpolation::Linear},
      {"nearest", Spec::Interpolation::Nearest},
      {"cubic", Spec::Interpolation::Cubic},
      {"area", Spec::Interpolation::Area},
      {"pil-bilinear", Spec::Interpolation::PilBilinear},
      {"pil-bicubic", Spec::Interpolation::PilBicubic}};
  static constexpr std::pair<std::string_view, bool> kLayouts[] = {{"nchw", false}, {"nhwc", true}};
  const auto [key, value] = key_and_value(pair);
  if (key == "resize")
    set_resize(spec, pair, value);
  else if (key == "crop")
    set_crop(spec, pair, value);
  else if (key == "letterbox")
    set_letterbox(spec, pair, value);
  else if (key == "color")
    spec.color = chosen_word(pair, value, kColors);
  else if (key == "div") {
    const auto numbers = parse_channels(pair, value, Sign::Positive);
    if (numbers.size() != 1) refuse_pair(pair, "one number above 0");
    spec.div = numbers.front();
  } else if (key == "mean")
    spec.mean = parse_channels(pair, value, Sign::Any);
  else if (key == "std")
    spec.std = parse_channels(pair, value, Sign::Positive);
  else if (key == "interp")
    spec.interpolation = chosen_word(pair, value, kInterpolations);
  else if (key == "layout")
    spec.channels_last = chosen_word(pair, value, kLayouts);
  else
    refuse_key(pair, key);
}

void check_channel_counts(const Spec& spec) {
  const auto channels = as_index(spec.channels());
  for (const auto& [name, numbers] : {std::pair{"mean", &spec.mean}, std::pair{"std", &spec.std}})
    if (numbers->size() != 1 && numbers->size() != channels)
      throw Error(ErrorCode::Usage, std::string("--preprocess: ") + name + " has " + std::to_string(numbers->size()) +
                                        " numbers for " + std::to_string(channels) + " channels");
}

/// Refuses statistics of pixels in 0..1 for pixels in 0..255, which would ruin a calibration without a visible sign.
void check_unit_statistics(const Spec& spec) {
  const auto fraction = [](float number) { return number > 0 && number < 1; };
  if (std::any_of(spec.mean.begin(), spec.mean.end(), fraction) ||
      std::any_of(spec.std.begin(), spec.std.end(), fraction))
    throw Error(ErrorCode::Usage, "--preprocess: mean or std lie between 0 and 1, but pixels go from 0 to 255",
                "add div=255 if they were measured on pixels in 0..1, or div=1 if they apply to 0..255");
}

}  // namespace

std::span<const PreprocessPreset> preprocess_presets() { return kPresets; }

PreprocessSpec parse_preprocess(std::string_view text) {
  Spec spec;
  bool first = true;
  bool scale_known = false;
  for (const std::string_view part : split_at_any(text, ", \t")) {
    if (part.empty()) continue;
    const auto* const preset = std::find_if(std::begin(kPresets), std::end(kPresets),
                                            [part](const PreprocessPreset& entry) { return entry.name == part; });
    if (preset != std::end(kPresets)) {
      if (!first) refuse_pair(part, "a preset stands first");
      for (const std::string_view pair : split_at_any(preset->pairs, ",")) set_pair(spec, pair);
      scale_known = true;
    } else {
      set_pair(spec, part);
      scale_known = scale_known || part.starts_with("div=");
    }
    first = false;
  }
  if (first) refuse_pair(text, "a preset (" + preset_names() + ") or key=value pairs");
  // A colour preset's channel statistics do not apply to gray.
  check_channel_counts(spec);
  if (!scale_known) check_unit_statistics(spec);
  return spec;
}

}  // namespace detent
