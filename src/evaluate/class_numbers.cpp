#include "evaluate/class_numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "detections/average_precision.h"
#include "detent/base/error.h"
#include "evaluate/shown_detections.h"

namespace detent {

namespace {

constexpr double kOnObject = 0.5;  // IoU

struct Located {
  int32_t found, object;  // categories
};

bool is_sure(const Detection& one) { return one.score >= ShownDetections::kLeastScore; }

size_t sure_in(const ProbedSample& sample) { return static_cast<size_t>(std::ranges::count_if(sample.found, is_sure)); }

using PlaceBox = Box (*)(const Box&);

/// Returns the detections with a high score that lie on an object; each object counts once.
std::vector<Located> located_in(const ProbedSample& sample, PlaceBox place) {
  std::vector<Located> pairs;
  std::vector<bool> taken(sample.objects.size());
  for (const Detection& one : sample.found) {
    if (!is_sure(one)) break;
    const Box box = place(one.box);
    for (size_t o = 0; o < taken.size(); ++o) {
      if (taken[o] || iou(box, sample.objects[o].box) < kOnObject) continue;
      taken[o] = true;
      pairs.push_back({one.category, sample.objects[o].category});
      break;
    }
  }
  return pairs;
}

Box as_it_is(const Box& box) { return box; }

std::vector<Located> located_in(std::span<const ProbedSample> samples, PlaceBox place = as_it_is) {
  std::vector<Located> all;
  for (const ProbedSample& sample : samples) {
    const std::vector<Located> some = located_in(sample, place);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// A misreading of the model's boxes, and the boxes without it.
struct BoxMistake {
  std::string_view text;
  PlaceBox cure;
};
constexpr std::array<BoxMistake, 3> kBoxMistakes = {{
    {"their x and y are exchanged (y1, x1, y2, x2)",
     [](const Box& box) {
       return Box{box.top, box.left, box.bottom, box.right};
     }},
    {"their four numbers are centre, width and height",
     [](const Box& box) {
       const float width = box.right, height = box.bottom;
       return Box{box.left - width / 2, box.top - height / 2, box.left + width / 2, box.top + height / 2};
     }},
    {"their four numbers are a corner, width and height, or those of the labels two corners",
     [](const Box& box) {
       return Box{box.left, box.top, box.left + box.right, box.top + box.bottom};
     }},
}};

std::string numbers_text(const std::set<int32_t>& numbers) {
  constexpr size_t kListed = 5;
  std::vector<std::string> texts;
  for (const int32_t one : numbers) texts.push_back(std::to_string(one));
  return listed(texts, kListed);
}

/// Returns the error about classes of detections that lie on objects.
Error wrong_classes(const std::string& what, const std::vector<Located>& located, const std::string& labels) {
  std::set<int32_t> found, objects;
  for (const Located& one : located) found.insert(one.found), objects.insert(one.object);
  return {
      ErrorCode::InvalidData,
      what + fmt::format("{} of them lie on an object of {}, but of another class: classes {} on objects of {}",
                         located.size(), labels, numbers_text(found), numbers_text(objects)),
      "number the categories of --labels as the model does: " + join(kClassNumberings, ", ", &ClassNumbering::name)};
}

Error wrong_boxes(const std::string& what, std::span<const ProbedSample> samples, size_t sure,
                  const std::string& labels) {
  for (const auto& [text, cure] : kBoxMistakes)
    if (const size_t on = located_in(samples, cure).size(); 4 * on >= sure)
      return {ErrorCode::InvalidData,
              what + fmt::format("hardly one lies on an object of {}; {} would if {}", labels, on, text),
              "export the model with boxes x1, y1, x2, y2 or cx, cy, width, height"};
  return {
      ErrorCode::InvalidData, what + "hardly one lies on an object of " + labels,
      "--preprocess must resize, crop or letterbox the images as the model expects, the boxes of --labels are those "
      "of the image files, and --detections names the form of the outputs"};
}

}  // namespace

const ClassNumbering& find_numbering(std::span<const ProbedSample> samples, const ObjectLabels& labels) {
  const std::vector<Located> located = located_in(samples);
  return *std::ranges::max_element(kClassNumberings, {}, [&](const ClassNumbering& numbering) {
    return std::ranges::count_if(located, [&](const Located& one) {
      return numbering.number(one.object, labels.id_of(one.object)) == one.found;
    });
  });
}

void renumber(std::span<TrueObject> objects, const ObjectLabels& labels, const ClassNumbering& numbering) {
  for (TrueObject& one : objects)
    one.category = static_cast<int32_t>(numbering.number(one.category, labels.id_of(one.category)));
}

void require_fit(std::span<const ProbedSample> samples, const std::string& labels) {
  constexpr size_t kFewest = 10;  // detections and objects
  constexpr double kFewRight = 0.15;
  MatchedDetections matched;
  size_t sure = 0, objects = 0;
  for (const ProbedSample& one : samples) {
    matched += match_objects(one.found, one.objects);
    sure += one.objects.empty() ? 0 : sure_in(one);
    objects += one.objects.size();
  }
  const auto precision = average_precision(matched);
  if (sure < kFewest || objects < kFewest || !precision) return;
  const std::vector<Located> located = located_in(samples);
  const auto right = std::ranges::count_if(located, [](const Located& one) { return one.found == one.object; });
  if (static_cast<double>(right) >= kFewRight * static_cast<double>(std::min(sure, objects))) return;
  const std::string what =
      fmt::format("the float model's mAP50 is {:.2f} % on {}, although {} detections have a score of {} or more: ",
                  100 * precision->map50, plural(samples.size(), "sample"), sure, ShownDetections::kLeastScore);
  if (4 * located.size() >= std::min(sure, objects)) throw wrong_classes(what, located, labels);
  throw wrong_boxes(what, samples, std::min(sure, objects), labels);
}

}  // namespace detent
