// Audio: WAV and FLAC, features of what could be read, tokens and transcripts.
#include <algorithm>

#include "datasets/audio/audio_clip.h"
#include "datasets/audio/audio_features.h"
#include "datasets/audio/resample.h"
#include "datasets/token_list.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  fuzz::expect_documented([&] {
    const AudioClip clip = read_audio(fuzz::as_file(data, size, "clip.wav"));
    constexpr size_t kSome = 4000;
    const std::span<const float> some = std::span(clip.samples).first(std::min(clip.samples.size(), kSome));
    (void)fbank(some, {.rate = clip.rate, .bins = 8});
    (void)log_mel(resample(some, clip.rate, 16000), 16000, 8);
  });
  fuzz::expect_documented([&] { (void)read_audio(fuzz::as_file(data, size, "clip.wav"), 1); });
  fuzz::expect_documented([&] { (void)read_token_list(fuzz::as_file(data, size, "tokens.txt")); });
  fuzz::expect_documented([&] { (void)read_token_list(fuzz::as_file(data, size, "tokens.json")); });
  fuzz::expect_documented([&] { (void)read_transcripts(fuzz::as_file(data, size, "texts.csv")); });
  return 0;
}
