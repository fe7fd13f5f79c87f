#pragma once

#include <complex>
#include <memory>
#include <span>

namespace detent {

/// Discrete Fourier transforms in double, by FFT: O(n log n) for every length; a length with a large prime factor is
/// convolved. Keeps roots of unity for the lengths that it has seen, so that frames of one length share them. For one
/// thread.
/// Errors  InvalidData where a convolution takes more than --max-memory; Interrupted.
class FourierTransform {
 public:
  using Complex = std::complex<double>;

  FourierTransform();
  ~FourierTransform();
  FourierTransform(const FourierTransform&) = delete;
  FourierTransform& operator=(const FourierTransform&) = delete;

  /// Computes bins[b] = sum over k of in[k] exp(-2 pi i k b / n), n = in.size() = bins.size(). Empty in, empty out.
  void forward(std::span<const Complex> in, std::span<Complex> bins);
  /// Computes the first n / 2 + 1 bins of real samples; the others are their mirror image, conjugated. bins.size() = n
  /// / 2 + 1.
  void forward(std::span<const double> in, std::span<Complex> bins);
  /// Computes out[k] = 1 / n sum over b of bins[b] exp(2 pi i k b / n), n = bins.size() = out.size().
  void inverse(std::span<const Complex> bins, std::span<Complex> out);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace detent
