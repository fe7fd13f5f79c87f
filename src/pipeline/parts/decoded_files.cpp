#include "pipeline/parts/decoded_files.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/files/atomic_file.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "datasets/state/decode_rules.h"
#include "datasets/token_list.h"
#include "detent/base/error.h"
#include "evaluate/decoded_clips.h"
#include "evaluate/token_texts.h"
#include "run/open_samples.h"

namespace detent {

namespace {

/// Returns a field of a .csv.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char letter : text) field += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return field + '"';
}

std::string without_blanks_around(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The clips of the data with their tokens, and the texts where there is a vocabulary.
struct Decoded {
  std::unique_ptr<DataSource> clips;
  std::vector<DecodedClip> tokens;
  std::vector<std::string> texts = {};
};

Decoded decode_in_steps(const Model& model, const DecodeRules& rules, const SampleRequest& data,
                        const RunOptions& options) {
  Decoded decoded{open_whole_samples(data, model), {}};
  std::optional<TokenTexts> vocabulary;
  if (!rules.vocabulary.empty()) vocabulary.emplace(read_token_list(rules.vocabulary));
  decoded.tokens = decode_clips(model, data, *decoded.clips, options.run, "decoding");
  for (const DecodedClip& clip : decoded.tokens)
    if (vocabulary) decoded.texts.push_back(vocabulary->text_of(clip.tokens));
  return decoded;
}

Decoded decode_at_once(const Model& model, const DecodeRules& rules, const SampleRequest& data,
                       const RunOptions& options) {
  if (rules.vocabulary.empty())
    throw Error(ErrorCode::InvalidOption,
                options.model.string() + ": \"decode\" of the kind ctc needs \"vocab\" to write texts",
                "\"vocab\": \"tokens.txt\", a token a line, with the blank");
  Decoded decoded{open_samples(data, model), {}};
  const CtcVocabulary vocabulary(read_token_list(rules.vocabulary), rules.vocabulary);
  decoded.tokens = decode_by_ctc(model, vocabulary, *decoded.clips, options.run, "decoding");
  for (const DecodedClip& clip : decoded.tokens) decoded.texts.push_back(vocabulary.text_of(clip.tokens));
  return decoded;
}

}  // namespace

RunReport run_decoder(const Model& model, const DecodeRules& rules, const SampleRequest& data,
                      const RunOptions& options) {
  const Stopwatch stopwatch;
  const std::filesystem::path file = options.output_folder / "texts.csv";
  if (std::error_code none; std::filesystem::is_directory(options.output_folder, none))
    check_writable(file, options.overwrite);
  const Decoded decoded =
      is_loop(rules.kind) ? decode_in_steps(model, rules, data, options) : decode_at_once(model, rules, data, options);
  const bool has_texts = !decoded.texts.empty();
  std::string table = has_texts ? "file,text,tokens\n" : "file,tokens\n";
  for (size_t i = 0; i < decoded.tokens.size(); ++i) {
    table += quoted(decoded.clips->sample_name(decoded.tokens[i].index)) + ",";
    if (has_texts) table += quoted(without_blanks_around(decoded.texts[i])) + ",";
    table += join(decoded.tokens[i].tokens, " ", [](int64_t token) { return std::to_string(token); }) + "\n";
  }
  make_folder(options.output_folder);
  write_file(file, table, options.overwrite);
  RunReport report;
  report.model = options.model.string();
  report.samples = decoded.tokens.size();
  report.skipped_samples = decoded.clips->size() - decoded.tokens.size();
  report.written = {file};
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
