#include "datasets/audio/audio_transform.h"

#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "core/index.h"
#include "core/memory_limit.h"
#include "core/text.h"
#include "datasets/audio/resample.h"
#include "datasets/base/mask_names.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Kind = AudioSpec::Kind;
using MelLayout = AudioSpec::Layout;

/// Returns the axes that are neither the batch nor fixed at 1, or all except the batch if those are too few.
std::vector<size_t> content_axes(const FeedInput& input, size_t wanted) {
  std::vector<size_t> all, wide;
  for (size_t axis = 0; axis < input.spec.shape.size(); ++axis) {
    if (static_cast<int>(axis) == input.batch_axis) continue;
    all.push_back(axis);
    if (input.spec.shape[axis] != 1) wide.push_back(axis);
  }
  return wide.size() == wanted || all.size() != wanted ? wide : all;
}

[[noreturn]] void refuse_signal(const FeedInput& input, const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::InvalidData,
              "the input '" + input.spec.name + "' (" + describe_shape(input.spec) + ") does not take audio: " + what,
              hint);
}

bool is_whole_number(DataType type) { return type >= DataType::Int8 && type <= DataType::UInt64; }

/// True for [batch] and for a scalar or [1]: one number for each sample.
bool holds_one_number(const FeedInput& input) {
  return std::ranges::all_of(content_axes(input, 0), [&](size_t axis) { return input.spec.shape[axis] == 1; }) &&
         input.spec.shape.size() <= 2;
}

/// Returns the extents of one sample, with `extent` at each axis that is open.
template <class Extent>
std::vector<int64_t> sample_extents(const FeedInput& input, Extent&& extent) {
  std::vector<int64_t> extents;
  for (size_t axis = 0; axis < input.spec.shape.size(); ++axis)
    extents.push_back(static_cast<int>(axis) == input.batch_axis ? 1 : extent(axis));
  return extents;
}

void normalize_clip(std::vector<float>& samples) {
  double sum = 0, squares = 0;
  for (const float x : samples) sum += x;
  const double count = static_cast<double>(samples.size()), mean = sum / count;
  for (const float x : samples) squares += (x - mean) * (x - mean);
  constexpr double kLeast = 1e-7;  // as the feature extractor of wav2vec 2 has it
  const double deviation = std::sqrt(squares / count + kLeast);
  for (float& x : samples) x = static_cast<float>((x - mean) / deviation);
}

}  // namespace

AudioTransform::AudioTransform(const AudioSpec& spec, std::span<const FeedInput> inputs,
                               std::span<const std::string> masks)
    : spec_(spec), inputs_(inputs.begin(), inputs.end()) {
  std::vector<std::string> signals;
  for (const FeedInput& input : inputs_) {
    const std::string& name = input.spec.name;
    const bool named = std::ranges::find(masks, name) != masks.end();
    if (named || is_called_mask(name))
      roles_.push_back(Role::Mask);
    else if (is_whole_number(input.spec.type) && name.find("len") != std::string::npos && holds_one_number(input))
      roles_.push_back(Role::Length);
    else
      roles_.push_back(Role::Signal), signals.push_back(name);
  }
  if (signals.size() != 1)
    throw Error(ErrorCode::Usage,
                signals.empty() ? "audio files need an input of floats that takes them"
                                : "audio files feed one input, its mask and its length, but the model has the inputs " +
                                      join(signals),
                "write INPUT=SRC for each of the others");
  const size_t signal = as_index(std::ranges::find(roles_, Role::Signal) - roles_.begin());
  fit_signal(inputs_[signal]);
}

FbankOptions AudioTransform::fbank_options() const {
  return {.rate = spec_.rate, .bins = bins_, .low = spec_.low, .high = spec_.high, .snip_edges = spec_.snip_edges};
}

int64_t AudioTransform::frames_of(int64_t samples) const {
  switch (spec_.kind) {
    case Kind::LogMel: return log_mel_frames(samples, spec_.rate);
    case Kind::Fbank: return fbank_frames(samples, fbank_options());
    default: return samples;
  }
}

void AudioTransform::fit_signal(const FeedInput& input) {
  if (!is_floating_point(input.spec.type)) refuse_signal(input, "it holds " + std::string(name_of(input.spec.type)));
  const bool features = spec_.kind != Kind::Waveform;
  const std::vector<size_t> axes = content_axes(input, features ? 2 : 1);
  if (axes.size() != (features ? 2 : 1))
    refuse_signal(
        input, features ? "features have an axis of bands and one of time" : "samples have one axis besides the batch",
        features ? "raw-audio gives the samples; --batch-axis INPUT=none says that there is no batch"
                 : "log-mel and fbank give features; --batch-axis INPUT=none says that there is no batch");
  const auto extent = [&](size_t axis) { return input.spec.shape[axis]; };
  time_axis_ = mel_axis_ = axes.front();
  if (features) {
    constexpr int64_t kUsualBins = 80;
    const MelLayout usual = spec_.layout.value_or(spec_.kind == Kind::LogMel ? MelLayout::MelTime : MelLayout::TimeMel);
    const size_t mel = usual == MelLayout::MelTime ? axes[0] : axes[1],
                 other = usual == MelLayout::MelTime ? axes[1] : axes[0];
    const int64_t wanted = spec_.bins.value_or(kUsualBins);
    const bool turned = !spec_.layout && extent(mel) != wanted && extent(other) == wanted;
    mel_axis_ = turned ? other : mel;
    time_axis_ = turned ? mel : other;
    bins_ = spec_.bins ? *spec_.bins : extent(mel_axis_) > 0 ? extent(mel_axis_) : kUsualBins;
    constexpr int64_t kMostBins = 1024;
    if (bins_ > kMostBins || (extent(mel_axis_) > 0 && extent(mel_axis_) != bins_))
      refuse_signal(input,
                    "axis " + std::to_string(mel_axis_) + " should count the " + std::to_string(bins_) + " bands",
                    "bins=N sets their number, layout=mel-time|time-mel the order of the axes");
  }
  if (extent(time_axis_) > 0) frames_ = extent(time_axis_);
  constexpr double kWhisperSeconds = 30;
  const double seconds = spec_.seconds.value_or(spec_.kind == Kind::LogMel ? kWhisperSeconds : 0);
  if (seconds > 0) {
    const int64_t wanted = std::max<int64_t>(1, frames_of(std::llround(seconds * spec_.rate)));
    if (frames_ && spec_.seconds && *frames_ != wanted)
      refuse_signal(input, "the seconds of --preprocess give " + std::to_string(wanted) + " positions");
    frames_ = frames_.value_or(wanted);
  }
  constexpr int64_t kMost = int64_t{1} << 40;
  const int64_t widest = std::max<int64_t>(bins_, spec_.kind == Kind::LogMel ? spec_.rate / 100 : 1);
  check_memory(as_index(std::min(frames_.value_or(0), kMost) * widest) * sizeof(float),
               [&] { return "the input '" + input.spec.name + "'"; });
}

AudioTransform::Signal AudioTransform::signal_of(const AudioClip& clip) const {
  std::vector<float> samples = resample(clip.samples, clip.rate, spec_.rate);
  if (spec_.scale != 1)
    for (float& x : samples) x = static_cast<float>(x * spec_.scale);
  if (spec_.normalize) normalize_clip(samples);
  Signal signal;
  if (spec_.kind == Kind::LogMel) {
    const int64_t hop = spec_.rate / 100, content = std::ssize(samples);
    if (frames_) samples.resize(as_index(*frames_ * hop));  // silence takes part, as in Whisper
    signal.features = log_mel(samples, spec_.rate, bins_);
    signal.content = (content + hop - 1) / hop;
  } else if (spec_.kind == Kind::Fbank) {
    signal.features = fbank(samples, fbank_options());
    signal.content = signal.features.frames;
  } else {
    signal.features = {std::ssize(samples), 1, std::move(samples)};
    signal.content = signal.features.frames;
  }
  const auto apply_statistics = [&] {
    if (spec_.mean == 0 && spec_.std == 1) return;
    for (float& x : signal.features.values) x = static_cast<float>((x - spec_.mean) / spec_.std);
  };
  // Features are filled before the statistics, as in the extractor of AST; samples behind them, as in wav2vec 2.
  if (spec_.kind == Kind::Waveform) apply_statistics();
  if (frames_) {
    signal.features.frames = *frames_;
    signal.features.values.resize(as_index(*frames_ * signal.features.bins));
  }
  if (spec_.kind != Kind::Waveform) apply_statistics();
  signal.content = std::min(signal.content, signal.features.frames);
  return signal;
}

Tensor AudioTransform::signal_tensor(const AudioFeatures& features, const FeedInput& input) const {
  const auto extents = sample_extents(input, [&](size_t axis) {
    return axis == time_axis_ ? features.frames : axis == mel_axis_ ? features.bins : int64_t{1};
  });
  const Shape shape{std::span<const int64_t>(extents)};
  if (mel_axis_ >= time_axis_)
    return cast(Tensor::from<float>(shape, std::span<const float>(features.values)), input.spec.type);
  std::vector<float> turned(features.values.size());
  const auto frames = as_index(features.frames), bins = as_index(features.bins);
  for (size_t f = 0; f < frames; ++f)
    for (size_t b = 0; b < bins; ++b) turned[b * frames + f] = features.values[f * bins + b];
  return cast(Tensor::from<float>(shape, std::span<const float>(turned)), input.spec.type);
}

Tensor AudioTransform::mask_tensor(const Signal& signal, const FeedInput& input) const {
  const std::vector<size_t> axes = content_axes(input, 1);
  const int64_t length = signal.features.frames;
  if (axes.size() != 1 || (input.spec.shape[axes.front()] > 0 && input.spec.shape[axes.front()] != length))
    throw Error(ErrorCode::InvalidData, "the mask '" + input.spec.name + "' (" + describe_shape(input.spec) +
                                            ") does not have the " + std::to_string(length) +
                                            " positions of the audio");
  const auto extents = sample_extents(input, [&](size_t axis) { return axis == axes.front() ? length : 1; });
  std::vector<float> mask(as_index(length));
  std::fill_n(mask.begin(), signal.content, 1.0F);
  return cast(Tensor::from<float>(Shape(std::span<const int64_t>(extents)), std::span<const float>(mask)),
              input.spec.type);
}

std::vector<Tensor> AudioTransform::apply(const AudioClip& clip) const {
  const Signal signal = signal_of(clip);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const FeedInput& input = inputs_[i];
    if (roles_[i] == Role::Signal) {
      tensors.push_back(signal_tensor(signal.features, input));
    } else if (roles_[i] == Role::Mask) {
      tensors.push_back(mask_tensor(signal, input));
    } else {
      const auto extents = sample_extents(input, [](size_t) { return int64_t{1}; });
      tensors.push_back(
          cast(Tensor::from<int64_t>(Shape(std::span<const int64_t>(extents)), {signal.content}), input.spec.type));
    }
  }
  return tensors;
}

}  // namespace detent
