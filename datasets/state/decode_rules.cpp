#include "datasets/state/decode_rules.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/nearest_names.h"
#include "datasets/state/state_document.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// One kind, as the file names it.
struct KindRow {
  std::string_view name;
  DecodeKind kind;
  bool loops;
  std::vector<std::string> needed;  ///< keys
  std::vector<std::string> others;  ///< keys that may be absent
};

const std::array<KindRow, 4>& kind_rows() {
  static const std::array<KindRow, 4> rows = {{
      {"attention", DecodeKind::Attention, true, {"end"}, {"suppress"}},
      {"ctc", DecodeKind::Ctc, false, {}, {}},
      {"transducer",
       DecodeKind::Transducer,
       true,
       {"blank", "frames"},
       {"axis", "lengths", "most-per-frame", "suppress"}},
      {"tdt",
       DecodeKind::Tdt,
       true,
       {"blank", "frames", "durations"},
       {"axis", "lengths", "most-per-frame", "suppress"}},
  }};
  return rows;
}

const KindRow& row_of(const Json& decode) {
  std::vector<std::string> names;
  std::string known;
  for (const KindRow& row : kind_rows()) {
    known += (names.empty() ? "" : &row == &kind_rows().back() ? " and " : ", ") + std::string(row.name);
    names.emplace_back(row.name);
  }
  if (!decode.contains("kind")) refuse_state("\"decode\" has no \"kind\"; known are " + known);
  const std::string kind = text_of(decode["kind"], "\"kind\" of \"decode\"");
  const auto found = std::ranges::find(kind_rows(), kind, &KindRow::name);
  if (found == kind_rows().end())
    refuse_state("\"decode\": the kind '" + kind + "' is not known; known are " + known, did_you_mean(kind, names));
  return *found;
}

void check_members(const Json& decode, const KindRow& row) {
  std::vector<std::string> known{"kind", "vocab"};
  if (row.loops) known.insert(known.end(), {"most", "most-per-second", "words"});
  known.insert(known.end(), row.needed.begin(), row.needed.end());
  known.insert(known.end(), row.others.begin(), row.others.end());
  check_keys(decode, known, "\"decode\" of the kind " + std::string(row.name) + ": ");
  for (const std::string& key : row.needed)
    if (!decode.contains(key))
      refuse_state("\"decode\" has no \"" + key + "\", which the kind " + std::string(row.name) + " needs");
}

std::string in_decode(const std::string& key) { return "\"" + key + "\" of \"decode\""; }

/// Returns a token, or a pair of the first and the last of several.
std::pair<int64_t, int64_t> range_of(const Json& entry) {
  const std::string what = "a token of " + in_decode("suppress");
  if (!entry.is_array()) {
    const int64_t token = number_of(entry, what, 0);
    return {token, token};
  }
  if (entry.size() != 2) refuse_state(what + " is a number, or a pair of the first and the last: " + entry.dump());
  const int64_t first = number_of(entry[0], what, 0);
  return {first, number_of(entry[1], what, first)};
}

void read_limits(const Json& decode, DecodeRules& rules) {
  const Json suppressed = decode.value("suppress", Json::array());
  if (!suppressed.is_array()) refuse_state(in_decode("suppress") + " is a list such as [0, [5, 9]]");
  for (const Json& one : suppressed) rules.suppressed.push_back(range_of(one));
  if (decode.contains("most")) rules.most = static_cast<size_t>(number_of(decode["most"], in_decode("most"), 1));
  if (decode.contains("most-per-second")) {
    const Json& most = decode["most-per-second"];
    if (!most.is_number() || most.get<double>() <= 0)
      refuse_state(in_decode("most-per-second") + " is not a number above 0: " + most.dump());
    rules.most_per_second = most.get<double>();
  }
  const std::string words = text_of(decode.value("words", Json("plain")), in_decode("words"));
  if (words != "plain" && words != "exact")
    refuse_state(in_decode("words") + " is \"plain\" or \"exact\", not \"" + words + "\"");
  rules.plain_words = words == "plain";
}

std::vector<int64_t> read_durations(const Json& entry) {
  const std::string what = in_decode("durations");
  if (!entry.is_array() || entry.empty()) refuse_state(what + " is a list such as [0, 1, 2, 3, 4]: " + entry.dump());
  std::vector<int64_t> durations;
  for (const Json& one : entry) durations.push_back(number_of(one, "a number of " + what, 0));
  if (std::ranges::all_of(durations, [](int64_t frames) { return frames == 0; }))
    refuse_state(what + " has no number above 0: no frame would follow another");
  return durations;
}

FrameRules read_frames(const Json& decode) {
  FrameRules frames;
  frames.output = text_of(decode["frames"], in_decode("frames"));
  if (decode.contains("axis")) frames.axis = static_cast<size_t>(number_of(decode["axis"], in_decode("axis"), 0));
  if (decode.contains("lengths")) frames.lengths = text_of(decode["lengths"], in_decode("lengths"));
  return frames;
}

}  // namespace

bool is_loop(DecodeKind kind) { return std::ranges::find(kind_rows(), kind, &KindRow::kind)->loops; }

DecodeEntry decode_of(const Json& decode, const std::function<std::string(const std::string&)>& path_of) {
  const KindRow& row = row_of(decode);
  check_members(decode, row);
  DecodeEntry entry{.rules = {.kind = row.kind}};
  DecodeRules& rules = entry.rules;
  if (decode.contains("vocab")) rules.vocabulary = path_of(text_of(decode["vocab"], in_decode("vocab")));
  if (decode.contains("blank")) rules.blank = number_of(decode["blank"], in_decode("blank"), 0);
  if (decode.contains("end")) rules.end = number_of(decode["end"], in_decode("end"), 0);
  if (decode.contains("most-per-frame"))
    rules.most_per_frame = static_cast<size_t>(number_of(decode["most-per-frame"], in_decode("most-per-frame"), 1));
  if (decode.contains("durations")) rules.durations = read_durations(decode["durations"]);
  if (row.loops) read_limits(decode, rules);
  if (rules.has_frames()) entry.frames = read_frames(decode);
  return entry;
}

}  // namespace detent
