#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "detections/matched_detections.h"

namespace detent {

/// Mean average precision as COCO defines it, fractions in [0, 1].
struct AveragePrecision {
  double map = 0;    ///< mean over the IoU thresholds .50, .55 ... .95
  double map50 = 0;  ///< at the IoU threshold .50
};

/// Detections of several parts of the images (a sample or a batch each), ranked once for the precision of many
/// selections of parts. Of equal scores that of the earlier part comes first.
class RankedDetections {
 public:
  explicit RankedDetections(std::span<const MatchedDetections* const> parts, ObjectSize size = ObjectSize::All);

  /// Returns the mean over the categories that have objects of this size of the precision at the recalls 0, .01 ... 1,
  /// where the precision at a recall is the largest at that recall or a higher one.
  /// counts  how often each part counts; empty: once
  /// Empty   no such object in any image -> nullopt.
  /// Source  pycocotools, COCOeval.accumulate.
  [[nodiscard]] std::optional<AveragePrecision> precision(std::span<const uint32_t> counts = {}) const;

  /// Returns for each part the precision of all the others, which is that of precision() up to rounding; without an
  /// object nullopt. A part costs about as many steps as its categories have recalls, however many detections there
  /// are.
  [[nodiscard]] std::vector<std::optional<AveragePrecision>> without_each() const;

 private:
  struct Ranked {
    uint32_t part = 0;
    uint16_t right = 0, ignored = 0;  // bit t: at the t-th IoU threshold
  };
  struct Category {
    std::vector<Ranked> ranked = {};                          // the highest scores first
    std::vector<std::pair<uint32_t, uint32_t>> objects = {};  // part and number, by part
    uint64_t count = 0;
  };
  class Curve;
  class LeaveOut;

  std::vector<Category> categories_;  // that have objects
  size_t parts_;
};

/// Returns the precision of all images together (RankedDetections::precision).
[[nodiscard]] std::optional<AveragePrecision> average_precision(const MatchedDetections& images,
                                                                ObjectSize size = ObjectSize::All);

}  // namespace detent
