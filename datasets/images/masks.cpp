#include "datasets/images/masks.h"

#include <algorithm>
#include <array>

#include "core/index.h"
#include "datasets/base/natural_order.h"
#include "datasets/images/image_decode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 6> kLossless = {".png", ".bmp", ".tif", ".tiff", ".pgm", ".webp"};

std::optional<fs::path> find_at(const fs::path& path) {
  std::error_code ignored;
  const std::string extension = lower_extension(path);
  const bool lossy = extension == ".jpg" || extension == ".jpeg";
  if (!lossy && fs::is_regular_file(path, ignored)) return path;
  for (const char* other : kLossless) {
    const fs::path candidate = fs::path(path).replace_extension(other);
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

/// Returns one channel of several equal ones.
/// Errors  InvalidData when they differ.
template <class Value>
std::vector<uint16_t> single_channel(const Pixels& pixels) {
  const auto [rows, columns] = pixels.size();
  const int colours = std::min(3, pixels.channels());  // the fourth is alpha
  std::vector<uint16_t> classes;
  classes.reserve(as_index(rows) * as_index(columns));
  for (int y = 0; y < rows; ++y) {
    const Value* pixel = pixels.row<Value>(y);
    for (int x = 0; x < columns; ++x, pixel += pixels.channels()) {
      if (std::any_of(pixel + 1, pixel + colours, [first = *pixel](Value other) { return other != first; }))
        throw Error(ErrorCode::InvalidData, "holds colours, but a mask's pixel values are class numbers",
                    "save masks as grayscale images; palettes are read as their colours");
      classes.push_back(*pixel);
    }
  }
  return classes;
}

}  // namespace

std::optional<fs::path> find_mask(const fs::path& folder, const std::string& image) {
  // A list may name images by an absolute path or one that leaves its folder; masks are not below that path.
  const fs::path below = fs::path(image).relative_path().lexically_normal();
  if (below == fs::path(image).lexically_normal() && *below.begin() != "..")
    if (const auto same = find_at(folder / below)) return same;
  return find_at(folder / below.filename());
}

ClassMask read_mask(const fs::path& path) {
  const Pixels pixels = decode_image_as_stored(path);
  if (pixels.depth() == Pixels::Depth::Other)
    throw Error(ErrorCode::InvalidData, path.string() + ": a mask has 8-bit or 16-bit pixels");
  try {
    return {
        pixels.size().height, pixels.size().width,
        pixels.depth() == Pixels::Depth::Bits16 ? single_channel<uint16_t>(pixels) : single_channel<uint8_t>(pixels)};
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

}  // namespace detent
