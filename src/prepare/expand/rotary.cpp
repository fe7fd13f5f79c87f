#include "prepare/expand/rotary.h"

#include <limits>

#include "prepare/expand/expanders.h"

namespace detent::expand {

namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// x cos + rotate_half(x) sin, as exporters write it.
Name rotate_halves(Body& body, const Name& x, const Rotation& rotation) {
  const auto doubled = [&](const Name& half) { return concat(body, {half, half}, -1); };
  const Name half = reshape(body, body.add("Div", {extent_of(body, x, 3), body.ints({2})}), {1});
  const Name first = slice(body, x, 3, body.ints({0}), half), second = slice(body, x, 3, half, body.ints({kEnd}));
  const Name turned = concat(body, {body.add("Neg", {second}), first}, -1);
  return body.add("Add",
                  {body.add("Mul", {x, doubled(rotation.cos)}), body.add("Mul", {turned, doubled(rotation.sin)})});
}

Name rotate_neighbours(Body& body, const Name& x, const Rotation& rotation) {
  const auto product = [&](const Name& a, const Name& b) { return body.add("Mul", {a, b}); };
  const Name even = slice(body, x, 3, 0, kEnd, 2), odd = slice(body, x, 3, 1, kEnd, 2);
  const Name first = body.add("Sub", {product(even, rotation.cos), product(odd, rotation.sin)});
  const Name second = body.add("Add", {product(even, rotation.sin), product(odd, rotation.cos)});
  const Name pairs = concat(body, {unsqueeze(body, first, {4}), unsqueeze(body, second, {4})}, 4);
  return body.add("Reshape", {pairs, body.add("Shape", {x})});
}

}  // namespace

Name rotate(Body& body, const Name& value, const Rotation& rotation) {
  const auto turn = rotation.interleaved ? rotate_neighbours : rotate_halves;
  if (rotation.rotated == 0) return turn(body, value, rotation);
  const Name part = turn(body, slice(body, value, 3, 0, rotation.rotated), rotation);
  return concat(body, {part, slice(body, value, 3, rotation.rotated, kEnd)}, 3);
}

void expand_rotary_embedding(Body& body) {
  enum { Input, Positions, Cos, Sin };
  const Node& node = body.node();
  body.refuse_unless("is_packed_batching", 0);
  if (node.float_or("scale", 1) != 1) refuse("attribute scale is not 1");
  const int64_t rotated = body.count("rotary_embedding_dim"), heads = body.count("num_heads");
  const bool split = body.known_rank(Input) == 3;
  if (!split && body.known_rank(Input) != 4) refuse("its input has neither rank 3 nor 4");
  if (rotated > 0 && split && heads == 0) refuse("rotary_embedding_dim needs num_heads");

  Name x = body.input(Input);
  if (split) {
    const int64_t half = body.extent(Cos, 1);
    if (heads == 0 && half < 1) refuse("neither num_heads nor the extent of cos_cache tells the size of a head");
    x = reshape(body, x, heads > 0 ? std::vector<int64_t>{0, 0, heads, -1} : std::vector<int64_t>{0, 0, -1, 2 * half});
  }
  // Positions [B, S], or the first one of consecutive positions.
  Name positions = body.input(Positions);
  const bool consecutive = body.known_rank(Positions) == 1;
  if (consecutive)
    positions = body.add("Add", {range(body, extent_of(body, body.input(Input), split ? 1 : 2)), positions});
  // cos and sin [B, S, 1, half] beside heads in axis 2, [B, 1, S, half] beside heads in axis 1.
  const int64_t head_axis = split ? 2 : 1;
  const auto look_up = [&](size_t cache) {
    const Name rows = body.add("Gather", {body.input(cache), positions});
    return unsqueeze(body, rows, consecutive ? std::vector<int64_t>{0, head_axis} : std::vector<int64_t>{head_axis});
  };
  const Rotation rotation{look_up(Cos), look_up(Sin), rotated, node.int_or("interleaved", 0) != 0};
  const Name turned = rotate(body, x, rotation);
  body.write(0, split ? reshape(body, turned, {0, 0, -1}) : turned);
}

}  // namespace detent::expand
