// Tests that files whose headers claim more than they hold, or more than memory, are refused.

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/memory_limit_guard.h"
#include "datasets/base/npy_file.h"
#include "datasets/data_files.h"
#include "datasets/images/image_decode.h"
#include "datasets/npz.h"

namespace detent {
namespace {

using test::MemoryLimit;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(DecodeImage, KnowsTheSizeOfEveryFormatBeforeItTakesMemory) {
  const TemporaryFolder folder;
  const auto needs = [&](const char* name, const cv::Mat& image, uint64_t bytes, const std::string& text) {
    const auto file = write_image(folder / name, image);
    {
      const MemoryLimit limit(bytes - 1);
      EXPECT_THAT(error_of<Error>([&] { static_cast<void>(decode_image(file)); }).what(), HasSubstr(text)) << name;
    }
    {
      const MemoryLimit limit(bytes);
      EXPECT_THAT(error_of<Error>([&] { static_cast<void>(decode_image(file)); }).what(),
                  HasSubstr("decoding an image of 90x70 pixels takes "))
          << name << ": pixels and file";
    }
    const MemoryLimit limit(10 * bytes);
    EXPECT_EQ(decode_image(file).whole.height, 70) << name;
  };
  const cv::Mat gray(70, 90, CV_8U, cv::Scalar(9)), deep(70, 90, CV_16U, cv::Scalar(9));
  for (const char* name : {"a.png", "a.jpg", "a.webp", "a.bmp", "a.pgm", "a.tif"})
    needs(name, gray, 18900, "an image of 90x70 pixels takes 18.9 kB");
  needs("deep.pgm", deep, 18900, "an image of 90x70 pixels takes 18.9 kB");  // scaled while it is read
  for (const char* name : {"deep.png", "deep.tif"}) needs(name, deep, 37800, "an image of 90x70 pixels takes 37.8 kB");
}

TEST(DecodeImage, RefusesFromItsHeaderWhatMemoryDoesNotHold) {
  const TemporaryFolder folder;
  const auto image = write_image(folder / "a.png", test_picture(60, 50));  // 9000 bytes
  {
    const MemoryLimit limit(8999);
    EXPECT_THAT(error_of<Error>([&] { static_cast<void>(decode_image(image)); }).what(),
                AllOf(HasSubstr("a.png: an image of 50x60 pixels takes 9.0 kB; the limit is 9.0 kB (--max-memory)")));
  }
  const MemoryLimit limit(1'000'000);
  EXPECT_EQ(decode_image(image).whole.height, 60);
}

/// Writes a .npy of which only the header is written; the rest is a hole.
std::filesystem::path sparse_npy(const std::filesystem::path& path, const Shape& shape) {
  const std::string header = format_npy_header(DataType::Float32, shape);
  std::ofstream(path, std::ios::binary) << header;
  EXPECT_EQ(::truncate(path.c_str(), static_cast<off_t>(header.size()) + shape.element_count() * 4), 0);
  return path;
}

TEST(NpyFile, RefusesAHoleThatIsLargerThanMemory) {
  const TemporaryFolder folder;
  const auto file = sparse_npy(folder / "a.npy", {1 << 20, 256});  // 1.07 GB
  {
    const MemoryLimit limit(100'000'000);
    EXPECT_THAT(error_of<Error>([&] { const NpyFile refused(file); }).what(),
                AllOf(HasSubstr("a.npy: 1048576x256 elements take 1.1 GB"), HasSubstr("was never written")));
  }
  const MemoryLimit limit(2'000'000'000);
  EXPECT_EQ(NpyFile(file).read_rows(5, 6).data<float>()[0], 0) << "what memory holds may be zeros";
}

TEST(NpyFile, RowsOfALargeFileAreReadButNotAllOfIt) {
  const TemporaryFolder folder;
  folder.write("a.npy", npy_bytes<float>({1000, 100}, counting(100'000)));
  const NpyFile file(folder / "a.npy");
  const MemoryLimit limit(100'000);
  EXPECT_EQ(file.read_rows(3, 4).data<float>()[7], 307);
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(file.read()); }).what(),
              HasSubstr("a.npy: a float array of shape 1000x100 takes 400.0 kB; the limit is 100.0 kB"));
}

TEST(NpyFile, RefusesRowsOfNothingWithoutEnd) {
  const TemporaryFolder folder;
  folder.write("many.npy", format_npy_header(DataType::Float32, {int64_t{1} << 40, 0}));
  EXPECT_THAT(error_of<Error>([&] { const NpyFile refused(folder / "many.npy"); }).what(),
              HasSubstr("holds no elements"));
  folder.write("few.npy", format_npy_header(DataType::Float32, {32, 8, 0, 64}));
  EXPECT_EQ(NpyFile(folder / "few.npy").read().element_count(), 0) << "an empty cache of a language model";
}

TEST(NpyFile, WholeArrayInFortranOrderIsThatOfItsRows) {
  const TemporaryFolder folder;
  std::string bytes = npy_bytes<float>({3, 4, 5}, counting(60));
  bytes.replace(bytes.find("False"), 5, "True ");
  folder.write("f.npy", bytes);
  const NpyFile file(folder / "f.npy");
  const std::vector<float> all = floats_of(file.read());
  EXPECT_EQ(all[1], 12) << "element 0, 0, 1 of an array whose first axis varies fastest: 3 * 4";
  EXPECT_EQ(all, floats_of(file.read_rows(0, 3)));
}

}  // namespace
}  // namespace detent
