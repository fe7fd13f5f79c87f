#pragma once

#include <cstdint>
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

/// An input that holds one sample and has no axis to count several.
inline constexpr int kNoBatchAxis = -1;

/// Name, type and shape of one model input. Extents < 0 are open.
struct InputSpec {
  std::string name;
  DataType type = DataType::Float32;
  std::vector<int64_t> shape;
  /// The axis that counts samples: 0 in [batch, 3, H, W], 1 in recurrent states [layers, batch, hidden]. Absent: axis 0
  /// where its extent is open, 1, or the same in all inputs.
  std::optional<int> batch_axis = {};
  bool batch_axis_named = false;  ///< by the user, which decides between two readings of an array
};

/// One sample: one tensor per model input, in the order of the model's inputs, batch 1 unless the source holds more.
struct Sample {
  size_t index = 0;  ///< position in the source, after shuffle, limit and shard
  std::string name;  ///< file name relative to the source, or "latents.npy[12]"
  std::vector<Tensor> inputs;
  std::vector<int> batch_axes = {};  ///< one per input, kNoBatchAxis for none; empty: axis 0 of each
  /// One per input: of a window of token ids the one behind it in the data, absent at its end. Empty: none of any
  /// input.
  std::vector<std::optional<int64_t>> next = {};
  std::vector<uint8_t> content = {};  ///< by position of a sequence: 0 where a mask says padding; empty: all is content
};

/// Samples by index. `read` is called from many threads at once.
class DETENT_API DataSource {
 public:
  virtual ~DataSource() = default;
  [[nodiscard]] virtual size_t size() const = 0;
  /// Name of sample i without decoding it.
  [[nodiscard]] virtual std::string sample_name(size_t i) const = 0;
  /// Decodes and preprocesses sample i.
  /// Errors  InvalidData naming the file and what is wrong with it.
  [[nodiscard]] virtual Sample read(size_t i) const = 0;
  /// How many consecutive samples the model takes at once: the batch that its inputs fix, 1 where it is open or 1.
  [[nodiscard]] virtual size_t batch() const { return 1; }
};

/// Samples that are in memory already: sample i holds `samples[i]`, one tensor per model input in the order of the
/// model's inputs, with a batch axis of extent 1 where the input has one; "sample 1" is the name of the first. Tensors
/// are shared, not copied.
/// Errors  InvalidData where two samples have another number of tensors; no samples give a
/// source of none, which open_data refuses.
[[nodiscard]] DETENT_API std::shared_ptr<const DataSource> samples_in_memory(std::vector<std::vector<Tensor>> samples);

/// `count` samples that `read(i)` makes when they are wanted, from several threads at once and once for each pass over
/// the data: the same tensors each time. What it throws ends the work and reaches the caller.
[[nodiscard]] DETENT_API std::shared_ptr<const DataSource> samples_from(
    size_t count, std::function<std::vector<Tensor>(size_t)> read);

/// Where samples come from, how images become tensors, and which samples are taken.
struct DataOptions {
  /// The caller's own samples, instead of `sources`; shuffle, limit and shard hold for them too.
  std::shared_ptr<const DataSource> own;
  /// Arrays in memory instead of `sources`, one per model input in their order: each is held against the input's shape
  /// as an array of a file is, and cut into samples along its batch axis. Tensors are shared, not copied.
  std::vector<Tensor> arrays;
  /// "SRC" or "INPUT=SRC", one per model input; none: no data. SRC is a folder of images, .npy or .npz, an image, a
  /// .npy or .npz file, a test_data_set folder or its parent, a .txt or .csv list, text:FILE,vocab=bytes|FILE or
  /// random:normal|uniform[,n=32][,seed=1].
  std::vector<std::string> sources;
  std::string preprocess;  ///< a preset ("imagenet"), key=value pairs, or both: datasets/README.md; empty: none given
  std::optional<uint64_t> shuffle;          ///< seed
  std::optional<size_t> limit;              ///< so many samples only; absent: all
  bool spread = false;                      ///< those of `limit` lie evenly over the source, instead of being its first
  size_t shard_index = 1, shard_count = 1;  ///< every shard_count-th sample from the shard_index-th on, 1-based
  std::string option = "data";              ///< the name of `sources` in messages
  std::vector<std::string> batch_axes;      ///< "INPUT=1" or "INPUT=none" where the model does not tell
  std::vector<std::string>
      padding_masks;  ///< inputs [N, S] that are 0 at padding; those named attention_mask are found

  /// True where there is something to read.
  [[nodiscard]] bool given() const { return own || !arrays.empty() || !sources.empty(); }
};

/// How many consecutive samples the model takes at once: the extent that all batch axes fix, 1 when one of them is 1 or
/// they differ (boxes beside an image), or all are open.
[[nodiscard]] DETENT_API size_t group_size(std::span<const InputSpec> inputs);

/// Opens the samples for a model with these inputs.
///
/// Order: shuffle, limit, shard. With `spread` sample i of n among N is number floor(i * N / n). The form of a source
/// is recognised by looking at it.
/// Errors  Usage when images come without `preprocess`; InvalidData when nothing is
/// found, counts differ or a size does not fit the model; InvalidOption when an open model size needs
/// resize/crop/letterbox.
[[nodiscard]] DETENT_API std::unique_ptr<DataSource> open_data(const DataOptions& options,
                                                               std::span<const InputSpec> inputs);

/// True when one of the sources holds images, which `preprocess` speaks of.
/// Errors  those of open_data for a source
/// that is none.
[[nodiscard]] DETENT_API bool holds_images(const DataOptions& options, std::span<const InputSpec> inputs);

}  // namespace detent
