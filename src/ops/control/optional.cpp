// Optional values: an absent one is an empty handle, one that is there is its value.

#include "ops/kernel_function.h"
#include "ops/op_list.h"

namespace detent {

namespace {

std::unique_ptr<Kernel> make_optional(const KernelContext&) {
  return kernel_of([](KernelCall& call) { call.set_output(0, call.has_input(0) ? call.input(0) : Tensor()); });
}

std::unique_ptr<Kernel> make_has_element(const KernelContext&) {
  return kernel_of([](KernelCall& call) {
    call.make_output(0, DataType::Bool, Shape{}).mutable_data<bool>()[0] = call.has_input(0);
  });
}

std::unique_ptr<Kernel> make_get_element(const KernelContext&) {
  return kernel_of([](KernelCall& call) {
    if (!call.has_input(0)) throw Error(ErrorCode::InvalidData, "the optional is empty: there is no element to get");
    call.set_output(0, call.input(0));
  });
}

// An optional may hold a sequence: the content's type is not known from the operator.
constexpr OpTraits kHolds{.kind = OpKind::Sequence, .data_inputs = 0};
constexpr OpTraits kTells{.kind = OpKind::ShapeOf, .data_inputs = 0};

constexpr OperatorDef kOptionalDefinitions[] = {
    {.op_type = "Optional",
     .signature = "input? -> output; type:type",
     .traits = kHolds,
     .make = make_optional,
     .first_opset = 15,
     .layout = LayoutNeed::Any,
     .any_value = true},
    {.op_type = "OptionalHasElement",
     .signature = "input -> output | 18: input? -> output",
     .traits = kTells,
     .make = make_has_element,
     .first_opset = 15,
     .layout = LayoutNeed::Any,
     .any_value = true},
    {.op_type = "OptionalGetElement",
     .signature = "input -> output",
     .traits = kHolds,
     .make = make_get_element,
     .first_opset = 15,
     .layout = LayoutNeed::Any,
     .any_value = true},
};

}  // namespace

std::span<const OperatorDef> optional_operators() { return kOptionalDefinitions; }

}  // namespace detent
