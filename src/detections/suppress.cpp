#include "detections/suppress.h"

#include <algorithm>
#include <tuple>

namespace detent {

std::vector<Detection> suppress(std::vector<Detection> found, double most, size_t enough) {
  constexpr size_t kMostTried = 1000;
  std::ranges::stable_sort(found, {}, [](const Detection& one) { return std::tuple(one.category, -one.score); });
  std::vector<Detection> kept;
  size_t first = 0;  // of `kept`, in this category
  size_t seen = 0;   // of `found`, in this category
  for (size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].category != found[i - 1].category) {
      first = kept.size();
      seen = 0;
    }
    if (seen++ == kMostTried || kept.size() - first == enough) {
      --seen;
      continue;
    }
    const auto hides = [&](const Detection& other) { return iou(found[i].box, other.box) > most; };
    if (std::none_of(kept.begin() + static_cast<std::ptrdiff_t>(first), kept.end(), hides)) kept.push_back(found[i]);
  }
  return kept;
}

}  // namespace detent
