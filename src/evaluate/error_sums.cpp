#include "evaluate/error_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/float_type.h"
#include "detent/error.h"
#include "evaluate/argmax.h"

namespace detent {

double sqnr_db(double signal, double noise) {
  if (noise == 0) return signal == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

namespace {

bool holds_numbers(const Tensor& tensor) {
  return !tensor.empty_handle() && !tensor.is_sequence() && tensor.type() != DataType::String;
}

/// Elements that differ, of types that are equal only bit by bit.
int64_t differing_elements(const Tensor& reference, const Tensor& candidate) {
  if (reference.type() != candidate.type()) return reference.element_count();
  const Tensor a = to_plain(reference), b = to_plain(candidate);
  const size_t bytes = byte_size(a.type());
  const auto* x = static_cast<const std::byte*>(a.raw());
  const auto* y = static_cast<const std::byte*>(b.raw());
  int64_t differing = 0;
  for (size_t at = 0; at < a.byte_count(); at += bytes) differing += std::memcmp(x + at, y + at, bytes) != 0;
  return differing;
}

/// Lower is worse; NaN is the worst.
double rank(double sqnr_db) { return std::isnan(sqnr_db) ? -std::numeric_limits<double>::infinity() : sqnr_db; }

void keep_lowest(std::optional<double>& lowest, const std::optional<double>& value) {
  if (value && (!lowest || rank(*value) < rank(*lowest))) lowest = value;
}

double share(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

ErrorReport::Output describe(const std::string& name, const ErrorSums& sum) {
  ErrorReport::Output output{.name = name};
  if (!sum.is_float) {
    output.kind = OutputKind::Integers;
    output.elements = static_cast<uint64_t>(sum.integers);
    output.differing = static_cast<uint64_t>(sum.differing);
    output.agreement = share(sum.integers - sum.differing, sum.integers);
    return output;
  }
  const double norms = std::sqrt(sum.signal) * std::sqrt(sum.candidate);
  output.sqnr_db = sum.sqnr_db();
  if (output.sqnr_db) output.cosine = norms > 0 ? sum.dot / norms : 0.0;
  if (sum.positions == 0 || !sum.tells_classes()) return output;
  output.kind = sum.by_sign ? OutputKind::Signs : OutputKind::Scores;
  output.agreement = share(sum.agreeing, sum.positions);
  return output;
}

}  // namespace

std::optional<double> ErrorSums::sqnr_db() const {
  if (!is_float || signal == 0) return std::nullopt;
  return detent::sqnr_db(signal, noise);
}

ErrorSums ErrorSums::of(const Tensor& reference, const Tensor& candidate) {
  ErrorSums sums;
  if (!holds_numbers(reference) || !holds_numbers(candidate)) return sums;
  if (reference.shape() != candidate.shape())
    throw Error(ErrorCode::Internal, "outputs of shape " + reference.shape().to_string() + " and " +
                                         candidate.shape().to_string() + " cannot be compared");
  if (!is_floating_point(reference.type())) {
    sums.integers = reference.element_count();
    sums.differing = differing_elements(reference, candidate);
    return sums;
  }
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
  integers += other.integers;
  differing += other.differing;
  by_sign = by_sign || other.by_sign;
  is_float = is_float || other.is_float;
  return *this;
}

ErrorReport summarize_errors(std::span<const std::string> names, std::span<const ErrorSums> sums, size_t samples) {
  ErrorReport report;
  report.samples = samples;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!sums[i].is_float && sums[i].integers == 0) continue;
    const ErrorReport::Output& output = report.outputs.emplace_back(describe(names[i], sums[i]));
    if (output.sqnr_db && (!report.sqnr_db || rank(*output.sqnr_db) < rank(*report.sqnr_db)))
      report.worst = output.name;
    keep_lowest(report.sqnr_db, output.sqnr_db);
    keep_lowest(report.cosine, output.cosine);
    switch (output.kind) {
      case OutputKind::Scores: keep_lowest(report.argmax_agreement, output.agreement); break;
      case OutputKind::Signs: keep_lowest(report.sign_agreement, output.agreement); break;
      case OutputKind::Integers: keep_lowest(report.integer_agreement, output.agreement); break;
      case OutputKind::Float: break;
    }
  }
  return report;
}

/// 20 log10(2^24): a float is not known better than this.
static constexpr double kExactDb = 144.5;

double worst_sqnr_db(const ErrorReport& error) {
  return error.sqnr_db ? std::clamp(rank(*error.sqnr_db), -kExactDb, kExactDb) : -kExactDb;
}

}  // namespace detent
