// Random operators. They draw from a RandomStream, so that a run can be repeated to the byte.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/index.h"
#include "core/stop.h"
#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, odd

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Pseudorandom numbers that are the same on every machine: SplitMix64. The distributions of <random> would differ
/// between standard libraries.
/// Source  G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : state_(seed) {}
  /// Returns a number evenly spread over all 64-bit integers.
  uint64_t next() { return mixed(state_ += kGoldenGamma); }
  /// Returns a number evenly spread over [0, 1), in steps of 2^-53.
  double uniform() { return std::ldexp(static_cast<double>(next() >> 11), -53); }
  /// Returns a normal number of mean 0 and standard deviation 1 (Box and Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log1p(-uniform()));  // 1 - u is never 0
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  uint64_t state_;
};

/// Returns the seed of a random operator: its attribute `seed` where it has one, else a fixed number mixed with the
/// name of its first output. A node therefore draws the same numbers in every run, for every sample, in every iteration
/// of a Loop around it and in a model rewritten around it; another node draws others.
uint64_t seed_of(const KernelContext& context) {
  const Node& node = context.node;
  if (const AttributeValue* given = node.find_attribute("seed")) {  // Dropout's is an integer
    const auto* number = std::get_if<int64_t>(given);
    return mixed((number ? static_cast<uint64_t>(*number) : std::bit_cast<uint32_t>(node.float_or("seed", 0))) +
                 kGoldenGamma);
  }
  uint64_t seed = kGoldenGamma;
  const MaybeValue output = node.output(0);
  if (!output) return seed;
  for (const char letter : context.graph.value(*output).name) seed = mixed(seed ^ static_cast<unsigned char>(letter));
  return seed;
}

/// Returns the element type named by the attribute dtype; Undefined when it is left out and there is no default.
DataType wanted_type(const Node& node, int64_t fallback) { return data_type_from_onnx(node.int_or("dtype", fallback)); }

/// Returns numbers drawn in double, then rounded to `type`.
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

/// Makes a kernel for either distribution, of the shape in the attribute or, for the forms "Like", of the input.
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

/// Makes a kernel that draws 1 with the probability that the input gives, else 0.
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

/// Returns the running sums of exp(x) / max(exp(x)) over a row of log-probabilities.
std::vector<double> running_sums(std::span<const double> row) {
  const double largest = *std::ranges::max_element(row);
  if (!std::isfinite(largest)) throw Error(ErrorCode::InvalidData, "no outcome of a row has a probability");
  std::vector<double> sums;
  double total = 0;
  for (const double x : row) sums.push_back(total += std::exp(x - largest));
  return sums;
}

/// Makes a kernel that draws classes by the inverse of the distribution function.
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

constexpr OpTraits kNoData{.data_inputs = 0};

/// Passes the data; the optional mask is all true.
void pass(KernelCall& call) {
  call.set_output(0, call.input(0));
  if (!call.wants_output(1)) return;
  std::ranges::fill(
      call.make_output(1, DataType::Bool, call.input(0).shape(), call.input(0).layout()).mutable_data<bool>(), true);
}

/// Drops every element with probability `ratio`; the others grow so that the expected sum stays. Draws in the order of
/// the plain layout, so that the same elements go in either layout.
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

/// Makes a kernel that drops elements in training only; training is an input since opset 12, as is the ratio.
std::unique_ptr<Kernel> make_dropout(const KernelContext& context) {
  return kernel_of([seed = seed_of(context)](KernelCall& call) {
    if (!call.has_input(2) || scalar_of(call.input(2)) == 0) return pass(call);
    const double ratio = call.has_input(1) ? scalar_of(call.input(1)) : 0.5F;
    if (ratio == 0) return pass(call);
    drop(call, ratio, seed);
  });
}

}  // namespace

std::vector<OperatorDef> random_operators() {
  return {
      {"RandomNormal", kNoData, make_random<Distribution::Normal, ShapeFrom::Attribute>},
      {"RandomNormalLike", kNoData, make_random<Distribution::Normal, ShapeFrom::Input>},
      {"RandomUniform", kNoData, make_random<Distribution::Uniform, ShapeFrom::Attribute>},
      {"RandomUniformLike", kNoData, make_random<Distribution::Uniform, ShapeFrom::Input>},
      {"Bernoulli", kNoData, make_bernoulli, 15},
      {"Multinomial", kNoData, make_multinomial, 7},
      {"Dropout", {.kind = OpKind::Reshape, .commutes = true, .data_inputs = 1}, make_dropout, 7, LayoutNeed::Any},
  };
}

}  // namespace detent
