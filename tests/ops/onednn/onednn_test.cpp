#include <gtest/gtest.h>

#include <vector>

#include "ops/node_runner.h"
#include "ops/onednn/onednn.h"

namespace detent {
namespace {

TEST(MemoryObjects, GivesTheSameObjectForTheSamePlace) {
  onednn::MemoryObjects objects;
  const Tensor tensor = test::ramp({2, 3});
  const dnnl_memory_t first = objects.wrap(DNNL_ARG_SRC, tensor).get();
  EXPECT_EQ(objects.wrap(DNNL_ARG_SRC, tensor).get(), first);
  EXPECT_NE(objects.wrap(DNNL_ARG_DST, tensor).get(), first) << "another argument may have another description";
}

TEST(MemoryObjects, FollowsATensorToAnyPlace) {
  onednn::MemoryObjects objects;
  const std::vector<Tensor> tensors = [] {
    std::vector<Tensor> all;
    for (int i = 0; i < 100; ++i) all.push_back(test::ramp({2, 3}));
    return all;
  }();
  for (int round = 0; round < 2; ++round)
    for (const Tensor& tensor : tensors) EXPECT_EQ(objects.wrap(DNNL_ARG_SRC, tensor).get_data_handle(), tensor.raw());
}

TEST(MemoryObjects, RefusesATensorWithFewerBytesAtTheSamePlace) {
  onednn::MemoryObjects objects;
  const Tensor tensor = test::ramp({2, 3});
  const auto desc = onednn::describe({2, 3}, Layout::Plain);
  EXPECT_NO_THROW(static_cast<void>(objects.wrap(DNNL_ARG_SRC, tensor, desc)));
  EXPECT_THROW(static_cast<void>(objects.wrap(DNNL_ARG_SRC, tensor.slice0(0, 1), desc)), Error);
}

}  // namespace
}  // namespace detent
