// Images: each decoder behind the checks of the files, also of PNGs whose checksums were corrected, and masks.
#include <zlib.h>

#include <vector>

#include "datasets/base/file_numbers.h"
#include "datasets/images/image_decode.h"
#include "datasets/images/masks.h"
#include "fuzz/fuzz_input.h"

namespace {

/// Returns the bytes with the right checksum behind each chunk of a PNG that is whole.
std::vector<uint8_t> with_checksums(std::vector<uint8_t> bytes) {
  constexpr size_t kSignature = 8, kOverhead = 12;
  for (size_t at = kSignature; at + kOverhead <= bytes.size();) {
    const size_t content = detent::FileNumbers(bytes, false).at(at, 4);
    if (content > bytes.size() - at - kOverhead) break;
    const uLong checksum = crc32(0, &bytes[at + 4], static_cast<uInt>(content + 4));
    for (size_t i = 0; i < 4; ++i) bytes[at + 8 + content + i] = static_cast<uint8_t>(checksum >> (24 - 8 * i));
    at += kOverhead + content;
  }
  return bytes;
}

void decode(const uint8_t* data, size_t size) {
  using namespace detent;
  const auto& path = fuzz::as_file(data, size, "input.img");
  fuzz::expect_documented([&] { (void)decode_image(path); });
  fuzz::expect_documented([&] { (void)decode_image(path, 1); });
  fuzz::expect_documented([&] { (void)read_mask(path); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  decode(data, size);
  if (size > 8 && data[0] == 0x89 && data[1] == 'P') {
    const std::vector<uint8_t> bytes = with_checksums({data, data + size});
    decode(bytes.data(), bytes.size());
  }
  return 0;
}
