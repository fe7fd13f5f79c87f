#include "ops/signal/fourier_transform.h"

#include <unsupported/Eigen/FFT>

namespace detent {

class FourierTransform::Engine : public Eigen::FFT<double> {
 public:
  Engine() : Eigen::FFT<double>(impl_type(), static_cast<Flag>(HalfSpectrum | Unscaled)) {}
};

FourierTransform::FourierTransform() : engine_(std::make_unique<Engine>()) {}

FourierTransform::~FourierTransform() = default;

void FourierTransform::forward(std::span<const Complex> in, std::span<Complex> bins) {
  if (in.size() > 1)
    engine_->fwd(bins.data(), in.data(), static_cast<Eigen::Index>(in.size()));
  else if (!in.empty())
    bins[0] = in[0];
}

void FourierTransform::forward(std::span<const double> in, std::span<Complex> bins) {
  if (in.size() > 1)
    engine_->fwd(bins.data(), in.data(), static_cast<Eigen::Index>(in.size()));
  else if (!in.empty())
    bins[0] = in[0];
}

void FourierTransform::inverse(std::span<const Complex> bins, std::span<Complex> out) {
  const auto count = static_cast<double>(bins.size());
  if (bins.size() > 1)
    engine_->inv(out.data(), bins.data(), static_cast<Eigen::Index>(bins.size()));
  else if (!bins.empty())
    out[0] = bins[0];
  for (Complex& sample : out) sample /= count;
}

}  // namespace detent
