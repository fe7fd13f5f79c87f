#pragma once

#include <complex>
#include <memory>
#include <span>

namespace detent {

/// Discrete Fourier transforms in double, by FFT: O(n log n) for every length. One with a large prime factor is
/// convolved.
/// Errors  InvalidData where that takes more than --max-memory; Interrupted. Keeps roots of unity for the
/// lengths that it has seen, so frames of one length share them. For one thread.
///
/// A product of 59 frames with the matrix of cosines and sines took 0.6 times as long at 16 samples, 1.8 at 64, 24 at
/// 1024 and 66 at 2048 (bench/spectrum_bench): not worth a second way.
class FourierTransform {
 public:
  using Complex = std::complex<double>;

  FourierTransform();
  ~FourierTransform();
  FourierTransform(const FourierTransform&) = delete;
  FourierTransform& operator=(const FourierTransform&) = delete;

  /// bins[b] = sum over k of in[k] exp(-2 pi i k b / n), n = in.size() = bins.size(). Empty in, empty out.
  void forward(std::span<const Complex> in, std::span<Complex> bins);
  /// Of real samples: the first n / 2 + 1 bins; the others are their mirror image, conjugated. bins.size() = n / 2 + 1.
  void forward(std::span<const double> in, std::span<Complex> bins);
  /// out[k] = 1 / n sum over b of bins[b] exp(2 pi i k b / n), n = bins.size() = out.size().
  void inverse(std::span<const Complex> bins, std::span<Complex> out);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace detent
