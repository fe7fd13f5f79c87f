#include <algorithm>
#include <functional>

#include "place/draft/certain_shapes.h"

namespace detent {
namespace {

using Extents = CertainShapes::Extents;
using Known = std::optional<Extents>;

constexpr int64_t kOpen = CertainShapes::kOpen;
/// Most numbers in a value of shapes, axes or masks; more are data.
constexpr int64_t kMostNumbers = 64;

Known integers_of(const Tensor& tensor) {
  const bool integers = tensor.type() == DataType::Int64 || tensor.type() == DataType::Int32;
  if (!integers || tensor.element_count() > kMostNumbers) return std::nullopt;
  const Tensor wide = cast(tensor, DataType::Int64);
  return Extents(wide.data<int64_t>().begin(), wide.data<int64_t>().end());
}

/// Combines element by element; a single number goes with all.
Known combined(const Known& a, const Known& b, const std::function<int64_t(int64_t, int64_t)>& function) {
  if (!a || !b || a->empty() || b->empty() || (a->size() != b->size() && a->size() != 1 && b->size() != 1))
    return std::nullopt;
  Extents out(std::max(a->size(), b->size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = (*a)[a->size() == 1 ? 0 : i], y = (*b)[b->size() == 1 ? 0 : i];
    out[i] = x == kOpen || y == kOpen ? kOpen : function(x, y);
  }
  return out;
}

Known chosen(const Known& mask, const Known& yes, const Known& no) {
  if (!mask || !yes || !no) return std::nullopt;
  const size_t count = std::max({mask->size(), yes->size(), no->size()});
  Extents out(count, kOpen);
  for (const Known* operand : {&mask, &yes, &no})
    if ((*operand)->size() != count && (*operand)->size() != 1) return std::nullopt;
  const auto at = [](const Known& operand, size_t i) { return (*operand)[operand->size() == 1 ? 0 : i]; };
  for (size_t i = 0; i < count; ++i)
    if (at(mask, i) != kOpen) out[i] = at(mask, i) != 0 ? at(yes, i) : at(no, i);
  return out;
}

Known picked(const Known& from, const Known& places) {
  if (!from || !places) return std::nullopt;
  Extents out;
  for (const int64_t place : *places) {
    const int64_t at = place < 0 && place != kOpen ? place + std::ssize(*from) : place;
    out.push_back(at >= 0 && at < std::ssize(*from) ? (*from)[static_cast<size_t>(at)] : kOpen);
  }
  return out;
}

/// Returns from[start:end]; nullopt for open bounds.
Known cut(const Known& from, const Known& start, const Known& end) {
  if (!from || !start || !end || start->size() != 1 || end->size() != 1) return std::nullopt;
  if (start->front() == kOpen || end->front() == kOpen) return std::nullopt;
  const auto place = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + std::ssize(*from) : at, 0, std::ssize(*from));
  };
  const int64_t first = place(start->front()), last = std::max(first, place(end->front()));
  return Extents(from->begin() + first, from->begin() + last);
}

}  // namespace

CertainShapes::Known CertainShapes::numbers(const Node& node, const char* attribute, size_t slot) {
  return node.has(attribute) ? node.ints_or(attribute, {}) : numbers(node.input(slot));
}

CertainShapes::Known CertainShapes::numbers(MaybeValue value) {
  if (!value || depth_ > kDeepest) return std::nullopt;
  if (const auto found = numbers_.find(*value); found != numbers_.end()) return found->second;
  ++depth_;
  Known found = find_numbers(*value);
  --depth_;
  return numbers_[*value] = std::move(found);
}

CertainShapes::Known CertainShapes::find_numbers(ValueId value) {
  if (const Tensor* constant = facts_.graph().constant(value)) return integers_of(*constant);
  const Node* node = facts_.producer(value);
  return node && node->output(0) == value ? numbers_behind(*node) : std::nullopt;
}

CertainShapes::Known CertainShapes::numbers_behind(const Node& node) {
  const auto operand = [&](size_t slot) { return numbers(node.input(slot)); };
  if (facts_.is_foreign(node.id)) return std::nullopt;
  switch (facts_.kind(node.id)) {
    case OpKind::Add:
      return combined(operand(0), operand(1),
                      [](int64_t a, int64_t b) { return __builtin_add_overflow(a, b, &a) ? kOpen : a; });
    case OpKind::Sub:
      return combined(operand(0), operand(1),
                      [](int64_t a, int64_t b) { return __builtin_sub_overflow(a, b, &a) ? kOpen : a; });
    case OpKind::Mul:
      return combined(operand(0), operand(1),
                      [](int64_t a, int64_t b) { return __builtin_mul_overflow(a, b, &a) ? kOpen : a; });
    case OpKind::Div:
      return combined(operand(0), operand(1), [](int64_t a, int64_t b) { return b == 0 ? kOpen : a / b; });
    case OpKind::Reshape:
    case OpKind::Cast: return operand(0);
    case OpKind::Gather: return node.op_type == "Gather" ? picked(operand(0), operand(1)) : std::nullopt;
    case OpKind::Slice: {
      const Known steps = !node.input(4) ? Extents{1} : operand(4);
      return steps == Extents{1} ? cut(operand(0), operand(1), operand(2)) : std::nullopt;
    }
    case OpKind::Concat: {
      Extents all;
      for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
        const Known part = operand(slot);
        if (!part) return std::nullopt;
        all.insert(all.end(), part->begin(), part->end());
        if (std::ssize(all) > kMostNumbers) return std::nullopt;
      }
      return all;
    }
    default: break;
  }
  if (node.op_type == "Equal")
    return combined(operand(0), operand(1), [](int64_t a, int64_t b) { return static_cast<int64_t>(a == b); });
  if (node.op_type == "Mod" && node.int_or("fmod", 0) == 0)
    return combined(operand(0), operand(1), [](int64_t a, int64_t b) {
      return b == 0 || b == -1 ? kOpen : (a % b + b) % b;  // the sign of the divisor
    });
  if (node.op_type == "Where") return chosen(operand(0), operand(1), operand(2));
  if (node.op_type == "Shape" && !node.has("start") && !node.has("end")) {
    Known shape = of(node.input(0));
    if (shape) std::ranges::replace(*shape, int64_t{-1}, kOpen);
    return shape;
  }
  const Known count = node.op_type == "ConstantOfShape" ? operand(0) : std::nullopt;
  const Tensor* fill = node.tensor("value");
  const Known number = fill ? integers_of(*fill) : std::nullopt;
  if (!count || !number || number->size() != 1 || count->size() != 1 || (*count)[0] < 0 || (*count)[0] > kMostNumbers)
    return std::nullopt;
  return Extents(static_cast<size_t>((*count)[0]), number->front());
}

}  // namespace detent
