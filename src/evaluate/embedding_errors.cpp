#include "evaluate/embedding_errors.h"

#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "core/index.h"
#include "run/sample_counts.h"

namespace detent {

namespace {

constexpr int64_t kFewestNumbers = 16;

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

void to_unit_length(std::vector<float>& vector) {
  const double length = std::sqrt(dot(vector, vector));
  for (float& x : vector) x = length > 0 ? static_cast<float>(x / length) : 0;
}

/// Returns the index of the vector with the largest cosine to vector `i`, without itself.
size_t nearest_to(size_t i, const std::vector<std::vector<float>>& vectors) {
  size_t nearest = i == 0 ? 1 : 0;
  double largest = -2;
  for (size_t j = 0; j < vectors.size(); ++j) {
    if (j == i) continue;
    if (const double own = dot(vectors[i], vectors[j]); own > largest) largest = own, nearest = j;
  }
  return nearest;
}

}  // namespace

void EmbeddingErrors::add(const OutputReading& reading, const Tensor& expected, const Tensor& found, size_t samples,
                          std::span<const uint8_t> counted) {
  const MeaningByGraph& graph = reading.meaning;
  const bool may_be = graph.kind == OutputMeaning::Embedding || (!graph.settled && graph.extent >= kFewestNumbers);
  const Shape& shape = expected.shape();
  if (!may_be || !reading.axis || as_index(*reading.axis) >= shape.rank() || !is_floating_point(expected.type()) ||
      shape != found.shape() || shape.element_count() == 0 || samples == 0)
    return;
  const Tensor a = cast(expected, DataType::Float32), b = cast(found, DataType::Float32);
  const auto x = a.data<float>(), y = b.data<float>();
  const size_t axis = as_index(*reading.axis), extent = as_index(shape[axis]);
  const auto inner = as_index(shape.element_count(axis + 1, shape.rank()));
  const size_t vectors = x.size() / extent;
  const size_t each = vectors % samples == 0 ? vectors / samples : 0;  // 0: samples do not lie in front
  Output& output = outputs_[reading.name];
  std::vector<Vector> means_a(each > 0 ? samples : 0, Vector(extent)), means_b = means_a;
  Vector u(extent), v(extent);
  for (size_t k = 0; k < vectors; ++k) {
    const size_t first = k / inner * extent * inner + k % inner;
    if (!counted.empty() && counted[first] == 0) continue;
    for (size_t c = 0; c < extent; ++c) u[c] = x[first + c * inner], v[c] = y[first + c * inner];
    if (!std::isfinite(dot(u, u))) continue;
    const double lengths = std::sqrt(dot(u, u) * dot(v, v));
    output.cosines += lengths > 0 ? dot(u, v) / lengths : dot(u, u) == dot(v, v) ? 1 : 0;
    ++output.vectors;
    for (size_t c = 0; each > 0 && c < extent; ++c) means_a[k / each][c] += u[c], means_b[k / each][c] += v[c];
  }
  for (size_t n = 0; n < means_a.size() && output.expected.size() < kNeighbourSamples; ++n) {
    to_unit_length(means_a[n]), to_unit_length(means_b[n]);
    output.expected.push_back(std::move(means_a[n])), output.found.push_back(std::move(means_b[n]));
  }
}

std::optional<EmbeddingErrors::Error> EmbeddingErrors::error_of(const std::string& output) const {
  constexpr double kAsNear = 0.1;
  const auto one = outputs_.find(output);
  if (one == outputs_.end() || one->second.vectors == 0) return std::nullopt;
  const auto& [cosines, vectors, expected, found] = one->second;
  Error error{.cosine = cosines / static_cast<double>(vectors)};
  if (expected.size() < kFewestNeighbours) return error;
  error.samples = expected.size();
  for (size_t i = 0; i < expected.size(); ++i) {
    const size_t before = nearest_to(i, expected), after = nearest_to(i, found);
    if (before == after) continue;
    double average = 0;
    for (size_t j = 0; j < expected.size(); ++j) average += j == i ? 0 : dot(expected[i], expected[j]);
    average /= static_cast<double>(expected.size() - 1);
    const double nearest = dot(expected[i], expected[before]);
    error.changed += nearest - dot(expected[i], expected[after]) > kAsNear * (nearest - average);
  }
  return error;
}

}  // namespace detent
