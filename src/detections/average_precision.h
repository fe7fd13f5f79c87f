#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detections/detection.h"

namespace detent {

/// The detections of one image beside its true objects: all that the average precision needs of it.
struct ImageMatches {
  struct Match {
    int32_t category = 0;
    float score = 0;
    uint16_t right = 0;    ///< bit t: found an object at the t-th IoU threshold
    uint16_t ignored = 0;  ///< bit t: lies in a crowd and counts neither way
  };
  struct Count {
    int32_t category = 0;
    uint32_t objects = 0;  ///< that are no crowd
  };
  std::string image;           ///< its name
  std::vector<Match> matches;  ///< of each category the highest scores first
  std::vector<Count> counts;   ///< by category
};

/// Mean average precision as COCO defines it, fractions in [0, 1].
struct AveragePrecision {
  double map = 0;    ///< mean over the IoU thresholds .50, .55 ... .95
  double map50 = 0;  ///< at the IoU threshold .50
};

/// Matches detections with objects of their category, the highest scores first: each takes the free object with the
/// largest IoU at or above the threshold. Of a category the 100 highest scores count. Scores and edges that are not
/// finite are left out.
/// Source  pycocotools, COCOeval.evaluateImg.
[[nodiscard]] ImageMatches match_objects(std::span<const Detection> found, std::span<const TrueObject> objects);

/// Returns the mean over the categories that have objects of the precision at the recalls 0, .01 ... 1, where the
/// precision at a recall is the largest at that recall or a higher one.
/// Empty   no object in any image -> nullopt.
/// Source  pycocotools, COCOeval.accumulate.
[[nodiscard]] std::optional<AveragePrecision> average_precision(std::span<const ImageMatches> images);

}  // namespace detent
