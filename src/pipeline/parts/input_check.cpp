#include "pipeline/parts/input_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/mean.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "evaluate/certainty.h"
#include "options/groups.h"
#include "pipeline/parts/norm_distances.h"
#include "prepare/read_model_to_run.h"
#include "run/open_samples.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

using Verdict = InputCheckReport::Verdict;
using Spec = PreprocessSpec;

constexpr size_t kSamples = 24, kFewSamples = 12, kManySamples = 64;
constexpr double kLeastShare = 0.05, kWrongErrors = 3, kDoubtfulErrors = 2.5;
constexpr double kSuspectShare = 0.03, kSuspectErrors = 1;  // from which more samples decide
constexpr double kLeastNormShare = 0.08;                    // by which another preprocessing is nearer to the training
constexpr size_t kFirstNorms = 4;                           // samples that settle most of the other preprocessings
constexpr double kFarNorms = 2, kFarErrors = 2;             // times the distance, and errors, that settle one
constexpr double kBlind = 0.0125;                           // one box of .25 a picture
/// Of what samples of different classes can tell, the logarithm of their number: below it they may all be of one class,
/// and then small differences say nothing. A gain of half is believed all the same.
constexpr double kLeastTold = 0.25, kLargeShare = 0.5;
constexpr double kLittleWork = 1e11;                        // multiply-adds
constexpr double kUnsureClasses = 0.5, kUnsureBoxes = 0.2;  // certainties below which others are tried all the same

/// Numbers of pixels that networks are trained with.
struct Scale {
  const char* words;
  const char* pairs;
  bool by_colour = false;  ///< not for pictures in grey
};
constexpr Scale kScales[] = {{"pixels from 0 to 255", "div=1,mean=0,std=1"},
                             {"pixels from 0 to 1", "div=255,mean=0,std=1"},
                             {"pixels from -1 to 1", "div=255,mean=.5,std=.5"},
                             {"ImageNet's mean and deviation", "div=255,mean=.485/.456/.406,std=.229/.224/.225", true}};

/// Another preprocessing of the same pictures.
struct Other {
  std::string text, words;
  const Scale* scale = nullptr;  ///< that it has in place of the user's; nullptr: the same
  bool swaps = false;            ///< the colours
};

bool same_numbers(const Spec& a, const Spec& b) {
  return a.color == b.color && a.div == b.div && a.mean == b.mean && a.std == b.std;
}

/// Returns the text with pairs that replace those of the same key.
std::string with_pairs(const std::string& text, const std::string& pairs) {
  const auto key_of = [](std::string_view pair) { return pair.substr(0, pair.find('=')); };
  const std::vector<std::string_view> added = split_at_any(pairs, ",");
  std::string result;
  for (const std::string_view part : split_at_any(text, ", \t"))
    if (!part.empty() && std::ranges::find(added, key_of(part), key_of) == added.end()) result.append(part).append(",");
  return result + pairs;
}

/// Returns the preprocessings with other colours or numbers, those that change one of the two first. Pictures in grey
/// have other numbers alone.
std::vector<Other> others_of(const Preprocess& given) {
  const Spec& spec = *given.images;
  if (spec.color == Spec::Color::Gray) {
    std::vector<Other> scales;
    for (const Scale& scale : kScales)
      if (Other other{with_pairs(given.text, scale.pairs), scale.words, &scale};
          !scale.by_colour && !same_numbers(parse_preprocess(other.text), spec))
        scales.push_back(std::move(other));
    return scales;
  }
  const bool rgb = spec.color == Spec::Color::Rgb;
  const std::string kept = rgb ? "color=rgb" : "color=bgr", swapped = rgb ? "color=bgr" : "color=rgb";
  const std::string exchanged = std::string(rgb ? "BGR" : "RGB") + " instead of " + (rgb ? "RGB" : "BGR");
  std::vector<Other> others{{with_pairs(given.text, swapped), exchanged, nullptr, true}};
  for (const bool swaps : {false, true})
    for (const Scale& scale : kScales) {
      Other other{with_pairs(given.text, (swaps ? swapped : kept) + "," + scale.pairs),
                  std::string(scale.words) + (swaps ? ", " + exchanged : ""), &scale, swaps};
      const Spec made = parse_preprocess(other.text);
      if (same_numbers(made, spec)) continue;
      Spec alike = made;
      alike.color = spec.color;
      if (!(swaps && same_numbers(alike, spec))) others.push_back(std::move(other));
    }
  return others;
}

/// Returns the name of the preset that is this preprocessing, or its pairs.
std::string shortest_name(const std::string& text) {
  const Spec spec = parse_preprocess(text);
  for (const PreprocessPreset& preset : preprocess_presets()) {
    const Spec known = parse_preprocess(preset.name);
    const bool same_place = known.resize_short == spec.resize_short && known.resize_to == spec.resize_to &&
                            known.crop == spec.crop && known.letterbox.has_value() == spec.letterbox.has_value() &&
                            known.interpolation == spec.interpolation && known.channels_last == spec.channels_last;
    if (same_place && !spec.letterbox && same_numbers(known, spec)) return std::string(preset.name);
  }
  return text;
}

std::string command_for(const InputCheckCommand& asked, const std::string& preprocess) {
  DataOptions data = asked.data, usual;
  data.preprocess = preprocess;
  return "detent quantize " + shell_quoted(asked.model) +
         typed_changes(data_options(data, true), data_options(usual, true)) + asked.others + " -o " +
         shell_quoted(std::filesystem::path(asked.model).stem().string() + ".int8.onnx");
}

/// Returns the certainty with another preprocessing.
Certainty certainty_with(const Other& other, const Model& model, SampleRequest request, size_t count,
                         const RunSettings& run) {
  request.preprocess = parse_any_preprocess(other.text);
  const std::unique_ptr<DataSource> all = open_samples(request, model);
  const SampleSubset samples(*all, spread_samples(*all, count));
  return measure_certainty(model, samples, run);
}

class InputCheck {
 public:
  InputCheck(const Model& model, const InputCheckCommand& asked, const SampleRequest& request, const RunSettings& run)
      : model_(model), asked_(asked), data_(asked.data), request_(request), run_(run) {
    run_.reporter = &Reporter::silent();
    run_.skip_bad_data = true;
  }

  InputCheckReport check(InputCheckEffort effort, double macs) {
    const bool whole = effort == InputCheckEffort::Whole;
    count_ = whole ? kSamples : kFewSamples, many_ = whole ? kManySamples : kSamples;
    const std::unique_ptr<DataSource> all = open_samples(request_, model_);
    const SampleSubset samples(*all, spread_samples(*all, count_));
    given_ = measure_certainty(model_, samples, run_);
    report_.command = command_for(asked_, data_.preprocess);
    for (const std::string& name : given_.broken)
      find(Verdict::Wrong, "output '" + name + "' has numbers that are not finite");
    if (all->size() > 1)
      for (const std::string& name : given_.dull)
        find(given_.dull.size() == model_.graph().outputs().size() ? Verdict::Wrong : Verdict::Doubtful,
             "output '" + name + "' is the same for all samples");
    for (const std::string& name : has_pictures() ? given_.larger_pictures : std::vector<std::string>()) {
      const Scale& raw = kScales[0];
      find(Verdict::Doubtful, "output '" + name + "' is a picture of " + raw.words +
                                  ", and the input has other numbers; " + "--preprocess " +
                                  shortest_name(with_pairs(data_.preprocess, raw.pairs)));
      report_.command = command_for(asked_, shortest_name(with_pairs(data_.preprocess, raw.pairs)));
    }
    const bool detects = given_.of == Certainty::Of::Detections;
    if (detects && given_.mean() < kBlind) find(Verdict::Doubtful, "no object is detected in any of these pictures");
    if (given_.at_chance)
      find(Verdict::Doubtful,
           fmt::format("its answers are at chance: none is sure, and they tell {} apart by {:.3f} nats",
                       plural(given_.by_sample.size(), "sample"), given_.mean()));
    const bool compares = given_.of != Certainty::Of::Nothing && (!given_.two_classes || given_.at_chance);
    const bool unsure = given_.mean() < (detects ? kUnsureBoxes : kUnsureClasses);
    const bool cheap = macs > 0 && macs * static_cast<double>(samples.size()) * 8 <= kLittleWork;
    if (has_pictures() && try_norms(samples)) return std::move(report_);
    if (has_pictures() && compares &&
        (effort == InputCheckEffort::Whole || cheap || unsure || report_.verdict != Verdict::Good))
      try_others();
    if (report_.reasons.empty())
      report_.reasons.push_back(praise(given_.by_sample.empty() ? samples.size() : given_.by_sample.size()));
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool has_pictures() const { return request_.preprocess.images.has_value(); }

  void find(Verdict verdict, std::string reason) {
    report_.verdict = std::max(report_.verdict, verdict);
    report_.reasons.push_back(std::move(reason));
  }

  /// Another preprocessing with which the first normalizations are nearer to what they saw in training.
  struct Nearer {
    Other other;
    double errors = 0;  ///< of the gain
    std::vector<double> distances = {};
    [[nodiscard]] double mean() const { return detent::mean(distances); }
  };

  /// Returns the nearest of `found`, in the user's colours where the others are not nearer beyond chance: pictures that
  /// are alike in all colours do not tell them apart.
  static Nearer nearest(const std::vector<Nearer>& found, const Nearer& best) {
    if (!best.other.swaps || !best.other.scale) return best;
    const auto twin = std::ranges::find_if(
        found, [&](const Nearer& one) { return one.other.scale == best.other.scale && !one.other.swaps; });
    if (twin == found.end()) return best;
    std::vector<double> gains;
    for (size_t i = 0; i < best.distances.size(); ++i) gains.push_back(twin->distances[i] - best.distances[i]);
    return mean(gains) <= kWrongErrors * standard_error(gains) ? *twin : best;
  }

  /// Returns the distances with another preprocessing: of the first samples alone where these are far from `given`, its
  /// distances with the preprocessing of the user.
  [[nodiscard]] std::vector<double> norms_with(const Other& other, const Model& model,
                                               const std::vector<double>& given) const {
    SampleRequest request = request_;
    request.preprocess = parse_any_preprocess(other.text);
    const std::unique_ptr<DataSource> all = open_samples(request, model_);
    const std::vector<size_t> chosen = spread_samples(*all, count_);
    const size_t few = std::min(kFirstNorms, chosen.size());
    const auto distances = [&](std::span<const size_t> some) {
      return norm_distances(model, SampleSubset(*all, {some.begin(), some.end()}), run_);
    };
    std::vector<double> found = distances(std::span(chosen).first(few));
    std::vector<double> losses;
    for (size_t i = 0; i < std::min(found.size(), given.size()); ++i) losses.push_back(found[i] - given[i]);
    const double loss = mean(losses);
    if (losses.size() >= kFirstNorms && loss >= (kFarNorms - 1) * mean(given) &&
        loss >= kFarErrors * standard_error(losses))
      return found;
    const std::vector<double> rest = distances(std::span(chosen).subspan(few));
    found.insert(found.end(), rest.begin(), rest.end());
    return found;
  }

  /// Looks at the first normalizations, which networks have whose exporter did not fold them; returns true where
  /// another preprocessing fits them better.
  bool try_norms(const DataSource& samples) {
    std::optional<Model> read;  // what is quantized has them folded
    if (!has_norms(model_)) try {
        Expansion expansion;
        read = read_any_model(asked_.model, expansion);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::Interrupted) throw;
      }
    const Model& model = read ? *read : model_;
    if (!has_norms(model)) return false;
    const std::vector<double> given = norm_distances(model, samples, run_);
    if (given.size() < kFewestToJudge) return false;
    std::vector<Nearer> measured;
    std::optional<size_t> best;
    for (const Other& other : others_of(request_.preprocess)) {
      std::vector<double> found = norms_with(other, model, given);
      if (found.size() > given.size()) continue;
      std::vector<double> gains;
      for (size_t i = 0; i < found.size(); ++i) gains.push_back(given[i] - found[i]);
      const double gain = mean(gains), error = standard_error(gains);
      if (-gain >= kLeastNormShare * mean(given) && -gain >= kWrongErrors * error) refuted_.insert(other.text);
      if (found.size() < given.size()) continue;
      measured.push_back({other, error > 0 ? gain / error : HUGE_VAL, std::move(found)});
      if (gain < kLeastNormShare * mean(given) || gain < kWrongErrors * error) continue;
      if (!best || measured.back().mean() < measured[*best].mean()) best = measured.size() - 1;
    }
    if (!best) return false;
    const Nearer found = nearest(measured, measured[*best]);
    const std::string name = shortest_name(found.other.text);
    report_.command = command_for(asked_, name);
    report_.reasons.insert(
        report_.reasons.begin(),
        fmt::format(
            "the first normalizations saw other pixels in training: with {} they are {:.3f} nats from it instead "
            "of {:.3f} ({:.1f} standard errors); --preprocess {}",
            found.other.words, found.mean(), mean(given), found.errors, name));
    report_.verdict = Verdict::Wrong;
    return true;
  }

  /// Another preprocessing, and how much surer the model is with it.
  struct Tried {
    Other other;
    Certainty certainty;
    CertaintyGain gain;

    [[nodiscard]] bool tells() const {
      const double most = std::log(static_cast<double>(certainty.by_sample.size()));
      return certainty.of != Certainty::Of::Classes || gain.share >= kLargeShare ||
             certainty.mean() >= kLeastTold * most;
    }
    [[nodiscard]] bool is_surer() const {
      return gain.errors >= kDoubtfulErrors && gain.share >= kLeastShare && tells();
    }
    [[nodiscard]] bool is_suspect() const {
      return gain.errors >= kSuspectErrors && gain.share >= kSuspectShare && tells();
    }
  };

  [[nodiscard]] Tried tried(const Other& other, const Certainty& given, size_t count) const {
    Tried one{other, certainty_with(other, model_, request_, count, run_), {}};
    one.gain = compare_certainty(given, one.certainty);
    return one;
  }

  /// Returns the preprocessing with the largest gain of those that are surer; of others the one whose gain is the
  /// farthest from chance. It is measured again on more samples where it is not settled.
  [[nodiscard]] std::optional<Tried> surest_other() {
    std::optional<Tried> best, suspect;
    for (const Other& other : others_of(request_.preprocess)) {
      if (refuted_.contains(other.text)) continue;
      Tried one = tried(other, given_, count_);
      if (one.is_surer() && (!best || one.gain.gain > best->gain.gain))
        best = std::move(one);
      else if (one.is_suspect() && (!suspect || one.gain.errors > suspect->gain.errors))
        suspect = std::move(one);
    }
    if (!best) best = std::move(suspect);
    if (!best || best->gain.errors >= kWrongErrors) return best;
    const std::unique_ptr<DataSource> all = open_samples(request_, model_);
    if (all->size() > count_) {
      given_ = measure_certainty(model_, SampleSubset(*all, spread_samples(*all, many_)), run_);
      best = tried(best->other, given_, many_);
    }
    if (!best->is_surer()) best.reset();
    return best;
  }

  void try_others() {
    const std::optional<Tried> best = surest_other();
    if (!best) return;
    const auto& [other, of_best, gain] = *best;
    const std::string name = shortest_name(other.text);
    report_.command = command_for(asked_, name);
    const std::string what =
        given_.of == Certainty::Of::Detections
            ? fmt::format("scores of boxes rise from {:.2f} to {:.2f}", given_.mean(), of_best.mean())
            : fmt::format("its answers tell the samples apart by {:.2f} nats instead of {:.2f}", of_best.mean(),
                          given_.mean());
    report_.reasons.insert(report_.reasons.begin(),
                           fmt::format("the model is surer with {}: {} ({:.1f} standard errors); --preprocess {}",
                                       other.words, what, gain.errors, name));
    report_.verdict = std::max(report_.verdict, gain.errors >= kWrongErrors ? Verdict::Wrong : Verdict::Doubtful);
  }

  [[nodiscard]] std::string praise(size_t samples) const {
    if (given_.of == Certainty::Of::Nothing)
      return fmt::format("outputs of {} are finite and depend on the sample; they do not tell more",
                         plural(samples, "sample"));
    const std::string counted = plural(samples, "sample");
    if (given_.of == Certainty::Of::Detections)
      return fmt::format("boxes of {}: the 20 highest scores have a mean of {:.2f}", counted, given_.mean());
    return fmt::format("answers tell {} apart by {:.2f} nats", counted, given_.mean());
  }

  const Model& model_;
  const InputCheckCommand& asked_;
  const DataOptions& data_;
  const SampleRequest& request_;
  RunSettings run_;
  size_t count_ = kSamples, many_ = kManySamples;
  Certainty given_;
  std::set<std::string> refuted_ = {};  ///< others that are farther from what the first normalizations saw in training
  InputCheckReport report_;
};

}  // namespace

InputCheckReport check_inputs(const Model& model, const InputCheckCommand& asked, const SampleRequest& request,
                              const RunSettings& run, InputCheckEffort effort, double macs) {
  return InputCheck(model, asked, request, run).check(effort, macs);
}

}  // namespace detent
