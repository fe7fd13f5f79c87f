#include "core/files/mapped_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace detent {
namespace {

constexpr int64_t kEach = int64_t{32} << 20;  // bytes: two of them are what stays in memory

Tensor counted_bytes(int64_t bytes) {
  Tensor tensor(DataType::UInt8, {bytes});
  uint8_t next = 0;
  for (uint8_t& x : tensor.mutable_data<uint8_t>()) x = next++;
  return tensor;
}

bool lies_in_a_file(const Tensor& tensor) { return MappedFile::maps(tensor.raw()); }

TEST(SharedByModels, GoToAFileBeyondWhatStaysInMemory) {
  std::vector<Tensor> shared;
  for (int i = 0; i < 3; ++i) shared.push_back(shared_by_models(counted_bytes(kEach)));
  EXPECT_FALSE(lies_in_a_file(shared[0]));
  EXPECT_FALSE(lies_in_a_file(shared[1]));
  ASSERT_TRUE(lies_in_a_file(shared[2]));
  EXPECT_TRUE(std::ranges::equal(shared[0].data<uint8_t>(), shared[2].data<uint8_t>()));
  let_go_of_pages(shared[2].raw(), shared[2].byte_count());
  EXPECT_TRUE(std::ranges::equal(shared[0].data<uint8_t>(), shared[2].data<uint8_t>())) << "read again";
  const Tensor small = shared_by_models(counted_bytes(100));
  EXPECT_FALSE(lies_in_a_file(small)) << "too small to be worth it";
}

TEST(SharedByModels, StayInMemoryWhereThereIsNoFolderForFiles) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/nowhere", 1);
  std::vector<Tensor> shared;
  for (int i = 0; i < 3; ++i) shared.push_back(shared_by_models(counted_bytes(kEach)));
  if (before)
    ::setenv("TMPDIR", kept.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
  EXPECT_FALSE(lies_in_a_file(shared[2]));
  EXPECT_EQ(MappedFile::held_bytes(), static_cast<size_t>(3 * kEach));
}

}  // namespace
}  // namespace detent
