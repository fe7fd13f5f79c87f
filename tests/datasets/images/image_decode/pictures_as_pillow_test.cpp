// Files whose headers say how pixels are to be read: golden/pictures.py makes them, and has Pillow's pixels.
#include <gmock/gmock.h>
#include <zlib.h>

#include <fstream>
#include <sstream>

#include "datasets/data_files.h"
#include "datasets/images/image_decode.h"

namespace detent {
namespace {

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

/// Returns "WIDTHxHEIGHT CRC" of pixels as RGB, or "refused 0".
std::string seen(const std::filesystem::path& path) {
  try {
    const Pixels pixels = decode_image(path).pixels;
    const auto [height, width] = pixels.size();
    std::string rgb;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (const int channel : {2, 1, 0}) rgb += static_cast<char>(pixels.row(y)[3 * x + channel]);
    return std::to_string(width) + "x" + std::to_string(height) + " " +
           std::to_string(crc32(0, reinterpret_cast<const Bytef*>(rgb.data()), static_cast<uInt>(rgb.size())));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    return "refused 0";
  }
}

TEST(Pictures, AreReadAsTheirHeadersSay) {
  const TemporaryFolder folder;
  std::ifstream golden(DETENT_SOURCE_DIR "/tests/datasets/images/golden/pictures.txt");
  size_t rows = 0;
  for (std::string line; std::getline(golden, line); ++rows) {
    std::istringstream words(line);
    std::string name, hex, size, sum;
    words >> name >> hex >> size >> sum;
    EXPECT_EQ(seen(folder.write("picture", bytes_of_hex(hex))), size + " " + sum) << name;
  }
  EXPECT_GT(rows, 100U);
}

Error refusal(const std::string& file) {
  const TemporaryFolder folder;
  const auto path = folder.write("picture", file);
  return error_of<Error>([&] { static_cast<void>(decode_image(path)); });
}

TEST(Pictures, WithLevelsAboveTheHighestAreRefused) {
  EXPECT_THAT(refusal("P5 2 1 100\n\x64\x65").what(),
              ::testing::EndsWith("stands a level of 101, and its header says 100 at most"));
}

/// A mask of classes keeps its numbers.
TEST(Pictures, AsStoredKeepTheLevelsOfTheFile) {
  const TemporaryFolder folder;
  for (const std::string file : {"P5 3 1 20\n\x01\x02\x14", "P2 3 1 20\n1 2 20\n"}) {
    const Pixels pixels = decode_image_as_stored(folder.write("mask.pgm", file));
    EXPECT_EQ(std::vector<int>(pixels.row(0), pixels.row(0) + 3), (std::vector<int>{1, 2, 20}));
  }
}

}  // namespace
}  // namespace detent
