#include <limits>
#include <nlohmann/json.hpp>
#include <queue>
#include <utility>

#include "datasets/text/token_model.h"
#include "datasets/text/unicode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// The token that two neighbours become, and when: those of lower rank merge first.
struct Merge {
  uint32_t rank = 0;
  int32_t id = 0;
};

/// A member that may be null.
std::string text_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? "" : found->get<std::string>();
}

std::pair<std::string, std::string> merged_texts(const Json& merge) {
  if (merge.is_array()) return {merge.at(0).get<std::string>(), merge.at(1).get<std::string>()};
  const auto text = merge.get<std::string>();
  const size_t blank = text.find(' ');
  if (blank == std::string::npos)
    throw Error(ErrorCode::InvalidData, "the merge '" + text + "' does not name two tokens");
  return {text.substr(0, blank), text.substr(blank + 1)};
}

class BytePairs final : public TokenModel {
 public:
  explicit BytePairs(const Json& json)
      : ids_(read_token_ids(json.at("vocab"))), prefix_(text_of(json, "continuing_subword_prefix")),
        suffix_(text_of(json, "end_of_word_suffix")), fuses_(json.value("fuse_unk", false)),
        bytes_(json.value("byte_fallback", false)), takes_whole_(json.value("ignore_merges", false)) {
    if (const std::string unknown = text_of(json, "unk_token"); !unknown.empty()) {
      unknown_ = ids_.find(unknown);
      if (!unknown_) throw Error(ErrorCode::InvalidData, "the token '" + unknown + "' for what is unknown has no id");
    }
    uint32_t rank = 0;
    for (const Json& merge : json.at("merges")) add_merge(merge, rank++);
  }

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    if (const auto whole = ids_.find(piece); takes_whole_ && whole)
      ids.push_back(*whole);
    else
      merge(characters_of(piece), ids);
  }
  [[nodiscard]] std::optional<int32_t> id_of(std::string_view token) const override { return ids_.find(token); }

 private:
  static uint64_t key(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }

  void add_merge(const Json& merge, uint32_t rank) {
    const auto [left, right] = merged_texts(merge);
    const auto a = ids_.find(left), b = ids_.find(right);
    const bool continues = right.starts_with(prefix_);
    const auto both = continues ? ids_.find(left + right.substr(prefix_.size())) : std::nullopt;
    if (!a || !b || !both)
      throw Error(ErrorCode::InvalidData,
                  "the merge of '" + left + "' and '" + right + "' names a token without an id");
    merges_[key(*a, *b)] = {rank, *both};
  }

  /// Returns the tokens of a piece's characters.
  [[nodiscard]] std::vector<int32_t> characters_of(std::string_view piece) const {
    std::vector<int32_t> ids;
    bool unknown = false;  // characters without a token stand behind `ids`
    const auto end_unknown = [&] {
      if (std::exchange(unknown, false)) ids.push_back(*unknown_);
    };
    for (size_t at = 0; at < piece.size();) {
      const size_t first = at;
      (void)next_character(piece, at);
      std::string text = first > 0 ? prefix_ : "";
      text += piece.substr(first, at - first);
      if (at == piece.size()) text += suffix_;
      if (const auto id = ids_.find(text)) {
        end_unknown();
        ids.push_back(*id);
      } else if (const auto bytes = bytes_ ? ids_of_bytes(*this, text) : std::nullopt) {
        ids.insert(ids.end(), bytes->begin(), bytes->end());
      } else if (unknown_) {
        if (!fuses_) end_unknown();
        unknown = true;
      }
    }
    end_unknown();
    return ids;
  }

  /// A neighbour pair that may merge, by its left token's place.
  struct Candidate {
    Merge merge;
    size_t left = 0;
    bool operator<(const Candidate& other) const {  // the queue's first is the largest
      return merge.rank != other.merge.rank ? merge.rank > other.merge.rank : left > other.left;
    }
  };

  void merge(const std::vector<int32_t>& characters, std::vector<int32_t>& ids) const {
    constexpr size_t kNone = std::numeric_limits<size_t>::max();
    struct Link {
      int32_t id;
      size_t before, behind;
      bool gone = false;
    };
    std::vector<Link> links;
    for (size_t i = 0; i < characters.size(); ++i)
      links.push_back({characters[i], i == 0 ? kNone : i - 1, i + 1 == characters.size() ? kNone : i + 1});
    std::priority_queue<Candidate> queue;
    const auto consider = [&](size_t left) {
      if (left == kNone || links[left].behind == kNone) return;
      const auto found = merges_.find(key(links[left].id, links[links[left].behind].id));
      if (found != merges_.end()) queue.push({found->second, left});
    };
    for (size_t i = 0; i < links.size(); ++i) consider(i);
    while (!queue.empty()) {
      const Candidate next = queue.top();
      queue.pop();
      Link& left = links[next.left];
      if (left.gone || left.behind == kNone) continue;
      Link& right = links[left.behind];
      const auto now = merges_.find(key(left.id, right.id));  // one of the two may have merged since
      if (now == merges_.end() || now->second.id != next.merge.id) continue;
      left.id = next.merge.id;
      right.gone = true;
      left.behind = right.behind;
      if (right.behind != kNone) links[right.behind].before = next.left;
      consider(left.before);
      consider(next.left);
    }
    for (const Link& link : links)
      if (!link.gone) ids.push_back(link.id);
  }

  TokenIds ids_;
  std::unordered_map<uint64_t, Merge> merges_;
  std::string prefix_, suffix_;
  std::optional<int32_t> unknown_;
  bool fuses_, bytes_, takes_whole_;
};

}  // namespace

std::unique_ptr<TokenModel> read_byte_pairs(const nlohmann::json& json) { return std::make_unique<BytePairs>(json); }

}  // namespace detent
