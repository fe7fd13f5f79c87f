#include "core/files/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "detent/base/error.h"

namespace detent {
namespace {

/// Sets TMPDIR while this object lives.
class TemporaryRoot {
 public:
  explicit TemporaryRoot(const std::string& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryRoot() {
    if (before_)
      ::setenv("TMPDIR", before_->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }
  TemporaryRoot(const TemporaryRoot&) = delete;
  TemporaryRoot& operator=(const TemporaryRoot&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(Temporary, SaysThatTmpdirIsNotThere) {
  const std::filesystem::path folder = make_temporary_folder("root");
  {
    const TemporaryRoot root((folder / "none").string());
    for (const auto& make :
         {+[] { static_cast<void>(make_temporary_folder("x")); }, +[] { static_cast<void>(open_temporary_file()); }}) {
      try {
        make();
        ADD_FAILURE() << "made in a folder that is not there";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
        EXPECT_THAT(error.what(), ::testing::HasSubstr("TMPDIR is '" + (folder / "none").string() + "'"));
        EXPECT_THAT(error.hint(), ::testing::HasSubstr("TMPDIR"));
      }
    }
  }
  const TemporaryRoot root(folder.string());
  const int descriptor = open_temporary_file();
  EXPECT_GE(descriptor, 0);
  ::close(descriptor);
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "a file without a name";
  remove_temporary_folder(folder);
}

}  // namespace
}  // namespace detent
