#include "evaluate/error_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/float_type.h"
#include "core/index.h"
#include "detent/base/error.h"
#include "evaluate/class_output.h"

namespace detent {

double sqnr_db(double signal, double noise) {
  if (noise == 0) return signal == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

namespace {

bool holds_numbers(const Tensor& tensor) {
  return !tensor.empty_handle() && !tensor.is_sequence() && tensor.type() != DataType::String;
}

/// True when the element counts; with an empty `counted` all do.
bool counts(std::span<const uint8_t> counted, size_t element) { return counted.empty() || counted[element] != 0; }

int64_t counted_of(int64_t elements, std::span<const uint8_t> counted) {
  return counted.empty() ? elements : elements - std::ranges::count(counted, uint8_t{0});
}

/// Counts the elements that differ in their bits.
int64_t differing_elements(const Tensor& reference, const Tensor& candidate, std::span<const uint8_t> counted) {
  if (reference.type() != candidate.type()) return counted_of(reference.element_count(), counted);
  const Tensor a = to_plain(reference), b = to_plain(candidate);
  const size_t bytes = byte_size(a.type());
  const auto* x = static_cast<const std::byte*>(a.raw());
  const auto* y = static_cast<const std::byte*>(b.raw());
  int64_t differing = 0;
  for (size_t at = 0; at < a.byte_count(); at += bytes)
    differing += counts(counted, at / bytes) && std::memcmp(x + at, y + at, bytes) != 0;
  return differing;
}

/// Orders SQNRs: lower is worse; NaN is the worst.
double rank(double sqnr_db) { return std::isnan(sqnr_db) ? -std::numeric_limits<double>::infinity() : sqnr_db; }

void keep_lowest(std::optional<double>& lowest, const std::optional<double>& value) {
  if (value && (!lowest || rank(*value) < rank(*lowest))) lowest = value;
}

/// Returns the axis of the classes; an axis of one number, or nullopt at rank < 2, where signs are compared.
std::optional<size_t> decided_axis(const Shape& shape, const OutputReading* reading) {
  if (reading && reading->axis && as_index(*reading->axis) < shape.rank()) return as_index(*reading->axis);
  return shape.rank() >= 2 ? std::optional<size_t>(1) : std::nullopt;
}

/// True for outputs that hold no classes: no argmax and no sign has a meaning.
bool decides_nothing(const Shape& shape, const OutputReading& reading) {
  const bool may_have_sign = !reading.bounded && (shape.rank() < 2 || shape[1] < 2);
  return reading.meaning.settled && !is_of_classes(reading.meaning.kind) && !may_have_sign;
}

/// Adds the positions along the axis of classes, and those where both agree on the class among the elements that count.
void add_decisions(const Tensor& reference, const Tensor& candidate, std::span<const uint8_t> counted,
                   const OutputReading* reading, ErrorSums& sums) {
  constexpr int64_t kRows = 256;  // of a batch, to tell classes from other numbers
  const Shape& shape = reference.shape();
  const auto axis = decided_axis(shape, reading);
  const int64_t channels = axis ? shape[*axis] : 1;
  const int64_t inner = axis ? shape.element_count(*axis + 1, shape.rank()) : shape.element_count();
  const int64_t batch = axis ? shape.element_count(0, *axis) : 1;
  sums.by_sign = channels < 2;
  sums.by_shape = !reading;
  if (reading) sums.graph = reading->meaning;
  const auto x = reference.data<float>(), y = candidate.data<float>();
  if (x.empty() || (reading && decides_nothing(shape, *reading))) return;
  const int64_t step = reading ? std::max<int64_t>(1, batch * inner / kRows) : 1;
  const bool looks_at_rows = reading ? !reading->meaning.settled : shape.rank() == 2;
  std::vector<float> row;
  std::vector<float> kept_x, kept_y;  // of a position with padding among its elements
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t position = 0; position < inner; ++position) {
      const int64_t first = n * channels * inner + position;
      const float *scores = x.data() + first, *others = y.data() + first;
      int64_t classes = channels, stride = inner;
      if (!counted.empty()) {
        kept_x.clear(), kept_y.clear();
        for (int64_t c = 0; c < channels; ++c)
          if (counts(counted, static_cast<size_t>(first + c * inner)))
            kept_x.push_back(scores[c * inner]), kept_y.push_back(others[c * inner]);
        if (kept_x.empty() || (kept_x.size() == 1 && !sums.by_sign)) continue;  // nothing to choose among
        scores = kept_x.data(), others = kept_y.data();
        classes = std::ssize(kept_x), stride = 1;
      }
      ++sums.positions;
      sums.agreeing += argmax(scores, classes, stride) == argmax(others, classes, stride);
      if (!looks_at_rows || (n * inner + position) % step != 0) continue;
      row.clear();
      for (int64_t c = 0; c < classes; ++c) row.push_back(scores[c * stride]);
      sums.rows.add(row);
    }
}

/// Returns +inf without finite numbers.
float lowest_finite(std::span<const float> numbers) {
  float lowest = std::numeric_limits<float>::infinity();
  for (const float x : numbers)
    if (std::isfinite(x)) lowest = std::min(lowest, x);
  return lowest;
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
  if (sum.detections) {
    output.kind = OutputKind::Detections;
    return output;
  }
  if (output.sqnr_db) output.cosine = norms > 0 ? sum.dot / norms : 0.0;
  if (sum.positions == 0 || (!sum.by_sign && !is_of_classes(sum.meaning()))) return output;
  output.kind = sum.by_sign ? OutputKind::Signs : OutputKind::Scores;
  output.agreement = share(sum.agreeing, sum.positions);
  return output;
}

}  // namespace

std::optional<double> ErrorSums::sqnr_db() const {
  if (!is_float || signal == 0) return std::nullopt;
  return detent::sqnr_db(signal, noise);
}

OutputMeaning ErrorSums::meaning() const {
  if (by_shape && rows.rows > 0 && !rows.tells_classes()) return OutputMeaning::Unknown;
  return decide_meaning(graph, rows);
}

ErrorSums ErrorSums::of(const Tensor& reference, const Tensor& candidate, std::span<const uint8_t> counted,
                        const OutputReading* reading) {
  ErrorSums sums;
  if (!holds_numbers(reference) || !holds_numbers(candidate)) return sums;
  if (reference.shape() != candidate.shape())
    throw Error(ErrorCode::Internal, "outputs of shape " + reference.shape().to_string() + " and " +
                                         candidate.shape().to_string() + " cannot be compared");
  if (!is_floating_point(reference.type())) {
    sums.integers = counted_of(reference.element_count(), counted);
    sums.differing = differing_elements(reference, candidate, counted);
    return sums;
  }
  sums.is_float = true;
  const Tensor a = to_plain(cast(reference, DataType::Float32));
  const Tensor b = to_plain(cast(candidate, DataType::Float32));
  const auto x = a.data<float>();
  const auto y = b.data<float>();
  const float lowest = lowest_finite(x);
  for (size_t i = 0; i < x.size(); ++i) {
    if (!counts(counted, i)) continue;
    if (x[i] == -std::numeric_limits<float>::infinity()) {
      if (!(y[i] <= lowest)) sums.noise = std::numeric_limits<double>::infinity();
      continue;
    }
    const double u = x[i];
    const double v = y[i];
    sums.signal += u * u;
    sums.candidate += v * v;
    sums.dot += u * v;
    sums.noise += (u - v) * (u - v);
  }
  add_decisions(a, b, counted, reading, sums);
  return sums;
}

ErrorSums& ErrorSums::operator+=(const ErrorSums& other) {
  signal += other.signal;
  noise += other.noise;
  dot += other.dot;
  candidate += other.candidate;
  positions += other.positions;
  agreeing += other.agreeing;
  if (other.is_float) graph = other.graph;
  rows += other.rows;
  by_shape = by_shape || other.by_shape;
  integers += other.integers;
  differing += other.differing;
  by_sign = by_sign || other.by_sign;
  is_float = is_float || other.is_float;
  detections = detections || other.detections;
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
      case OutputKind::Float:
      case OutputKind::Detections: break;
    }
  }
  return report;
}

double worst_sqnr_db(const ErrorReport& error) {
  return error.sqnr_db ? std::clamp(rank(*error.sqnr_db), -kExactDb, kExactDb) : -kExactDb;
}

}  // namespace detent
