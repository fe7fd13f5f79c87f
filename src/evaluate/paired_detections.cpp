#include "evaluate/paired_detections.h"

#include "detections/detection_error.h"

namespace detent {

std::optional<PairedDetections> PairedDetections::of(const DetectionLayout& layout, std::span<const std::string> names,
                                                     std::span<const Tensor> expected, std::span<const Tensor> found,
                                                     size_t samples, InputSize image, float above) {
  const auto count = static_cast<int64_t>(samples);
  const auto reference = DetectionReader::of(layout, names, expected, count);
  auto candidate = DetectionReader::of(layout, names, found, count);
  if (!reference || !candidate) return std::nullopt;
  candidate->set_numbers(reference->numbers());
  PairedDetections pairs;
  for (int64_t n = 0; n < count; ++n) {
    pairs.expected.push_back(reference->read(n, image, above));
    pairs.found.push_back(candidate->read(n, image, above));
  }
  return pairs;
}

MatchedDetections PairedDetections::match_shown(size_t sample) const {
  std::vector<TrueObject> shown;
  for (const Detection& one : expected[sample])
    if (one.score >= kShownFrom) shown.push_back({one.box, one.category});
  return match_objects(found[sample], shown);
}

void PairedDetections::replace_errors(std::span<ErrorSums> errors, const DetectionLayout& layout,
                                      std::span<const std::string> names) const {
  ErrorSums sums;
  sums.is_float = sums.detections = true;
  for (size_t n = 0; n < expected.size(); ++n) {
    const DetectionError error = compare_detections(expected[n], found[n]);
    sums.signal += error.signal;
    sums.noise += error.noise;
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == layout.boxes)
      errors[i] = sums;
    else if (layout.holds(names[i]))
      errors[i] = {};
}

}  // namespace detent
