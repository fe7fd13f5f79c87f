#include "run/output_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "datasets/base/npy_file.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

TEST(FileNames, OrdinaryNamesStayAndOthersCannotLeaveTheFolder) {
  EXPECT_EQ(file_name_for("logits_1.out-2"), "logits_1.out-2");
  EXPECT_EQ(file_name_for("../../etc/passwd"), ".._.._etc_passwd");
  EXPECT_EQ(file_name_for("/tmp/x"), "_tmp_x");
  for (const char* name : {"", ".", ".."}) EXPECT_EQ(file_name_for(name), "_") << name;
  for (int c = 0; c < 256; ++c) {
    const std::string name = file_name_for(std::string("a") + static_cast<char>(c));
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"),
              std::string::npos)
        << c;
  }
}

TEST(FileNames, LongNamesAreCutAndStayApart) {
  const std::string fits(200, 'n'), one(201, 'n'), other = one + "m";
  EXPECT_EQ(file_name_for(fits), fits);
  EXPECT_EQ(file_name_for(one).size(), 200U);
  EXPECT_NE(file_name_for(one), file_name_for(other));
}

TEST(FileNames, NoTwoOutputsShareAFile) {
  EXPECT_THAT(file_names_for({}), ElementsAre());
  EXPECT_THAT(file_names_for({"a/b", "a_b", "a:b"}), ElementsAre("a_b", "a_b_2", "a_b_3"));
  EXPECT_THAT(file_names_for({"y", "y"}), ElementsAre("y", "y_2"));
  EXPECT_THAT(file_names_for({"y_2", "y", "y"}), ElementsAre("y_2", "y", "y_3"));
  // A folder of one output is no file of another.
  EXPECT_THAT(file_names_for({"y.npy", "y"}), ElementsAre("y.npy", "y_2"));
}

/// Returns the file of a batch of 2 samples in [2, 2].
std::vector<float> written(const SampleAxis& where, size_t real) {
  const TemporaryFolder folder;
  OutputWriter writer(folder.path(), "y", 2, false);
  writer.append(Tensor::from<float>({2, 2}, {1, 2, 3, 4}), real, where);
  const NpyFile file(writer.close());
  const Tensor all = file.read();
  const auto elements = all.data<float>();
  return {elements.begin(), elements.end()};
}

TEST(OutputWriter, WritesASampleARowWhereverSamplesLie) {
  using Kind = SampleAxis::Kind;
  EXPECT_THAT(written({}, 2), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(written({}, 1), ElementsAre(1, 2));
  EXPECT_THAT(written({Kind::Counts, 1, 0}, 2), ElementsAre(1, 3, 2, 4)) << "steps and samples are as many";
  EXPECT_THAT(written({Kind::Counts, 1, 0}, 1), ElementsAre(1, 3));
  EXPECT_THAT(written({Kind::Unknown, 0, 0}, 1), ElementsAre(1, 2)) << "the extent of axis 0 tells";
}

TEST(OutputWriter, SeparateFilesHoldOutputsAsTheModelGaveThem) {
  const auto first_shape = [](const std::vector<Shape>& shapes) {
    const TemporaryFolder folder;
    OutputWriter writer(folder.path(), "y", 1, false);
    for (const Shape& shape : shapes) writer.append(Tensor(DataType::Float32, shape), 1);
    return NpyFile(writer.close() / "000000.npy").read().shape();
  };
  EXPECT_EQ(first_shape({{2, 4}, {2, 4}, {2, 3}}), Shape({2, 4})) << "without the axis of stacked samples";
  EXPECT_EQ(first_shape({{1, 4}, {1, 3}}), Shape({1, 4})) << "axis 0 is the batch's";
}

}  // namespace
}  // namespace detent
