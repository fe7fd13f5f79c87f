#include "datasets/data_source_list.h"

#include "datasets/audio_folder.h"
#include "datasets/image_folder.h"
#include "datasets/npy_source.h"
#include "datasets/npz.h"
#include "datasets/synthetic.h"
#include "datasets/text_source.h"

namespace detent {

std::span<const DataSourceEntry> data_source_list() {
  using Feeds = DataSourceEntry::Feeds;
  constexpr auto kImages = [](const std::string& /*src*/) { return Preprocessed::Images; };
  constexpr auto kAudio = [](const std::string& /*src*/) { return Preprocessed::Audio; };
  static constexpr DataSourceEntry kEntries[] = {
      {"random:normal|uniform[,n=32][,seed=1]", Feeds::AllInputs, is_synthetic, open_synthetic},
      {"text:FILE,vocab=bytes|FILE[,length=N][,field=NAME]", Feeds::AllInputs, is_text, open_text, nullptr,
       files_of_text},
      {"a .npz", Feeds::AllInputs, is_npz, open_npz},
      {"a .npy", Feeds::OneInput, is_npy, open_npy},
      {"a .txt or .csv list of files", Feeds::OneInput, is_file_list, open_file_list, kind_of_list, files_of_list},
      {"an image", Feeds::OneInput, is_image, open_image, kImages},
      {"a .wav or .flac", Feeds::AllInputs, is_audio, open_audio, kAudio},
      {"a test_data_set_N folder or its parent", Feeds::AllInputs, is_test_data_set, open_test_data_set},
      {"a folder of .npy", Feeds::OneInput, is_npy_folder, open_npy_folder},
      {"a folder of .npz", Feeds::AllInputs, is_npz_folder, open_npz_folder},
      {"a folder of audio", Feeds::AllInputs, is_audio_folder, open_audio_folder, kAudio},
      {"a folder of images", Feeds::OneInput, is_image_folder, open_image_folder, kImages},
  };
  return kEntries;
}

}  // namespace detent
