#include "datasets/base/csv.h"

#include <gmock/gmock.h>

#include "datasets/base/csv.h"
#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Csv, ReadsQuotesLineEndsAndAByteOrderMark) {
  const TemporaryFolder folder;
  const auto path = folder.write("t.csv",
                                 "\xef\xbb\xbf"
                                 "file , label\r\n\"a,b\"\"c.png\", 1\r\n\r\nd.png,2");
  const CsvTable table = read_csv(path);
  EXPECT_THAT(table.columns, ElementsAre("file", "label"));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0], ElementsAre("a,b\"c.png", "1"));
  EXPECT_THAT(table.rows[1], ElementsAre("d.png", "2"));
  EXPECT_EQ(table.column("label"), 1);
  EXPECT_EQ(table.column("class"), -1);
}

TEST(Csv, NamesTheLineThatIsWrong) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    const auto path = folder.write("t.csv", text);
    return std::string(error_of<Error>([&] { static_cast<void>(read_csv(path)); }).what());
  };
  EXPECT_THAT(message("file,label\na,1\nb\n"), HasSubstr("line 3"));
  EXPECT_THAT(message("file,label\n\"a,1\n"), HasSubstr("line 2"));
  EXPECT_THAT(message(""), HasSubstr("empty"));
}

TEST(Labels, AreReadInTheOrderOfTheFile) {
  const TemporaryFolder folder;
  const auto labels = read_labels(folder.write("l.csv", "id,label,file\n0,7,z.png\n1,-1,sub/a.png\n"));
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels[0].file, "z.png");
  EXPECT_EQ(labels[0].label, 7);
  EXPECT_EQ(labels[1].file, "sub/a.png");
  EXPECT_EQ(labels[1].label, -1);
}

TEST(Labels, RefuseAMissingColumnAndWords) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    const auto path = folder.write("l.csv", text);
    return error_of<Error>([&] { static_cast<void>(read_labels(path)); });
  };
  EXPECT_THAT(error("file,class\na.png,1\n").what(), HasSubstr("'label'"));
  EXPECT_THAT(error("a.png,1\n").what(), HasSubstr("'file'"));
  EXPECT_THAT(error("file,label\na.png,cat\n").what(), HasSubstr("'cat'"));
  EXPECT_EQ(error("file,label\n").code(), ErrorCode::InvalidData);
}

}  // namespace
}  // namespace detent
