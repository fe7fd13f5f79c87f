#include "datasets/base/npy_format.h"

#include <bit>

#include "core/parse.h"
#include "detent/base/error.h"

namespace detent {

static_assert(std::endian::native == std::endian::little, ".npy elements are read and written as they lie in memory");

namespace {

struct DescrEntry {
  std::string_view code;  // without the byte order mark
  DataType type;
};
constexpr DescrEntry kDescrs[] = {
    {"f2", DataType::Float16}, {"f4", DataType::Float32}, {"f8", DataType::Float64}, {"i1", DataType::Int8},
    {"i2", DataType::Int16},   {"i4", DataType::Int32},   {"i8", DataType::Int64},   {"u1", DataType::UInt8},
    {"u2", DataType::UInt16},  {"u4", DataType::UInt32},  {"u8", DataType::UInt64},  {"b1", DataType::Bool},
};

[[noreturn]] void refuse_npy_header(const std::string& what, std::string hint = {}) {
  throw Error(ErrorCode::InvalidData, what, std::move(hint));
}

/// Parser of the Python literal of a header: a dictionary of strings, booleans and a tuple of integers.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse_npy_header(std::string("the .npy header lacks a '") + c + "'");
  }
  std::string_view string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') refuse_npy_header("the .npy holds records or objects, not plain numbers");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse_npy_header("the .npy header is cut short");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    refuse_npy_header("fortran_order in the .npy header is neither True nor False");
  }
  Shape shape() {
    std::vector<int64_t> dims;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      std::string_view rest = std::string_view(text_).substr(at_);
      const int64_t extent = take_number<int64_t>(rest).value_or(-1);
      if (extent < 0) refuse_npy_header("the shape in the .npy header is not a tuple of sizes");
      at_ = text_.size() - rest.size();
      take('L');  // files written by Python 2
      dims.push_back(extent);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    if (dims.size() > Shape::kMaxRank)
      refuse_npy_header("the array has " + std::to_string(dims.size()) + " axes; at most " +
                        std::to_string(Shape::kMaxRank) + " are supported");
    return Shape(std::span<const int64_t>(dims));
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

DataType type_from_descr(std::string_view descr) {
  const char order = descr.empty() ? '\0' : descr.front();
  if (order == '>')
    refuse_npy_header("the elements ('" + std::string(descr) + "') are big-endian, which is not supported",
                      "save the array with .astype(a.dtype.newbyteorder('<'))");
  const std::string_view code = order == '<' || order == '|' || order == '=' ? descr.substr(1) : descr;
  for (const DescrEntry& entry : kDescrs)
    if (entry.code == code) return entry.type;
  refuse_npy_header("the element type '" + std::string(descr) + "' is not supported",
                    "save the array as float16, float32, float64, bool or an integer of 8 to 64 bits");
}

std::string descr_of(DataType type) {
  for (const DescrEntry& entry : kDescrs)
    if (entry.type == type) return (byte_size(type) == 1 ? "|" : "<") + std::string(entry.code);
  throw Error(ErrorCode::Unsupported, "tensors of type " + std::string(name_of(type)) + " cannot be written as .npy");
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text) {
  HeaderText in(text);
  NpyHeader header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  in.expect('{');
  while (!in.take('}')) {
    const std::string_view key = in.string();
    in.expect(':');
    if (key == "descr") {
      header.type = type_from_descr(in.string());
      has_descr = true;
    } else if (key == "fortran_order") {
      header.fortran_order = in.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = in.shape();
      has_shape = true;
    } else {
      refuse_npy_header("the .npy header has an unknown key '" + std::string(key) + "'");
    }
    if (in.take(',')) continue;
    in.expect('}');
    break;
  }
  if (!has_descr || !has_order || !has_shape) refuse_npy_header("the .npy header lacks descr, fortran_order or shape");
  return header;
}

std::string format_npy_header(DataType type, const Shape& shape, size_t width) {
  std::string dims;
  for (const int64_t extent : shape) dims += std::to_string(extent) + ", ";
  if (shape.rank() > 1) dims.resize(dims.size() - 2);
  if (shape.rank() == 1) dims.resize(dims.size() - 1);  // a tuple of one needs its comma: (3,)
  const std::string text = "{'descr': '" + descr_of(type) + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  constexpr size_t kPrefix = 10;  // magic, version, length
  const size_t natural = (kPrefix + text.size() + 1 + 63) / 64 * 64;
  const size_t total = width < natural ? natural : width;
  const size_t length = total - kPrefix;
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(length & 0xff);
  bytes += static_cast<char>(length >> 8);
  bytes += text;
  bytes.append(total - bytes.size() - 1, ' ');
  bytes += '\n';
  return bytes;
}

DataType npy_storage_type(DataType type) {
  switch (type) {
    case DataType::BFloat16: return DataType::Float32;
    case DataType::Int4: return DataType::Int8;
    case DataType::UInt4: return DataType::UInt8;
    default: return type;
  }
}

}  // namespace detent
