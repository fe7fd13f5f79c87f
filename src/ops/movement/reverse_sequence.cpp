#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// The first lengths[b] steps of sequence b are turned round, the rest stays.
void run_reverse(KernelCall& call, int64_t batch_attribute, int64_t time_attribute) {
  const Tensor input = call.input(0);
  const Shape& shape = input.shape();
  const size_t batch_axis = axis_from_front(batch_attribute, shape.rank());
  const size_t time_axis = axis_from_front(time_attribute, shape.rank());
  const std::vector<int64_t> lengths = integers_of(call.input(1));
  if (batch_axis == time_axis || lengths.size() != as_index(shape[batch_axis]))
    throw Error(ErrorCode::InvalidData,
                std::to_string(lengths.size()) + " sequence lengths do not fit shape " + shape.to_string());
  for (const int64_t length : lengths)
    if (length < 0 || length > shape[time_axis])
      throw Error(ErrorCode::InvalidData, "a sequence length of " + std::to_string(length) + " for " +
                                              std::to_string(shape[time_axis]) + " steps");
  Tensor& output = call.make_output(0, input.type(), shape);
  const AxisView time = view_around(shape, Layout::Plain, time_axis);
  const AxisView batch = view_around(shape, Layout::Plain, batch_axis);
  visit_size(byte_size(input.type()), [&]<class T>(T) {
    const T* in = static_cast<const T*>(input.raw());
    T* out = static_cast<T*>(output.mutable_raw());
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      const int64_t step = i / time.inner % time.extent;
      const int64_t length = lengths[as_index(i / batch.inner % batch.extent)];
      const int64_t from = step < length ? length - 1 - step : step;
      out[i] = in[i + (from - step) * time.inner];
    }
  });
}

std::unique_ptr<Kernel> make_reverse(const KernelContext& context) {
  return kernel_of([batch = context.node.int_or("batch_axis", 1),
                    time = context.node.int_or("time_axis", 0)](KernelCall& call) { run_reverse(call, batch, time); });
}

constexpr OperatorDef kReverseSequenceDefinitions[] = {
    {"ReverseSequence", "input sequence_lens -> Y; batch_axis:int time_axis:int", {.data_inputs = 1}, make_reverse, 10},
};

}  // namespace

std::span<const OperatorDef> reverse_sequence_operators() { return kReverseSequenceDefinitions; }

}  // namespace detent
