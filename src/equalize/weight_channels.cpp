#include "equalize/weight_channels.h"

#include <algorithm>
#include <cmath>

#include "core/files/mapped_file.h"
#include "detent/base/error.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// A weight as rows x columns x inner, with the channels that each element joins.
struct WeightView {
  int64_t rows = 1, columns = 1, inner = 1;
  int64_t groups = 1;
  bool rows_are_outputs = true;  ///< false: columns are, as for ConvTranspose and MatMul

  WeightView(const Graph& graph, const Node& node) {
    const Shape& shape = graph.constant(node.input(1))->shape();
    rows = shape[0];
    columns = shape[1];
    inner = shape.element_count(2, shape.rank());
    switch (traits_of(graph, node).kind) {
      case OpKind::Conv: groups = groups_of(node); break;
      case OpKind::ConvTranspose:
        groups = groups_of(node);
        rows_are_outputs = false;
        break;
      case OpKind::Gemm: rows_are_outputs = node.int_or("transB", 0) != 0; break;
      default: rows_are_outputs = false;
    }
  }

  /// Returns the groups, at most the rows: products with larger numbers would exceed 64 bits.
  [[nodiscard]] int64_t groups_of(const Node& node) const {
    return std::clamp<int64_t>(node.int_or("group", 1), 1, std::max<int64_t>(1, rows));
  }
  [[nodiscard]] int64_t input_count() const { return rows_are_outputs ? columns * groups : rows; }
  [[nodiscard]] int64_t output_count() const { return rows_are_outputs ? rows : columns * groups; }
  [[nodiscard]] int64_t group_of(int64_t row) const {
    return std::min(row / std::max<int64_t>(1, rows / groups), groups - 1);
  }
  [[nodiscard]] int64_t input(int64_t row, int64_t column) const {
    return rows_are_outputs ? group_of(row) * columns + column : row;
  }
  [[nodiscard]] int64_t output(int64_t row, int64_t column) const {
    return rows_are_outputs ? row : group_of(row) * columns + column;
  }

  /// Calls visit(first element, input channel, output channel) for each pair of channels.
  template <class Visit>
  void for_each_pair(Visit&& visit) const {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        visit((row * columns + column) * inner, static_cast<size_t>(input(row, column)),
              static_cast<size_t>(output(row, column)));
  }
};

void check_count(size_t count, int64_t channels) {
  if (count != 0 && count != static_cast<size_t>(channels))
    throw Error(ErrorCode::Internal, std::to_string(count) + " numbers were given for " + std::to_string(channels) +
                                         " channels of a weight");
}

template <class List>
double factor(const List& list, size_t channel) {
  return list.empty() ? 1.0 : static_cast<double>(list[channel]);
}

Tensor wide_weight(const Graph& graph, const Node& node) {
  const Tensor& weight = *graph.constant(node.input(1));
  Tensor wide = cast(weight, DataType::Float64);
  let_go_of_pages(weight.raw(), weight.byte_count());
  return wide;
}

/// Calls visit(largest magnitude, input channel, output channel) for each pair of channels, after multiplication.
template <class Visit>
void for_each_magnitude(const Graph& graph, const Node& node, const std::vector<double>& read,
                        const std::vector<double>& written, Visit&& visit) {
  const WeightView view(graph, node);
  const Tensor wide = wide_weight(graph, node);
  const auto weights = wide.data<double>();
  view.for_each_pair([&](int64_t first, size_t in, size_t out) {
    double largest = 0;
    for (int64_t i = first; i < first + view.inner; ++i)
      largest = std::max(largest, std::abs(weights[static_cast<size_t>(i)]));
    visit(largest * factor(written, out) / factor(read, in), in, out);
  });
}

}  // namespace

Tensor rescaled_weight(const Graph& graph, const Node& node, const std::vector<float>& read,
                       const std::vector<float>& written) {
  const WeightView view(graph, node);
  check_count(read.size(), view.input_count());
  check_count(written.size(), view.output_count());
  Tensor wide = wide_weight(graph, node);
  if (!wide.owns_memory_alone()) wide = wide.clone();
  const auto weights = wide.mutable_data<double>();
  view.for_each_pair([&](int64_t first, size_t in, size_t out) {
    const double scale = factor(written, out) / factor(read, in);
    for (int64_t i = first; i < first + view.inner; ++i) weights[static_cast<size_t>(i)] *= scale;
  });
  return shared_by_models(cast(wide, graph.constant(node.input(1))->type()));
}

std::vector<double> output_magnitudes(const Graph& graph, const Node& node, const std::vector<double>& read) {
  std::vector<double> largest(static_cast<size_t>(WeightView(graph, node).output_count()));
  for_each_magnitude(graph, node, read, {},
                     [&](double magnitude, size_t, size_t out) { largest[out] = std::max(largest[out], magnitude); });
  return largest;
}

std::vector<double> input_magnitudes(const Graph& graph, const Node& node, const std::vector<double>& written) {
  std::vector<double> largest(static_cast<size_t>(WeightView(graph, node).input_count()));
  for_each_magnitude(graph, node, {}, written,
                     [&](double magnitude, size_t in, size_t) { largest[in] = std::max(largest[in], magnitude); });
  return largest;
}

std::vector<double> relative_input_magnitudes(const Graph& graph, const Node& node) {
  const std::vector<double> outputs = output_magnitudes(graph, node);
  std::vector<double> largest(static_cast<size_t>(WeightView(graph, node).input_count()));
  for_each_magnitude(graph, node, {}, {}, [&](double magnitude, size_t in, size_t out) {
    if (outputs[out] > 0) magnitude /= outputs[out];
    largest[in] = std::max(largest[in], magnitude);
  });
  return largest;
}

int64_t input_channels(const Graph& graph, const Node& node) { return WeightView(graph, node).input_count(); }
int64_t output_channels(const Graph& graph, const Node& node) { return WeightView(graph, node).output_count(); }

bool reads_one_channel(const Graph& graph, const Node& node) {
  const WeightView view(graph, node);
  return view.input_count() == view.groups;
}

}  // namespace detent
