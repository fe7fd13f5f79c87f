#include "datasets/json_object.h"

#include <fstream>
#include <iterator>
#include <unordered_set>
#include <vector>

#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_document(const std::string& what) { throw Error(ErrorCode::InvalidOption, what); }

/// Returns the library's message, which names line and column, without the number in front.
std::string plain_message(const Json::exception& error) {
  const std::string text = error.what();
  const size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

constexpr size_t kDeepestJson = 16;  // three levels are used; deeper ones could exhaust the library's stack

/// Refuses brackets that are nested too deep, and a name given twice in one object, of which the library silently takes
/// the last. A separate pass: with a callback while it builds the document, the library walks an object again after
/// each of its members.
class RepeatedNames final : public nlohmann::json_sax<Json> {
 public:
  bool start_object(std::size_t) override {
    go_down();
    names_.emplace_back();
    return true;
  }
  bool key(std::string& name) override {
    if (!names_.back().insert(name).second) refuse_document("\"" + name + "\" is given twice");
    return true;
  }
  bool end_object() override {
    --depth_;
    names_.pop_back();
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override {
    go_down();
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  /// The pass that builds the document reports the error better.
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  void go_down() {
    if (++depth_ > kDeepestJson) refuse_document("brackets are nested deeper than " + std::to_string(kDeepestJson));
  }

  size_t depth_ = 0;
  std::vector<std::unordered_set<std::string>> names_;  // of the enclosing objects, outermost first
};

}  // namespace

Json read_json_object(const std::filesystem::path& file, const std::string& expected) {
  std::error_code ignored;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(file, ignored)) stream.open(file);
  if (!stream.is_open()) throw Error(ErrorCode::InvalidOption, file.string() + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  try {
    RepeatedNames names;
    Json::sax_parse(text, &names);
    Json document = Json::parse(text);
    if (!document.is_object()) refuse_document(expected);
    return document;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::InvalidOption, file.string() + ": " + plain_message(error));
  } catch (const Error& error) {
    throw error.in(file.string());
  }
}

}  // namespace detent
