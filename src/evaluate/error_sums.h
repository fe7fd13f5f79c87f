#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"
#include "detent/reports/error_report.h"

namespace detent {

/// SQNR in dB: 10 log10(signal / noise), powers as sums of squares. No noise -> +infinity; no signal -> 0 dB when there
/// is no noise either, else -infinity.
/// Source  Gray and Neuhoff, "Quantization", IEEE Transactions on Information
/// Theory 44 (1998), equation 7, with the power of the
///         signal for its variance: a constant that is lost is an error too.
[[nodiscard]] double sqnr_db(double signal, double noise);

/// Sums over the elements of one output that its metrics need. Adding sums of samples in the same order gives the same
/// bits.
struct ErrorSums {
  double signal = 0, noise = 0, dot = 0, candidate = 0;
  int64_t positions = 0, agreeing = 0;  ///< argmax (or sign) per position
  int64_t undecided = 0;                ///< rows of N x C whose reference tells no class (tells_a_class)
  int64_t integers = 0, differing = 0;  ///< elements of an output that is not float
  bool by_sign = false;
  bool is_float = false;

  /// Sums of one sample. Shapes N x C x spatial...: argmax over C at each position; C == 1 or rank < 2: sign.
  /// Integers and booleans: elements that differ. Lists, strings and absent optionals: all zero.
  /// counted  by element, row-major: 0 where it is padding, which is in no sum; of a position the argmax is among those
  /// that
  ///          count. Empty: all count.
  /// Errors  Internal when the shapes of numbers differ.
  static ErrorSums of(const Tensor& reference, const Tensor& candidate, std::span<const uint8_t> counted = {});
  ErrorSums& operator+=(const ErrorSums& other);

  /// False when most rows of N x C tell no class: coordinates, say.
  [[nodiscard]] bool tells_classes() const { return 2 * undecided <= positions; }
  /// None where the output is not float or FP32 leaves it at 0.
  [[nodiscard]] std::optional<double> sqnr_db() const;
};

/// The rule of several outputs: a model is as good as its worst one. An output that is exact, perhaps because no layer
/// touches it, says nothing of the others, so there is no mean over outputs anywhere: what is shown, what bounds speak
/// of, and what decides between candidates is the output with the lowest SQNR (NaN is lower than any number). Integers
/// have none; they count by their share of equal elements.
///
/// Metrics from sums per output; `names` are the outputs' names. Outputs of which nothing was summed are left out.
[[nodiscard]] ErrorReport summarize_errors(std::span<const std::string> names, std::span<const ErrorSums> sums,
                                           size_t samples);

/// 20 log10(2^24): a float is not known better than this. Stands for "no difference" where a mean needs a number.
inline constexpr double kExactDb = 144.5;

/// SQNR of the worst output, to compare models by: within +-kExactDb; NaN, and no output with an
/// SQNR at all, count as the worst.
[[nodiscard]] double worst_sqnr_db(const ErrorReport& error);

}  // namespace detent
