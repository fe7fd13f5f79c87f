#pragma once

#include "detent/compare.h"

namespace detent {

/// Returns a comparison of folder/net.onnx for TensorRT without variants; the float model has 79 % top-1.
template <class Report>
Report judged_by_top1(size_t calibration_samples, size_t evaluation_samples) {
  Report report;
  report.model = "folder/net.onnx";
  report.target = "tensorrt:10.13";
  report.calibration_samples = calibration_samples;
  report.evaluation_samples = evaluation_samples;
  report.fp32 = {{"top1", 0.79}};
  report.criterion = "top1";
  return report;
}

}  // namespace detent
