#include "evaluate/match_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/float_type.h"
#include "core/index.h"

namespace detent {

namespace {

/// Rows of one output: [samples, outer, rows, inner].
struct RowsOf {
  size_t output = 0, samples = 1, outer = 1, rows = 1, inner = 1;

  RowsOf(size_t i, const Shape& shape, int64_t axis)
      : output(i), samples(axis > 0 ? static_cast<size_t>(shape[0]) : 1),
        outer(static_cast<size_t>(shape.element_count(axis > 0 ? 1 : 0, as_index(axis)))),
        rows(static_cast<size_t>(shape[as_index(axis)])),
        inner(static_cast<size_t>(shape.element_count(as_index(axis) + 1, shape.rank()))) {}

  [[nodiscard]] size_t place(size_t sample, size_t o, size_t row) const {
    return ((sample * outer + o) * rows + row) * inner;
  }
};

/// Row by row, the same number of columns each.
struct Matrix {
  size_t columns = 0;
  std::vector<float> values;

  [[nodiscard]] std::span<const float> row(size_t r) const { return std::span(values).subspan(r * columns, columns); }
};

/// Joins the rows of all samples and outputs.
Matrix joined_rows(std::span<const RowsOf> outputs, std::span<const Tensor> tensors) {
  Matrix all;
  std::vector<Tensor> wide;
  for (const RowsOf& one : outputs) {
    wide.push_back(cast(tensors[one.output], DataType::Float32));
    all.columns += one.outer * one.inner;
  }
  const RowsOf& first = outputs.front();
  for (size_t n = 0; n < first.samples; ++n)
    for (size_t r = 0; r < first.rows; ++r)
      for (size_t i = 0; i < outputs.size(); ++i)
        for (size_t o = 0; o < outputs[i].outer; ++o) {
          const auto from = wide[i].data<float>().subspan(outputs[i].place(n, o, r), outputs[i].inner);
          all.values.insert(all.values.end(), from.begin(), from.end());
        }
  return all;
}

/// Returns 1 / deviation of each column; 0 where it does not vary.
std::vector<float> column_scales(const Matrix& rows) {
  const auto count = static_cast<double>(rows.values.size() / rows.columns);
  std::vector<double> sums(rows.columns), squares(rows.columns);
  for (size_t i = 0; i < rows.values.size(); ++i) sums[i % rows.columns] += rows.values[i];
  for (size_t i = 0; i < rows.values.size(); ++i) {
    const double off = rows.values[i] - sums[i % rows.columns] / count;
    squares[i % rows.columns] += off * off;
  }
  std::vector<float> scales;
  for (const double sum : squares) scales.push_back(sum > 0 ? static_cast<float>(std::sqrt(count / sum)) : 0.0F);
  return scales;
}

/// Returns for each of `count` rows from `first` on the place of its partner among the found ones.
std::vector<size_t> nearest_rows(const Matrix& expected, const Matrix& found, std::span<const float> scales,
                                 size_t first, size_t count) {
  struct Pair {
    float distance;
    uint32_t row, other;
  };
  std::vector<Pair> pairs;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t j = 0; j < count; ++j) {
      const auto a = expected.row(first + i), b = found.row(first + j);
      float sum = 0;
      for (size_t c = 0; c < scales.size(); ++c) {
        const float off = (a[c] - b[c]) * scales[c];
        sum += off * off;
      }
      pairs.push_back({std::isnan(sum) ? std::numeric_limits<float>::infinity() : sum, i, j});
    }
  std::ranges::stable_sort(pairs, {}, &Pair::distance);
  std::vector<size_t> partner(count, count);
  std::vector<bool> taken(count);
  for (const Pair& pair : pairs)
    if (partner[pair.row] == count && !taken[pair.other]) partner[pair.row] = pair.other, taken[pair.other] = true;
  return partner;
}

/// order  [sample][row]: place in `from` of each row
Tensor with_rows(const Tensor& from, const RowsOf& form, std::span<const std::vector<size_t>> order) {
  Tensor to(from.type(), from.shape());
  const size_t size = byte_size(from.type()), bytes = form.inner * size;
  const auto* source = static_cast<const std::byte*>(from.raw());
  auto* target = static_cast<std::byte*>(to.mutable_raw());
  for (size_t n = 0; n < form.samples; ++n)
    for (size_t o = 0; o < form.outer; ++o)
      for (size_t r = 0; r < form.rows; ++r)
        std::memcpy(target + form.place(n, o, r) * size, source + form.place(n, o, order[n][r]) * size, bytes);
  return to;
}

/// Returns the form of the outputs' rows; empty where they have not the same numbers of samples and rows.
std::vector<RowsOf> forms_of(const FreeRows& rows, std::span<const std::string> names, std::span<const Tensor> expected,
                             std::span<const Tensor> found) {
  std::vector<RowsOf> forms;
  for (const auto& [output, axis] : rows.outputs) {
    const auto i = static_cast<size_t>(std::ranges::find(names, output) - names.begin());
    if (i == names.size()) continue;  // not judged
    const Shape& shape = expected[i].shape();
    const bool numbers = expected[i].type() == found[i].type() && byte_size(expected[i].type()) > 0;
    if (!numbers || shape != found[i].shape() || axis >= std::ssize(shape.dims()) || shape.element_count() == 0)
      return {};
    forms.emplace_back(i, shape, axis);
    if (forms.back().rows != forms[0].rows || forms.back().samples != forms[0].samples) return {};
  }
  return forms;
}

}  // namespace

std::vector<Tensor> match_rows(std::span<const FreeRows> rows, std::span<const std::string> names,
                               std::span<const Tensor> expected, std::vector<Tensor> found) {
  for (const FreeRows& one : rows) {
    const std::vector<RowsOf> forms = forms_of(one, names, expected, found);
    if (forms.empty()) continue;
    const Matrix right = joined_rows(forms, expected), other = joined_rows(forms, found);
    const std::vector<float> scales = column_scales(right);
    std::vector<std::vector<size_t>> order;
    const auto [output, samples, outer, count, inner] = forms.front();
    for (size_t n = 0; n < samples; ++n) order.push_back(nearest_rows(right, other, scales, n * count, count));
    for (const RowsOf& form : forms) found[form.output] = with_rows(found[form.output], form, order);
  }
  return found;
}

}  // namespace detent
