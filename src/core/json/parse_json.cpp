#include "core/json/parse_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/memory_limit.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

constexpr size_t kDeepest = 100;  // three to six levels are used; far deeper ones exhaust the stack of what reads them
constexpr uint64_t kMostMemory = 512'000'000;

// Bytes that the library and the allocator take for one value of each kind, rounded up: an element of a list beside
// the unused capacity, a node of an object's tree with its name, and what containers and texts hold besides.
constexpr uint64_t kElement = 32, kMember = 112, kContainer = 64, kText = 48;

[[noreturn]] void refuse_json(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

/// Builds a document from the library's events. Unlike the library's own builder it bounds depth and memory.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, RepeatedNames repeated, size_t first_line)
      : text_(text), repeated_(repeated), first_line_(first_line), most_(std::min(kMostMemory, memory_limit())) {}

  [[nodiscard]] Json take() { return std::move(root_); }
  /// Hands out the elements of a list in the outermost object.
  void hand_out(std::string_view name, const std::function<void(const Json&)>& take) { list_ = name, take_ = &take; }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const std::string&) override { return put(value); }
  bool string(std::string& value) override {
    count(kText + value.size());
    return put(std::move(value));
  }
  bool binary(binary_t&) override { return false; }  // is not in JSON
  bool start_object(std::size_t) override { return enter(Json::object()); }
  bool start_array(std::size_t) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    count(kMember + name.size());
    auto& members = open_.back()->get_ref<Json::object_t&>();
    const auto [member, added] = members.try_emplace(std::move(name));
    if (!added && repeated_ == RepeatedNames::Refused) refuse_json("\"" + member->first + "\" is given twice");
    member_ = &member->second;
    if (open_.size() == 1) name_ = member->first;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const Json::out_of_range*>(&error))
      refuse_json(place(position) + "the number " + shortened(token) + " is too large");
    if (position > text_.size()) refuse_json("ends in the middle, after " + std::to_string(text_.size()) + " bytes");
    refuse_json(place(position) + "not JSON at '" + shortened(token) + "'");
  }

 private:
  static std::string shortened(const std::string& token) {
    constexpr size_t kLongest = 40;
    return token.size() <= kLongest ? token : token.substr(0, kLongest) + "...";
  }

  /// Returns "line 3, column 7: " for the byte behind which the library stopped.
  [[nodiscard]] std::string place(size_t position) const {
    const std::string_view before = text_.substr(0, std::max<size_t>(position, 1) - 1);
    const auto line = first_line_ + static_cast<size_t>(std::ranges::count(before, '\n'));
    const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - start + 1) + ": ";
  }

  void count(uint64_t bytes) {
    taken_ += bytes;
    if (taken_ > most_)
      refuse_json("the document takes more than " + memory_text(most_) + " of memory" +
                  (most_ < kMostMemory ? " (--max-memory)" : ""));
  }

  /// Puts a value where the document goes on, and returns it.
  Json& place_value(Json&& value) {
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_object()) return *member_ = std::move(value);
    count(kElement);
    auto& list = open_.back()->get_ref<Json::array_t&>();
    return list.emplace_back(std::move(value));
  }

  template <class Value>
  bool put(Value&& value) {
    place_value(Json(std::forward<Value>(value)));
    hand_out_element();
    return true;
  }

  /// Hands out the last element of the list, if that is the innermost container.
  void hand_out_element() {
    if (!take_ || open_.size() != 2 || !open_.back()->is_array() || name_ != list_) return;
    auto& list = open_.back()->get_ref<Json::array_t&>();
    (*take_)(list.back());
    list.pop_back();
    taken_ = 0;  // what else the object holds is small
  }

  bool enter(Json&& container) {
    if (open_.size() == kDeepest) refuse_json("brackets are nested deeper than " + std::to_string(kDeepest));
    count(kContainer);
    open_.push_back(&place_value(std::move(container)));
    return true;
  }

  bool leave() {
    open_.pop_back();
    hand_out_element();
    return true;
  }

  std::string_view text_;
  RepeatedNames repeated_;
  size_t first_line_;
  uint64_t most_, taken_ = 0;
  Json root_;
  std::vector<Json*> open_;  // containers around the next value, outermost first; none moves while it is open
  Json* member_ = nullptr;   // takes the next value of the innermost object
  std::string name_, list_;  // of the outermost object's last member, and of the list to hand out
  const std::function<void(const Json&)>* take_ = nullptr;
};

void check_json_size(uint64_t bytes) {
  if (bytes > kMostJsonBytes)
    refuse_json("the file has " + memory_text(bytes) + "; JSON is read up to " + memory_text(kMostJsonBytes));
}

}  // namespace

Json parse_json(std::string_view text, RepeatedNames repeated, size_t first_line) {
  check_json_size(text.size());
  Builder builder(text, repeated, first_line);
  Json::sax_parse(text, &builder);
  return builder.take();
}

Json parse_json_list(std::string_view text, std::string_view name, const std::function<void(const Json&)>& take) {
  check_json_size(text.size());
  Builder builder(text, RepeatedNames::LastCounts, 1);
  builder.hand_out(name, take);
  Json::sax_parse(text, &builder);
  return builder.take();
}

Json read_json(const std::filesystem::path& file, RepeatedNames repeated) {
  const auto bytes = FileBytes::open(file);
  try {
    check_json_size(bytes->size());
  } catch (const Error& error) {
    throw error.in(file.string());
  }
  const std::string text = bytes->content();
  try {
    return parse_json(text, repeated);
  } catch (const Error& error) {
    throw error.in(file.string());
  }
}

}  // namespace detent
