#include "place/engines/target_versions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "core/nearest_names.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent {
namespace {

using Version = std::pair<int, int>;

/// Versions that a spec may name though they are not in the list.
struct VersionRange {
  std::string_view engine;
  Version oldest, newest;
};

constexpr int kAnyMinor = 99;
constexpr std::array kRanges{
    VersionRange{"tensorrt", {8, 5}, {11, 4}}, VersionRange{"tensorrt-rtx", {1, 7}, {1, kAnyMinor}},
    VersionRange{"onnxruntime", {1, 16}, {1, kAnyMinor}}, VersionRange{"qnn", {1, 30}, {1, kAnyMinor}}};

struct VersionName {
  std::string_view spec;
  Version version;
};

constexpr std::array kNames{VersionName{"tensorrt:jetpack5", {8, 5}}, VersionName{"tensorrt:jetpack6", {10, 3}},
                            VersionName{"tensorrt:jetpack7", {10, 13}}};

/// Parses "10" and "10.3".
std::optional<Version> parse_version(std::string_view text) {
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const size_t dot = text.find('.');
  const auto major = number(text.substr(0, dot));
  const auto minor = dot == std::string_view::npos ? std::optional(0) : number(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return Version{*major, *minor};
}

/// Returns engine and version of a spec; nullopt where it names none.
std::optional<std::pair<std::string_view, Version>> version_of(std::string_view spec) {
  const size_t colon = spec.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto named = std::ranges::find(kNames, spec, &VersionName::spec);
  const auto version = named != kNames.end() ? std::optional(named->version) : parse_version(spec.substr(colon + 1));
  if (!version) return std::nullopt;
  return std::pair{spec.substr(0, colon), *version};
}

Version version_of(const Target& target) { return {target.version_major, target.version_minor}; }

/// True for a device beside the versions of an engine: "tensorrt:dla". Version 0: the engine has devices alone.
bool is_device(const Target& target) { return !target.variant->empty() && target.version_major > 0; }

/// Returns the newest target of the engine up to a version, or its oldest. nullptr for a name of no engine.
const Target* nearest_of(std::string_view engine, const Version& version) {
  const Target *older = nullptr, *oldest = nullptr;
  for (const Target& target : target_list()) {
    if (*target.engine.name != engine || is_device(target)) continue;
    const Version own = version_of(target);
    if (own <= version && (!older || own > version_of(*older))) older = &target;
    if (!oldest || own < version_of(*oldest)) oldest = &target;
  }
  return older ? older : oldest;
}

/// Returns "--target qnn:1.30, the nearest that is known" for a version beyond the range of its engine, or of an engine
/// whose versions are not told apart; empty for a spec without engine and version.
std::string version_hint(std::string_view spec) {
  const auto asked = version_of(spec);
  const Target* nearest = asked ? nearest_of(asked->first, asked->second) : nullptr;
  return nearest ? "--target " + nearest->spec() + ", the nearest that is known" : std::string();
}

}  // namespace

const Target* nearest_target(std::string_view spec) {
  const auto asked = version_of(spec);
  if (!asked) return nullptr;
  const auto& [engine, version] = *asked;
  const auto range = std::ranges::find(kRanges, engine, &VersionRange::engine);
  if (range == kRanges.end() || version < range->oldest || version > range->newest) return nullptr;
  return nearest_of(engine, version);
}

const Target& find_target(std::string_view spec) {
  const auto targets = target_list();
  const auto found = std::find_if(targets.begin(), targets.end(), [&](const Target& target) {
    const std::string name(target.engine.name), major = name + ":" + std::to_string(target.version_major);
    // The default version of a name comes first.
    return spec == name || spec == target.spec() || (target.variant->empty() && spec == major);
  });
  if (found != targets.end()) return *found;
  if (const Target* nearest = nearest_target(spec)) return *nearest;
  const std::string unknown = "there is no target '" + std::string(spec) + "'";
  if (const std::string hint = version_hint(spec); !hint.empty()) throw Error(ErrorCode::Usage, unknown, hint);
  std::vector<std::string> names;
  for (const Target& target : targets) names.insert(names.end(), {std::string(target.engine.name), target.spec()});
  throw Error(ErrorCode::Usage, unknown,
              did_you_mean(spec, names, "known targets: " + join(targets, ", ", &Target::spec)));
}

std::string target_note(std::string_view spec) {
  const auto asked = version_of(spec);
  const Target* nearest = nearest_target(spec);
  if (!nearest || asked->second == version_of(*nearest)) return {};
  if (&find_target(spec) != nearest) return {};  // "tensorrt:10" is its newest version
  const bool below = asked->second < version_of(*nearest);
  return fmt::format("{}{} is not in the list of targets: the facts of {}, {}, hold", spec,
                     std::ranges::find(kNames, spec, &VersionName::spec) != kNames.end()
                         ? fmt::format(" ({} {}.{})", asked->first, asked->second.first, asked->second.second)
                         : std::string(),
                     nearest->spec(), below ? "the oldest version that is known" : "the nearest older version");
}

const Target* nearest_newer(const Target& target, const std::function<bool(const Target&)>& suits) {
  const Target* nearest = nullptr;
  for (const Target& other : target_list()) {
    if (&other.engine != &target.engine || version_of(other) <= version_of(target) || !suits(other)) continue;
    if (!nearest || version_of(other) < version_of(*nearest)) nearest = &other;
  }
  return nearest;
}

void check_takes_4bit_codes(const Target& target, const std::string& cure) {
  if (target.parser.codes_of_4_bits) return;
  const Target* newer = nearest_newer(target, [](const Target& other) { return other.parser.codes_of_4_bits; });
  throw Error(
      ErrorCode::InvalidOption, fmt::format("{} takes no codes of 4 bits", target.spec()),
      newer ? fmt::format("--target {}, the nearest version that takes them, or {}", newer->spec(), cure) : cure);
}

}  // namespace detent
