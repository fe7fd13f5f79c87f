#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/base/preprocess_pairs.h"

namespace detent {

/// Height and width in pixels.
struct PixelSize {
  int height = 0, width = 0;
  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

/// A preprocessing as written, independent of a model. Default: the model's size, RGB, unchanged pixels.
struct PreprocessSpec {
  enum class Color { Rgb, Bgr, Gray };
  enum class Interpolation { Linear, Nearest, Cubic, Area, PilBilinear, PilBicubic };
  struct Letterbox {
    std::optional<PixelSize> size;  ///< nothing: the model's
    int fill = 114;
    bool centred = true;
  };

  std::optional<int> resize_short;     ///< resize=S; excludes resize_to
  std::optional<PixelSize> resize_to;  ///< resize=HxW
  std::optional<PixelSize> crop;
  std::optional<Letterbox> letterbox;  ///< excludes the three above
  Color color = Color::Rgb;
  float div = 1;
  std::vector<float> mean{0}, std{1};  ///< one for all channels, or one per channel in the order of `color`
  Interpolation interpolation = Interpolation::Linear;
  bool channels_last = false;  ///< layout=nhwc

  [[nodiscard]] int channels() const { return color == Color::Gray ? 1 : 3; }
  /// True where Pillow resizes: sizes and crops are then torchvision's too.
  [[nodiscard]] bool resizes_by_pillow() const {
    return interpolation == Interpolation::PilBilinear || interpolation == Interpolation::PilBicubic;
  }
};

/// Returns the presets.
[[nodiscard]] std::span<const PreprocessPreset> preprocess_presets();

/// Parses "PRESET", "key=value,..." or "PRESET,key=value,...". Pairs are separated by commas or blanks; a later pair
/// replaces an earlier one, resize or crop replace a letterbox and the other way round.
/// Errors  Usage naming the pair that is wrong and what is possible; also for means or deviations that lie between 0
/// and 1 while pixels stay in 0..255 because neither a preset nor `div` was given.
[[nodiscard]] PreprocessSpec parse_preprocess(std::string_view text);

}  // namespace detent
