#pragma once

#include <string>
#include <vector>

namespace detent {

/// Milliseconds that a model of the engine expects on a GPU.
struct GpuEstimate {
  std::string gpu;              ///< "H200"
  double float_ms = 0, ms = 0;  ///< of the float model in FP16, of the planned file
  double ratio = 0;             ///< float_ms / ms: above 1 the file is faster
  std::string source;           ///< of the numbers
};

/// The time that a model of TensorRT's kernels expects of a plan, without a measurement.
struct SpeedEstimate : GpuEstimate {  ///< on the GPU that the model was fitted on
  double error = 0;                   ///< standard error of `ratio`, as a fraction of it
  std::vector<GpuEstimate> others;    ///< by data sheets; how well they do there is not known
};

}  // namespace detent
