#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/images/preprocess.h"
#include "detent/base/data_source.h"
#include "detent/reports/detection_pictures.h"
#include "evaluate/shown_detections.h"

namespace detent {

/// Number of samples that --draw draws, unless the user chose a number.
inline constexpr size_t kDrawnSamples = 16;

/// Number of samples whose detections a comparison keeps, to find the worst.
inline constexpr size_t kShownSamples = 200;

/// Refuses a folder for pictures that is a file, or that is not empty without `overwrite`.
/// Errors  CannotWrite.
void check_drawing(const std::filesystem::path& folder, bool overwrite);

/// Refuses to draw the detections of a model that is no detector.
/// Errors  InvalidOption naming `model`.
void check_drawable(const std::filesystem::path& model, const std::optional<DetectionLayout>& recognized);

/// The samples that detections were found in.
struct PicturedSamples {
  const DataSource& source;
  std::optional<PreprocessSpec> preprocess = {};  ///< of those that are images
};

/// Models whose boxes a picture has.
enum class DrawnModels : uint8_t { One, Both };

/// Writes one PNG a sample, in this order: FOLDER/01_NAME.png. Boxes of the float model are blue, those of the other
/// one orange; with One only the first are drawn.
/// Errors  CannotWrite; InvalidOption when the model takes no image; those of reading.
void draw_detections(const std::filesystem::path& folder, std::span<const ShownDetections> shown,
                     const PicturedSamples& samples, DrawnModels models);

/// Makes the pictures of the worst samples for a page, and the scores of all.
/// Errors  those of reading.
[[nodiscard]] DetectionPictures picture_detections(std::vector<ShownDetections> shown, const PicturedSamples& samples);

}  // namespace detent
