#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "detections/detection.h"

namespace detent {

/// The objects that count, by their area in pixels of the image: up to 32^2, from 32^2 to 96^2, from 96^2 on.
enum class ObjectSize : uint8_t { All, Small, Medium, Large };
inline constexpr size_t kObjectSizes = 4;
inline constexpr size_t kIouThresholds = 10;    ///< .50, .55 ... .95
inline constexpr size_t kMostOfCategory = 100;  ///< detections of a category in an image that count

/// Detections of any number of images beside their true objects: all that the average precision needs of them.
struct MatchedDetections {
  struct Match {
    int32_t category = 0;
    float score = 0;
    using Bits = std::array<uint16_t, kObjectSizes>;  ///< by ObjectSize; bit t: at the t-th IoU threshold
    Bits right = {};                                  ///< found an object
    Bits ignored = {};  ///< counts neither way: lies in a crowd, or found or is itself an object of another size
  };
  struct Count {
    int32_t category = 0;
    std::array<uint32_t, kObjectSizes> objects = {};  ///< that are no crowd, by ObjectSize
  };
  std::vector<Match> matches;  ///< image by image
  std::vector<Count> counts;

  MatchedDetections& operator+=(const MatchedDetections& other);
};

/// Matches the detections of one image with objects of their category, the highest scores first: each takes the free
/// object with the largest IoU at or above the threshold. Of a category the 100 highest scores count. Scores and edges
/// that are not finite are left out.
/// unit_area  area in pixels of the image of one square unit of the boxes; 0: only ObjectSize::All is matched
/// Source  pycocotools, COCOeval.evaluateImg.
[[nodiscard]] MatchedDetections match_objects(std::span<const Detection> found, std::span<const TrueObject> objects,
                                              double unit_area = 0);

}  // namespace detent
