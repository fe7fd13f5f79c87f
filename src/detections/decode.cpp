#include "detections/decode.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "core/float_type.h"
#include "core/index.h"
#include "detections/matched_detections.h"
#include "detections/suppress.h"

namespace detent {

namespace {

constexpr double kSuppressedIou = 0.65;  // as kLeastScore

using Four = std::array<float, 4>;

Box around(const Four& box) {
  const auto [x, y, width, height] = box;
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

Box box_of(const Four& box, bool corners) { return corners ? Box{box[0], box[1], box[2], box[3]} : around(box); }

/// Returns the `most` highest scores, at most kMostOfCategory of a category.
std::vector<Detection> highest(std::vector<Detection> found, size_t most = std::numeric_limits<size_t>::max()) {
  std::erase_if(found, std::not_fn(is_finite));
  std::ranges::stable_sort(found, std::ranges::greater{}, &Detection::score);
  found.resize(std::min(found.size(), most));
  std::map<int32_t, size_t> counts;
  std::erase_if(found, [&](const Detection& one) { return ++counts[one.category] > kMostOfCategory; });
  return found;
}

std::vector<Detection> suppressed(std::vector<Detection> found) {
  std::erase_if(found, std::not_fn(is_finite));
  return highest(suppress(std::move(found), kSuppressedIou, kMostOfCategory));
}

/// Replaces logits by their Softmax.
void normalize(std::span<double> logits) {
  const double largest = std::ranges::max(logits);
  double sum = 0;
  for (double& one : logits) sum += one = std::exp(one - largest);
  for (double& one : logits) one /= sum;
}

/// The numbers of one sample of [N, rows, columns] or [N, columns, rows].
struct Rows {
  const float* first;
  int64_t rows, row_stride, column_stride;

  [[nodiscard]] float at(int64_t row, int64_t column) const { return first[row * row_stride + column * column_stride]; }
  [[nodiscard]] Four box(int64_t row) const { return {at(row, 0), at(row, 1), at(row, 2), at(row, 3)}; }
};

/// axis  of the columns: 1 or 2.
Rows rows_of(const Tensor& output, int64_t sample, int64_t axis) {
  const int64_t a = output.shape()[1], b = output.shape()[2];
  const float* first = output.data<float>().data() + sample * a * b;
  return axis == 2 ? Rows{first, a, b, 1} : Rows{first, b, 1, b};
}

/// Decodes a box that is an offset from its cell: cells of 8, 16 and 32 pixels, row by row.
/// Source  Ge et al. 2021, YOLOX, arXiv 2107.08430.
Four in_cell(const Four& box, int64_t row, InputSize input) {
  for (const int64_t stride : {8, 16, 32}) {
    const int64_t columns = input.width / stride, cells = columns * (input.height / stride);
    if (row < cells) {
      const auto size = static_cast<float>(stride);
      return {(box[0] + static_cast<float>(row % columns)) * size, (box[1] + static_cast<float>(row / columns)) * size,
              std::exp(box[2]) * size, std::exp(box[3]) * size};
    }
    row -= cells;
  }
  return {};
}

Four scaled(const Four& box, InputSize input) {
  if (input.width == 0) return box;  // no image: any unit will do
  const auto width = static_cast<float>(input.width), height = static_cast<float>(input.height);
  return {box[0] * width, box[1] * height, box[2] * width, box[3] * height};
}

void add_row(std::vector<Detection>& found, const Four& corners, float score, float label) {
  const float category = std::nearbyint(label);
  if (std::abs(category) < 1e6F) found.push_back({box_of(corners, true), score, static_cast<int32_t>(category)});
}

/// Returns the shape of this rank: one sample in front where that is missing, or without a last axis of extent 1.
Shape of_rank(size_t rank, const Shape& shape, int64_t samples) {
  std::vector<int64_t> extents(shape.dims().begin(), shape.dims().end());
  if (extents.size() + 1 == rank && samples == 1) extents.insert(extents.begin(), 1);
  if (extents.size() == rank + 1 && extents.back() == 1) extents.pop_back();
  return Shape(extents);
}

}  // namespace

InputSize input_size(std::span<const Tensor> inputs) {
  for (const Tensor& input : inputs) {
    const Shape& shape = input.shape();
    if (shape.rank() != 4) continue;
    const bool channels_behind = shape[3] <= 4 && shape[1] > 4;
    return channels_behind ? InputSize{shape[1], shape[2]} : InputSize{shape[2], shape[3]};
  }
  return {};
}

DetectionReader::DetectionReader(const DetectionLayout& layout, Tensor boxes, Tensor scores, Tensor labels,
                                 Tensor count)
    : layout_(layout), boxes_(std::move(boxes)), scores_(std::move(scores)), labels_(std::move(labels)),
      count_(std::move(count)), numbers_(find_numbers()) {}

std::optional<DetectionReader> DetectionReader::of(const DetectionLayout& layout, std::span<const std::string> names,
                                                   std::span<const Tensor> outputs, int64_t samples) {
  const bool selected = layout.form == DetectionForm::BoxesScoresLabels;
  const auto find = [&](const std::string& name, size_t rank) {
    const auto at = as_index(std::ranges::find(names, name) - names.begin());
    if (at >= outputs.size() || outputs[at].empty_handle() || outputs[at].is_sequence()) return Tensor();
    const Tensor& output = outputs[at];
    if (!selected && !is_floating_point(output.type())) return Tensor();
    const Shape shape = selected ? of_rank(rank, output.shape(), samples) : output.shape();
    const bool fits = shape.rank() == rank && shape[0] == samples;
    return fits ? cast(output, DataType::Float32).reshaped(shape) : Tensor();
  };
  Tensor boxes = find(layout.boxes, 3);
  if (boxes.empty_handle()) return std::nullopt;
  const Shape& shape = boxes.shape();
  Tensor scores = layout.scores.empty() ? Tensor() : find(layout.scores, selected ? 2 : 3);
  const bool same_rows = !scores.empty_handle() && shape[2] == 4 && scores.shape()[1] == shape[1];
  bool fits = false;
  switch (layout.form) {
    case DetectionForm::XyxyScoreClass: fits = shape[2] == 6; break;
    case DetectionForm::CxcywhScores:
      fits = shape[as_index(layout.axis)] == 4 + layout.classes + (layout.objectness ? 1 : 0);
      break;
    case DetectionForm::BoxesLogits:
    case DetectionForm::BoxesScoresLabels: fits = same_rows; break;
  }
  if (!fits) return std::nullopt;
  Tensor labels = find(layout.labels, 2), count = find(layout.count, 1);
  if (!labels.empty_handle() && labels.shape()[1] != shape[1]) return std::nullopt;
  return DetectionReader(layout, std::move(boxes), std::move(scores), std::move(labels), std::move(count));
}

NumberForm DetectionReader::find_numbers() const {
  const bool selected =
      layout_.form == DetectionForm::XyxyScoreClass || layout_.form == DetectionForm::BoxesScoresLabels;
  if (layout_.grid) return {.pixels = true};
  // Some rows of networks are degenerate, and boxes in 0..1 may reach beyond.
  constexpr int64_t kCrossedOf = 20, kBeyondOf = 4;
  constexpr float kBeyond = 2;
  int64_t rows = 0, crossed = 0, beyond = 0;
  for (int64_t n = 0; n < boxes_.shape()[0]; ++n) {
    const Rows all = rows_of(boxes_, n, layout_.form == DetectionForm::CxcywhScores ? layout_.axis : 2);
    for (int64_t r = 0; r < all.rows; ++r) {
      const Four box = all.box(r);
      if (box[2] == box[0] && box[3] == box[1]) continue;  // of no object
      ++rows;
      crossed += box[2] < box[0] || box[3] < box[1];
      beyond += std::ranges::any_of(box, [](float side) { return std::abs(side) > kBeyond; });
    }
  }
  return {.corners = selected || (rows > 0 && crossed * kCrossedOf <= rows),
          .pixels = rows == 0 ? layout_.form != DetectionForm::BoxesLogits : beyond * kBeyondOf > rows,
          .no_object = find_no_object()};
}

std::optional<int64_t> DetectionReader::find_no_object() const {
  if (layout_.form != DetectionForm::BoxesLogits || (layout_.probabilities && !layout_.background)) return std::nullopt;
  constexpr int64_t kFewestRows = 10;
  const int64_t columns = scores_.shape()[2], rows = scores_.shape()[0] * scores_.shape()[1];
  const auto usual = layout_.background ? std::optional<int64_t>(0) : std::nullopt;
  if (columns < 2 || rows < kFewestRows) return usual;
  int64_t first = 0, last = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const std::span row(scores_.data<float>().data() + r * columns, static_cast<size_t>(columns));
    const auto largest = std::ranges::max_element(row);
    // Sigmoids of more than a half in most rows would be as many objects.
    if (*largest <= 0) continue;
    first += largest == row.begin();
    last += largest == row.end() - 1;
  }
  if (2 * last > rows) return columns - 1;
  return 2 * first > rows ? 0 : usual;
}

std::vector<Detection> DetectionReader::read(int64_t sample, InputSize input, float above) const {
  switch (layout_.form) {
    case DetectionForm::XyxyScoreClass: return suppressed_rows(sample, input);
    case DetectionForm::CxcywhScores: return joined_rows(sample, input, above);
    case DetectionForm::BoxesScoresLabels: return selected_rows(sample, input);
    case DetectionForm::BoxesLogits: break;
  }
  return separate_rows(sample, input, above);
}

std::vector<Detection> DetectionReader::suppressed_rows(int64_t sample, InputSize input) const {
  const Rows all = rows_of(boxes_, sample, 2);
  std::vector<Detection> found;
  for (int64_t r = 0; r < all.rows; ++r) add_row(found, in_pixels(all.box(r), input), all.at(r, 4), all.at(r, 5));
  return highest(std::move(found));
}

std::vector<Detection> DetectionReader::selected_rows(int64_t sample, InputSize input) const {
  const Rows all = rows_of(boxes_, sample, 2);
  const float* scores = scores_.data<float>().data() + sample * all.rows;
  const float* labels = labels_.empty_handle() ? nullptr : labels_.data<float>().data() + sample * all.rows;
  const float most = count_.empty_handle() ? static_cast<float>(all.rows) : count_.data<float>()[as_index(sample)];
  std::vector<Detection> found;
  for (int64_t r = 0; r < all.rows && static_cast<float>(r) < most; ++r)
    add_row(found, in_pixels(all.box(r), input), scores[r], labels ? labels[r] : 0);
  return highest(std::move(found));
}

std::vector<Detection> DetectionReader::joined_rows(int64_t sample, InputSize input, float above) const {
  const Rows all = rows_of(boxes_, sample, layout_.axis);
  const int64_t scores = 4 + (layout_.objectness ? 1 : 0);
  std::vector<Detection> found;
  const auto add = [&](int64_t r, int64_t c) {
    const float score = all.at(r, scores + c) * (layout_.objectness ? all.at(r, 4) : 1.0F);
    if (!(score > above)) return;
    const Four box = layout_.grid ? in_cell(all.box(r), r, input) : in_pixels(all.box(r), input);
    found.push_back({box_of(box, numbers_.corners), score, static_cast<int32_t>(c)});
  };
  // In the order of memory; suppress() sorts by class, then by score and row.
  const bool by_class = layout_.axis == 1;
  for (int64_t i = 0; i < (by_class ? layout_.classes : all.rows); ++i)
    for (int64_t j = 0; j < (by_class ? all.rows : layout_.classes); ++j) by_class ? add(j, i) : add(i, j);
  return suppressed(std::move(found));
}

void DetectionReader::add_classes(std::span<const float> given, const Box& box, float above,
                                  std::vector<Detection>& found) const {
  std::vector<double> scores(given.begin(), given.end());
  if (!layout_.probabilities && numbers_.no_object)
    normalize(scores);
  else if (!layout_.probabilities)
    for (double& one : scores) one = 1 / (1 + std::exp(-one));
  if (numbers_.no_object) scores.erase(scores.begin() + static_cast<std::ptrdiff_t>(*numbers_.no_object));
  const bool one_class = layout_.suppressed && numbers_.no_object;
  const auto highest_score = one_class ? std::ranges::max_element(scores) : scores.end();
  for (auto score = scores.begin(); score != scores.end(); ++score)
    if (one_class ? score == highest_score : layout_.suppressed || static_cast<float>(*score) > above)
      found.push_back({box, static_cast<float>(*score), static_cast<int32_t>(score - scores.begin())});
}

std::vector<Detection> DetectionReader::separate_rows(int64_t sample, InputSize input, float above) const {
  const Rows boxes = rows_of(boxes_, sample, 2), scores = rows_of(scores_, sample, 2);
  const auto columns = static_cast<size_t>(scores_.shape()[2]);
  std::vector<Detection> found;
  for (int64_t r = 0; r < boxes.rows; ++r)
    add_classes({scores.first + r * scores.row_stride, columns},
                box_of(in_pixels(boxes.box(r), input), numbers_.corners), above, found);
  return layout_.suppressed ? highest(std::move(found), static_cast<size_t>(boxes.rows)) : suppressed(std::move(found));
}

std::array<float, 4> DetectionReader::in_pixels(const std::array<float, 4>& box, InputSize input) const {
  return numbers_.pixels ? box : scaled(box, input);
}

}  // namespace detent
