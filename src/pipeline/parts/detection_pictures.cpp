#include "pipeline/parts/detection_pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <system_error>

#include "core/files/atomic_file.h"
#include "core/files/input_files.h"
#include "core/text.h"
#include "datasets/image_folder.h"
#include "datasets/images/picture.h"
#include "detent/base/error.h"
#include "run/output_writer.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kPagePictures = 4;
constexpr int kPageWidth = 320;  // pixels; four pictures take about 100 kB
constexpr size_t kPageScores = 3000;

constexpr std::array<uint8_t, 3> kFloatBgr{208, 95, 11}, kOtherBgr{0, 140, 255};

/// Returns the picture of a sample; no pixels where the model takes no image.
Pixels picture_named(const std::string& name, const PicturedSamples& samples) {
  for (size_t i = 0; i < samples.source.size(); ++i) {
    if (samples.source.sample_name(i) != name) continue;
    const Sample sample = samples.source.read(i);
    return picture_of(sample.inputs, sample.image_size[0] > 0 ? samples.preprocess : std::nullopt);
  }
  return {};
}

/// Adds boxes in this style, the highest score last: its text covers others.
void add_boxes(std::vector<DrawnBox>& boxes, const std::vector<Detection>& found, const DrawnBox& style) {
  for (const Detection& one : found | std::views::reverse) {
    DrawnBox& box = boxes.emplace_back(style);
    box.left = one.box.left, box.top = one.box.top, box.right = one.box.right, box.bottom = one.box.bottom;
    box.text = fmt::format("{} {:.2f}", one.category, one.score);
  }
}

/// Returns "01_NAME.png"; an image's ending is left out.
std::string picture_name(size_t i, size_t count, const std::string& sample) {
  const fs::path path(sample);
  const std::string name = has_image_extension(path) ? fs::path(path).replace_extension().string() : sample;
  return fmt::format("{:0{}}_{}.png", i + 1, std::max<size_t>(2, std::to_string(count).size()), file_name_for(name));
}

/// alike  as in ShownDetections
std::vector<DetectionPictures::Box> page_boxes(const std::vector<Detection>& found, const std::vector<bool>& alike) {
  std::vector<DetectionPictures::Box> boxes;
  for (const auto& [box, score, category] : found) {
    const bool is_alike = boxes.size() < alike.size() && alike[boxes.size()];
    boxes.push_back({box.left, box.top, box.right, box.bottom, score, category, is_alike});
  }
  return boxes;
}

}  // namespace

void check_drawing(const fs::path& folder, bool overwrite) {
  check_is_no_input(folder);
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error))
    throw Error(ErrorCode::CannotWrite, folder.string() + ": --draw needs a folder, and this is a file");
  if (!overwrite && !fs::is_empty(folder, error))
    throw Error(ErrorCode::CannotWrite, folder.string() + ": --draw needs an empty folder",
                "choose another folder or add --overwrite");
}

void check_drawable(const fs::path& model, const std::optional<DetectionLayout>& recognized) {
  if (!recognized)
    throw Error(ErrorCode::InvalidOption, model.string() + ": --draw draws detections, and this is no known detector",
                "name the form of its outputs: --detections " + join(kDetectionForms, ", ", &DetectionFormName::name));
}

void draw_detections(const fs::path& folder, std::span<const ShownDetections> shown, const PicturedSamples& samples,
                     DrawnModels models) {
  make_folder(folder);
  const bool both = models == DrawnModels::Both;
  for (size_t i = 0; i < shown.size(); ++i) {
    const Pixels picture = picture_named(shown[i].name, samples);
    if (picture.empty())
      throw Error(ErrorCode::InvalidOption, "--draw: no input of the model is an image, which has four axes");
    std::vector<DrawnBox> boxes;
    add_boxes(boxes, shown[i].expected, {.bgr = kFloatBgr, .width = 2});
    if (both) add_boxes(boxes, shown[i].found, {.bgr = kOtherBgr, .width = 1, .below = true});
    write_file(folder / picture_name(i, shown.size(), shown[i].name), encode_png(draw_boxes(picture, boxes)));
  }
}

DetectionPictures picture_detections(std::vector<ShownDetections> shown, const PicturedSamples& samples) {
  DetectionPictures page{.least_score = ShownDetections::kLeastScore, .samples = shown.size()};
  for (const ShownDetections& sample : shown)
    for (const auto& [expected, found] : sample.scores) page.scores.push_back({expected, found});
  if (const size_t all = page.scores.size(); all > kPageScores) {
    for (size_t i = 0; i < kPageScores; ++i) page.scores[i] = page.scores[i * all / kPageScores];
    page.scores.resize(kPageScores);
  }
  put_worst_first(shown);
  for (const ShownDetections& sample : std::span(shown).first(std::min(kPagePictures, shown.size()))) {
    const Pixels picture = picture_named(sample.name, samples);
    if (picture.empty()) break;
    page.pictures.push_back({.sample = sample.name,
                             .width = picture.size().width,
                             .height = picture.size().height,
                             .jpeg = encode_jpeg(shrink(picture, kPageWidth)),
                             .expected = page_boxes(sample.expected, sample.expected_alike),
                             .found = page_boxes(sample.found, sample.found_alike)});
  }
  return page;
}

}  // namespace detent
