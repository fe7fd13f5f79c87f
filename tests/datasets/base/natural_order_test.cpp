#include "datasets/base/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "datasets/data_files.h"

namespace detent {
namespace {

TEST(NaturalOrder, CountsAsPeopleDo) {
  std::vector<std::string> names{"img10.png", "img9.png", "b/1.png", "img010.png", "a-1/2.png", "a/10.png", "a/9.png"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"a/9.png", "a/10.png", "a-1/2.png", "b/1.png", "img9.png", "img010.png",
                                             "img10.png"}));
}

TEST(NaturalOrder, IsATotalOrder) {
  const std::vector<std::string> names{"",   "a",   "a0",   "a00", "a1", "a01", "1",
                                       "01", "a1b", "a01b", "a/b", "a",  "é",   "99999999999999999999999"};
  for (const auto& a : names)
    for (const auto& b : names) {
      EXPECT_EQ(natural_less(a, b) || natural_less(b, a), a != b) << a << " " << b;
      for (const auto& c : names)
        if (natural_less(a, b) && natural_less(b, c)) {
          EXPECT_TRUE(natural_less(a, c)) << a << " " << b << " " << c;
        }
    }
}

TEST(FilesBelow, LeavesHiddenFilesOutAndEntersLinksOnce) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "sub/deep");
  for (const char* name : {"2.png", "10.png", ".hidden.png", "note.txt", "sub/1.png", "sub/deep/3.png"})
    folder.write(name, "x");
  std::filesystem::create_directory_symlink(folder.path(), folder / "sub/back");
  const auto found = files_below(folder.path(), [](const auto& path) { return path.extension() == ".png"; });
  EXPECT_EQ(found, (std::vector<std::string>{"2.png", "10.png", "sub/1.png", "sub/deep/3.png"}));
}

TEST(FilesBelow, NamesAFolderThatIsNotThere) {
  const auto error =
      error_of<Error>([] { static_cast<void>(files_below("no/such/folder", [](const auto&) { return true; })); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_NE(std::string(error.what()).find("no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace detent
