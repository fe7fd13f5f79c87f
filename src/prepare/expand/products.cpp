#include <numeric>

#include "prepare/expand/expanders.h"
#include "prepare/expand/parts.h"

namespace detent::expand {

namespace {

/// Returns an operand of FusedMatMul in the order of MatMul.
/// batch   its first axis is the rows' and its batch axes follow: [1 ... r-2, 0, r-1] restores them
/// swapped rows and columns are swapped
Name operand(Body& body, size_t slot, bool swapped, bool batch) {
  const Name value = body.input(slot);
  if (batch) {
    const auto rank = static_cast<int64_t>(body.known_rank(slot));
    if (rank < 3) return swapped ? swap_last(body, value, body.rank(slot)) : value;
    std::vector<int64_t> perm(static_cast<size_t>(rank - 2));
    std::iota(perm.begin(), perm.end(), 1);
    const std::pair<int64_t, int64_t> last =
        swapped ? std::pair(rank - 1, int64_t{0}) : std::pair(int64_t{0}, rank - 1);
    perm.insert(perm.end(), {last.first, last.second});
    return transpose(body, value, std::move(perm));
  }
  return swapped ? swap_last(body, value, body.rank(slot)) : value;
}

/// Attributes of a node except those that only the fused operator has.
std::vector<Attribute> attributes_without(const Node& node, std::initializer_list<std::string_view> names) {
  std::vector<Attribute> kept;
  for (const Attribute& attribute : node.attributes)
    if (std::ranges::find(names, attribute.name) == names.end()) kept.push_back(attribute);
  return kept;
}

}  // namespace

void expand_fused_matmul(Body& body) {
  const Node& node = body.node();
  const auto is_set = [&](const char* name) { return node.int_or(name, 0) != 0; };
  const Name a = operand(body, 0, is_set("transA"), is_set("transBatchA"));
  const Name b = operand(body, 1, is_set("transB"), is_set("transBatchB"));
  const Name product = body.add("MatMul", {a, b});
  const float alpha = node.float_or("alpha", 1);
  body.write(0,
             alpha == 1 ? product : body.add("Mul", {product, body.scalar(static_cast<double>(alpha), body.type(0))}));
}

void expand_fused_gemm(Body& body) {
  const Node& node = body.node();
  FusedActivation activation{node.string_or("activation", ""), {}};
  for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"})
    if (node.has(name)) activation.numbers.push_back(node.float_or(name, 0));
  const Name product =
      body.add("Gemm", {body.input(0), body.input(1), body.input(2)},
               attributes_without(node, {"activation", "activation_alpha", "activation_beta", "activation_gamma"}));
  body.write(0, activate(body, product, activation, body.type(0)));
}

void expand_fused_conv(Body& body) {
  const Node& node = body.node();
  Name sum = body.add("Conv", {body.input(0), body.input(1), body.input(2)},
                      attributes_without(node, {"activation", "activation_params"}));
  if (body.reads(3)) sum = body.add("Add", {sum, body.input(3)});
  const FusedActivation activation{node.string_or("activation", ""), node.floats_or("activation_params", {})};
  body.write(0, activate(body, sum, activation, body.type(0)));
}

}  // namespace detent::expand
