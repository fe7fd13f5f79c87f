#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "datasets/text/token_model.h"
#include "datasets/text/unicode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

constexpr double kUnknownPenalty = 10;  // an unknown character is so much less likely than the least likely token

/// Takes a piece apart into the tokens whose scores, logarithms of probabilities, have the largest sum.
class Unigram final : public TokenModel {
 public:
  explicit Unigram(const Json& json) : bytes_(json.value("byte_fallback", false)) {
    for (const Json& entry : json.at("vocab")) {
      auto token = entry.at(0).get<std::string>();
      scores_.push_back(entry.at(1).get<double>());
      lowest_ = std::min(lowest_, scores_.back());
      longest_ = std::max(longest_, token.size());
      ids_.add(std::move(token), static_cast<int32_t>(scores_.size() - 1));
    }
    if (const auto unknown = json.find("unk_id"); unknown != json.end() && !unknown->is_null())
      unknown_ = read_token_id(*unknown);
    if (scores_.empty() || (unknown_ && static_cast<size_t>(*unknown_) >= scores_.size()))
      throw Error(ErrorCode::InvalidData, "the vocabulary holds no token, or not that of what is unknown");
  }

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    for (const std::string_view token : likeliest(piece)) {
      if (const auto id = ids_.find(token)) {
        ids.push_back(*id);
        continue;
      }
      if (const auto bytes = bytes_ ? ids_of_bytes(*this, token) : std::nullopt)
        ids.insert(ids.end(), bytes->begin(), bytes->end());
      else
        ids.push_back(unknown_of(token));
    }
  }
  [[nodiscard]] std::optional<int32_t> id_of(std::string_view token) const override { return ids_.find(token); }

 private:
  /// The best way to the bytes in front of a place.
  struct Way {
    double score = 0;
    size_t first = kNone;  ///< where its last token begins
    bool unknown = false;
  };
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  [[nodiscard]] int32_t unknown_of(std::string_view text) const {
    if (!unknown_)
      throw Error(ErrorCode::InvalidData, "no token begins '" + std::string(text.substr(0, 40)) +
                                              "', and the vocabulary has none for what is unknown");
    return *unknown_;
  }

  [[nodiscard]] std::vector<std::string_view> likeliest(std::string_view piece) const {
    std::vector<Way> ways(piece.size() + 1);
    const auto offer = [&](size_t first, size_t end, double score, bool unknown) {
      Way& way = ways[end];
      if (way.first == kNone || score > way.score) way = {score, first, unknown};
    };
    for (size_t at = 0; at < piece.size();) {
      const double here = ways[at].score;
      size_t behind = at;
      (void)next_character(piece, behind);
      bool alone = false;  // a token is as long as the character
      const size_t most = std::min(piece.size(), at + longest_);
      for (size_t end = behind; end <= most;) {
        if (const auto id = ids_.find(piece.substr(at, end - at))) {
          offer(at, end, here + scores_[static_cast<size_t>(*id)], id == unknown_);
          alone = alone || end == behind;
        }
        if (end == piece.size()) break;
        (void)next_character(piece, end);
      }
      if (!alone) {
        (void)unknown_of(piece.substr(at, behind - at));
        offer(at, behind, here + lowest_ - kUnknownPenalty, true);
      }
      at = behind;
    }
    std::vector<std::string_view> tokens;
    size_t unknown_end = kNone;  // of neighbours that are unknown, which are one token
    const auto end_unknown = [&](size_t first) {
      if (unknown_end != kNone) tokens.push_back(piece.substr(first, unknown_end - first));
      unknown_end = kNone;
    };
    for (size_t end = piece.size(); end > 0; end = ways[end].first) {
      if (ways[end].unknown) {
        if (unknown_end == kNone) unknown_end = end;
        continue;
      }
      end_unknown(end);
      tokens.push_back(piece.substr(ways[end].first, end - ways[end].first));
    }
    end_unknown(0);
    std::ranges::reverse(tokens);
    return tokens;
  }

  TokenIds ids_;
  std::vector<double> scores_;
  double lowest_ = std::numeric_limits<double>::infinity();
  size_t longest_ = 0;
  std::optional<int32_t> unknown_;
  bool bytes_;
};

}  // namespace

std::unique_ptr<TokenModel> read_unigram(const nlohmann::json& json) { return std::make_unique<Unigram>(json); }

}  // namespace detent
