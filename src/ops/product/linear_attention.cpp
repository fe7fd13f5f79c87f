// LinearAttention: every step decays, updates and queries a matrix of state per head.

#include <cmath>
#include <vector>

#include "core/checked_size.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

struct LinearAttentionOptions {
  int64_t query_heads, key_heads;
  float scale;          ///< 0: 1 / sqrt(key size)
  bool gated, delta;    ///< the state decays; an update replaces what the key recalls
  DataType state_type;  ///< of the present state where there is no past one; Undefined: as the query
};

enum LinearAttentionSlot : size_t { kQuery, kKey, kValue, kPast, kDecay, kBeta };

/// The inputs in float, and their extents.
struct LinearAttentionOperands {
  Tensor query, key, value, decay, beta;
  int64_t batch, steps, key_size, value_size;
  int64_t decays, betas;  ///< numbers of a step: one a key element or one a head; one a head or one in all
};

void expect(bool fits, const char* what, const Tensor& tensor) {
  if (!fits)
    throw Error(ErrorCode::InvalidData, std::string(what) + " of shape " + tensor.shape().to_string() +
                                            " does not fit the heads and the other inputs");
}

/// Returns an optional input B x T x n with n one of two.
Tensor per_step(const KernelCall& call, size_t slot, const LinearAttentionOperands& o, int64_t first, int64_t second) {
  if (!call.has_input(slot)) throw Error(ErrorCode::InvalidData, "the update rule needs input " + std::to_string(slot));
  const Shape& shape = call.input(slot).shape();
  expect(shape == Shape{o.batch, o.steps, first} || shape == Shape{o.batch, o.steps, second},
         slot == kDecay ? "a decay" : "a beta", call.input(slot));
  return cast(call.input(slot), DataType::Float32, call.allocator());
}

LinearAttentionOperands linear_attention_operands(const KernelCall& call, const LinearAttentionOptions& options) {
  const int64_t heads = options.key_heads;
  const auto number = [&](size_t slot) { return cast(call.input(slot), DataType::Float32, call.allocator()); };
  LinearAttentionOperands o{.query = number(kQuery), .key = number(kKey), .value = number(kValue)};
  const Shape &query = o.query.shape(), &key = o.key.shape(), &value = o.value.shape();
  expect(query.rank() == 3 && query[2] % options.query_heads == 0, "a query", o.query);
  o.batch = query[0], o.steps = query[1], o.key_size = query[2] / options.query_heads;
  expect(key == Shape{o.batch, o.steps, heads * o.key_size}, "a key", o.key);
  expect(value.rank() == 3 && value[0] == o.batch && value[1] == o.steps && value[2] % heads == 0, "a value", o.value);
  o.value_size = value[2] / heads;
  if (options.gated) o.decay = per_step(call, kDecay, o, heads * o.key_size, heads);
  if (options.delta) o.beta = per_step(call, kBeta, o, heads, 1);
  o.decays = options.gated ? o.decay.shape()[2] : 0;
  o.betas = options.delta ? o.beta.shape()[2] : 0;
  return o;
}

/// Computes state[i][j] += factor * key[i] * (value[j] - what the key recalls, for delta); rows decay first.
void update(float* state, const LinearAttentionOperands& o, int64_t head, int64_t step,
            const LinearAttentionOptions& options, std::vector<float>& change) {
  const int64_t heads = options.key_heads, rows = o.key_size, columns = o.value_size;
  const float* key = o.key.data<float>().data() + (step * heads + head) * rows;
  const float* value = o.value.data<float>().data() + (step * heads + head) * columns;
  if (options.gated) {
    const float* decay = o.decay.data<float>().data() + step * o.decays;
    for (int64_t i = 0; i < rows; ++i) {
      const float kept = std::exp(decay[o.decays == heads ? head : head * rows + i]);
      for (int64_t j = 0; j < columns; ++j) state[i * columns + j] *= kept;
    }
  }
  change.assign(value, value + columns);
  if (options.delta) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) change[as_index(j)] -= state[i * columns + j] * key[i];
    const float beta = o.beta.data<float>()[as_index(step * o.betas + (o.betas == 1 ? 0 : head))];
    for (float& x : change) x *= beta;
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) state[i * columns + j] += key[i] * change[as_index(j)];
}

/// Computes out = scale * query^T state.
void ask(const float* state, const float* query, const LinearAttentionOperands& o, float scale, float* out) {
  std::fill_n(out, o.value_size, 0.0F);
  for (int64_t i = 0; i < o.key_size; ++i)
    for (int64_t j = 0; j < o.value_size; ++j) out[j] += query[i] * state[i * o.value_size + j];
  for (int64_t j = 0; j < o.value_size; ++j) out[j] *= scale;
}

Tensor first_state(const KernelCall& call, const LinearAttentionOperands& o, int64_t heads) {
  const Shape shape{o.batch, heads, o.key_size, o.value_size};
  Tensor state(DataType::Float32, shape, call.allocator());
  if (call.has_input(kPast)) {
    expect(call.input(kPast).shape() == shape, "a past state", call.input(kPast));
    const Tensor past = cast(call.input(kPast), DataType::Float32, call.allocator());
    std::ranges::copy(past.data<float>(), state.mutable_data<float>().begin());
  } else {
    std::ranges::fill(state.mutable_data<float>(), 0.0F);
  }
  return state;
}

void run_linear_attention(KernelCall& call, const LinearAttentionOptions& options) {
  const LinearAttentionOperands o = linear_attention_operands(call, options);
  const int64_t group = options.query_heads / options.key_heads;
  const float scale =
      options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<float>(std::max<int64_t>(o.key_size, 1)));
  Tensor state = first_state(call, o, options.key_heads);
  const int64_t width = checked_product(options.query_heads, o.value_size, "the width of the output");
  Tensor output(DataType::Float32, Shape{o.batch, o.steps, width}, call.allocator());
  std::vector<float> change;
  // There may be any number of heads without elements.
  const bool nothing = output.element_count() == 0 && state.element_count() == 0;
  for (int64_t b = 0; b < o.batch && !nothing; ++b)
    for (int64_t h = 0; h < options.key_heads; ++h) {
      float* of_head = state.mutable_data<float>().data() + (b * options.key_heads + h) * o.key_size * o.value_size;
      for (int64_t step = b * o.steps; step < (b + 1) * o.steps; ++step) {
        update(of_head, o, h, step, options, change);
        for (int64_t q = h * group; q < (h + 1) * group; ++q)
          ask(of_head, o.query.data<float>().data() + (step * options.query_heads + q) * o.key_size, o, scale,
              output.mutable_data<float>().data() + (step * options.query_heads + q) * o.value_size);
      }
    }
  const DataType type = call.input(kQuery).type();
  const DataType state_type = call.has_input(kPast)                       ? call.input(kPast).type()
                              : options.state_type != DataType::Undefined ? options.state_type
                                                                          : type;
  call.set_output(0, cast(output, type, call.allocator()));
  call.set_output(1, cast(state, state_type, call.allocator()));
}

DataType declared_type(const Graph& graph, MaybeValue id) {
  if (!id) return DataType::Undefined;
  const auto& declared = graph.value(*id).declared_type;
  return declared ? *declared : DataType::Undefined;
}

std::unique_ptr<Kernel> make_linear_attention(const KernelContext& context) {
  const Node& node = context.node;
  enum class Rule : uint8_t { Linear, Gated, Delta, GatedDelta };
  constexpr Named<Rule> kRules[] = {
      {"linear", Rule::Linear}, {"gated", Rule::Gated}, {"delta", Rule::Delta}, {"gated_delta", Rule::GatedDelta}};
  const Rule rule = value_named(node, "update_rule", "gated_delta", kRules);
  const LinearAttentionOptions options{.query_heads = node.int_or("q_num_heads", 0),
                                       .key_heads = node.int_or("kv_num_heads", 0),
                                       .scale = node.float_or("scale", 0),
                                       .gated = rule == Rule::Gated || rule == Rule::GatedDelta,
                                       .delta = rule == Rule::Delta || rule == Rule::GatedDelta,
                                       .state_type = declared_type(context.graph, node.output(1))};
  if (options.query_heads < 1 || options.key_heads < 1 || options.query_heads % options.key_heads != 0)
    throw Error(ErrorCode::InvalidModel, std::to_string(options.query_heads) + " query heads are no multiple of " +
                                             std::to_string(options.key_heads) + " key heads");
  return kernel_of([options](KernelCall& call) { run_linear_attention(call, options); });
}

}  // namespace

std::vector<OperatorDef> linear_attention_operators() {
  return {
      {"LinearAttention", {.data_inputs = 3}, make_linear_attention, 27},
  };
}

}  // namespace detent
