#include <cmath>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// Output position, with the listed axes left out, of element i.
int64_t group_of(int64_t i, const Shape& shape, const std::array<bool, Shape::kMaxRank>& axes) {
  int64_t group = 0;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    if (!axes[axis]) group = group * shape[axis] + i / shape.element_count(axis + 1, shape.rank()) % shape[axis];
  return group;
}

/// (x - mean) / (standard deviation + 1e-9) over the axes; the 1e-9 is that of ONNX's function body.
template <class T>
void normalize_mean(const Tensor& input, Tensor& output, const std::array<bool, Shape::kMaxRank>& axes) {
  const Shape& shape = input.shape();
  const auto in = input.data<T>();
  auto out = output.mutable_data<T>();
  int64_t groups = 1;
  for (size_t axis = 0; axis < shape.rank(); ++axis) groups *= axes[axis] ? 1 : shape[axis];
  if (in.empty()) return;
  const double count = static_cast<double>(shape.element_count() / groups);
  std::vector<double> means(as_index(groups)), squares(means.size());
  const auto at = [&](size_t i) { return as_index(group_of(as_extent(i), shape, axes)); };
  for (size_t i = 0; i < in.size(); ++i) means[at(i)] += static_cast<double>(in[i]) / count;
  for (size_t i = 0; i < in.size(); ++i) {
    const double x = static_cast<double>(in[i]) - means[at(i)];
    squares[at(i)] += x * x / count;
  }
  for (size_t i = 0; i < in.size(); ++i)
    out[i] = static_cast<T>((static_cast<double>(in[i]) - means[at(i)]) / (std::sqrt(squares[at(i)]) + 1e-9));
}

std::unique_ptr<Kernel> make_mean_variance(const KernelContext& context) {
  return kernel_of([listed = context.node.ints_or("axes", {0, 2, 3})](KernelCall& call) {
    const Tensor& input = call.input(0);
    const auto axes = axes_from_front(listed, input.shape().rank());
    Tensor output(input.type(), input.shape(), call.allocator());
    visit_float(input.type(), [&]<class T>(T) { normalize_mean<T>(input, output, axes); });
    call.set_output(0, std::move(output));
  });
}

constexpr OperatorDef kMeanNormDefinitions[] = {
    {"MeanVarianceNormalization", "X -> Y; axes:ints", {.kind = OpKind::OtherNorm}, with_half<make_mean_variance>, 9},
};

}  // namespace

std::span<const OperatorDef> mean_norm_operators() { return kMeanNormDefinitions; }

}  // namespace detent
