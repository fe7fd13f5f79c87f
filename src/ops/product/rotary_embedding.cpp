#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

struct RotaryEmbeddingOptions {
  int64_t heads, rotated;  ///< 0 = not given: rank 4, the whole head
  bool interleaved;
};

/// Row of the caches for step s of batch entry b: by position id, or one for every step.
int64_t cache_row(const std::vector<int64_t>& positions, int64_t b, int64_t s, int64_t steps, int64_t rows) {
  const auto at = as_index(b * steps + s);
  const int64_t row = positions.empty() ? b * steps + s : at < positions.size() ? positions[at] : -1;
  if (row < 0 || row >= rows)
    throw Error(ErrorCode::InvalidData,
                "position " + std::to_string(row) + " is outside a cache of " + std::to_string(rows));
  return row;
}

struct Head {
  int64_t size, width;  ///< elements, and how many of them turn
  bool interleaved;
};

/// Pairs (x1, x2) of the first `width` elements turn by the angle of their column.
template <class T>
void rotate(const T* in, T* out, const T* cosines, const T* sines, const Head& head) {
  const auto& [size, width, interleaved] = head;
  const int64_t half = width / 2;
  for (int64_t i = 0; i < half; ++i) {
    const int64_t a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + half;
    out[a] = cosines[i] * in[a] - sines[i] * in[b];
    out[b] = sines[i] * in[a] + cosines[i] * in[b];
  }
  for (int64_t i = 2 * half; i < size; ++i) out[i] = in[i];
}

void run_rotary(KernelCall& call, const RotaryEmbeddingOptions& options) {
  const Tensor given = call.input(0);
  const Shape& shape = given.shape();
  const bool flat = shape.rank() == 3;
  if ((shape.rank() != 4 && !flat) || (flat && (options.heads < 1 || shape[2] % options.heads != 0)))
    throw Error(ErrorCode::InvalidData, "an input of shape " + shape.to_string() + " does not split into " +
                                            std::to_string(options.heads) + " heads");
  const int64_t batch = shape[0], heads = flat ? options.heads : shape[1], steps = flat ? shape[1] : shape[2];
  const int64_t size = flat ? shape[2] / heads : shape[3], width = options.rotated > 0 ? options.rotated : size;
  const Tensor &cosines = call.input(1), &sines = call.input(2);
  const int64_t half = width / 2, rows = half > 0 ? cosines.element_count() / half : 0;
  if (width > size || width % 2 != 0 || cosines.shape() != sines.shape() || cosines.element_count() != rows * half ||
      cosines.shape().rank() == 0 || cosines.shape()[cosines.shape().rank() - 1] != half)
    throw Error(ErrorCode::InvalidData,
                "caches of shape " + cosines.shape().to_string() + " do not fit heads of " + std::to_string(size));
  const std::vector<int64_t> positions = call.has_input(3) ? integers_of(call.input(3)) : std::vector<int64_t>();
  Tensor output(given.type(), shape, call.allocator());
  visit_float(given.type(), [&]<class T>(T) {
    const T* in = given.data<T>().data();
    T* out = output.mutable_data<T>().data();
    for (int64_t i = 0; i < batch * heads * steps; ++i, in += size, out += size) {
      const int64_t s = flat ? i / heads % steps : i % steps;
      const int64_t row = cache_row(positions, i / (heads * steps), s, steps, rows) * half;
      rotate(in, out, cosines.data<T>().data() + row, sines.data<T>().data() + row, {size, width, options.interleaved});
    }
  });
  call.set_output(0, std::move(output));
}

std::unique_ptr<Kernel> make_rotary(const KernelContext& context) {
  const RotaryEmbeddingOptions options{.heads = context.node.int_or("num_heads", 0),
                                       .rotated = context.node.int_or("rotary_embedding_dim", 0),
                                       .interleaved = context.node.int_or("interleaved", 0) != 0};
  return kernel_of([options](KernelCall& call) { run_rotary(call, options); });
}

constexpr OperatorDef kRotaryEmbeddingDefinitions[] = {
    {.op_type = "RotaryEmbedding",
     .signature = "X cos_cache sin_cache position_ids? -> Y; interleaved:int num_heads:int rotary_embedding_dim:int",
     .traits = {.data_inputs = 1},
     .make = with_half<make_rotary>,
     .first_opset = 23},
};

}  // namespace

std::span<const OperatorDef> rotary_embedding_operators() { return kRotaryEmbeddingDefinitions; }

}  // namespace detent
