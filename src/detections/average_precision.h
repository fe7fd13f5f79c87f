#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "detections/detection.h"

namespace detent {

/// The objects that count, by their area in pixels of the image: up to 32^2, from 32^2 to 96^2, from 96^2 on.
enum class ObjectSize : uint8_t { All, Small, Medium, Large };
inline constexpr size_t kObjectSizes = 4;

/// Detections of any number of images beside their true objects: all that the average precision needs of them.
struct MatchedDetections {
  struct Match {
    uint64_t image = 0;  ///< any number that tells the images apart
    int32_t category = 0;
    float score = 0;
    using Bits = std::array<uint16_t, kObjectSizes>;  ///< by ObjectSize; bit t: at the t-th IoU threshold
    Bits right = {};                                  ///< found an object
    Bits ignored = {};  ///< counts neither way: lies in a crowd, or found or is itself an object of another size
  };
  struct Count {
    uint64_t image = 0;
    int32_t category = 0;
    std::array<uint32_t, kObjectSizes> objects = {};  ///< that are no crowd, by ObjectSize
  };
  std::vector<Match> matches;  ///< image by image
  std::vector<Count> counts;

  MatchedDetections& operator+=(const MatchedDetections& other);
  /// Removes all images of `other`.
  MatchedDetections& operator-=(const MatchedDetections& other);
};

/// Mean average precision as COCO defines it, fractions in [0, 1].
struct AveragePrecision {
  double map = 0;    ///< mean over the IoU thresholds .50, .55 ... .95
  double map50 = 0;  ///< at the IoU threshold .50
};

/// Matches the detections of one image with objects of their category, the highest scores first: each takes the free
/// object with the largest IoU at or above the threshold. Of a category the 100 highest scores count. Scores and edges
/// that are not finite are left out.
/// unit_area  area in pixels of the image of one square unit of the boxes; 0: only ObjectSize::All is matched
/// Source  pycocotools, COCOeval.evaluateImg.
[[nodiscard]] MatchedDetections match_objects(std::span<const Detection> found, std::span<const TrueObject> objects,
                                              uint64_t image = 0, double unit_area = 0);

/// Returns the mean over the categories that have objects of this size of the precision at the recalls 0, .01 ... 1,
/// where the precision at a recall is the largest at that recall or a higher one. Of equal scores the image that was
/// added first comes first.
/// Empty   no such object in any image -> nullopt.
/// Source  pycocotools, COCOeval.accumulate.
[[nodiscard]] std::optional<AveragePrecision> average_precision(const MatchedDetections& images,
                                                                ObjectSize size = ObjectSize::All);

}  // namespace detent
