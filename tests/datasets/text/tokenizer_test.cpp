#include "datasets/text/tokenizer.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

// The ids that are expected here are those of the package tokenizers 0.23.3; tests/engines/tokenizers_test.py compares
// 1000 sentences.

std::vector<int32_t> ids_by_tokenizer(const std::string& json, const std::string& text) {
  const TemporaryFolder folder;
  return Tokenizer::read(folder.write("tokenizer.json", json)).encode(text, "t.txt");
}

Error tokenizer_error(const std::string& json, const std::string& text = {}) {
  return error_of<Error>([&] { static_cast<void>(ids_by_tokenizer(json, text)); });
}

constexpr const char* kWordPiece =
    R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
  "added_tokens": [{"id": 7, "content": "[MASK]", "special": true, "lstrip": true}],
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9,
    "vocab": {"[UNK]": 0, "eta": 1, "##t": 2, "##ts": 3, "!": 4, "et": 5, "\u4eca": 6}}})";

TEST(Tokenizer, OfWordPieces) {
  EXPECT_THAT(ids_by_tokenizer(kWordPiece, "\xC3\x89tats!"), ElementsAre(1, 3, 4)) << "lower case without accents";
  EXPECT_THAT(ids_by_tokenizer(kWordPiece, "etatt et\xE4\xBB\x8A"), ElementsAre(1, 2, 2, 5, 6))
      << "ideographs are words";
  EXPECT_THAT(ids_by_tokenizer(kWordPiece, "etax etattttttt"), ElementsAre(0, 0)) << "one unknown token for a word";
  EXPECT_THAT(ids_by_tokenizer(kWordPiece, "et [MASK]!"), ElementsAre(5, 7, 4));
}

constexpr const char* kBytePairs = R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
  "added_tokens": [{"id": 9, "content": "<end>", "special": true}],
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "\u0120": 2, "ab": 3, "\u0120a": 4, "\u0120ab": 5, "ba": 6, "\u00c3": 7, "\u00a9": 8},
    "merges": ["a b", ["\u0120", "a"], ["\u0120", "ab"], "b a"]}})";

TEST(Tokenizer, OfBytePairs) {
  EXPECT_THAT(ids_by_tokenizer(kBytePairs, "ab ab"), ElementsAre(3, 5)) << "pairs of lower rank first";
  EXPECT_THAT(ids_by_tokenizer(kBytePairs, "bab a"), ElementsAre(1, 3, 4));
  EXPECT_THAT(ids_by_tokenizer(kBytePairs, "\xC3\xA9"), ElementsAre(7, 8)) << "bytes, not characters";
  EXPECT_THAT(ids_by_tokenizer(kBytePairs, "a<end>b"), ElementsAre(0, 9, 1));
}

constexpr const char* kFallback =
    R"({"pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": false},
  "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true, "merges": [["\u2581", "a"]],
    "vocab": {"<unk>": 0, "<0xC3>": 1, "<0xA9>": 2, "\u2581": 3, "a": 4, "\u2581a": 5}}})";

TEST(Tokenizer, FallsBackToBytes) {
  EXPECT_THAT(ids_by_tokenizer(kFallback, "a \xC3\xA9"), ElementsAre(5, 3, 1, 2));
  EXPECT_THAT(ids_by_tokenizer(kFallback, "axya"), ElementsAre(5, 0, 4)) << "unknown characters together are one token";
}

constexpr const char* kUnigram = R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
  "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["\u2581", -2], ["fi", -3], ["\u2581fi", -4.5],
    ["n", -1], ["in", -2.5], ["f", -5], ["i", -5]]}})";

TEST(Tokenizer, OfLikeliestPieces) {
  EXPECT_THAT(ids_by_tokenizer(kUnigram, "fin"), ElementsAre(3, 4))
      << "-4.5 - 1 is more than -2 - 5 - 2.5 and -2 - 3 - 1";
  EXPECT_THAT(ids_by_tokenizer(kUnigram, "\xEF\xAC\x81n   in"), ElementsAre(3, 4, 1, 5));
  EXPECT_THAT(ids_by_tokenizer(kUnigram, "xxn"), ElementsAre(1, 0, 4));
}

TEST(Tokenizer, OfWordsWithoutAModelsKind) {
  constexpr const char* kWords = R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"},
      {"type": "Digits", "individual_digits": true}]}, "model": {"vocab": {"<unk>": 0, "a_b": 1, "1": 2, "--": 3}}})";
  EXPECT_THAT(ids_by_tokenizer(kWords, "a_b--11 x"), ElementsAre(1, 3, 2, 2, 0));
}

TEST(Tokenizer, ReadsWhatStandsAroundTexts) {
  const TemporaryFolder folder;
  const Tokenizer roberta = Tokenizer::read(folder.write("t.json", R"({"model": {"vocab": {"<s>": 0, "</s>": 2}},
    "padding": {"pad_id": 1}, "truncation": {"max_length": 512},
    "post_processor": {"type": "Sequence", "processors": [{"type": "ByteLevel"},
      {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2]}]}})"));
  const std::vector<int32_t> first{5, 6}, second{7};
  EXPECT_THAT(roberta.frame().around(first).ids, ElementsAre(0, 5, 6, 2));
  EXPECT_THAT(roberta.frame().around(first, second).ids, ElementsAre(0, 5, 6, 2, 2, 7, 2));
  EXPECT_EQ(roberta.frame().added(), 2U);
  EXPECT_EQ(roberta.frame().added(true), 4U);
  EXPECT_EQ(roberta.frame().added_behind(), 1U);
  EXPECT_EQ(roberta.most_tokens(), 512U);
  EXPECT_THAT(roberta.padding_id(), Optional(1));
}

TEST(Tokenizer, RefusesATemplateThatDoesNotHoldEachTextOnce) {
  const auto error_with = [](const std::string& single, const std::string& pair) {
    return tokenizer_error(R"({"model": {"vocab": {"a": 0}}, "post_processor": {"type": "TemplateProcessing",
        "special_tokens": {}, "single": [)" +
                           single + R"(], "pair": [)" + pair + "]}}");
  };
  const std::string a = R"({"Sequence": {"id": "A", "type_id": 0}})", b = R"({"Sequence": {"id": "B", "type_id": 0}})",
                    c = R"({"Sequence": {"id": "C", "type_id": 0}})";
  EXPECT_THAT(error_with(a + "," + a, a + "," + b).what(), HasSubstr("each text once"));
  EXPECT_THAT(error_with("", a + "," + b).what(), HasSubstr("each text once"));
  EXPECT_THAT(error_with(a, a + "," + a).what(), HasSubstr("each text once"));
  EXPECT_THAT(error_with(c, a + "," + b).what(), HasSubstr("names the text 'C'"));
}

TEST(Tokenizer, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(tokenizer_error("{\"a\": 1}").what(), HasSubstr("no \"model\""));
  EXPECT_THAT(tokenizer_error("[]").what(), HasSubstr("no \"model\""));
  EXPECT_THAT(tokenizer_error(R"({"model": {"type": "Bytes"}})").what(), HasSubstr("the model 'Bytes'"));
  EXPECT_THAT(tokenizer_error(R"({"model": {"type": "WordLevel", "vocab": 7}})").what(), HasSubstr("tokenizer.json"));
  EXPECT_THAT(tokenizer_error(R"({"model": {"type": "WordLevel", "vocab": {"a": -1}}})").what(),
              HasSubstr("id of a token"));
  EXPECT_THAT(tokenizer_error(R"({"normalizer": {"type": "Rot13"}, "model": {"vocab": {"a": 0}}})").what(),
              HasSubstr("'Rot13'"));
  EXPECT_THAT(tokenizer_error(R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}})").what(),
              HasSubstr("'a' and 'b'"));
  EXPECT_THAT(tokenizer_error(R"({"model": {"vocab": {"a": 0}}})", "b").what(), HasSubstr("t.txt: no tokens for 'b'"));
  EXPECT_THAT(tokenizer_error(kBytePairs, "a\xFF").what(), HasSubstr("byte 1 is not UTF-8"));
  for (const char* table : {"!", "AAAA", "/////w=="})
    EXPECT_EQ(tokenizer_error(R"({"normalizer": {"type": "Precompiled", "precompiled_charsmap": ")" +
                              std::string(table) + R"("}, "model": {"vocab": {"a": 0}}})")
                  .code(),
              ErrorCode::InvalidData)
        << table;
}

}  // namespace
}  // namespace detent
