#include "detections/matched_detections.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace detent {

namespace {

using Match = MatchedDetections::Match;

/// Returns the t-th IoU threshold with the bits of numpy.linspace(0.5, 0.95, 10), which pycocotools takes.
double threshold(size_t t) {
  constexpr double kFirst = 0.5, kLast = 0.95;
  return t + 1 == kIouThresholds ? kLast : static_cast<double>(t) * ((kLast - kFirst) / (kIouThresholds - 1)) + kFirst;
}

/// IoU; of a crowd the share of the detection that lies in it.
double overlap(const Detection& found, const TrueObject& object) {
  const double shared = shared_area(found.box, object.box), own = found.box.area();
  const double whole = object.crowd ? own : own + object.box.area() - shared;
  return whole > 0 ? shared / whole : 0;
}

/// Areas in pixels of the image, bounds included.
struct AreaRange {
  double least, most;

  [[nodiscard]] bool holds(double area) const { return area >= least && area <= most; }
};
constexpr double kSmall = 32 * 32, kLarge = 96 * 96, kAny = std::numeric_limits<double>::infinity();
constexpr std::array<AreaRange, kObjectSizes> kRanges{{{0, kAny}, {0, kSmall}, {kSmall, kLarge}, {kLarge, kAny}}};

/// Detections and objects of one category in one image.
struct Category {
  std::vector<const Detection*> found = {};  // the highest scores first
  std::vector<const TrueObject*> objects = {};
  std::vector<double> overlaps = {};  // [detection][object]
  double unit_area = 0;

  /// Returns the matches of all sizes and thresholds.
  [[nodiscard]] std::vector<Match> match();
  /// Returns the number of objects to find.
  [[nodiscard]] uint32_t count(size_t size) const {
    return static_cast<uint32_t>(
        std::ranges::count_if(objects, [&](const TrueObject* one) { return !is_ignored(*one, size); }));
  }

 private:
  static bool is_ignored(const TrueObject& object, size_t size) {
    return object.crowd || !kRanges[size].holds(object.area);
  }
  /// Returns the free object with the largest overlap, ignored ones only where no other will do.
  /// order  of the objects, the ignored ones last
  [[nodiscard]] std::optional<size_t> object_for(size_t detection, double least, size_t size,
                                                 const std::vector<size_t>& order,
                                                 const std::vector<bool>& taken) const;
  void match_size(size_t size, std::span<Match> matches) const;
};

std::optional<size_t> Category::object_for(size_t detection, double least, size_t size,
                                           const std::vector<size_t>& order, const std::vector<bool>& taken) const {
  std::optional<size_t> match;
  for (const size_t o : order) {
    if (taken[o] && !objects[o]->crowd) continue;
    if (match && is_ignored(*objects[o], size) && !is_ignored(*objects[*match], size)) break;
    const double overlap = overlaps[detection * objects.size() + o];
    if (overlap < least) continue;
    least = overlap;
    match = o;
  }
  return match;
}

void Category::match_size(size_t size, std::span<Match> matches) const {
  std::vector<size_t> order(objects.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t o) { return is_ignored(*objects[o], size); });
  for (size_t t = 0; t < kIouThresholds; ++t) {
    std::vector<bool> taken(objects.size());
    for (size_t d = 0; d < found.size(); ++d) {
      // A rounded IoU of exactly the threshold counts.
      const auto match = object_for(d, std::min(threshold(t), 1 - 1e-10), size, order, taken);
      if (match) taken[*match] = true;
      const bool ignored =
          match ? is_ignored(*objects[*match], size) : !kRanges[size].holds(found[d]->box.area() * unit_area);
      if (!match && !ignored) continue;
      uint16_t& bits = (ignored ? matches[d].ignored : matches[d].right)[size];
      bits = static_cast<uint16_t>(bits | 1U << t);
    }
  }
}

std::vector<Match> Category::match() {
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const Detection* one) { return one->score; });
  found.resize(std::min(found.size(), kMostOfCategory));
  std::vector<Match> matches;
  for (const Detection* one : found) {
    matches.push_back({one->category, one->score});
    for (const TrueObject* object : objects) overlaps.push_back(overlap(*one, *object));
  }
  for (size_t size = 0; size < (unit_area > 0 ? kObjectSizes : 1); ++size) match_size(size, matches);
  return matches;
}

}  // namespace

MatchedDetections& MatchedDetections::operator+=(const MatchedDetections& other) {
  matches.insert(matches.end(), other.matches.begin(), other.matches.end());
  counts.insert(counts.end(), other.counts.begin(), other.counts.end());
  return *this;
}

MatchedDetections match_objects(std::span<const Detection> found, std::span<const TrueObject> objects,
                                double unit_area) {
  std::map<int32_t, Category> categories;
  for (const Detection& one : found)
    if (is_finite(one)) categories[one.category].found.push_back(&one);
  for (const TrueObject& object : objects) categories[object.category].objects.push_back(&object);
  MatchedDetections matched;
  for (auto& [number, category] : categories) {
    category.unit_area = unit_area;
    const std::vector<Match> matches = category.match();
    matched.matches.insert(matched.matches.end(), matches.begin(), matches.end());
    MatchedDetections::Count count{number};
    for (size_t size = 0; size < (unit_area > 0 ? kObjectSizes : 1); ++size) count.objects[size] = category.count(size);
    if (count.objects[0] > 0) matched.counts.push_back(count);
  }
  return matched;
}

}  // namespace detent
