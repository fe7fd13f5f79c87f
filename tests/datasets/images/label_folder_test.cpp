// Tests the reading of boxes from folders of YOLO's and Pascal VOC's labels.
#include "datasets/images/label_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class LabelFolder : public ::testing::Test {
 protected:
  [[nodiscard]] ObjectLabels read(int64_t classes = 0) const { return read_label_folder(folder_.path(), classes); }
  /// Returns the message about a file with this content.
  [[nodiscard]] std::string refusal(const std::string& file, const std::string& content, int64_t classes = 0) const {
    folder_.write(file, content);
    const Error error = error_of<Error>([&] { static_cast<void>(read(classes)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    const std::string message = error.what(), path = (folder_ / file).string() + ": ";
    EXPECT_TRUE(message.starts_with(path)) << message;
    return message.substr(std::min(path.size(), message.size()));
  }
  /// An annotation of one object in an image of 40 x 20 pixels.
  static std::string voc(const std::string& name, const std::string& box, const std::string& more = "") {
    return "<annotation>\n<filename>elsewhere.jpg</filename>\n<size><width>40</width><height>20</height>"
           "<depth>3</depth></size>\n<object>\n<name>" +
           name + "</name>\n" + more + "<bndbox>\n" + box + "</bndbox></object>\n</annotation>\n";
  }
  static constexpr const char* kBox = "<xmin>11</xmin><ymin>6</ymin><xmax>30</xmax><ymax>15</ymax>";

  TemporaryFolder folder_;
};

TEST_F(LabelFolder, GivesBoxesOfYoloInFractionsByNameWithoutExtension) {
  std::filesystem::create_directory(folder_ / "night");
  folder_.write("a.txt", "\n1 0.5 0.5 0.5 0.25\r\n\n0 1 1 0 0");
  folder_.write("b.v2.txt", "");
  folder_.write("night/a.txt", "2 0.25 0.75 0.5 0.5\n");
  const ObjectLabels labels = read(3);
  EXPECT_EQ(labels.form, ObjectLabels::Form::Yolo);
  const ObjectLabels::Image& a = *labels.find("a.jpg");
  EXPECT_EQ(a.size, PixelSize{}) << "not known";
  ASSERT_THAT(a.objects, SizeIs(2));
  EXPECT_EQ(a.objects[0].category, 1);
  EXPECT_EQ(a.objects[0].left, 0.25);
  EXPECT_EQ(a.objects[0].top, 0.375);
  EXPECT_EQ(a.objects[0].width, 0.5);
  EXPECT_EQ(a.objects[0].height, 0.25);
  EXPECT_THAT(labels.find("b.v2.png")->objects, IsEmpty());
  EXPECT_EQ(labels.find("night/a.jpg")->objects.at(0).category, 2) << "the path comes before the name";
  EXPECT_EQ(labels.find("day/a.jpg")->objects.at(0).category, 1);
  EXPECT_EQ(labels.find("c.jpg"), nullptr);
}

TEST_F(LabelFolder, NamesTheLineOfWhatIsNoBoxOfYolo) {
  EXPECT_EQ(refusal("a.txt", "0 .5 .5 .1 .1\n0 .5 .5 .1\n"), "line 2: has 4 words instead of 5");
  EXPECT_EQ(refusal("a.txt", "0 .1 .1 .2 .1 .2 .2\n"), "line 1: has 7 words instead of 5") << "an outline";
  EXPECT_EQ(refusal("a.txt", "\n0 .5 x .1 .1\n"), "line 2: 'x' is no number between 0 and 1");
  EXPECT_EQ(refusal("a.txt", "0 .5 nan .1 .1\n"), "line 1: 'nan' is no number between 0 and 1");
  EXPECT_EQ(refusal("a.txt", "0 120 .5 .1 .1\n"), "line 1: '120' is no number between 0 and 1") << "pixels";
  EXPECT_EQ(refusal("a.txt", "0 .5 .5 -.1 .1\n"), "line 1: '-.1' is no number between 0 and 1");
  EXPECT_EQ(refusal("a.txt", "0.5 .5 .5 .1 .1\n"), "line 1: '0.5' is no class");
  EXPECT_EQ(refusal("a.txt", "cat .5 .5 .1 .1\n"), "line 1: 'cat' is no class");
  EXPECT_EQ(refusal("a.txt", "-1 .5 .5 .1 .1\n"), "line 1: class -1 is below 0");
}

TEST_F(LabelFolder, HoldsClassesAgainstTheModelAndTheFileOfNames) {
  EXPECT_EQ(refusal("a.txt", "2 .5 .5 .1 .1\n3 .5 .5 .1 .1\n", 3),
            "line 2: class 3 is none of the classes 0 to 2 of the model");
  EXPECT_NO_THROW(static_cast<void>(read(4)));
  folder_.write("classes.txt", "cat\ndog\n");
  EXPECT_EQ(refusal("a.txt", "2 .5 .5 .1 .1\n", 3), "line 1: class 2 is none of the classes 0 to 1 of classes.txt");
  folder_.write("a.txt", "1 .5 .5 1.0004 .1\n");
  EXPECT_THAT(read(3).categories, ElementsAre("cat", "dog"));
  EXPECT_EQ(read(3).find("classes.jpg"), nullptr) << "the file of names labels no image";
}

TEST_F(LabelFolder, GivesBoxesOfVocInPixelsFromZeroOn) {
  folder_.write("a.xml", voc("dog", kBox));
  folder_.write("b.xml", voc("cat", kBox, "<difficult>1</difficult>"));
  folder_.write("c.xml", "<annotation></annotation>");
  folder_.write("notes.txt", "no labels where there are .xml files");
  const ObjectLabels labels = read(2);
  EXPECT_EQ(labels.form, ObjectLabels::Form::Voc);
  EXPECT_THAT(labels.categories, ElementsAre("cat", "dog")) << "sorted";
  const ObjectLabels::Image& a = *labels.find("a.jpg");
  EXPECT_EQ(a.size, (PixelSize{20, 40}));
  ASSERT_THAT(a.objects, SizeIs(1));
  EXPECT_EQ(a.objects[0].left, 10);
  EXPECT_EQ(a.objects[0].top, 5);
  EXPECT_EQ(a.objects[0].width, 20);
  EXPECT_EQ(a.objects[0].height, 10);
  EXPECT_EQ(a.objects[0].category, 1);
  EXPECT_FALSE(a.objects[0].crowd);
  EXPECT_TRUE(labels.find("b.jpg")->objects.at(0).crowd) << "difficult";
  EXPECT_THAT(labels.find("c.jpg")->objects, IsEmpty());
  EXPECT_EQ(labels.find("elsewhere.jpg"), nullptr) << "files are matched by their own names";
}

TEST_F(LabelFolder, TakesTheOrderOfVocClassesFromTheFileOfNames) {
  folder_.write("classes.txt", "dog\ncat\n");
  folder_.write("a.xml", voc("cat", kBox));
  EXPECT_EQ(read().find("a.jpg")->objects.at(0).category, 1);
  EXPECT_EQ(refusal("b.xml", voc("bird", kBox)), "line 5: class 'bird' is not in the file of class names");
}

TEST_F(LabelFolder, NamesTheLineOfWhatIsNoBoxOfVoc) {
  EXPECT_EQ(refusal("a.xml", voc("cat", "<xmin>1</xmin>")), "line 6: <bndbox> has no <ymin>");
  EXPECT_EQ(refusal("a.xml", voc("cat", "<xmin>1</xmin>\n<ymin>one</ymin>")), "line 8: <ymin> is no number: 'one'");
  EXPECT_EQ(refusal("a.xml", voc("cat", "<xmin>9</xmin><ymin>1</ymin><xmax>8</xmax><ymax>2</ymax>")),
            "line 6: the box has no area");
  EXPECT_EQ(refusal("a.xml", "<annotation><object>\n</object></annotation>"), "line 1: <object> has no <name>");
  EXPECT_THAT(refusal("a.xml", "<annotation>\n<object></annotation>"), StartsWith("line 2: "))
      << "an end tag is missing";
  EXPECT_THAT(refusal("a.xml", "class 1 2"), StartsWith("line 1: "));
  folder_.write("a.xml", voc("cat", kBox));
  EXPECT_EQ(refusal("b.xml", voc("dog", kBox), 1), "line 5: class 1 is none of the classes 0 to 0 of the model");
}

TEST_F(LabelFolder, RefusesAFolderWithoutLabels) {
  folder_.write("classes.txt", "cat\n");
  folder_.write("a.jpg", "");
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(read()); }).what(), HasSubstr("holds no labels of objects"));
}

}  // namespace
}  // namespace detent
