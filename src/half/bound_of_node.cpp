#include "half/bound_of_node.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "ops/clip_bounds.h"
#include "ops/traits.h"

namespace detent {

namespace {

double input(const ValueBounds& bounds, const Node& node, int slot) {
  const MaybeValue id = node.input(slot);
  return id ? bounds.amax[*id] : 0;
}

/// Returns the constant in a slot; nullptr for other values and where it is left out.
const Tensor* weight_in(const ValueBounds& bounds, const Node& node, int slot) {
  const MaybeValue id = node.input(slot);
  return id ? bounds.weights[*id] : nullptr;
}

/// Returns the product; 0 times an infinite bound is infinite.
double times(double a, double b) { return std::isinf(a) || std::isinf(b) ? kUnbounded : a * b; }

/// Returns |x| of an attribute.
double magnitude_of(const Node& node, const char* attribute, float usual) {
  return std::abs(static_cast<double>(node.float_or(attribute, usual)));
}

double first(const ValueBounds& bounds, const Node& node) { return input(bounds, node, 0); }

double one(const ValueBounds&, const Node&) { return 1; }

double largest(const ValueBounds& bounds, const Node& node) {
  double bound = 0;
  for (const ValueId id : present(node.inputs)) bound = std::max(bound, bounds.amax[id]);
  return bound;
}

double sum(const ValueBounds& bounds, const Node& node) {
  double bound = 0;
  for (const ValueId id : present(node.inputs)) bound += bounds.amax[id];
  return bound;
}

double product(const ValueBounds& bounds, const Node& node) {
  return times(input(bounds, node, 0), input(bounds, node, 1));
}

/// Reads the slots of Where and Pad that hold numbers. Before opset 11 an attribute holds that of Pad.
double chosen(const ValueBounds& bounds, const Node& node) {
  const int slot = node.op_type == "Where" ? 1 : 0;
  return std::max({input(bounds, node, slot), input(bounds, node, 2), magnitude_of(node, "value", 0)});
}

/// Returns the number of elements; infinite where the shape is unknown.
double elements(const ValueBounds& bounds, MaybeValue id) {
  const Tensor* constant = id ? bounds.weights[*id] : nullptr;
  const Shape* found = constant ? &constant->shape() : find_shape(bounds.shapes, id);
  return found ? static_cast<double>(found->element_count()) : kUnbounded;
}

/// Bounds the Scatter operators. All updates may meet at one element.
double scattered(const ValueBounds& bounds, const Node& node) {
  const std::string how = node.string_or("reduction", "none");
  const double data = input(bounds, node, 0), update = input(bounds, node, 2);
  if (how == "add") return data + times(elements(bounds, node.input(1)), update);
  if (how == "mul") return update <= 1 ? data : kUnbounded;
  return std::max(data, update);
}

/// Bounds PRelu, which multiplies negative numbers by the slope.
double with_slope(const ValueBounds& bounds, const Node& node) {
  return times(input(bounds, node, 0), std::max(1.0, input(bounds, node, 1)));
}

/// Bounds LeakyRelu, Elu and Celu, which multiply negative numbers by alpha at most.
double with_alpha(const ValueBounds& bounds, const Node& node) {
  const float usual = node.op_type == "LeakyRelu" ? 0.01F : 1.0F;
  const double alpha = std::abs(node.float_or("alpha", usual));
  return std::max(input(bounds, node, 0) * (node.op_type == "LeakyRelu" ? std::max(1.0, alpha) : 1.0), alpha);
}

/// Bounds Clip. A lower limit above 0 or an upper one below it makes numbers larger.
double clip(const ValueBounds& bounds, const Node& node) {
  const double x = input(bounds, node, 0);
  if (const auto known = clip_bounds(bounds.graph, node)) {
    const auto low = static_cast<double>(known->low()), high = static_cast<double>(known->high());
    return std::min(std::max({x, low, -high}), std::max(std::abs(low), std::abs(high)));
  }
  const bool both = node.input(1) && node.input(2);
  const double limits = std::max(input(bounds, node, 1), input(bounds, node, 2));
  return both ? limits : std::max(x, limits);
}

double root(const ValueBounds& bounds, const Node& node) { return std::sqrt(input(bounds, node, 0)); }
double exponential(const ValueBounds& bounds, const Node& node) { return std::exp(input(bounds, node, 0)); }
double softplus(const ValueBounds& bounds, const Node& node) { return input(bounds, node, 0) + 1; }

double rounded_away(const ValueBounds& bounds, const Node& node) { return input(bounds, node, 0) + 1; }

/// Returns the most by which cubic interpolation enlarges numbers. Between two samples, at t, the weights of the other
/// two of Keys' kernel sum to a t (1 - t), at most a / 4 in magnitude, and all four to 1: on each axis the magnitudes
/// sum to 1 + |a| / 2 at most.
/// Source  R. Keys, Cubic Convolution Interpolation for Digital Image Processing (1981), equation 15 with a for -1/2
double cubic_gain(const ValueBounds& bounds, const Node& node) {
  constexpr double kMostAxes = 3;  // of a volume
  const Shape* shape = find_shape(bounds.shapes, node.input(0));
  const double axes = !shape || shape->rank() == 0 ? kMostAxes
                      : shape->rank() > 2          ? static_cast<double>(shape->rank() - 2)
                                                   : static_cast<double>(shape->rank());
  return std::pow(1 + magnitude_of(node, "cubic_coeff_a", -0.75F) / 2, axes);
}

/// Bounds Resize and GridSample.
double interpolated(const ValueBounds& bounds, const Node& node) {
  const bool cubic = node.string_or("mode", "").ends_with("cubic");  // "bicubic" in GridSample before opset 20
  return std::max(input(bounds, node, 0) * (cubic ? cubic_gain(bounds, node) : 1),
                  magnitude_of(node, "extrapolation_value", 0));
}

double quotient(const ValueBounds& bounds, const Node& node) {
  const Tensor* divisor = weight_in(bounds, node, 1);
  if (!divisor) return kUnbounded;
  double least = kUnbounded;
  for (const float x : divisor->data<float>()) least = std::min(least, std::abs(static_cast<double>(x)));
  return least > 0 ? input(bounds, node, 0) / least : kUnbounded;
}

double power(const ValueBounds& bounds, const Node& node) {
  const Tensor* exponent = weight_in(bounds, node, 1);
  if (!exponent || exponent->element_count() != 1 || exponent->data<float>()[0] < 1) return kUnbounded;
  return std::pow(input(bounds, node, 0), static_cast<double>(exponent->data<float>()[0]));
}

double reduced_sum(const ValueBounds& bounds, const Node& node) {
  const double sums = elements(bounds, node.output(0));  // unknown: all elements may be in one
  return times(elements(bounds, node.input(0)) / (std::isinf(sums) ? 1 : std::max(1.0, sums)), input(bounds, node, 0));
}

/// Bounds a normalization: n numbers with mean square 1 have none beyond the root of n.
double normalization(const ValueBounds& bounds, const Node& node) {
  const Tensor* scale = weight_in(bounds, node, 1);
  if (!scale) return kUnbounded;
  const bool whole_row = node.op_type == "LayerNormalization" || node.op_type == "RMSNormalization";
  const double n = whole_row ? static_cast<double>(scale->element_count()) : elements(bounds, node.input(0));
  return times(std::sqrt(n), input(bounds, node, 1)) + input(bounds, node, 2);
}

double batch_norm(const ValueBounds& bounds, const Node& node) {
  const std::array<const Tensor*, 4> constants{weight_in(bounds, node, 1), weight_in(bounds, node, 2),
                                               weight_in(bounds, node, 3), weight_in(bounds, node, 4)};
  if (std::ranges::count(constants, nullptr) > 0) return kUnbounded;
  const auto at = [&](size_t slot, size_t i) { return static_cast<double>(constants[slot]->data<float>()[i]); };
  const double epsilon = node.float_or("epsilon", 1e-5F);
  double bound = 0;
  for (size_t i = 0; i < constants[0]->data<float>().size(); ++i)
    bound = std::max(
        bound, std::abs(at(0, i)) / std::sqrt(at(3, i) + epsilon) * (input(bounds, node, 0) + std::abs(at(2, i))) +
                   std::abs(at(1, i)));
  return bound;
}

/// Returns the axis of a weight that counts outputs.
size_t output_axis(const Node& node, WeightAxis axis, size_t rank) {
  if (axis == WeightAxis::First) return 0;
  if (axis == WeightAxis::Second) return 1;
  if (axis == WeightAxis::GemmOutput) return node.int_or("transB", 0) ? 0 : 1;
  return rank - 1;
}

/// Returns the largest sum of |w| over the elements at one place of an axis.
double largest_sum(const Tensor& weight, size_t axis) {
  const auto& shape = weight.shape();
  const auto extent = static_cast<size_t>(shape[axis]);
  size_t inner = 1;
  for (size_t i = axis + 1; i < shape.rank(); ++i) inner *= static_cast<size_t>(shape[i]);
  std::vector<double> sums(extent, 0);
  const auto numbers = weight.data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) sums[i / inner % extent] += std::abs(static_cast<double>(numbers[i]));
  return sums.empty() ? 0 : *std::ranges::max_element(sums);
}

double product_of_rows(const ValueBounds& bounds, const Node& node) {
  const Node* rows = bounds.graph.producer(node.input(0));
  if (rows && rows->op_type == "Softmax" && rows->int_or("axis", -1) == -1) return input(bounds, node, 1);
  const Shape* found = find_shape(bounds.shapes, node.input(0));
  if (!found || found->rank() == 0) return kUnbounded;
  const auto inner = static_cast<double>((*found)[found->rank() - 1]);
  return times(inner, product(bounds, node));
}

double layer(const ValueBounds& bounds, const Node& node) {
  const OpTraits& traits = traits_of(bounds.graph, node);
  const Tensor* weight = weight_in(bounds, node, 1);
  if (!weight || weight->shape().rank() < 2)
    return node.op_type == "MatMul" ? product_of_rows(bounds, node) : kUnbounded;
  const size_t axis = output_axis(node, traits.weight_axis, weight->shape().rank());
  const double alpha = std::abs(node.float_or("alpha", 1)), beta = std::abs(node.float_or("beta", 1));
  const double bias = traits.bias_slot < 0 ? 0 : input(bounds, node, traits.bias_slot);
  return times(alpha * largest_sum(*weight, axis), input(bounds, node, 0)) + times(beta, bias);
}

struct Row {
  std::string_view operators;  ///< between spaces
  double (*bound)(const ValueBounds&, const Node&);
};

constexpr std::array kRows{
    Row{" Relu Abs Neg Cast AveragePool GlobalAveragePool GlobalMaxPool ReduceMean ReduceMax ReduceMin TopK "
        "HardSwish Gelu Mish Swish ThresholdedRelu Compress ReverseSequence RoiAlign MaxRoiPool Trilu ",
        first},
    Row{" Sigmoid Tanh Softmax HardSigmoid Erf Sin Cos Softsign Sign Hardmax ", one},
    Row{" Floor Ceil ", rounded_away},
    Row{" Concat Max Min Mean ", largest},
    Row{" PRelu ", with_slope},
    Row{" Add Sub Sum ", sum},
    Row{" Mul ", product},
    Row{" Div ", quotient},
    Row{" Pow ", power},
    Row{" Where Pad ", chosen},
    Row{" ScatterND ScatterElements ", scattered},
    Row{" LeakyRelu Elu Celu ", with_alpha},
    Row{" Clip ", clip},
    Row{" Sqrt ", root},
    Row{" Exp ", exponential},
    Row{" Softplus ", softplus},
    Row{" Resize Upsample GridSample ", interpolated},
    Row{" ReduceSum ", reduced_sum},
    Row{" LayerNormalization RMSNormalization InstanceNormalization GroupNormalization ", normalization},
    Row{" BatchNormalization ", batch_norm},
    Row{" Conv ConvTranspose Gemm MatMul ", layer}};

}  // namespace

double bound_of_node(const ValueBounds& bounds, const Node& node) {
  if (!node.domain.empty()) return kUnbounded;
  const std::string name = " " + node.op_type + " ";
  for (const Row& row : kRows)
    if (row.operators.find(name) != std::string_view::npos) {
      const double bound = row.bound(bounds, node);
      return std::isnan(bound) ? kUnbounded : bound;
    }
  return keeps_elements(traits_of(bounds.graph, node)) ? first(bounds, node) : kUnbounded;
}

}  // namespace detent
