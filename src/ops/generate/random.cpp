// Random operators. They draw from a RandomStream, so that a run can be repeated to the byte.

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/index.h"
#include "core/stop.h"
#include "model/graph/tensor_proto.h"
#include "ops/generate/random_stream.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// Element type named by the attribute dtype; Undefined when it is left out and there is no default.
DataType wanted_type(const Node& node, int64_t fallback) { return data_type_from_onnx(node.int_or("dtype", fallback)); }

/// Numbers drawn in double, then rounded to `type`.
template <class Draw>
Tensor drawn(const Shape& shape, DataType type, uint64_t seed, Allocator& allocator, Draw draw) {
  RandomStream stream(seed);
  Tensor wide(DataType::Float64, shape, allocator);
  auto out = wide.mutable_data<double>();
  in_stoppable_blocks(out.size(), [&](size_t first, size_t last) {
    std::ranges::generate(out.subspan(first, last - first), [&] { return draw(stream); });
  });
  return cast(wide, type, allocator);
}

enum class Distribution : uint8_t { Uniform, Normal };
enum class ShapeFrom : uint8_t { Attribute, Input };

/// Either distribution, of the shape in the attribute or, for the forms "Like", of the input.
template <Distribution distribution, ShapeFrom shape_from>
std::unique_ptr<Kernel> make_random(const KernelContext& context) {
  constexpr bool normal = distribution == Distribution::Normal, like = shape_from == ShapeFrom::Input;
  const Node& node = context.node;
  const double base = node.float_or(normal ? "mean" : "low", 0), end = node.float_or(normal ? "scale" : "high", 1);
  const double span = normal ? end : end - base;
  if (!like && wanted_type(node, 1) == DataType::Undefined)
    throw Error(ErrorCode::InvalidModel, "attribute dtype names no element type");
  const std::vector<int64_t> extents = node.ints_or("shape", {});
  const auto negative = [](int64_t extent) { return extent < 0; };
  if (!like && (!node.has("shape") || std::ranges::any_of(extents, negative)))
    throw Error(ErrorCode::InvalidModel, "attribute shape is missing or has a negative extent");
  const Shape fixed{std::span<const int64_t>(extents)};
  return kernel_of([=, type = wanted_type(node, like ? 0 : 1), seed = seed_of(context)](KernelCall& call) {
    const Shape shape = like ? call.input(0).shape() : fixed;
    const DataType result = type == DataType::Undefined ? call.input(0).type() : type;
    call.set_output(0, drawn(shape, result, seed, call.allocator(), [&](RandomStream& stream) {
                      return base + span * (normal ? stream.normal() : stream.uniform());
                    }));
  });
}

/// 1 with the probability that the input says, else 0.
std::unique_ptr<Kernel> make_bernoulli(const KernelContext& context) {
  return kernel_of([type = wanted_type(context.node, 0), seed = seed_of(context)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Tensor chances = cast(input, DataType::Float64, call.allocator());
    const double* chance = chances.data<double>().data();
    const DataType result = type == DataType::Undefined ? input.type() : type;
    call.set_output(0, drawn(input.shape(), result, seed, call.allocator(),
                             [&](RandomStream& stream) { return stream.uniform() < *chance++ ? 1.0 : 0.0; }));
  });
}

/// The running sums of exp(x) / max(exp(x)) over a row of log-probabilities.
std::vector<double> running_sums(std::span<const double> row) {
  const double largest = *std::ranges::max_element(row);
  if (!std::isfinite(largest)) throw Error(ErrorCode::InvalidData, "no outcome of a row has a probability");
  std::vector<double> sums;
  double total = 0;
  for (const double x : row) sums.push_back(total += std::exp(x - largest));
  return sums;
}

/// Classes by the inverse of the distribution function.
std::unique_ptr<Kernel> make_multinomial(const KernelContext& context) {
  const int64_t samples = context.node.int_or("sample_size", 1);
  if (samples < 0) throw Error(ErrorCode::InvalidModel, "attribute sample_size is negative");
  return kernel_of([samples, type = wanted_type(context.node, 6), seed = seed_of(context)](KernelCall& call) {
    const Shape shape = call.input(0).shape();
    if (shape.rank() != 2 || (shape[1] == 0 && shape[0] > 0))
      throw Error(ErrorCode::InvalidData, "log-probabilities of shape " + shape.to_string() + ", expected BxC");
    const Tensor wide = cast(call.input(0), DataType::Float64, call.allocator());
    const auto classes = as_index(shape[1]);
    std::vector<double> sums;
    int64_t left = 0;  // samples of the present row still to draw
    size_t row = 0;
    call.set_output(0, drawn({shape[0], samples}, type, seed, call.allocator(), [&](RandomStream& stream) {
                      if (left == 0) {
                        sums = running_sums(wide.data<double>().subspan(row++ * classes, classes));
                        left = samples;
                      }
                      --left;
                      const double place = stream.uniform() * sums.back();
                      const auto found = std::ranges::upper_bound(sums, place);
                      const auto last = std::ranges::lower_bound(sums, sums.back());  // where rounding met the end
                      return static_cast<double>(std::min(found, last) - sums.begin());
                    }));
  });
}

/// Refuses element types that a Tensor cannot hold.
std::optional<Unsupported> refuse_random_type(const KernelContext& context) {
  const int64_t code = context.node.int_or("dtype", 0);
  if (code == 0 || data_type_from_onnx(code) != DataType::Undefined) return std::nullopt;
  return Unsupported{"element type " + std::to_string(code) + " of ONNX, which Detent does not compute with"};
}

constexpr OpTraits kNoData{.data_inputs = 0};

/// The data passes, the optional mask is all true.
void pass(KernelCall& call) {
  call.set_output(0, call.input(0));
  if (!call.wants_output(1)) return;
  std::ranges::fill(
      call.make_output(1, DataType::Bool, call.input(0).shape(), call.input(0).layout()).mutable_data<bool>(), true);
}

/// Every element is dropped with probability `ratio`, the others grow so that the expected sum stays. In the order of
/// the plain layout, so that the same ones go in either.
void drop(KernelCall& call, double ratio, uint64_t seed) {
  if (!(ratio >= 0 && ratio < 1))
    throw Error(ErrorCode::InvalidData, "a ratio of " + std::to_string(ratio) + ", expected one in [0, 1)");
  const Tensor input = cast(to_plain(call.input(0), call.allocator()), DataType::Float64, call.allocator());
  Tensor kept(DataType::Bool, input.shape(), call.allocator()),
      output(DataType::Float64, input.shape(), call.allocator());
  RandomStream stream(seed);
  std::ranges::generate(kept.mutable_data<bool>(), [&] { return stream.uniform() >= ratio; });
  const auto in = input.data<double>();
  const auto mask = kept.data<bool>();
  auto out = output.mutable_data<double>();
  for (size_t i = 0; i < in.size(); ++i) out[i] = mask[i] ? in[i] / (1 - ratio) : 0;
  call.set_output(0, cast(output, call.input(0).type(), call.allocator()));
  call.set_output(1, std::move(kept));
}

/// Elements are dropped in training only; training is an input since opset 12, as is the ratio.
std::unique_ptr<Kernel> make_dropout(const KernelContext& context) {
  return kernel_of([seed = seed_of(context)](KernelCall& call) {
    if (!call.has_input(2) || scalar_of(call.input(2)) == 0) return pass(call);
    const double ratio = call.has_input(1) ? scalar_of(call.input(1)) : 0.5F;
    if (ratio == 0) return pass(call);
    drop(call, ratio, seed);
  });
}

constexpr OperatorDef kRandomDefinitions[] = {
    {.op_type = "RandomNormal",
     .signature = "-> output; dtype:int mean:float scale:float seed:float shape:ints!",
     .traits = kNoData,
     .make = make_random<Distribution::Normal, ShapeFrom::Attribute>,
     .check = refuse_random_type},
    {.op_type = "RandomNormalLike",
     .signature = "input -> output; dtype:int mean:float scale:float seed:float",
     .traits = kNoData,
     .make = make_random<Distribution::Normal, ShapeFrom::Input>,
     .check = refuse_random_type},
    {.op_type = "RandomUniform",
     .signature = "-> output; dtype:int high:float low:float seed:float shape:ints!",
     .traits = kNoData,
     .make = make_random<Distribution::Uniform, ShapeFrom::Attribute>,
     .check = refuse_random_type},
    {.op_type = "RandomUniformLike",
     .signature = "input -> output; dtype:int high:float low:float seed:float",
     .traits = kNoData,
     .make = make_random<Distribution::Uniform, ShapeFrom::Input>,
     .check = refuse_random_type},
    {.op_type = "Bernoulli",
     .signature = "input -> output; dtype:int seed:float",
     .traits = kNoData,
     .make = make_bernoulli,
     .first_opset = 15,
     .check = refuse_random_type},
    {.op_type = "Multinomial",
     .signature = "input -> output; dtype:int sample_size:int seed:float",
     .traits = kNoData,
     .make = make_multinomial,
     .first_opset = 7,
     .check = refuse_random_type},
    {.op_type = "Dropout",
     .signature = "data -> output mask?; ratio:float | 12: data ratio? training_mode? -> output mask?; seed:int",
     .traits = {.kind = OpKind::Reshape, .commutes = true, .data_inputs = 1},
     .make = make_dropout,
     .first_opset = 7,
     .layout = LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> random_operators() { return kRandomDefinitions; }

}  // namespace detent
