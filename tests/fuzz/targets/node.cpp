// One node, made absurd by the bytes, run on values that they choose.
#include <cmath>

#include "exec/executor.h"
#include "exec/one_node_protos.h"
#include "fuzz/fuzz_input.h"
#include "fuzz/node_from_bytes.h"
#include "ops/check_signatures.h"

namespace {

using namespace detent;

/// Returns elements of up to 16 bits each from the bytes, repeated; 0 and 1 for bools.
Tensor fed(DataType type, const std::vector<int64_t>& extents, fuzz::ByteReader& bytes) {
  const uint8_t kind = bytes.byte();
  Tensor numbers(DataType::Float32, Shape(extents));
  float next = 0.1F;
  for (float& x : numbers.mutable_data<float>()) {
    x = kind < 128 ? next : kind < 192 ? -next : static_cast<float>(bytes.take<int16_t>());
    next = type == DataType::Float32 ? next + 0.125F : std::fmod(next + 1, 3.0F);
  }
  if (kind >= 250 && numbers.element_count() > 0) numbers.mutable_data<float>()[0] = bytes.take<float>();
  return cast(numbers, type);
}

Tensor fed(const Value& value, const onnx::ModelProto& model, fuzz::ByteReader& bytes) {
  if (auto constant = test::find_fed_constant(model, value.name)) return *constant;
  if (value.declared_type == DataType::Sequence)
    return Tensor::sequence({fed(DataType::Float32, {2}, bytes), fed(DataType::Float32, {2}, bytes)});
  std::vector<int64_t> extents = value.declared_shape.value_or(std::vector<int64_t>{});
  for (int64_t& extent : extents) extent = extent < 0 ? 2 : extent;
  return fed(value.declared_type.value_or(DataType::Float32), extents, bytes);
}

struct Silent : Observer {
  void observe(ValueId, const Tensor&) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::ByteReader bytes({data, size});
  fuzz::expect_documented([&] {
    auto proto = fuzz::node_from_bytes(bytes);
    const onnx::ModelProto changed = *proto;
    const Model model(test::without_fed_constants(std::move(proto)));
    check_signatures(model.graph());
    std::vector<Tensor> inputs;
    for (const ValueId id : model.graph().inputs()) inputs.push_back(fed(model.graph().value(id), changed, bytes));
    const Schedule schedule(model.graph(), model.graph().outputs());
    Silent silent;
    Executor(schedule).run(inputs, silent);
  });
  return 0;
}
