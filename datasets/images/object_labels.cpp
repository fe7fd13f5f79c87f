#include "datasets/images/object_labels.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/json/json_place.h"
#include "core/json/parse_json.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

constexpr const char* kCocoForm =
    "the form is COCO's: {\"images\": [{\"id\", \"file_name\", \"width\", \"height\"}], \"annotations\": "
    "[{\"image_id\", \"category_id\", \"bbox\"}], \"categories\": [{\"id\", \"name\"}]}";

constexpr int64_t kAnyId = std::numeric_limits<int64_t>::max(), kMostPixels = 1 << 30;

int64_t id_at(const JsonPlace& place, const char* name) { return place.member(name).whole(-kAnyId, kAnyId); }

/// Returns a list of the document and refuses another value.
JsonPlace list_of(const JsonPlace& document, const char* name) {
  const auto list = document.find(name);
  if (!list) document.refuse("has no list '" + std::string(name) + "'");
  static_cast<void>(list->size());
  return *list;
}

class CocoReader {
 public:
  explicit CocoReader(const Json& json) : document_(json) {}

  ObjectLabels read() {
    for_each(list_of(document_, "categories"), [&](const JsonPlace& category) {
      if (!categories_.emplace(id_at(category, "id"), category.member("name").text()).second)
        category.member("id").refuse("another category has this id");
    });
    for (const auto& [id, name] : categories_) {
      index_[id] = static_cast<int32_t>(index_.size());
      labels_.categories.push_back(name);
      labels_.ids.push_back(id);
    }
    for_each(list_of(document_, "images"), [&](const JsonPlace& image) { add_image(image); });
    for_each(list_of(document_, "annotations"), [&](const JsonPlace& annotation) { add_object(annotation); });
    return std::move(labels_);
  }

 private:
  static void for_each(const JsonPlace& list, const auto& visit) {
    for (size_t i = 0; i < list.size(); ++i) visit(list.element(i));
  }

  void add_image(const JsonPlace& image) {
    const auto side = [&](const char* name) {
      return static_cast<int>(image.member(name).whole(-kMostPixels, kMostPixels));
    };
    const PixelSize size{side("height"), side("width")};
    const std::string& name = image.member("file_name").text();
    if (size.height <= 0 || size.width <= 0)
      image.refuse("'" + name + "' is " + std::to_string(size.height) + "x" + std::to_string(size.width) + " pixels");
    const auto [entry, added] = labels_.images.emplace(name, ObjectLabels::Image{size, {}});
    if (!added) image.refuse("'" + name + "' is there twice");
    if (!images_.emplace(id_at(image, "id"), &entry->second).second)
      image.member("id").refuse("another image has this id");
  }

  void add_object(const JsonPlace& annotation) {
    const auto image = images_.find(id_at(annotation, "image_id"));
    const auto category = index_.find(id_at(annotation, "category_id"));
    if (image == images_.end()) annotation.member("image_id").refuse("no image has this id");
    if (category == index_.end()) annotation.member("category_id").refuse("no category has this id");
    const JsonPlace box = annotation.member("bbox");
    if (box.size() != 4) box.refuse("is not four numbers: it has " + std::to_string(box.size()));
    const auto crowd = annotation.find("iscrowd"), area = annotation.find("area");
    const auto side = [&](size_t i) { return box.element(i).number(); };
    image->second->objects.push_back(
        {side(0), side(1), side(2), side(3), category->second, crowd && crowd->flag(), area ? area->number() : 0});
  }

  JsonPlace document_;
  std::map<int64_t, std::string> categories_;
  std::map<int64_t, int32_t> index_;
  std::map<int64_t, ObjectLabels::Image*> images_;
  ObjectLabels labels_;
};

}  // namespace

const ObjectLabels::Image* ObjectLabels::find(const std::string& file) const {
  std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  if (form != Form::Coco) path.replace_extension();
  for (const std::string& name : {path.generic_string(), path.filename().generic_string()})
    if (const auto found = images.find(name); found != images.end()) return &found->second;
  return nullptr;
}

ObjectLabels read_coco(const std::filesystem::path& path) {
  const Json json = read_json(path);
  try {
    if (!json.is_object()) throw Error(ErrorCode::InvalidData, "holds no JSON object");
    return CocoReader(json).read();
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidData, path.string() + ": " + error.what(), kCocoForm);
  }
}

}  // namespace detent
