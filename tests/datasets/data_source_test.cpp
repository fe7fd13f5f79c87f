#include "detent/base/data_source.h"

#include <gmock/gmock.h>

#include <set>
#include <thread>

#include "datasets/base/npy_file.h"
#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<InputSpec> kImage{float_input("image", {-1, 3, 4, 4})};
const std::vector<InputSpec> kVector{float_input("x", {-1, 2})};

Error refusal(const DataOptions& options, const std::vector<InputSpec>& inputs) {
  return error_of<Error>([&] { static_cast<void>(open_data(options, inputs)); });
}

class OpenData : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string npy(const std::string& name, const Shape& shape, float first = 0) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    folder_.write(name, npy_bytes<float>(shape, counting(static_cast<size_t>(shape.element_count()), first)));
    return path(name);
  }
  TemporaryFolder folder_;
};

TEST_F(OpenData, ReadsImagesRecursivelyInNaturalOrder) {
  for (const char* name : {"img/10.png", "img/9.JPG", "img/sub/1.bmp"}) write_image(folder_ / name, test_picture(6, 8));
  folder_.write("img/labels.csv", "file,label\n");
  const auto source = open_data(data({path("img")}, "unit"), kImage);
  EXPECT_THAT(sample_names(*source), ElementsAre("9.JPG", "10.png", "sub/1.bmp"));
  const Sample sample = source->read(1);
  EXPECT_EQ(sample.index, 1U);
  EXPECT_EQ(sample.name, "10.png");
  EXPECT_EQ(sample.inputs.at(0).shape(), (Shape{1, 3, 4, 4}));
  EXPECT_THAT(sample.image_size, ElementsAre(6, 8)) << "of the file, not of the input";
}

TEST_F(OpenData, KeepsTheSizeOfAnImageBesideAnArray) {
  write_image(folder_ / "img/1.png", test_picture(6, 8));
  const std::vector<InputSpec> inputs{float_input("x", {-1, 2}), kImage.front()};
  const auto source = open_data(data({"x=" + npy("x.npy", {1, 2}), "image=" + path("img")}, "unit"), inputs);
  EXPECT_THAT(source->read(0).image_size, ElementsAre(6, 8));
  const auto arrays = open_data(data({npy("x.npy", {1, 2})}), kVector);
  EXPECT_THAT(arrays->read(0).image_size, ElementsAre(0, 0)) << "no image";
}

TEST_F(OpenData, WantsPreprocessForImages) {
  write_image(folder_ / "img/1.png", test_picture(4, 4));
  const Error error = refusal(data({path("img")}), kImage);
  EXPECT_EQ(error.code(), ErrorCode::Usage);
  for (const char* preset : {"imagenet", "unit", "raw", "yolox", "yolo"}) EXPECT_THAT(error.hint(), HasSubstr(preset));
}

TEST_F(OpenData, RefusesPreprocessingOfAudioForImages) {
  write_image(folder_ / "img/1.png", test_picture(4, 4));
  const Error error = refusal(data({path("img")}, "fbank"), kImage);
  EXPECT_EQ(error.code(), ErrorCode::Usage);
  EXPECT_THAT(error.what(), HasSubstr("'fbank' is for audio files"));
  EXPECT_THAT(error.hint(), HasSubstr("imagenet"));
}

TEST_F(OpenData, NamesABadImageWhenItIsRead) {
  write_image(folder_ / "img/1.png", test_picture(4, 4));
  folder_.write("img/2.jpg", "not an image at all");
  const auto source = open_data(data({path("img")}, "unit"), kImage);
  EXPECT_NO_THROW(static_cast<void>(source->read(0)));
  const Error error = error_of<Error>([&] { static_cast<void>(source->read(1)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("2.jpg"));
}

TEST_F(OpenData, SplitsOneNpyAlongAxisZero) {
  const auto source = open_data(data({npy("latents.npy", {3, 2})}), kVector);
  EXPECT_THAT(sample_names(*source), ElementsAre("latents.npy[0]", "latents.npy[1]", "latents.npy[2]"));
  EXPECT_EQ(source->read(2).inputs[0].shape(), (Shape{1, 2}));
  EXPECT_THAT(floats_of(source->read(2).inputs[0]), ElementsAre(4, 5));
}

TEST_F(OpenData, TakesOneAxisLessAsOneSample) {
  const auto source = open_data(data({npy("one.npy", {2})}), kVector);
  EXPECT_THAT(sample_names(*source), ElementsAre("one.npy"));
  EXPECT_EQ(source->read(0).inputs[0].shape(), (Shape{1, 2}));
}

TEST_F(OpenData, ReadsAFolderOfNpyFilesThatHoldOneOrSeveralSamples) {
  npy("d/a2.npy", {2, 2}, 10);
  npy("d/a10.npy", {2}, 20);
  npy("d/a1.npy", {1, 2}, 0);
  const auto source = open_data(data({path("d")}), kVector);
  EXPECT_THAT(sample_names(*source), ElementsAre("a1.npy", "a2.npy[0]", "a2.npy[1]", "a10.npy"));
  EXPECT_THAT(floats_of(source->read(2).inputs[0]), ElementsAre(12, 13));
  EXPECT_THAT(floats_of(source->read(3).inputs[0]), ElementsAre(20, 21));
}

TEST_F(OpenData, ReportsABadNpyOfAFolderWhenItIsRead) {
  npy("d/1.npy", {2});
  folder_.write("d/2.npy", "nonsense");
  npy("d/3.npy", {3});
  const auto source = open_data(data({path("d")}), kVector);
  ASSERT_EQ(source->size(), 3U);
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(source->read(1)); }).what(), HasSubstr("2.npy"));
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(source->read(2)); }).what(),
              AllOf(HasSubstr("3.npy"), HasSubstr("?x2")));
}

TEST_F(OpenData, CastsToTheInputsType) {
  folder_.write("i.npy", npy_bytes<uint8_t>({2, 2}, {1, 2, 3, 255}));
  EXPECT_THAT(floats_of(open_data(data({path("i.npy")}), kVector)->read(1).inputs[0]), ElementsAre(3, 255));
  const std::vector<InputSpec> half{{"x", DataType::Float16, {-1, 2}}};
  EXPECT_EQ(open_data(data({path("i.npy")}), half)->read(0).inputs[0].type(), DataType::Float16);
}

TEST_F(OpenData, RefusesArraysThatDoNotFit) {
  for (const Shape& shape : {Shape{3, 4}, Shape{4}, Shape{1, 3, 2}, Shape{}}) {
    const Error error = refusal(data({npy("a.npy", shape)}), kVector);
    EXPECT_EQ(error.code(), ErrorCode::InvalidData) << shape.to_string();
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.npy"), HasSubstr("?x2")));
  }
  EXPECT_THAT(refusal(data({npy("a.npy", {0, 2})}), kVector).what(), HasSubstr("no samples"));
}

TEST_F(OpenData, IgnoresTheModelsBatchWhenShapesAreCompared) {
  const std::vector<InputSpec> fixed{float_input("x", {8, 2})};
  EXPECT_EQ(group_size(fixed), 8U);
  const auto source = open_data(data({npy("a.npy", {3, 2})}), fixed);
  ASSERT_EQ(source->size(), 3U);
  EXPECT_EQ(source->read(0).inputs[0].shape(), (Shape{1, 2}));
}

TEST_F(OpenData, TakesSamplesThatKeepTheirBatchAxis) {
  const auto source = open_data(data({npy("a.npy", {3, 1, 2})}), kVector);
  ASSERT_EQ(source->size(), 3U);
  EXPECT_EQ(source->read(1).inputs[0].shape(), (Shape{1, 2}));
  EXPECT_THAT(floats_of(source->read(1).inputs[0]), ElementsAre(2, 3));
}

TEST_F(OpenData, CutsAnInnerBatchAxis) {
  InputSpec states = float_input("h", {2, -1, 3});
  states.batch_axis = 1;
  const std::vector<InputSpec> inputs{states};
  const auto by_axis = open_data(data({npy("model.npy", {2, 4, 3})}), inputs);
  ASSERT_EQ(by_axis->size(), 4U);
  EXPECT_EQ(by_axis->read(1).inputs[0].shape(), (Shape{2, 1, 3}));
  EXPECT_THAT(floats_of(by_axis->read(1).inputs[0]), ElementsAre(3, 4, 5, 15, 16, 17));
  const auto stacked = open_data(data({npy("stacked.npy", {4, 2, 3})}), inputs);
  ASSERT_EQ(stacked->size(), 4U);
  EXPECT_THAT(floats_of(stacked->read(1).inputs[0]), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_THAT(stacked->read(1).batch_axes, ElementsAre(1));
}

TEST_F(OpenData, RefusesAnArrayThatFitsBothWaysUntilTheAxisIsNamed) {
  InputSpec states = float_input("h", {2, -1, 3});
  states.batch_axis = 1;
  const std::string file = npy("both.npy", {2, 2, 3});
  const Error error = refusal(data({file}), std::vector<InputSpec>{states});
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("samples on axis 1"), HasSubstr("samples on axis 0")));
  states.batch_axis_named = true;
  EXPECT_THAT(floats_of(open_data(data({file}), std::vector<InputSpec>{states})->read(0).inputs[0]),
              ElementsAre(0, 1, 2, 6, 7, 8));
}

TEST_F(OpenData, SpreadsALimitOverTheSource) {
  DataOptions options = data({npy("a.npy", {10, 2})});
  options.limit = 4;
  options.spread = true;
  EXPECT_THAT(sample_names(*open_data(options, kVector)), ElementsAre("a.npy[0]", "a.npy[2]", "a.npy[5]", "a.npy[7]"));
}

TEST_F(OpenData, FeedsScalarsAndInputsWithoutABatch) {
  const std::vector<InputSpec> inputs{float_input("image", {1, 3}), float_input("boxes", {4}),
                                      float_input("scale", {})};
  EXPECT_EQ(group_size(inputs), 1U);
  const auto source = open_data(
      data({"image=" + npy("i.npy", {2, 3}), "boxes=" + npy("b.npy", {2, 4}), "scale=" + npy("s.npy", {2}, 7)}),
      inputs);
  const Sample sample = source->read(1);
  EXPECT_EQ(sample.inputs[0].shape(), (Shape{1, 3}));
  EXPECT_EQ(sample.inputs[1].shape(), (Shape{4}));
  EXPECT_EQ(sample.inputs[2].shape().rank(), 0U);
  EXPECT_THAT(floats_of(sample.inputs[2]), ElementsAre(8));
}

TEST_F(OpenData, PairsSeveralInputsByIndex) {
  const std::vector<InputSpec> inputs{float_input("x", {-1, 2}), float_input("y=z", {-1, 1})};
  const auto source = open_data(data({"y=z=" + npy("y.npy", {3, 1}, 50), "x=" + npy("x.npy", {3, 2})}), inputs);
  EXPECT_THAT(floats_of(source->read(2).inputs[0]), ElementsAre(4, 5));
  EXPECT_THAT(floats_of(source->read(2).inputs[1]), ElementsAre(52));
  const Error unequal = refusal(data({"x=" + npy("x.npy", {3, 2}), "y=z=" + npy("y.npy", {2, 1})}), inputs);
  EXPECT_EQ(unequal.code(), ErrorCode::InvalidData);
  EXPECT_THAT(unequal.what(), AllOf(HasSubstr("3 samples"), HasSubstr("2 samples")));
}

TEST_F(OpenData, SaysWhichInputsAreMissingOrUnknown) {
  const std::vector<InputSpec> inputs{float_input("x", {-1, 2}), float_input("y", {-1, 2})};
  const std::string file = npy("a.npy", {3, 2});
  EXPECT_THAT(refusal(data({"x=" + file}), inputs).what(), HasSubstr("'y'"));
  EXPECT_EQ(refusal(data({"x=" + file}), inputs).code(), ErrorCode::Usage);
  EXPECT_EQ(refusal(data({file}), inputs).code(), ErrorCode::Usage) << "one .npy cannot feed two inputs";
  EXPECT_EQ(refusal(data({"x=" + file, "x=" + file, "y=" + file}), inputs).code(), ErrorCode::Usage);
  EXPECT_EQ(refusal(data({file, file}), kVector).code(), ErrorCode::Usage);
  EXPECT_EQ(refusal(data({}), kVector).code(), ErrorCode::Usage);
  const Error unknown = refusal(data({"z=" + file}), kVector);
  EXPECT_EQ(unknown.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(unknown.what(), AllOf(HasSubstr("'z'"), HasSubstr("'x'")));
}

TEST_F(OpenData, LetsAnUnnamedSourceFeedTheRest) {
  const std::vector<InputSpec> inputs{float_input("x", {-1, 2}), float_input("noise", {-1, 2})};
  const auto source = open_data(data({"noise=random:normal,n=3,seed=2", npy("x.npy", {3, 2})}), inputs);
  EXPECT_THAT(floats_of(source->read(0).inputs[0]), ElementsAre(0, 1));
}

TEST_F(OpenData, AcceptsAPathWithAnEqualsSign) {
  EXPECT_EQ(open_data(data({npy("lr=1/a.npy", {3, 2})}), kVector)->size(), 3U);
}

TEST_F(OpenData, ReadsTextAndCsvListsRelativeToThemselves) {
  for (const char* name : {"lists/img/b.png", "lists/img/a.png"}) write_image(folder_ / name, test_picture(4, 4));
  folder_.write("lists/l.txt", "img/b.png\r\n\n  img/a.png\n");
  folder_.write("lists/l.csv", "label,file\n3,img/b.png\n4,img/a.png\n");
  for (const char* list : {"lists/l.txt", "lists/l.csv"}) {
    const auto source = open_data(data({path(list)}, "unit"), kImage);
    EXPECT_THAT(sample_names(*source), ElementsAre("img/b.png", "img/a.png")) << "the list's own order";
    EXPECT_NO_THROW(static_cast<void>(source->read(1)));
  }
}

TEST_F(OpenData, ReadsAListOfNpyFiles) {
  npy("d/a.npy", {2, 2});
  npy("d/b.npy", {2}, 9);
  folder_.write("d/l.txt", "b.npy\na.npy\n");
  EXPECT_THAT(sample_names(*open_data(data({path("d/l.txt")}), kVector)), ElementsAre("b.npy", "a.npy[0]", "a.npy[1]"));
}

TEST_F(OpenData, RefusesListsThatMakeNoSense) {
  const auto message = [&](const std::string& name, const std::string& content) {
    folder_.write(name, content);
    const Error error = refusal(data({path(name)}, "unit"), kImage);
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    return std::string(error.what());
  };
  EXPECT_THAT(message("l.txt", "\n\n"), HasSubstr("no files"));
  EXPECT_THAT(message("l.txt", "a.npy\nb.png\n"), HasSubstr("one kind"));
  EXPECT_THAT(message("l.csv", "a.png,1\n"), HasSubstr("'file'"));
}

TEST_F(OpenData, SaysWhenNothingIsFound) {
  std::filesystem::create_directory(folder_ / "empty");
  folder_.write("model.bin", "x");
  EXPECT_EQ(refusal(data({path("empty")}, "unit"), kImage).code(), ErrorCode::InvalidData);
  EXPECT_EQ(refusal(data({path("nowhere")}, "unit"), kImage).code(), ErrorCode::InvalidData);
  EXPECT_THAT(refusal(data({path("nowhere.npy")}), kVector).what(), HasSubstr("nowhere.npy"));
  EXPECT_THAT(refusal(data({path("model.bin")}), kVector).hint(), HasSubstr("a folder of images"));
}

TEST_F(OpenData, RefusesAFolderOfBothKinds) {
  npy("mixed/a.npy", {2});
  write_image(folder_ / "mixed/b.png", test_picture(4, 4));
  EXPECT_EQ(refusal(data({path("mixed")}, "unit"), kImage).code(), ErrorCode::InvalidData);
}

TEST_F(OpenData, ChecksPreprocessEvenWhereItIsNotNeeded) {
  EXPECT_EQ(refusal(data({npy("a.npy", {3, 2})}, "no-such-preset"), kVector).code(), ErrorCode::Usage);
}

std::vector<std::string> selected(DataOptions options, const std::vector<InputSpec>& inputs = kVector) {
  const auto source = open_data(options, inputs);
  for (size_t i = 0; i < source->size(); ++i) {
    EXPECT_EQ(source->read(i).index, i);
    EXPECT_EQ(source->read(i).name, source->sample_name(i));
  }
  return sample_names(*source);
}

TEST_F(OpenData, ShufflesThenLimitsThenShards) {
  DataOptions options = data({npy("a.npy", {20, 2})});
  const auto plain = selected(options);
  options.shuffle = 7;
  const auto shuffled = selected(options);
  EXPECT_NE(shuffled, plain);
  EXPECT_EQ(std::set<std::string>(shuffled.begin(), shuffled.end()), std::set<std::string>(plain.begin(), plain.end()));
  EXPECT_EQ(shuffled, selected(options)) << "seeded";
  options.limit = 7;
  EXPECT_EQ(selected(options), std::vector<std::string>(shuffled.begin(), shuffled.begin() + 7));
  options.shard_index = 2;
  options.shard_count = 3;
  EXPECT_EQ(selected(options), (std::vector<std::string>{shuffled[1], shuffled[4]}));
  options.shuffle = 8;
  EXPECT_NE(selected(options), (std::vector<std::string>{shuffled[1], shuffled[4]}));
}

TEST_F(OpenData, ShardsWholeGroupsOfAFixedBatch) {
  DataOptions options = data({npy("a.npy", {7, 2})});
  options.shard_count = 2;
  EXPECT_THAT(selected(options, {float_input("x", {3, 2})}),
              ElementsAre("a.npy[0]", "a.npy[1]", "a.npy[2]", "a.npy[6]"));
  options.shard_index = 2;
  EXPECT_THAT(selected(options, {float_input("x", {3, 2})}), ElementsAre("a.npy[3]", "a.npy[4]", "a.npy[5]"));
}

TEST_F(OpenData, RefusesShardsAndLimitsThatLeaveNothing) {
  DataOptions options = data({npy("a.npy", {2, 2})});
  options.shard_index = 3;
  options.shard_count = 3;
  EXPECT_EQ(refusal(options, kVector).code(), ErrorCode::InvalidData);
  options.shard_index = 4;
  EXPECT_EQ(refusal(options, kVector).code(), ErrorCode::Usage);
  options.shard_index = 0;
  EXPECT_EQ(refusal(options, kVector).code(), ErrorCode::Usage);
  DataOptions none = data({path("a.npy")});
  none.limit = 0;
  EXPECT_EQ(refusal(none, kVector).code(), ErrorCode::Usage);
}

TEST_F(OpenData, MayBeReadFromManyThreads) {
  const auto arrays = open_data(data({npy("a.npy", {64, 2})}), kVector);
  for (int i = 0; i < 8; ++i) write_image(folder_ / ("img/" + std::to_string(i) + ".png"), test_picture(8, 8, i));
  const auto images = open_data(data({path("img")}, "unit"), kImage);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(arrays->read(i).inputs[0].data<float>()[0], static_cast<float>(2 * i));
        EXPECT_EQ(images->read(i % 8).inputs[0].shape(), (Shape{1, 3, 4, 4}));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace detent
