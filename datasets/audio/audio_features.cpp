#include "datasets/audio/audio_features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/fourier_transform.h"
#include "core/index.h"
#include "core/stop.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr int kWindowsInSecond = 40, kFramesInSecond = 100;  // 25 ms and 10 ms

int64_t window_of(int rate) { return rate / kWindowsInSecond; }
int64_t shift_of(int rate) { return rate / kFramesInSecond; }

[[noreturn]] void refuse_short_clip(int64_t samples, const std::string& least) {
  throw Error(ErrorCode::InvalidData,
              "the clip of " + std::to_string(samples) + " samples is too short: a frame takes " + least);
}

/// The weights of one band, from the bin `first` of the spectrum on.
struct Band {
  size_t first = 0;
  std::vector<double> weights;
};

double power_in(const Band& band, std::span<const double> powers) {
  double sum = 0;
  for (size_t i = 0; i < band.weights.size(); ++i) sum += band.weights[i] * powers[band.first + i];
  return sum;
}

/// Makes a band of the weights that `weight` gives for each bin of the spectrum.
template <class Weight>
Band band_of(size_t bins, Weight&& weight) {
  Band band;
  for (size_t i = 0; i < bins; ++i) {
    const double w = weight(static_cast<double>(i));
    if (w <= 0) continue;
    if (band.weights.empty()) band.first = i;
    band.weights.resize(i - band.first);
    band.weights.push_back(w);
  }
  return band;
}

double slaney_hz(double mel) {
  constexpr double kLinear = 200.0 / 3, kBreak = 15, kBreakHz = 1000;
  return mel < kBreak ? kLinear * mel : kBreakHz * std::exp(std::log(6.4) / 27 * (mel - kBreak));
}

double slaney_mel(double hz) {
  constexpr double kLinear = 200.0 / 3, kBreak = 15, kBreakHz = 1000;
  return hz < kBreakHz ? hz / kLinear : kBreak + std::log(hz / kBreakHz) * 27 / std::log(6.4);
}

std::vector<Band> slaney_bands(int64_t bins, double rate, int64_t window) {
  const double top = slaney_mel(rate / 2), hz_a_bin = rate / static_cast<double>(window);
  std::vector<Band> bands;
  for (int64_t b = 0; b < bins; ++b) {
    const auto edge = [&](int64_t i) {
      return slaney_hz(top * static_cast<double>(i) / static_cast<double>(bins + 1));
    };
    const double left = edge(b), centre = edge(b + 1), right = edge(b + 2);
    bands.push_back(band_of(as_index(window / 2 + 1), [&](double i) {
      const double hz = i * hz_a_bin;
      return 2 / (right - left) * std::min((hz - left) / (centre - left), (right - hz) / (right - centre));
    }));
  }
  return bands;
}

double kaldi_mel(double hz) { return 1127 * std::log1p(hz / 700); }

std::vector<Band> kaldi_bands(const FbankOptions& options, size_t padded) {
  const double low = kaldi_mel(options.low),
               step = (kaldi_mel(options.upper()) - low) / static_cast<double>(options.bins + 1);
  const double hz_a_bin = static_cast<double>(options.rate) / static_cast<double>(padded);
  std::vector<Band> bands;
  for (int64_t b = 0; b < options.bins; ++b) {
    const double left = low + static_cast<double>(b) * step;
    bands.push_back(band_of(padded / 2, [&](double i) {  // the last bin, at half the rate, is left out
      const double distance = (kaldi_mel(i * hz_a_bin) - left) / step;
      return std::min(distance, 2 - distance);
    }));
  }
  return bands;
}

/// Returns the sample at any position of a signal that is reflected at its ends. Whole: the end itself is not
/// repeated.
enum class Reflection : uint8_t { Whole, Half };
float reflected(std::span<const float> samples, int64_t at, Reflection reflection) {
  const int64_t last = std::ssize(samples) - 1, again = reflection == Reflection::Half ? 1 : 0;
  while (at < 0 || at > last) at = at < 0 ? -at - again : 2 * last + again - at;
  return samples[as_index(at)];
}

/// The powers of the bins of one window.
class PowerSpectrum {
 public:
  explicit PowerSpectrum(size_t length) : bins_(length / 2 + 1), powers_(length / 2 + 1) {}
  std::span<const double> of(std::span<const double> window) {
    transform_.forward(window, bins_);
    std::ranges::transform(bins_, powers_.begin(), [](const FourierTransform::Complex& bin) { return std::norm(bin); });
    return powers_;
  }

 private:
  FourierTransform transform_;
  std::vector<FourierTransform::Complex> bins_;
  std::vector<double> powers_;
};

}  // namespace

int64_t log_mel_frames(int64_t samples, int rate) { return samples / shift_of(rate); }

AudioFeatures log_mel(std::span<const float> samples, int rate, int64_t bins) {
  const int64_t length = window_of(rate), shift = shift_of(rate);
  AudioFeatures features{log_mel_frames(std::ssize(samples), rate), bins, {}};
  if (std::ssize(samples) <= length / 2 || features.frames == 0)
    refuse_short_clip(std::ssize(samples), "more than " + std::to_string(length / 2));
  const std::vector<Band> bands = slaney_bands(bins, rate, length);
  std::vector<double> hann(as_index(length)), window(as_index(length));
  for (size_t i = 0; i < hann.size(); ++i)
    hann[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
  PowerSpectrum spectrum(window.size());
  std::vector<double> logs;
  logs.reserve(as_index(features.frames * bins));
  for (int64_t f = 0; f < features.frames; ++f) {
    for (int64_t i = 0; i < length; ++i)
      window[as_index(i)] = hann[as_index(i)] * reflected(samples, f * shift - length / 2 + i, Reflection::Whole);
    const std::span<const double> powers = spectrum.of(window);
    for (const Band& band : bands) logs.push_back(std::log10(std::max(1e-10, power_in(band, powers))));
  }
  const double floor = *std::ranges::max_element(logs) - 8;
  for (const double value : logs) features.values.push_back(static_cast<float>((std::max(value, floor) + 4) / 4));
  return features;
}

int64_t fbank_frames(int64_t samples, const FbankOptions& options) {
  const int64_t length = window_of(options.rate), shift = shift_of(options.rate);
  if (!options.snip_edges) return (samples + shift / 2) / shift;
  return samples < length ? 0 : 1 + (samples - length) / shift;
}

AudioFeatures fbank(std::span<const float> samples, const FbankOptions& options) {
  constexpr double kPreemphasis = 0.97, kPoveyPower = 0.85, kLeast = std::numeric_limits<float>::epsilon();
  const int64_t length = window_of(options.rate), shift = shift_of(options.rate);
  AudioFeatures features{fbank_frames(std::ssize(samples), options), options.bins, {}};
  if (features.frames == 0)
    refuse_short_clip(std::ssize(samples), std::to_string(options.snip_edges ? length : shift - shift / 2));
  std::vector<double> povey(as_index(length)), window(std::bit_ceil(as_index(length)));
  for (size_t i = 0; i < povey.size(); ++i)
    povey[i] =
        std::pow(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length - 1)),
                 kPoveyPower);
  const std::vector<Band> bands = kaldi_bands(options, window.size());
  PowerSpectrum spectrum(window.size());
  for (int64_t f = 0; f < features.frames; ++f) {
    const int64_t first = options.snip_edges ? f * shift : f * shift + shift / 2 - length / 2;
    double sum = 0;
    for (int64_t i = 0; i < length; ++i) sum += window[as_index(i)] = reflected(samples, first + i, Reflection::Half);
    const double mean = sum / static_cast<double>(length);
    for (size_t i = povey.size(); i-- > 0;)  // backwards: each needs the one before it as it was
      window[i] = povey[i] * (window[i] - mean - kPreemphasis * (window[i > 0 ? i - 1 : 0] - mean));
    const std::span<const double> powers = spectrum.of(window);
    for (const Band& band : bands)
      features.values.push_back(static_cast<float>(std::log(std::max(kLeast, power_in(band, powers)))));
  }
  return features;
}

}  // namespace detent
