#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/tensor.h"

namespace detent {

/// Batch axis of an input that always holds one sample.
inline constexpr int kNoBatchAxis = -1;

/// Name, type and shape of one model input. Extents below 0 are open (dynamic).
struct InputSpec {
  std::string name;
  DataType type = DataType::Float32;
  std::vector<int64_t> shape;
  /// Axis that counts samples: 0 in [batch, 3, H, W], 1 in recurrent states [layers, batch, hidden]. Absent: axis 0 if
  /// its extent is open, 1, or the same in all inputs.
  std::optional<int> batch_axis = {};
  bool batch_axis_named = false;  ///< true: the user gave it, which decides how an ambiguous array is cut
  bool has_shape = true;  ///< false: the model declares none, so any array fits: its axis 0 counts samples of batch 1
};

/// One sample: one tensor per model input, in the order of the model's inputs, batch 1 unless the source holds more.
struct Sample {
  size_t index = 0;  ///< position in the source, after shuffle, limit and shard
  std::string name;  ///< file name relative to the source, or "latents.npy[12]"
  std::vector<Tensor> inputs;
  std::vector<int> batch_axes = {};  ///< one per input, kNoBatchAxis: none; empty: axis 0 of each
  /// Token id of each input that follows a window of ids in the data; absent at the end. Empty: no input has one.
  std::vector<std::optional<int64_t>> next = {};
  std::vector<uint8_t> content = {};       ///< by position of a sequence: 0 at padding, else 1; empty: no padding
  std::array<int, 2> image_size = {0, 0};  ///< height and width of the image file as it is seen; 0: no image
  double seconds = 0;                      ///< of the audio file, before it is padded or cut; 0: no audio
  bool is_behind_the_end = false;          ///< a step behind the end of its text: the last one once more
};

/// A source of samples, by index. Many threads call `read` at once.
class DETENT_API DataSource {
 public:
  virtual ~DataSource() = default;
  [[nodiscard]] virtual size_t size() const = 0;
  /// Returns the name of sample i without decoding it.
  [[nodiscard]] virtual std::string sample_name(size_t i) const = 0;
  /// Decodes and preprocesses sample i.
  /// Errors  InvalidData naming the file and what is wrong with it.
  [[nodiscard]] virtual Sample read(size_t i) const = 0;
  /// Returns how many consecutive samples the model takes at once: the fixed batch size of its inputs, else 1.
  [[nodiscard]] virtual size_t batch() const { return 1; }
};

/// Makes a source of samples in memory: sample i holds `samples[i]`, one tensor per model input in the order of the
/// model's inputs, with a batch axis of extent 1 where the input has one. The first is named "sample 1". Tensors are
/// shared, not copied. Without samples the source is empty, which open_data refuses.
/// Errors  InvalidData where samples differ in their number of tensors.
[[nodiscard]] DETENT_API std::shared_ptr<const DataSource> samples_in_memory(std::vector<std::vector<Tensor>> samples);

/// Makes a source of `count` samples that `read(i)` computes. It is called from several threads at once, once in each
/// pass over the data, and must return equal tensors each time. Its exceptions end the work and reach the caller.
[[nodiscard]] DETENT_API std::shared_ptr<const DataSource> samples_from(
    size_t count, std::function<std::vector<Tensor>(size_t)> read);

/// The source of samples, the preprocessing of images and audio, and which samples are used.
struct DataOptions {
  /// Samples from the caller, instead of `sources`; shuffle, limit and shard apply to them too.
  std::shared_ptr<const DataSource> own;
  /// Arrays in memory instead of `sources`, one per model input in their order. Each is checked against the input's
  /// shape and cut into samples along its batch axis, like an array from a file. Tensors are shared, not copied.
  std::vector<Tensor> arrays;
  /// Sources "SRC" or "INPUT=SRC", one per model input; empty: no data. SRC is a folder of images, audio, .npy or
  /// .npz, one such file, a test_data_set folder or its parent, a .txt or .csv list, text:FILE,vocab=bytes|FILE
  /// or random:normal|uniform[,n=32][,seed=1].
  std::vector<std::string> sources;
  std::string preprocess;           ///< a preset ("imagenet", "log-mel"), key=value pairs, or both: datasets/README.md
  std::optional<uint64_t> shuffle;  ///< seed
  std::optional<size_t> limit;      ///< number of samples; absent: all
  bool spread = false;              ///< `limit` takes samples evenly over the source instead of the first ones
  size_t shard_index = 1, shard_count = 1;  ///< every shard_count-th sample, starting with the shard_index-th, 1-based
  std::string option = "data";              ///< name of `sources` in messages
  std::vector<std::string> batch_axes;      ///< "INPUT=1" or "INPUT=none", for inputs whose batch axis is ambiguous
  bool missing_nan = false;                 ///< NaN in a float input is a value that is missing, not a fault
  std::vector<std::string> padding_masks;   ///< inputs [N, S] that are 0 at padding, besides those named attention_mask
  /// Cut each sample into so many steps, at least 1; outputs feed inputs as `state` says. Absent: samples are whole.
  std::optional<size_t> steps;
  std::filesystem::path state;  ///< JSON: which outputs feed which inputs (datasets/README.md); empty: none

  /// Returns true where there is something to read.
  [[nodiscard]] bool given() const { return own || !arrays.empty() || !sources.empty(); }
};

/// Returns how many consecutive samples the model takes at once: the extent that all batch axes share; 1 when one of
/// them is 1, when they differ (boxes next to an image), or when all are open.
[[nodiscard]] DETENT_API size_t group_size(std::span<const InputSpec> inputs);

/// Opens the samples for a model with these inputs.
///
/// Applies shuffle, limit and shard in this order. With `spread`, sample i of n out of N is number floor(i * N / n).
/// The form of a source is detected from its content.
/// Errors  Usage for images or audio without `preprocess`; InvalidData when nothing is found, counts differ or a size
/// does not
///         fit the model; InvalidOption when an open model size needs resize, crop or letterbox.
[[nodiscard]] DETENT_API std::unique_ptr<DataSource> open_data(const DataOptions& options,
                                                               std::span<const InputSpec> inputs);

}  // namespace detent
