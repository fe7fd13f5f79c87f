#include "detections/average_precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace detent {

namespace {

constexpr size_t kThresholds = 10, kRecalls = 101, kMostOfCategory = 100;

double threshold(size_t t) { return 0.5 + 0.05 * static_cast<double>(t); }

bool is_finite(const Detection& found) {
  return std::isfinite(found.score) && std::isfinite(found.box.left) && std::isfinite(found.box.top) &&
         std::isfinite(found.box.right) && std::isfinite(found.box.bottom);
}

/// IoU; of a crowd the share of the detection that lies in it.
double overlap(const Box& found, const TrueObject& object) {
  const double shared = shared_area(found, object.box);
  const double whole = object.crowd ? found.area() : found.area() + object.box.area() - shared;
  return whole > 0 ? shared / whole : 0;
}

/// Matches the detections of one category with its objects, both in the order in which they take each other.
void match_category(std::span<const Detection* const> found, std::span<const TrueObject* const> objects,
                    std::vector<ImageMatches::Match>& matches) {
  const size_t first = matches.size();
  for (const Detection* one : found) matches.push_back({one->category, one->score, 0, 0});
  for (size_t t = 0; t < kThresholds; ++t) {
    std::vector<bool> taken(objects.size());
    for (size_t d = 0; d < found.size(); ++d) {
      // A rounded IoU of exactly the threshold counts.
      double best = std::min(threshold(t), 1 - 1e-10);
      std::optional<size_t> match;
      for (size_t o = 0; o < objects.size(); ++o) {
        const bool crowd = objects[o]->crowd;
        if (taken[o] && !crowd) continue;
        if (match && crowd && !objects[*match]->crowd) break;  // objects come before crowds
        const double iou = overlap(found[d]->box, *objects[o]);
        if (iou < best) continue;
        best = iou;
        match = o;
      }
      if (!match) continue;
      taken[*match] = true;
      const auto bit = static_cast<uint16_t>(1U << t);
      auto& bits = objects[*match]->crowd ? matches[first + d].ignored : matches[first + d].right;
      bits = static_cast<uint16_t>(bits | bit);
    }
  }
}

/// Average precision of one category at one threshold; `matches` in the order of falling scores.
double precision_at(std::span<const ImageMatches::Match> matches, size_t t, uint64_t objects) {
  std::vector<double> recall, precision;
  uint64_t right = 0, wrong = 0;
  for (const ImageMatches::Match& match : matches) {
    if ((match.ignored >> t & 1U) != 0) continue;
    ++((match.right >> t & 1U) != 0 ? right : wrong);
    recall.push_back(static_cast<double>(right) / static_cast<double>(objects));
    precision.push_back(static_cast<double>(right) / static_cast<double>(right + wrong));
  }
  for (size_t i = precision.size(); i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);
  double sum = 0;
  for (size_t r = 0; r < kRecalls; ++r) {
    const auto at = std::ranges::lower_bound(recall, static_cast<double>(r) / (kRecalls - 1));
    if (at != recall.end()) sum += precision[static_cast<size_t>(at - recall.begin())];
  }
  return sum / kRecalls;
}

}  // namespace

ImageMatches match_objects(std::span<const Detection> found, std::span<const TrueObject> objects) {
  std::map<int32_t, std::pair<std::vector<const Detection*>, std::vector<const TrueObject*>>> categories;
  for (const Detection& one : found)
    if (is_finite(one)) categories[one.category].first.push_back(&one);
  for (const TrueObject& object : objects) categories[object.category].second.push_back(&object);
  ImageMatches image;
  for (auto& [category, both] : categories) {
    auto& [detections, truths] = both;
    std::ranges::stable_sort(detections, std::ranges::greater{}, [](const Detection* one) { return one->score; });
    detections.resize(std::min(detections.size(), kMostOfCategory));
    std::ranges::stable_sort(truths, {}, [](const TrueObject* object) { return object->crowd; });
    match_category(detections, truths, image.matches);
    const auto crowds = std::ranges::count_if(truths, [](const TrueObject* object) { return object->crowd; });
    if (const auto real = truths.size() - static_cast<size_t>(crowds); real > 0)
      image.counts.push_back({category, static_cast<uint32_t>(real)});
  }
  return image;
}

std::optional<AveragePrecision> average_precision(std::span<const ImageMatches> images) {
  std::map<int32_t, std::pair<uint64_t, std::vector<ImageMatches::Match>>> categories;
  for (const ImageMatches& image : images) {
    for (const ImageMatches::Count& count : image.counts) categories[count.category].first += count.objects;
    for (const ImageMatches::Match& match : image.matches) categories[match.category].second.push_back(match);
  }
  std::erase_if(categories, [](const auto& category) { return category.second.first == 0; });
  if (categories.empty()) return std::nullopt;
  AveragePrecision mean;
  for (auto& [category, counted] : categories) {
    auto& [objects, matches] = counted;
    std::ranges::stable_sort(matches, std::ranges::greater{}, &ImageMatches::Match::score);
    std::array<double, kThresholds> precision{};
    for (size_t t = 0; t < kThresholds; ++t) precision[t] = precision_at(matches, t, objects);
    mean.map += std::accumulate(precision.begin(), precision.end(), 0.0) / kThresholds;
    mean.map50 += precision.front();
  }
  const auto count = static_cast<double>(categories.size());
  return AveragePrecision{mean.map / count, mean.map50 / count};
}

}  // namespace detent
