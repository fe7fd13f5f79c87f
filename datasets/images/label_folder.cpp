#include "datasets/images/label_folder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <pugixml.hpp>
#include <set>

#include "core/files/reach.h"
#include "core/parse.h"
#include "core/text.h"
#include "datasets/base/csv.h"
#include "datasets/base/natural_order.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kNameFiles = {"classes.txt", "names.txt", "obj.names"};
constexpr double kRounding = 1e-3;  // of a box that touches the border of its image

/// The names and the number of classes that labels may have.
struct KnownClasses {
  std::vector<std::string> names;  ///< empty: not known
  int64_t count = 0;               ///< 0: not known
  std::string source;              ///< for messages

  KnownClasses(const fs::path& folder, int64_t model) : count(model), source("the model") {
    for (const std::string_view file : kNameFiles) {
      if (!is_regular(folder / file)) continue;
      names = read_lines(folder / file);
      if (count == 0 || std::ssize(names) < count) count = std::ssize(names), source = file;
      return;
    }
  }

  /// Returns why an id is not known; "" for one that may be.
  [[nodiscard]] std::string objection(int64_t id) const {
    if (id >= 0 && (count == 0 || id < count)) return {};
    return "class " + std::to_string(id) + " is " +
           (count == 0 ? "below 0" : "none of the classes 0 to " + std::to_string(count - 1) + " of " + source);
  }
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r";
  for (size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

LabelledObject read_yolo_line(const std::vector<std::string_view>& words, size_t line, const KnownClasses& classes) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::InvalidData, "line " + std::to_string(line) + ": " + what,
                "the form is YOLO's: class cx cy w h, the last four between 0 and 1");
  };
  if (words.size() != 5) refuse("has " + plural(words.size(), "word") + " instead of 5");
  const auto id = parse_number<int32_t>(words[0]);
  if (!id) refuse("'" + std::string(words[0]) + "' is no class");
  if (const std::string wrong = classes.objection(*id); !wrong.empty()) refuse(wrong);
  std::array<double, 4> box{};
  for (size_t i = 0; i < box.size(); ++i) {
    const auto number = parse_number<double>(words[i + 1]);
    if (!number || !(*number >= -kRounding && *number <= 1 + kRounding))
      refuse("'" + std::string(words[i + 1]) + "' is no number between 0 and 1");
    box[i] = *number;
  }
  return {box[0] - box[2] / 2, box[1] - box[3] / 2, box[2], box[3], *id};
}

std::vector<LabelledObject> read_yolo_file(const fs::path& path, const KnownClasses& classes) {
  const std::string text = read_text(path);
  std::vector<LabelledObject> objects;
  size_t line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const auto words = words_of(std::string_view(text).substr(at, end - at));
    if (!words.empty()) objects.push_back(read_yolo_line(words, line, classes));
    at = end + 1;
  }
  return objects;
}

/// A document of Pascal VOC.
class VocFile {
 public:
  /// Errors  InvalidData naming the line of what is no XML.
  explicit VocFile(const fs::path& path) : text_(read_text(path)) {
    const auto result =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default | pugi::parse_trim_pcdata);
    if (!result) throw refused(result.offset, result.description());
  }

  [[nodiscard]] pugi::xml_node annotation() const { return document_.document_element(); }
  [[nodiscard]] Error refused(ptrdiff_t offset, const std::string& what) const {
    const auto end = text_.begin() + std::clamp<ptrdiff_t>(offset, 0, std::ssize(text_));
    return {ErrorCode::InvalidData, "line " + std::to_string(1 + std::count(text_.begin(), end, '\n')) + ": " + what};
  }
  [[nodiscard]] Error refused(pugi::xml_node at, const std::string& what) const {
    return refused(at.offset_debug(), what);
  }
  /// Errors  InvalidData where there is no such element.
  [[nodiscard]] pugi::xml_node get(pugi::xml_node parent, const std::string& name) const {
    if (const pugi::xml_node found = parent.child(name.c_str())) return found;
    throw refused(parent, "<" + std::string(parent.name()) + "> has no <" + name + ">");
  }
  /// Errors  InvalidData where there is no such element, or where it is no number.
  [[nodiscard]] double number(pugi::xml_node parent, const std::string& name) const {
    const pugi::xml_node element = get(parent, name);
    const auto number = parse_number<double>(element.child_value());
    if (number && std::isfinite(*number) && std::abs(*number) < 1e9) return *number;
    throw refused(element, "<" + name + "> is no number: '" + element.child_value() + "'");
  }

 private:
  std::string text_;
  pugi::xml_document document_;
};

PixelSize size_in(const VocFile& file) {
  const pugi::xml_node size = file.annotation().child("size");
  if (!size) return {};
  return {static_cast<int>(file.number(size, "height")), static_cast<int>(file.number(size, "width"))};
}

/// Corners count pixels from 1 on and lie inside the box.
LabelledObject read_voc_object(const VocFile& file, pugi::xml_node object, const KnownClasses& classes) {
  const pugi::xml_node box = file.get(object, "bndbox"), name = file.get(object, "name");
  const double left = file.number(box, "xmin") - 1, top = file.number(box, "ymin") - 1;
  const double width = file.number(box, "xmax") - left, height = file.number(box, "ymax") - top;
  if (width <= 0 || height <= 0) throw file.refused(box, "the box has no area");
  const auto found = std::ranges::find(classes.names, name.child_value());
  if (found == classes.names.end())
    throw file.refused(name, "class '" + std::string(name.child_value()) + "' is not in the file of class names");
  const auto id = static_cast<int32_t>(found - classes.names.begin());
  if (const std::string wrong = classes.objection(id); !wrong.empty()) throw file.refused(name, wrong);
  return {left, top, width, height, id, object.child("difficult").text().as_int() == 1};
}

/// Calls `read(path)` and puts the path in front of its errors.
auto in_file(const fs::path& path, const auto& read) {
  try {
    return read(path);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

ObjectLabels read_yolo(const fs::path& folder, const std::vector<std::string>& files, const KnownClasses& classes) {
  ObjectLabels labels{.form = ObjectLabels::Form::Yolo, .categories = classes.names};
  for (const std::string& file : files)
    labels.images[fs::path(file).replace_extension().generic_string()].objects =
        in_file(folder / file, [&](const fs::path& path) { return read_yolo_file(path, classes); });
  return labels;
}

ObjectLabels read_voc(const fs::path& folder, const std::vector<std::string>& files, KnownClasses classes) {
  std::vector<VocFile> read;
  std::set<std::string> names;
  for (const std::string& path : files)
    in_file(folder / path, [&](const fs::path& whole) {
      const VocFile& file = read.emplace_back(whole);
      for (const pugi::xml_node object : file.annotation().children("object"))
        names.insert(file.get(object, "name").child_value());
    });
  if (classes.names.empty()) classes.names.assign(names.begin(), names.end());
  ObjectLabels labels{.form = ObjectLabels::Form::Voc, .categories = classes.names};
  for (size_t i = 0; i < files.size(); ++i)
    labels.images[fs::path(files[i]).replace_extension().generic_string()] =
        in_file(folder / files[i], [&](const fs::path&) {
          ObjectLabels::Image image{size_in(read[i]), {}};
          for (const pugi::xml_node object : read[i].annotation().children("object"))
            image.objects.push_back(read_voc_object(read[i], object, classes));
          return image;
        });
  return labels;
}

}  // namespace

ObjectLabels read_label_folder(const fs::path& folder, int64_t classes) {
  const auto files_of = [&](std::string_view extension) {
    return files_below(folder, [&](const fs::path& path) {
      return lower_extension(path) == extension && std::ranges::count(kNameFiles, path.filename().string()) == 0;
    });
  };
  const KnownClasses known(folder, classes);
  if (const auto files = files_of(".xml"); !files.empty()) return read_voc(folder, files, known);
  if (const auto files = files_of(".txt"); !files.empty()) return read_yolo(folder, files, known);
  throw Error(ErrorCode::InvalidData, folder.string() + ": the folder holds no labels of objects",
              "labels are YOLO's .txt or Pascal VOC's .xml, one file for each image, with its name");
}

}  // namespace detent
