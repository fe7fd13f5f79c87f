#pragma once

#include <span>
#include <string>
#include <vector>

#include "detent/error_report.h"
#include "detent/tensor.h"

namespace detent {

/// SQNR in dB: 10 log10(signal / noise). No noise -> +infinity; no signal -> 0 dB when there is no noise either, else -infinity.
[[nodiscard]] double sqnr_db(double signal, double noise);

/// Sums over the elements of one output that its metrics need. Adding sums of samples in the same order gives the same bits.
struct ErrorSums {
  double signal = 0, noise = 0, dot = 0, candidate = 0;
  int64_t positions = 0, agreeing = 0;  ///< argmax (or sign) per position
  int64_t undecided = 0;                ///< rows of N x C whose reference tells no class (tells_a_class)
  bool by_sign = false;
  bool is_float = false;

  /// Sums of one sample. Shapes N x C x spatial...: argmax over C at each position; C == 1 or rank < 2: sign.
  /// Tensors that are not float: all zero. Errors  Internal when the shapes differ.
  static ErrorSums of(const Tensor& reference, const Tensor& candidate);
  ErrorSums& operator+=(const ErrorSums& other);

  /// False when most rows of N x C tell no class: coordinates, say.
  [[nodiscard]] bool tells_classes() const { return 2 * undecided <= positions; }
};

/// Metrics from sums per output; `names` are the outputs' names. No float output -> all zero.
[[nodiscard]] ErrorReport summarize_errors(std::span<const std::string> names, std::span<const ErrorSums> sums,
                                           size_t samples);

/// Mean over the outputs of their SQNR in dB, each within the resolution of a float (+-144.5 dB), so that one that nobody
/// touches does not make all means infinite; NaN counts as the worst. No output -> the worst.
[[nodiscard]] double mean_sqnr_db(const ErrorReport& error);

}  // namespace detent
