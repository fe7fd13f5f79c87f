// Tests the reading of COCO annotations.
#include "datasets/images/object_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using testing::HasSubstr;

constexpr const char* kTwoImages = R"({
"images": [{"id": 7, "file_name": "a.jpg", "width": 40, "height": 30},
           {"id": 3, "file_name": "b/c.png", "width": 20, "height": 10}],
"annotations": [{"image_id": 3, "category_id": 90, "bbox": [1.5, 2, 3, 4.25]},
                {"image_id": 3, "category_id": 2, "bbox": [0, 0, 5, 5], "iscrowd": 1}],
"categories": [{"id": 90, "name": "cup"}, {"id": 2, "name": "cat"}]})";

class ObjectLabelsFile : public ::testing::Test {
 protected:
  ObjectLabels read(const std::string& text) {
    const std::filesystem::path path = folder_ / "labels.json";
    std::ofstream(path) << text;
    return read_coco(path);
  }
  std::string refusal(std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidData);
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ObjectLabelsFile, GivesBoxesByImageAndClassesInTheOrderOfTheirIds) {
  const ObjectLabels labels = read(kTwoImages);
  EXPECT_THAT(labels.categories, testing::ElementsAre("cat", "cup"));
  EXPECT_TRUE(labels.images.at("a.jpg").objects.empty());
  EXPECT_EQ(labels.images.at("a.jpg").size, (PixelSize{30, 40}));
  const std::vector<LabelledObject>& objects = labels.images.at("b/c.png").objects;
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].category, 1);
  EXPECT_EQ(objects[0].left, 1.5);
  EXPECT_EQ(objects[0].height, 4.25);
  EXPECT_FALSE(objects[0].crowd);
  EXPECT_TRUE(objects[1].crowd);
}

TEST_F(ObjectLabelsFile, RefusesWhatIsNoAnnotation) {
  EXPECT_THAT(refusal(kTwoImages, "\"images\"", "\"pictures\""), HasSubstr("has no list 'images'"));
  EXPECT_THAT(refusal(kTwoImages, "\"image_id\": 3", "\"image_id\": 4"),
              HasSubstr("annotations[0].image_id: no image has this id"));
  EXPECT_THAT(refusal(kTwoImages, "\"category_id\": 2", "\"category_id\": 1"),
              HasSubstr("annotations[1].category_id: no category has this id"));
  EXPECT_THAT(refusal(kTwoImages, "[0, 0, 5, 5]", "[0, 0, 5]"),
              HasSubstr("annotations[1].bbox: is not four numbers: it has 3"));
  EXPECT_THAT(refusal(kTwoImages, "b/c.png", "a.jpg"), HasSubstr("'a.jpg' is there twice"));
  EXPECT_THAT(refusal(kTwoImages, "\"width\": 40", "\"width\": 0"), HasSubstr("30x0 pixels"));
  EXPECT_THAT(refusal(kTwoImages, "\"width\": 40", "\"width\": \"40\""), HasSubstr("images[0].width: a whole number"));
  EXPECT_THAT(refusal(kTwoImages, "\"file_name\": \"a.jpg\"", "\"file_name\": null"),
              HasSubstr("images[0].file_name: a text is expected, not null"));
  EXPECT_THAT(refusal(kTwoImages, "\"file_name\": \"a.jpg\", ", ""), HasSubstr("images[0]: \"file_name\" is missing"));
  EXPECT_THAT(refusal(kTwoImages, "[0, 0, 5, 5]", "[0, 0, 5, [5]]"),
              HasSubstr("annotations[1].bbox[3]: a number is expected, not a list"));
  EXPECT_THAT(refusal(kTwoImages, "[0, 0, 5, 5]", "[0, 0, 5, 1e999]"), HasSubstr("the number 1e999 is too large"));
  EXPECT_THAT(refusal(kTwoImages, "\"id\": 3", "\"id\": 7"), HasSubstr("images[1].id: another image has this id"));
  EXPECT_THAT(refusal(kTwoImages, "\"iscrowd\": 1", "\"iscrowd\": \"1\""), HasSubstr("annotations[1].iscrowd"));
  EXPECT_THAT(refusal(kTwoImages, "{", "["), HasSubstr("labels.json: line 2, column 9: not JSON at '\"images\":'"));
}

}  // namespace
}  // namespace detent
