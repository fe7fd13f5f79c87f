#include "detections/decode.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/float_type.h"
#include "core/index.h"
#include "detections/suppress.h"

namespace detent {

namespace {

constexpr size_t kMost = 100;
constexpr double kSuppressedIou = 0.65;  // as kLeastScore

using Four = std::array<float, 4>;

Box around(const Four& box) {
  const auto [x, y, width, height] = box;
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

Box box_of(const Four& box, bool corners) { return corners ? Box{box[0], box[1], box[2], box[3]} : around(box); }

std::vector<Detection> highest(std::vector<Detection> found) {
  std::erase_if(found, std::not_fn(is_finite));
  std::ranges::stable_sort(found, std::ranges::greater{}, &Detection::score);
  found.resize(std::min(found.size(), kMost));
  return found;
}

/// The highest of those that stay: no category has more among them.
std::vector<Detection> suppressed(std::vector<Detection> found) {
  std::erase_if(found, std::not_fn(is_finite));
  return highest(suppress(std::move(found), kSuppressedIou, kMost));
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
Four in_pixels(const Four& box, int64_t row, InputSize input) {
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
      count_(std::move(count)), corners_(has_corners()) {}

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

bool DetectionReader::has_corners() const {
  if (layout_.form == DetectionForm::XyxyScoreClass || layout_.form == DetectionForm::BoxesScoresLabels) return true;
  if (layout_.grid) return false;
  bool any = false;
  for (int64_t n = 0; n < boxes_.shape()[0]; ++n) {
    const Rows all = rows_of(boxes_, n, layout_.form == DetectionForm::CxcywhScores ? layout_.axis : 2);
    for (int64_t r = 0; r < all.rows; ++r) {
      const Four box = all.box(r);
      if (box[2] < box[0] || box[3] < box[1]) return false;
      any = any || box[2] > box[0];
    }
  }
  return any;
}

std::vector<Detection> DetectionReader::read(int64_t sample, InputSize input, float above) const {
  switch (layout_.form) {
    case DetectionForm::XyxyScoreClass: return suppressed_rows(sample);
    case DetectionForm::CxcywhScores: return joined_rows(sample, input, above);
    case DetectionForm::BoxesScoresLabels: return selected_rows(sample);
    case DetectionForm::BoxesLogits: break;
  }
  return separate_rows(sample, input, above);
}

std::vector<Detection> DetectionReader::suppressed_rows(int64_t sample) const {
  const Rows all = rows_of(boxes_, sample, 2);
  std::vector<Detection> found;
  for (int64_t r = 0; r < all.rows; ++r) add_row(found, all.box(r), all.at(r, 4), all.at(r, 5));
  return highest(std::move(found));
}

std::vector<Detection> DetectionReader::selected_rows(int64_t sample) const {
  const Rows all = rows_of(boxes_, sample, 2);
  const float* scores = scores_.data<float>().data() + sample * all.rows;
  const float* labels = labels_.empty_handle() ? nullptr : labels_.data<float>().data() + sample * all.rows;
  const float most = count_.empty_handle() ? static_cast<float>(all.rows) : count_.data<float>()[as_index(sample)];
  std::vector<Detection> found;
  for (int64_t r = 0; r < all.rows && static_cast<float>(r) < most; ++r)
    add_row(found, all.box(r), scores[r], labels ? labels[r] : 0);
  return highest(std::move(found));
}

std::vector<Detection> DetectionReader::joined_rows(int64_t sample, InputSize input, float above) const {
  const Rows all = rows_of(boxes_, sample, layout_.axis);
  const int64_t scores = 4 + (layout_.objectness ? 1 : 0);
  std::vector<Detection> found;
  const auto add = [&](int64_t r, int64_t c) {
    const float score = all.at(r, scores + c) * (layout_.objectness ? all.at(r, 4) : 1.0F);
    if (!(score > above)) return;
    const Four box = layout_.grid ? in_pixels(all.box(r), r, input) : all.box(r);
    found.push_back({box_of(box, corners_), score, static_cast<int32_t>(c)});
  };
  // In the order of memory; suppress() sorts by class, then by score and row.
  const bool by_class = layout_.axis == 1;
  for (int64_t i = 0; i < (by_class ? layout_.classes : all.rows); ++i)
    for (int64_t j = 0; j < (by_class ? all.rows : layout_.classes); ++j) by_class ? add(j, i) : add(i, j);
  return suppressed(std::move(found));
}

std::vector<Detection> DetectionReader::separate_rows(int64_t sample, InputSize input, float above) const {
  const Rows boxes = rows_of(boxes_, sample, 2), scores = rows_of(scores_, sample, 2);
  const int64_t first = layout_.background ? 1 : 0;
  std::vector<Detection> found;
  for (int64_t r = 0; r < boxes.rows; ++r) {
    const Box box = box_of(scaled(boxes.box(r), input), corners_);
    for (int64_t c = first; c < scores_.shape()[2]; ++c) {
      const double given = scores.at(r, c);
      const auto score = static_cast<float>(layout_.probabilities ? given : 1 / (1 + std::exp(-given)));
      if (layout_.suppressed || score > above) found.push_back({box, score, static_cast<int32_t>(c - first)});
    }
  }
  return layout_.suppressed ? highest(std::move(found)) : suppressed(std::move(found));
}

}  // namespace detent
