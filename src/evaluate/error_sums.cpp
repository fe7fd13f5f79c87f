#include "evaluate/error_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/float_type.h"
#include "detent/error.h"
#include "evaluate/argmax.h"

namespace detent {

double sqnr_db(double signal, double noise) {
  if (noise == 0) return signal == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

ErrorSums ErrorSums::of(const Tensor& reference, const Tensor& candidate) {
  ErrorSums sums;
  if (!is_floating_point(reference.type())) return sums;
  if (reference.shape() != candidate.shape())
    throw Error(ErrorCode::Internal, "outputs of shape " + reference.shape().to_string() + " and " +
                                         candidate.shape().to_string() + " cannot be compared");
  sums.is_float = true;
  const Tensor a = to_plain(cast(reference, DataType::Float32));
  const Tensor b = to_plain(cast(candidate, DataType::Float32));
  const auto x = a.data<float>();
  const auto y = b.data<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    const double u = x[i];
    const double v = y[i];
    sums.signal += u * u;
    sums.candidate += v * v;
    sums.dot += u * v;
    sums.noise += (u - v) * (u - v);
  }
  const Shape& shape = a.shape();
  const int64_t channels = shape.rank() >= 2 ? shape[1] : 1;
  sums.by_sign = channels < 2;
  const int64_t inner = shape.rank() >= 2 ? shape.element_count(2, shape.rank()) : shape.element_count();
  const int64_t batch = shape.rank() >= 2 ? shape[0] : 1;
  const auto best = [&](std::span<const float> values, int64_t n, int64_t position) {
    return argmax(values.data() + n * channels * inner + position, channels, inner);
  };
  if (x.empty()) return sums;
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t position = 0; position < inner; ++position) {
      ++sums.positions;
      sums.agreeing += best(x, n, position) == best(y, n, position);
      if (shape.rank() == 2) sums.undecided += !tells_a_class(x.data() + n * channels, channels);
    }
  return sums;
}

ErrorSums& ErrorSums::operator+=(const ErrorSums& other) {
  signal += other.signal;
  noise += other.noise;
  dot += other.dot;
  candidate += other.candidate;
  positions += other.positions;
  agreeing += other.agreeing;
  undecided += other.undecided;
  by_sign = by_sign || other.by_sign;
  is_float = is_float || other.is_float;
  return *this;
}

ErrorReport summarize_errors(std::span<const std::string> names, std::span<const ErrorSums> sums, size_t samples) {
  ErrorReport report;
  report.samples = samples;
  int64_t positions[2] = {0, 0};
  int64_t agreeing[2] = {0, 0};
  for (size_t i = 0; i < sums.size(); ++i) {
    const ErrorSums& sum = sums[i];
    if (!sum.is_float) continue;
    const double norms = std::sqrt(sum.signal) * std::sqrt(sum.candidate);
    report.outputs.push_back(
        {names[i], sqnr_db(sum.signal, sum.noise), norms > 0 ? sum.dot / norms : (sum.noise == 0 ? 1.0 : 0.0)});
    if (!sum.tells_classes()) continue;
    positions[sum.by_sign] += sum.positions;
    agreeing[sum.by_sign] += sum.agreeing;
  }
  for (const auto& output : report.outputs) {
    report.sqnr_db += output.sqnr_db / static_cast<double>(report.outputs.size());
    report.cosine += output.cosine / static_cast<double>(report.outputs.size());
  }
  if (positions[0]) report.argmax_agreement = static_cast<double>(agreeing[0]) / static_cast<double>(positions[0]);
  if (positions[1]) report.sign_agreement = static_cast<double>(agreeing[1]) / static_cast<double>(positions[1]);
  return report;
}

/// 20 log10(2^24): a float is not known better than this.
static constexpr double kExactDb = 144.5;

double mean_sqnr_db(const ErrorReport& error) {
  double sum = 0;
  for (const auto& output : error.outputs)
    sum += std::isnan(output.sqnr_db) ? -kExactDb : std::clamp(output.sqnr_db, -kExactDb, kExactDb);
  return error.outputs.empty() ? -kExactDb : sum / static_cast<double>(error.outputs.size());
}

}  // namespace detent
