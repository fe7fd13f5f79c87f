// Images: what their headers claim, whatever the checksums say, and the pixels where --max-memory holds them.
#include <vector>

#include "datasets/image_decode.h"
#include "datasets/image_integrity.h"
#include "datasets/masks.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const std::vector<unsigned char> bytes(data, data + size);
  for (const ImageFormat format :
       {ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Bmp, ImageFormat::Pnm, ImageFormat::Tiff})
    fuzz::expect_documented([&] { check_image_size(bytes, format); });
  const auto& path = fuzz::as_file(data, size, "input.img");
  fuzz::expect_documented([&] { (void)decode_image(path); });
  fuzz::expect_documented([&] { (void)read_mask(path); });
  return 0;
}
