#include "core/fourier_transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "core/index.h"
#include "core/memory_limit.h"
#include "core/stop.h"

namespace detent {

namespace {

using Complex = FourierTransform::Complex;

// Eigen's FFT takes n p operations for the largest prime factor p of n. Above these factors a convolution costs less,
// the second one for lines longer than kLong.
constexpr size_t kLargePrime = 128, kLargePrimeOfLong = 16, kLong = 4096;

size_t largest_prime_factor(size_t n) {
  size_t largest = 1;
  for (size_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

}  // namespace

class FourierTransform::Engine : public Eigen::FFT<double> {
 public:
  Engine() : Eigen::FFT<double>(impl_type(), static_cast<Flag>(HalfSpectrum | Unscaled)) {}

  [[nodiscard]] bool convolves(size_t n) {
    const auto [found, fresh] = largest_prime_.try_emplace(n, 0);
    if (fresh) found->second = largest_prime_factor(n);
    return found->second > (n > kLong ? kLargePrimeOfLong : kLargePrime);
  }

  template <class Sample>
  void forward(std::span<const Sample> in, std::span<Complex> bins) {
    stop_if_interrupted();
    if (in.size() > 1 && convolves(in.size()))
      chirp(std::vector<Complex>(in.begin(), in.end()), bins);
    else if (in.size() > 1)
      fwd(bins.data(), in.data(), std::ssize(in));
    else if (!in.empty())
      bins[0] = in[0];
  }

  /// Computes bins[b] = conj(w_b) sum over k of in[k] conj(w_k) w_(b-k) with w_k = exp(i pi k^2 / n): a convolution of
  /// a power of two of points. Source  L. Bluestein, "A linear filtering approach to the computation of discrete
  /// Fourier transform", 1970.
  void chirp(std::span<const Complex> in, std::span<Complex> bins) {
    const size_t n = in.size(), points = std::bit_ceil(2 * n - 1);
    check_memory(4 * points * sizeof(Complex), [&] {
      return "a Fourier transform of " + std::to_string(n) + " samples, a number with a large prime factor,";
    });
    std::vector<Complex> roots(n), padded(points), spectrum(points), filter(points);
    for (size_t k = 0; k < n; ++k)  // k^2 modulo 2 n keeps the angle exact
      roots[k] = std::polar(1.0, std::numbers::pi * static_cast<double>(k * k % (2 * n)) / static_cast<double>(n));
    padded[0] = roots[0];
    for (size_t k = 1; k < n; ++k) padded[k] = padded[points - k] = roots[k];
    fwd(filter.data(), padded.data(), as_extent(points));
    stop_if_interrupted();
    std::fill(padded.begin(), padded.end(), Complex{});
    for (size_t k = 0; k < n; ++k) padded[k] = in[k] * std::conj(roots[k]);
    fwd(spectrum.data(), padded.data(), as_extent(points));
    stop_if_interrupted();
    for (size_t k = 0; k < points; ++k) spectrum[k] *= filter[k];
    inv(padded.data(), spectrum.data(), as_extent(points));
    const auto scale = 1 / static_cast<double>(points);
    for (size_t b = 0; b < bins.size(); ++b) bins[b] = padded[b] * std::conj(roots[b]) * scale;
  }

 private:
  std::map<size_t, size_t> largest_prime_;  // of the lengths seen
};

FourierTransform::FourierTransform() : engine_(std::make_unique<Engine>()) {}

FourierTransform::~FourierTransform() = default;

void FourierTransform::forward(std::span<const Complex> in, std::span<Complex> bins) { engine_->forward(in, bins); }

void FourierTransform::forward(std::span<const double> in, std::span<Complex> bins) { engine_->forward(in, bins); }

void FourierTransform::inverse(std::span<const Complex> bins, std::span<Complex> out) {
  stop_if_interrupted();
  const auto count = static_cast<double>(bins.size());
  if (bins.size() > 1 && engine_->convolves(bins.size())) {  // the conjugate of what the conjugates give
    std::vector<Complex> turned(bins.begin(), bins.end());
    for (Complex& bin : turned) bin = std::conj(bin);
    engine_->chirp(turned, out);
    for (Complex& sample : out) sample = std::conj(sample);
  } else if (bins.size() > 1) {
    engine_->inv(out.data(), bins.data(), std::ssize(bins));
  } else if (!bins.empty()) {
    out[0] = bins[0];
  }
  for (Complex& sample : out) sample /= count;
}

}  // namespace detent
