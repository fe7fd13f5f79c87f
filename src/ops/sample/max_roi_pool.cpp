#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "core/stop.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_only.h"

namespace detent {

namespace {

/// One axis of a region: whole input elements, cut into bins that may overlap by one.
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

/// Largest element of a bin; 0 for one outside the image.
float largest_in(const float* plane, int64_t width, const RoiBins& rows, const RoiBins& columns, int64_t y, int64_t x) {
  const int64_t top = rows.begin(y), bottom = rows.end(y), left = columns.begin(x), right = columns.end(x);
  if (top >= bottom || left >= right) return 0;
  float largest = plane[top * width + left];
  for (int64_t i = top; i < bottom; ++i)
    for (int64_t k = left; k < right; ++k) largest = std::max(largest, plane[i * width + k]);
  return largest;
}

/// Corners are rounded to whole elements and belong to the region. Source: R. Girshick, "Fast R-CNN", ICCV 2015, 2.1.
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
        throw Error(ErrorCode::InvalidData, "a region of interest is no region of an image");
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
    throw Error(ErrorCode::InvalidModel, "attribute pooled_shape is no height and width");
  return kernel_of([pooled, scale = context.node.float_or("spatial_scale", 1)](KernelCall& call) {
    run_max_roi_pool(call, pooled[0], pooled[1], scale);
  });
}

constexpr OperatorDef kMaxRoiPoolDefinitions[] = {
    {.op_type = "MaxRoiPool",
     .signature = "X rois -> Y; pooled_shape:ints! spatial_scale:float",
     .traits = {.data_inputs = 1},
     .make = with_float<make_max_roi_pool>},
};

}  // namespace

std::span<const OperatorDef> max_roi_pool_operators() { return kMaxRoiPoolDefinitions; }

}  // namespace detent
