#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace detent {

/// Numbers by frame: `bins` of them in each.
struct AudioFeatures {
  int64_t frames = 0, bins = 1;
  std::vector<float> values;
};

/// Returns how many frames log_mel makes of so many samples.
[[nodiscard]] int64_t log_mel_frames(int64_t samples, int rate);
/// Computes Whisper's features, in double: windows of 25 ms (Hann, periodic) every 10 ms around their first sample, the
/// signal reflected at its ends; the power in mel bands of Slaney up to half the rate, each of area 1; log10, at least
/// 1e-10 and at least 8 below the largest of the clip; (x + 4) / 4. The frame behind the last whole 10 ms is left out.
/// Source  A. Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision", 2022; M. Slaney, "Auditory
///         Toolbox", 1998.
/// Errors  InvalidData for a clip that is not longer than half a window.
[[nodiscard]] AudioFeatures log_mel(std::span<const float> samples, int rate, int64_t bins);

/// Options of Kaldi's filter banks; frequencies in Hz.
struct FbankOptions {
  int rate = 16000;
  int64_t bins = 80;
  double low = 20;
  double high = 0;  ///< 0 and less: below half the rate
  bool snip_edges = true;

  [[nodiscard]] double upper() const { return high > 0 ? high : rate / 2.0 + high; }
};

/// Returns how many frames fbank makes of so many samples.
[[nodiscard]] int64_t fbank_frames(int64_t samples, const FbankOptions& options);
/// Computes Kaldi's filter banks, in double, without dither: windows of 25 ms every 10 ms, less their mean, with
/// preemphasis 0.97 and Povey's window, filled with zeros to a power of two; the power in mel bands of O'Shaughnessy
/// whose peaks are 1; ln, at least that of 2^-23. snip_edges: windows lie within the clip; otherwise the clip is
/// reflected at its ends and every 10 ms has a frame.
/// Source  D. Povey et al., "The Kaldi Speech Recognition Toolkit", 2011.
/// Errors  InvalidData for a clip without a frame.
[[nodiscard]] AudioFeatures fbank(std::span<const float> samples, const FbankOptions& options);

}  // namespace detent
