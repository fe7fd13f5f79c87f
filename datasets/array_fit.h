#pragma once

#include <string>

#include "detent/data_source.h"

namespace detent {

/// One model input that a source has to feed.
struct FeedInput {
  InputSpec spec;
  size_t position = 0;  ///< among the model's inputs
  bool batched = true;  ///< axis 0 of spec.shape is the batch, and is ignored when shapes are compared
};

/// How an array on disk turns into samples.
struct ArrayFit {
  bool split = false;  ///< sample i is row i of axis 0; otherwise the whole array is the one sample
  size_t samples = 1;
};

/// Matches an array's shape with an input.
///
/// Batched inputs: equal rank -> axis 0 is the batch and is split; one axis less -> one sample. Inputs without a batch
/// (scalars, inputs whose first extent is not the model's batch): equal rank -> one sample; one axis more -> split.
/// Errors  InvalidData, without a file name, saying both shapes.
[[nodiscard]] ArrayFit fit_array(const Shape& array, const FeedInput& input);

/// Gives `values` (one row with axis 0 kept when the fit splits, else the whole array) the input's rank and type.
[[nodiscard]] Tensor shape_sample(const Tensor& values, const ArrayFit& fit, const FeedInput& input);

/// "1x3x224x224" with '?' for open extents; "scalar" for rank 0.
[[nodiscard]] std::string describe_shape(const InputSpec& spec);

}  // namespace detent
