// Detectors' operators on boxes: RoiAlign, NonMaxSuppression and MaxRoiPool.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/index.h"
#include "core/memory_limit.h"
#include "core/saturated.h"
#include "core/stop.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

struct RoiSettings {
  bool takes_maximum = false;
  float offset = 0.5F;  ///< subtracted from scaled corners: 0.5 for half_pixel, 0 for output_half_pixel
  int64_t height = 1, width = 1;
  int64_t sampling_ratio = 0;  ///< samples per bin and axis; 0 = as many as the bin has input elements
  float scale = 1;
};

RoiSettings roi_settings(const KernelContext& context) {
  const Node& node = context.node;
  RoiSettings settings;
  constexpr Named<bool> kModes[] = {{"avg", false}, {"max", true}};
  settings.takes_maximum = value_named(node, "mode", "avg", kModes);
  constexpr Named<float> kOffsets[] = {{"half_pixel", 0.5F}, {"output_half_pixel", 0}};
  settings.offset = value_named(node, "coordinate_transformation_mode",
                                context.opset < 16 ? "output_half_pixel" : "half_pixel", kOffsets);
  settings.height = node.int_or("output_height", 1);
  settings.width = node.int_or("output_width", 1);
  settings.sampling_ratio = node.int_or("sampling_ratio", 0);
  settings.scale = node.float_or("spatial_scale", 1);
  constexpr int64_t kMostBins = 1 << 15, kMostSamples = 1 << 10;  // an axis of an image; each sample costs time
  if (std::min(settings.height, settings.width) < 1 || std::max(settings.height, settings.width) > kMostBins)
    throw Error(ErrorCode::InvalidModel,
                "attributes output_height and output_width are " + std::to_string(settings.height) + " and " +
                    std::to_string(settings.width) + ", expected 1 to " + std::to_string(kMostBins));
  if (settings.sampling_ratio < 0 || settings.sampling_ratio > kMostSamples)
    throw Error(ErrorCode::InvalidModel, "attribute sampling_ratio is " + std::to_string(settings.sampling_ratio) +
                                             ", expected 0 to " + std::to_string(kMostSamples));
  return settings;
}

/// The four elements around a place and their weights.
struct Corners {
  std::array<int64_t, 4> offset{};
  std::array<float, 4> weight{};
};

/// Returns the corners of bilinear sampling; all weights are 0 more than one element outside.
Corners corners_at(float y, float x, int64_t height, int64_t width) {
  if (!(y >= -1 && y <= static_cast<float>(height) && x >= -1 && x <= static_cast<float>(width))) return {};
  const auto axis = [](float at, int64_t extent) {
    at = std::clamp(at, 0.0F, static_cast<float>(extent - 1));
    const auto low = static_cast<int64_t>(at);
    return std::tuple(low, std::min(low + 1, extent - 1), at - static_cast<float>(low));
  };
  const auto [y_low, y_high, dy] = axis(y, height);
  const auto [x_low, x_high, dx] = axis(x, width);
  return {{y_low * width + x_low, y_low * width + x_high, y_high * width + x_low, y_high * width + x_high},
          {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx}};
}

/// An axis of a region: start and length of its bins, and the number of samples in each.
struct RoiAxis {
  float start, bin;
  int64_t samples;

  RoiAxis(float first, float last, int64_t bins, const RoiSettings& settings)
      : start(first * settings.scale - settings.offset) {
    float length = last * settings.scale - settings.offset - start;
    if (settings.offset == 0) length = std::max(length, 1.0F);
    bin = length / static_cast<float>(bins);
    if (!(std::abs(bin) < static_cast<float>(1 << 15)))
      throw Error(ErrorCode::InvalidData, "a region of interest is larger than any image");
    samples = settings.sampling_ratio > 0 ? settings.sampling_ratio : static_cast<int64_t>(std::ceil(bin));
  }
  [[nodiscard]] float at(int64_t index, int64_t sample) const {
    return start + static_cast<float>(index) * bin +
           (static_cast<float>(sample) + 0.5F) * bin / static_cast<float>(samples);
  }
};

/// Pools samples. The maximum is over the weighted corners, not over their sums, as in ONNX Runtime and the conformance
/// suite.
float pooled(const float* plane, const std::vector<Corners>& samples, bool takes_maximum) {
  float total = 0, largest = -std::numeric_limits<float>::infinity();
  for (const Corners& sample : samples)
    for (size_t i = 0; i < 4; ++i) {
      const float part = sample.weight[i] * plane[sample.offset[i]];
      total += part;
      largest = std::max(largest, part);
    }
  if (samples.empty()) return 0;
  return takes_maximum ? largest : total / static_cast<float>(samples.size());
}

void align_roi(const float* image, const Shape& shape, const float* roi, const RoiSettings& s, float* out) {
  const RoiAxis rows(roi[1], roi[3], s.height, s), columns(roi[0], roi[2], s.width, s);
  const int64_t plane = shape[2] * shape[3];
  const int64_t count =
      std::max<int64_t>(rows.samples, 0) * std::max<int64_t>(columns.samples, 0);  // 2^15 each at most
  check_memory(static_cast<uint64_t>(count) * sizeof(Corners),
               [&] { return "a bin of " + std::to_string(count) + " samples"; });
  std::vector<Corners> samples;
  for (int64_t y = 0; y < s.height; ++y)
    for (int64_t x = 0; x < s.width; ++x) {
      samples.clear();
      for (int64_t i = 0; i < rows.samples; ++i) {
        stop_if_interrupted();
        for (int64_t k = 0; k < columns.samples; ++k)
          samples.push_back(corners_at(rows.at(y, i), columns.at(x, k), shape[2], shape[3]));
      }
      for (int64_t c = 0; c < shape[1]; ++c)
        out[(c * s.height + y) * s.width + x] = pooled(image + c * plane, samples, s.takes_maximum);
    }
}

void run_roi_align(KernelCall& call, const RoiSettings& settings) {
  const Shape& shape = call.input(0).shape();
  const Shape& rois = call.input(1).shape();
  if (shape.rank() != 4 || rois.rank() != 2 || rois[1] != 4)
    throw Error(ErrorCode::InvalidData,
                "inputs of shapes " + shape.to_string() + " and " + rois.to_string() + ", expected NxCxHxW and Rx4");
  const std::vector<int64_t> images = integers_of(call.input(2));
  if (std::ssize(images) != rois[0])
    throw Error(ErrorCode::InvalidData,
                std::to_string(images.size()) + " batch indices for " + std::to_string(rois[0]) + " regions");
  const DataType type = call.input(0).type();
  const Tensor input = cast(call.input(0), DataType::Float32, call.allocator());
  const Tensor boxes = cast(call.input(1), DataType::Float32, call.allocator());
  Tensor output(DataType::Float32, {rois[0], shape[1], settings.height, settings.width}, call.allocator());
  if (shape[2] == 0 || shape[3] == 0)
    throw Error(ErrorCode::InvalidData, "an image of shape " + shape.to_string() + " has no pixels to sample");
  const int64_t image_size = shape.element_count(1, 4), roi_size = output.shape().element_count(1, 4);
  for (int64_t r = 0; r < rois[0]; ++r) {
    const int64_t image = images[as_index(r)];
    if (image < 0 || image >= shape[0])
      throw Error(ErrorCode::InvalidData,
                  "batch index " + std::to_string(image) + " in a batch of " + std::to_string(shape[0]));
    align_roi(input.data<float>().data() + image * image_size, shape, boxes.data<float>().data() + 4 * r, settings,
              output.mutable_data<float>().data() + r * roi_size);
  }
  call.set_output(0, cast(output, type, call.allocator()));
}

struct Box {
  float top, left, bottom, right;
  [[nodiscard]] float area() const { return (bottom - top) * (right - left); }
};

Box box_at(const float* values, bool centered) {
  if (centered)  // x, y, width, height
    return {values[1] - values[3] / 2, values[0] - values[2] / 2, values[1] + values[3] / 2, values[0] + values[2] / 2};
  return {std::min(values[0], values[2]), std::min(values[1], values[3]), std::max(values[0], values[2]),
          std::max(values[1], values[3])};
}

bool overlaps(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return false;
  const float both = height * width, either = a.area() + b.area() - both;
  return a.area() > 0 && b.area() > 0 && either > 0 && both / either > threshold;
}

struct SuppressionLimits {
  int64_t boxes = 0;
  float overlap = 0;
  std::optional<float> score;
};

/// Returns indices of the kept boxes, best first; of equal scores the first comes first, NaN after all others.
std::vector<int64_t> kept_boxes(const std::vector<Box>& boxes, const float* scores, const SuppressionLimits& limits) {
  std::vector<int64_t> order;
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!limits.score || scores[i] > *limits.score) order.push_back(as_extent(i));
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return scores[a] > scores[b] || (std::isnan(scores[b]) && !std::isnan(scores[a]));
  });
  std::vector<int64_t> kept;
  for (const int64_t candidate : order) {
    if (std::ssize(kept) >= limits.boxes) break;
    stop_if_interrupted();
    const Box& box = boxes[as_index(candidate)];
    if (std::ranges::none_of(kept, [&](int64_t k) { return overlaps(box, boxes[as_index(k)], limits.overlap); }))
      kept.push_back(candidate);
  }
  return kept;
}

void run_suppression(KernelCall& call, bool centered) {
  const Shape& boxes = call.input(0).shape();
  const Shape& scores = call.input(1).shape();
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes[2] != 4 || boxes[0] != scores[0] || boxes[1] != scores[2])
    throw Error(ErrorCode::InvalidData, "boxes of shape " + boxes.to_string() + " and scores of shape " +
                                            scores.to_string() + ", expected BxNx4 and BxCxN");
  SuppressionLimits limits;
  if (call.has_input(2)) limits.boxes = saturated<int64_t>(scalar_of(call.input(2)));
  if (call.has_input(3)) limits.overlap = scalar_of(call.input(3));
  if (call.has_input(4)) limits.score = scalar_of(call.input(4));
  const float* corners = call.input(0).data<float>().data();
  const float* score = call.input(1).data<float>().data();
  std::vector<int64_t> found;
  for (int64_t b = 0; b < boxes[0]; ++b) {
    std::vector<Box> of_image;
    for (int64_t i = 0; i < boxes[1]; ++i) of_image.push_back(box_at(corners + (b * boxes[1] + i) * 4, centered));
    for (int64_t c = 0; c < scores[1]; ++c, score += scores[2])
      for (const int64_t box : kept_boxes(of_image, score, limits)) found.insert(found.end(), {b, c, box});
  }
  call.set_output(0, Tensor::from<int64_t>({std::ssize(found) / 3, 3}, found));
}

bool is_centered(const Node& node) { return node.int_or("center_point_box", 0) != 0; }

/// An axis of a region: whole input elements, cut into bins that may overlap by one.
struct RoiBins {
  int64_t first, length, bins, extent;

  RoiBins(float from, float to, float scale, int64_t bin_count, int64_t extent_of_axis)
      : first(std::lround(from * scale)), length(std::max<int64_t>(std::lround(to * scale) - first + 1, 1)),
        bins(bin_count), extent(extent_of_axis) {}
  [[nodiscard]] int64_t begin(int64_t bin) const { return std::clamp<int64_t>(first + bin * length / bins, 0, extent); }
  [[nodiscard]] int64_t end(int64_t bin) const {
    return std::clamp<int64_t>(first + ((bin + 1) * length + bins - 1) / bins, 0, extent);
  }
};

/// Returns the largest element of a bin; 0 for one outside the image.
float largest_in(const float* plane, int64_t width, const RoiBins& rows, const RoiBins& columns, int64_t y, int64_t x) {
  const int64_t top = rows.begin(y), bottom = rows.end(y), left = columns.begin(x), right = columns.end(x);
  if (top >= bottom || left >= right) return 0;
  float largest = plane[top * width + left];
  for (int64_t i = top; i < bottom; ++i)
    for (int64_t k = left; k < right; ++k) largest = std::max(largest, plane[i * width + k]);
  return largest;
}

/// Pools regions; corners are rounded to whole elements and belong to the region. Source: R. Girshick, "Fast R-CNN",
/// ICCV 2015, 2.1.
void run_max_roi_pool(KernelCall& call, int64_t height, int64_t width, float scale) {
  const Shape shape = call.input(0).shape(), rois = call.input(1).shape();
  if (shape.rank() != 4 || rois.rank() != 2 || rois[1] != 5)
    throw Error(ErrorCode::InvalidData,
                "inputs of shapes " + shape.to_string() + " and " + rois.to_string() + ", expected NxCxHxW and Rx5");
  Tensor output(DataType::Float32, {rois[0], shape[1], height, width}, call.allocator());
  float* out = output.mutable_data<float>().data();
  for (int64_t r = 0; r < rois[0]; ++r) {
    const float* roi = call.input(1).data<float>().data() + r * 5;
    const auto image = static_cast<int64_t>(roi[0] >= 0 && roi[0] < 0x1p31F ? roi[0] : -1);
    if (image < 0 || image >= shape[0])
      throw Error(ErrorCode::InvalidData,
                  "batch index " + std::to_string(image) + " in a batch of " + std::to_string(shape[0]));
    for (size_t i = 1; i < 5; ++i)
      if (!(std::abs(roi[i] * scale) < 0x1p31F))
        throw Error(ErrorCode::InvalidData, "a region of interest lies outside any image");
    const RoiBins rows(roi[2], roi[4], scale, height, shape[2]), columns(roi[1], roi[3], scale, width, shape[3]);
    const float* plane = call.input(0).data<float>().data() + image * shape.element_count(1, 4);
    for (int64_t c = 0; c < shape[1]; ++c, plane += shape[2] * shape[3])
      for (int64_t y = 0; y < height; ++y) {
        stop_if_interrupted();
        for (int64_t x = 0; x < width; ++x) *out++ = largest_in(plane, shape[3], rows, columns, y, x);
      }
  }
  call.set_output(0, std::move(output));
}

std::unique_ptr<Kernel> make_max_roi_pool(const KernelContext& context) {
  const std::vector<int64_t> pooled = context.node.ints_or("pooled_shape", {});
  constexpr int64_t kMostBins = 1 << 15;  // an axis of an image
  if (pooled.size() != 2 || std::ranges::min(pooled) < 1 || std::ranges::max(pooled) > kMostBins)
    throw Error(ErrorCode::InvalidModel,
                "attribute pooled_shape is not a height and a width of 1 to " + std::to_string(kMostBins));
  return kernel_of([pooled, scale = context.node.float_or("spatial_scale", 1)](KernelCall& call) {
    run_max_roi_pool(call, pooled[0], pooled[1], scale);
  });
}

}  // namespace

std::vector<OperatorDef> region_operators() {
  constexpr auto align = with_half<make_with<roi_settings, run_roi_align>>;
  constexpr auto suppress = with_float<make_with<is_centered, run_suppression>>;
  return {
      {"RoiAlign", {.data_inputs = 1}, align, 10, LayoutNeed::Plain, refuse_unreadable<roi_settings>},
      {"NonMaxSuppression", {.data_inputs = 0}, suppress, 10},
      {"MaxRoiPool", {.data_inputs = 1}, with_float<make_max_roi_pool>},
  };
}

}  // namespace detent
