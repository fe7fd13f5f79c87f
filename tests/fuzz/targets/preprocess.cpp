// --preprocess: the line, and the transform that it makes for an image of 5 x 7 pixels where its sizes are small, or a
// clip.
#include <string_view>
#include <vector>

#include "datasets/audio/audio_transform.h"
#include "datasets/images/image_transform.h"
#include "datasets/images/preprocess.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  static const std::vector<unsigned char> bytes(size_t{5} * 7 * 3, 2);
  static const Pixels image(nullptr, bytes.data(), {5, 7}, 3, Pixels::Depth::Bits8, size_t{7} * 3);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::expect_documented([&] {
    if (is_audio_preprocess(text)) {
      const FeedInput input{{"x", DataType::Float32, {1, -1, -1}}};
      (void)AudioTransform(parse_audio_preprocess(text), {&input, 1}, {}).apply({8000, std::vector<float>(400, 0.5F)});
    }
    const PreprocessSpec spec = parse_preprocess(text);
    const InputSpec input{"image", DataType::Float32, {1, -1, -1, -1}};
    (void)ImageTransform(spec, input).apply({image, image.size()});
  });
  return 0;
}
