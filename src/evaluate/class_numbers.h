#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/images/object_labels.h"
#include "detections/detection.h"

namespace detent {

/// A rule by which detectors number the categories of annotations.
struct ClassNumbering {
  std::string_view name;
  int64_t (*number)(int64_t index, int64_t id);  ///< index  of the category in the order of ids
};

/// The rules in the order of their rank: the first one counts if several fit.
inline constexpr std::array<ClassNumbering, 4> kClassNumberings = {{
    {"in the order of their ids from 0 on", [](int64_t index, int64_t) { return index; }},      // YOLO
    {"in the order of their ids from 1 on", [](int64_t index, int64_t) { return index + 1; }},  // torchvision, own data
    {"by their ids", [](int64_t, int64_t id) { return id; }},                                   // torchvision, DETR
    {"by their ids less 1", [](int64_t, int64_t id) { return id - 1; }},                        // SSD, EfficientDet
}};

/// One sample with annotations, whose categories are indices, and the float model's detections.
struct ProbedSample {
  std::vector<TrueObject> objects;
  std::vector<Detection> found = {};  ///< the highest scores first
};

/// Returns the rule by which most detections have the class of the object that they lie on.
[[nodiscard]] const ClassNumbering& find_numbering(std::span<const ProbedSample> samples, const ObjectLabels& labels);

/// Renumbers the objects from indices to the classes of a model.
void renumber(std::span<TrueObject> objects, const ObjectLabels& labels, const ClassNumbering& numbering);

/// Refuses annotations and detections that do not fit each other: ten detections and objects or more, of which, by the
/// smaller number, less than 15 % are a detection with a high score on an object of its class.
/// samples  with renumbered objects
/// labels   their file or folder, for the message
/// Errors   InvalidData naming what does not fit: the classes, or the boxes and how they would.
void require_fit(std::span<const ProbedSample> samples, const std::string& labels);

}  // namespace detent
