#include "ops/shape_only.h"

#include <gtest/gtest.h>

#include <vector>

#include "ops/kernel_function.h"

namespace detent {
namespace {

/// Returns the output of a kernel for shapes; the kernel that it replaces gives 7.
Tensor given(OpKind kind, std::vector<Tensor> inputs) {
  const auto kernel =
      for_shapes_only(kernel_of([](KernelCall& call) { call.set_output(0, Tensor::scalar<float>(7)); }), kind);
  std::vector<Tensor> outputs(1);
  Workspace workspace;
  KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
  kernel->run(call);
  return outputs[0];
}

const Tensor kTwo = Tensor::from<float>({2}, {1, 2});

TEST(ForShapesOnly, HandsOnWhatHasTheShapeOfTheOutput) {
  EXPECT_EQ(given(OpKind::Relu, {kTwo}).raw(), kTwo.raw());
  EXPECT_EQ(given(OpKind::Clip, {kTwo, Tensor::scalar<float>(0), Tensor()}).raw(), kTwo.raw())
      << "bounds are no operands";
  EXPECT_EQ(given(OpKind::Add, {kTwo, Tensor::from<float>({2}, {3, 4})}).raw(), kTwo.raw());
}

TEST(ForShapesOnly, BroadcastsShapesAlone) {
  const Tensor column = Tensor::from<float>({3, 1}, {3, 4, 5});
  EXPECT_EQ(given(OpKind::Add, {kTwo, column}).shape(), (Shape{3, 2}));
  EXPECT_EQ(given(OpKind::Pow, {column, kTwo}).shape(), (Shape{3, 2}));
  EXPECT_EQ(given(OpKind::Max, {kTwo, column, unseen_zeros({1 << 20, 1 << 20, 3, 2})}).element_count(),
            int64_t{6} << 40)
      << "memory is not touched";
  EXPECT_EQ(given(OpKind::Softmax, {unseen_zeros({1 << 20, 1 << 20})}).element_count(), int64_t{1} << 40);
  EXPECT_EQ(given(OpKind::LayerNorm, {column, kTwo}).raw(), column.raw()) << "the scale is no operand";
}

TEST(ForShapesOnly, RunsTheKernelWhereTheShapeMayBeAnother) {
  EXPECT_EQ(given(OpKind::Add, {kTwo, Tensor::from<float>({3}, {3, 4, 5})}).element_count(), 1) << "the kernel refuses";
  EXPECT_EQ(given(OpKind::Where, {kTwo, kTwo}).element_count(), 1);
  EXPECT_EQ(given(OpKind::Add, {kTwo, Tensor::from<double>({2}, {3, 4})}).element_count(), 1) << "another type";
  EXPECT_EQ(given(OpKind::MaxPool, {kTwo}).element_count(), 1);
  EXPECT_EQ(given(OpKind::Relu, {Tensor::sequence({kTwo})}).element_count(), 1);
  EXPECT_EQ(given(OpKind::Relu, {}).element_count(), 1);
}

TEST(UnseenZeros, AreZerosWhenSomebodyLooks) {
  const Tensor zeros = unseen_zeros({2, 3});
  EXPECT_EQ(zeros.shape(), (Shape{2, 3}));
  for (const float zero : zeros.data<float>()) EXPECT_EQ(zero, 0);
}

TEST(UnseenZeros, TakeNoMemoryBefore) {
  const Tensor zeros = unseen_zeros({1 << 20, 1 << 20});  // 4 TiB
  EXPECT_EQ(zeros.element_count(), int64_t{1} << 40);
}

}  // namespace
}  // namespace detent
