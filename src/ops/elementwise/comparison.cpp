#include <algorithm>
#include <array>
#include <cmath>

#include "ops/memory/broadcast_loop.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

enum class Relation : uint8_t { Equal, Less, LessOrEqual, Greater, GreaterOrEqual, And, Or, Xor };

struct Comparison {
  std::string_view op_type;
  Relation relation;
};

constexpr Comparison kComparisons[] = {
    {"Equal", Relation::Equal},
    {"Less", Relation::Less},
    {"LessOrEqual", Relation::LessOrEqual},
    {"Greater", Relation::Greater},
    {"GreaterOrEqual", Relation::GreaterOrEqual},
    {"And", Relation::And},
    {"Or", Relation::Or},
    {"Xor", Relation::Xor},
};

template <class T>
bool holds(Relation relation, T a, T b) {
  switch (relation) {
    case Relation::Equal: return a == b;
    case Relation::Less: return a < b;
    case Relation::LessOrEqual: return a <= b;
    case Relation::Greater: return a > b;
    case Relation::GreaterOrEqual: return a >= b;
    case Relation::And: return a != T{0} && b != T{0};
    case Relation::Or: return a != T{0} || b != T{0};
    case Relation::Xor: return (a != T{0}) != (b != T{0});
  }
  return false;
}

/// Returns the type that elements are compared as: bytes for booleans.
DataType number_type(DataType type) { return type == DataType::Bool ? DataType::UInt8 : type; }

std::unique_ptr<Kernel> make_comparison(const KernelContext& context) {
  const auto* found = std::ranges::find(kComparisons, std::string_view(context.node.op_type), &Comparison::op_type);
  return kernel_of([relation = found->relation](KernelCall& call) {
    check_same_type(call.input(0), call.input(1));
    const Broadcast broadcast(std::array{&call.input(0), &call.input(1)}, call.allocator());
    auto out = call.make_output(0, DataType::Bool, broadcast.output(), broadcast.layout()).mutable_data<bool>();
    visit_number(number_type(call.input(0).type()), [&]<class T>(T) {
      loop_over<T>(broadcast, out.data(), [&](T x, T y) { return holds(relation, x, y); });
    });
  });
}

void run_where(KernelCall& call) {
  if (call.input(0).type() != DataType::Bool)
    throw Error(ErrorCode::InvalidModel,
                "the condition has elements of type " + std::string(name_of(call.input(0).type())) + ", expected bool");
  check_same_type(call.input(1), call.input(2));
  const Broadcast broadcast(std::array{&call.input(0), &call.input(1), &call.input(2)}, call.allocator());
  Tensor& output = call.make_output(0, call.input(1).type(), broadcast.output(), broadcast.layout());
  visit_size(byte_size(output.type()), [&]<class T>(T) {
    T* out = static_cast<T*>(output.mutable_raw());
    const auto& inner = broadcast.loops().back();
    broadcast.for_each_row(1, [&](const auto& offsets, int64_t at) {
      const bool* condition = broadcast.data<bool>(0) + offsets[0];
      const T* a = broadcast.data<T>(1) + offsets[1];
      const T* b = broadcast.data<T>(2) + offsets[2];
      for (int64_t i = 0; i < inner.extent; ++i)
        out[at + i] = condition[i * inner.strides[0]] ? a[i * inner.strides[1]] : b[i * inner.strides[2]];
    });
  });
}

}  // namespace

std::vector<OperatorDef> comparison_operators() {
  std::vector<OperatorDef> all;
  for (const Comparison& one : kComparisons)
    all.push_back({one.op_type, {.kind = OpKind::OtherElementwise}, with_half<make_comparison>, 7, LayoutNeed::Any});
  all.push_back({"Where", {.kind = OpKind::Where}, stateless<run_where>, 9, LayoutNeed::Any});
  return all;
}

}  // namespace detent
