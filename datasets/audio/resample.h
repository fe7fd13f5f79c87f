#pragma once

#include <span>
#include <vector>

namespace detent {

/// Resamples a signal from one rate to another, both above 0: ceil(samples * to / from) samples. Equal rates change
/// nothing.
///
/// Band-limited interpolation with a sinc of six zero crossings on each side under a squared cosine, which ends at 0.99
/// of half the lower rate: out[n] = sum over k of in[k] b sinc(b d) cos^2(pi b d / 12), d = k / from - n / to in units
/// of the greatest common divisor of the rates, b = 0.99 min(from, to). Sums are in double.
/// Source  J. O. Smith, "Digital Audio Resampling"; the numbers are the defaults of torchaudio's resample.
[[nodiscard]] std::vector<float> resample(std::span<const float> in, int from, int to);

}  // namespace detent
