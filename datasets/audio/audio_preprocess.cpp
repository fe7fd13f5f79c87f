#include "datasets/audio/audio_preprocess.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/nearest_names.h"
#include "core/parse.h"
#include "core/text.h"
#include "datasets/base/preprocess_pairs.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Kind = AudioSpec::Kind;

constexpr PreprocessPreset kAudioPresets[] = {
    {"log-mel", "Whisper's: 16 kHz, mean of the channels, 80 mel bands every 10 ms, 30 s", "scale=1"},
    {"fbank", "Kaldi's filter banks: 16 kHz, 16-bit scale, 80 bands from 20 Hz on, every 10 ms", "scale=32768"},
    {"raw-audio", "the samples: 16 kHz, mean of the channels, -1 to 1", "scale=1"},
};

Kind kind_of(const PreprocessPreset& preset) { return static_cast<Kind>(&preset - kAudioPresets); }

std::string audio_preset_names() {
  return join(kAudioPresets, ", ", [](const PreprocessPreset& preset) { return std::string(preset.name); });
}

const PreprocessPreset* audio_preset_of(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(", \t"), text.size());
  std::string_view first = text.substr(begin, text.substr(begin).find_first_of(", \t"));
  if (first == "whisper") first = "log-mel";
  const auto* const found = std::ranges::find(kAudioPresets, first, &PreprocessPreset::name);
  return found == std::end(kAudioPresets) ? nullptr : found;
}

/// Sets `to` to the number in `value`, from `least` to `most`.
template <class Number>
void set_number(Number& to, std::string_view pair, std::string_view value, Number least, Number most) {
  const auto number = parse_number<Number>(value);
  if (!number || !(*number >= least && *number <= most))
    refuse_pair(pair, "a number from " + std::to_string(static_cast<int64_t>(least)) + " to " +
                          std::to_string(static_cast<int64_t>(most)));
  to = *number;
}

/// One key.
struct AudioKey {
  std::string_view name;
  std::string_view presets;  ///< that have it
  void (*set)(AudioSpec& spec, std::string_view pair, std::string_view value);
};

constexpr std::pair<std::string_view, bool> kYesNo[] = {{"yes", true}, {"no", false}};
constexpr double kMostHz = 384000, kMostScale = 1e9;

constexpr AudioKey kAudioKeys[] = {
    {"rate", "log-mel fbank raw-audio",
     [](AudioSpec& spec, auto pair, auto value) { set_number(spec.rate, pair, value, 1000, 768000); }},
    {"channel", "log-mel fbank raw-audio",
     [](AudioSpec& spec, auto pair, auto value) {
       spec.channel.reset();
       if (value != "mean") set_number(spec.channel.emplace(), pair, value, 0, 65535);
     }},
    {"bins", "log-mel fbank",
     [](AudioSpec& spec, auto pair, auto value) {
       spec.bins.reset();
       if (value != "model") set_number(spec.bins.emplace(), pair, value, 1, 1024);
     }},
    {"layout", "log-mel fbank",
     [](AudioSpec& spec, auto pair, auto value) {
       static constexpr std::pair<std::string_view, AudioSpec::Layout> kLayouts[] = {
           {"mel-time", AudioSpec::Layout::MelTime}, {"time-mel", AudioSpec::Layout::TimeMel}};
       spec.layout = chosen_word(pair, value, kLayouts);
     }},
    {"seconds", "log-mel fbank raw-audio",
     [](AudioSpec& spec, auto pair, auto value) {
       spec.seconds = 0;
       if (value == "clip") return;
       set_number(*spec.seconds, pair, value, 0.0, 3600.0);
       if (*spec.seconds == 0) refuse_pair(pair, "seconds above 0, or seconds=clip");
     }},
    {"scale", "log-mel fbank raw-audio",
     [](AudioSpec& spec, auto pair, auto value) { set_number(spec.scale, pair, value, -kMostScale, kMostScale); }},
    {"low", "fbank", [](AudioSpec& spec, auto pair, auto value) { set_number(spec.low, pair, value, 0.0, kMostHz); }},
    {"high", "fbank",
     [](AudioSpec& spec, auto pair, auto value) { set_number(spec.high, pair, value, -kMostHz, kMostHz); }},
    {"snip-edges", "fbank",
     [](AudioSpec& spec, auto pair, auto value) { spec.snip_edges = chosen_word(pair, value, kYesNo); }},
    {"normalize", "raw-audio",
     [](AudioSpec& spec, auto pair, auto value) { spec.normalize = chosen_word(pair, value, kYesNo); }},
    {"mean", "log-mel fbank raw-audio",
     [](AudioSpec& spec, auto pair, auto value) { set_number(spec.mean, pair, value, -kMostScale, kMostScale); }},
    {"std", "log-mel fbank raw-audio",
     [](AudioSpec& spec, auto pair, auto value) {
       set_number(spec.std, pair, value, 0.0, kMostScale);
       if (spec.std == 0) refuse_pair(pair, "a number above 0");
     }},
};

void set_audio_pair(AudioSpec& spec, std::string_view preset, std::string_view pair) {
  const auto [key, value] = key_and_value(pair);
  const auto* const found = std::ranges::find(kAudioKeys, key, &AudioKey::name);
  if (found != std::end(kAudioKeys) && has_word(found->presets, preset)) return found->set(spec, pair, value);
  std::vector<std::string> names;
  for (const AudioKey& known : kAudioKeys)
    if (has_word(known.presets, preset)) names.emplace_back(known.name);
  if (std::ranges::find(kAudioPresets, key, &PreprocessPreset::name) != std::end(kAudioPresets))
    refuse_pair(pair, "a preset stands first, and only one");
  refuse_pair(pair, did_you_mean(key, names, "keys of " + std::string(preset) + ": " + join(names)));
}

}  // namespace

std::span<const PreprocessPreset> audio_presets() { return kAudioPresets; }

bool is_audio_preprocess(std::string_view text) { return audio_preset_of(text) != nullptr; }

AudioSpec parse_audio_preprocess(std::string_view text) {
  const PreprocessPreset* const preset = audio_preset_of(text);
  if (!preset)
    throw Error(ErrorCode::Usage, "--preprocess: '" + std::string(text) + "' is not for audio files",
                "it begins with one of " + audio_preset_names());
  AudioSpec spec;
  spec.kind = kind_of(*preset);
  for (const std::string_view pair : split_at_any(preset->pairs, ",")) set_audio_pair(spec, preset->name, pair);
  bool first = true;
  for (const std::string_view part : split_at_any(text, ", \t")) {
    if (part.empty()) continue;
    if (!first) set_audio_pair(spec, preset->name, part);
    first = false;
  }
  const double upper = FbankOptions{.rate = spec.rate, .high = spec.high}.upper();
  if (spec.kind == Kind::Fbank && (upper <= spec.low || upper > spec.rate / 2.0))
    throw Error(ErrorCode::Usage,
                "--preprocess: the bands must lie between low and high, which is at most half the rate",
                "high=0 is half the rate, high=-400 is 400 Hz below it");
  return spec;
}

}  // namespace detent
