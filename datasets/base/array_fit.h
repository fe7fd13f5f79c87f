#pragma once

#include <optional>
#include <string>
#include <utility>

#include "detent/base/data_source.h"

namespace detent {

/// A model input that a source feeds.
struct FeedInput {
  InputSpec spec;
  size_t position = 0;  ///< position among the model's inputs
  /// Axis of spec.shape whose extent is ignored when shapes are compared. kNoBatchAxis: a sample is the whole shape.
  int batch_axis = 0;
};

/// The division of an array into samples.
struct ArrayFit {
  static constexpr int kWhole = -1;
  int cut_axis = kWhole;  ///< sample i is slice i of this axis of the array; kWhole: the array is one sample
  size_t samples = 1;
  /// Tokens in a sample when rows of ids are longer than the input: sample i is window i % windows of row i / windows.
  /// 0: whole rows.
  int64_t window = 0;
  size_t windows = 1;
};

/// A sample of one array, and the token id after it in the data when it is a window.
struct ArraySample {
  Tensor values;
  std::optional<int64_t> next;
};

/// Adds the array of the next input to a sample.
inline void add_array(Sample& sample, ArraySample array) {
  sample.inputs.push_back(std::move(array.values));
  sample.next.push_back(array.next);
}

/// Matches an array's shape with an input of rank R whose batch axis is b: by rank first, then by the axis.
///
/// rank R - 1  one sample without its batch axis.
/// rank R      axis b counts samples; with b > 0 and fitting sizes axis 0 may do so, without b: states [samples,
/// layers, hidden].
/// rank R + 1  axis 0 counts samples; each has extent 1 at b.
/// No declared shape: axis 0 counts samples, each with extent 1 there; a scalar is one sample.
/// No batch axis: rank R is one sample, R + 1 has samples on axis 0. Token ids, integers [batch, S] with S fixed: rows
/// longer than S, [N, L] or [L], are cut to consecutive windows of S; the rest of a row is dropped.
/// Errors  InvalidData, without a file name, with both shapes; also when an array can be read in two ways, unless the
/// user named the axis or it has extent 1: then axis b counts.
[[nodiscard]] ArrayFit fit_array(const Shape& array, const FeedInput& input);

/// Returns sample `i` of a whole array, in the input's rank and type.
[[nodiscard]] ArraySample cut_sample(const Tensor& array, const ArrayFit& fit, size_t i, const FeedInput& input);

/// Converts `values` (one slice with the cut axis kept as 1, or the whole array) to the input's rank and type.
/// Errors  InvalidData for floats that an integer input would lose, such as pixels from 0 to 1 for uint8.
[[nodiscard]] Tensor shape_sample(const Tensor& values, const ArrayFit& fit, const FeedInput& input);

/// Returns the window at `first` of a row of token ids of any shape, in the input's rank and type.
/// Errors  Internal beyond the row.
[[nodiscard]] ArraySample cut_window(const Tensor& row, int64_t first, int64_t window, const FeedInput& input);

/// Returns "1x3x224x224" with '?' for open extents; "scalar" for rank 0.
[[nodiscard]] std::string describe_shape(const InputSpec& spec);

}  // namespace detent
