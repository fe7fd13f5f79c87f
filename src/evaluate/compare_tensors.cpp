#include "evaluate/compare_tensors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/float_type.h"

namespace detent {

namespace {

bool is_float(DataType type) {
  return is_floating_point(type) || is_small_float(type);  // NaN has many patterns
}

std::string number(double value) { return fmt::format("{:.7g}", value); }

TensorComparison compare_floats(const Tensor& expected, const Tensor& got, const Tolerance& tolerance) {
  const Tensor a = cast(expected, DataType::Float64);
  const Tensor b = cast(got, DataType::Float64);
  const auto want = a.data<double>();
  const auto have = b.data<double>();
  double largest = 0;
  for (const double value : want)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const double atol = std::max(tolerance.atol * largest, 1e-7);
  TensorComparison result;
  size_t wrong = 0;
  size_t first_wrong = 0;
  double worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if ((std::isnan(want[i]) && std::isnan(have[i])) || want[i] == have[i]) continue;
    const double error = std::abs(want[i] - have[i]);
    if (std::isfinite(error)) {  // else one of them is NaN or infinite and the other differs
      worst = std::max(worst, error);
      if (error <= atol + tolerance.rtol * std::abs(want[i])) continue;
    }
    if (wrong++ == 0) first_wrong = i;
  }
  result.worst_relative_error = largest > 0 ? worst / largest : worst;
  if (wrong == 0) return result;
  result.same = false;
  result.difference = std::to_string(wrong) + " of " + std::to_string(want.size()) + " elements differ, the first at " +
                      std::to_string(first_wrong) + ": expected " + number(want[first_wrong]) + ", got " +
                      number(have[first_wrong]);
  return result;
}

TensorComparison compare_sequences(const Tensor& expected, const Tensor& got, const Tolerance& tolerance) {
  const std::vector<Tensor>& want = expected.elements();
  const std::vector<Tensor>& have = got.elements();
  if (want.size() != have.size())
    return {false,
            "expected a sequence of " + std::to_string(want.size()) + " tensors, got " + std::to_string(have.size()),
            0};
  TensorComparison all;
  for (size_t i = 0; i < want.size(); ++i) {
    const TensorComparison one = compare_tensors(want[i], have[i], tolerance);
    all.worst_relative_error = std::max(all.worst_relative_error, one.worst_relative_error);
    if (one.same || !all.same) continue;
    all.same = false;
    all.difference = "tensor " + std::to_string(i) + " of the sequence: " + one.difference;
  }
  return all;
}

}  // namespace

TensorComparison compare_tensors(const Tensor& expected, const Tensor& got, const Tolerance& tolerance) {
  if (expected.empty_handle() != got.empty_handle())
    return {false, expected.empty_handle() ? "expected an absent optional" : "got an absent optional", 0};
  if (expected.empty_handle()) return {};
  if (expected.is_sequence() && got.is_sequence()) return compare_sequences(expected, got, tolerance);
  if (expected.type() != got.type())
    return {false,
            "expected type " + std::string(name_of(expected.type())) + ", got " + std::string(name_of(got.type())), 0};
  if (expected.shape() != got.shape())
    return {false, "expected shape " + expected.shape().to_string() + ", got " + got.shape().to_string(), 0};
  const Tensor a = to_plain(expected);
  const Tensor b = to_plain(got);
  if (is_float(a.type())) return compare_floats(a, b, tolerance);
  if (a.byte_count() == 0 || std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0) return {};
  const size_t bytes = byte_size(a.type());
  size_t wrong = 0;
  size_t first_wrong = 0;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const size_t at = static_cast<size_t>(i) * bytes;
    if (std::memcmp(static_cast<const std::byte*>(a.raw()) + at, static_cast<const std::byte*>(b.raw()) + at, bytes) ==
        0)
      continue;
    if (wrong++ == 0) first_wrong = static_cast<size_t>(i);
  }
  return {false,
          std::to_string(wrong) + " of " + std::to_string(a.element_count()) + " integers differ, the first at " +
              std::to_string(first_wrong),
          0};
}

}  // namespace detent
