#include "datasets/object_labels.h"

#include <nlohmann/json.hpp>

#include "core/files/file_bytes.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

constexpr const char* kCocoForm =
    "the form is COCO's: {\"images\": [{\"id\", \"file_name\", \"width\", \"height\"}], \"annotations\": "
    "[{\"image_id\", "
    "\"category_id\", \"bbox\"}], \"categories\": [{\"id\", \"name\"}]}";

Json read_json(const std::filesystem::path& path) {
  const auto bytes = FileBytes::open(path);
  std::string text(bytes->size(), '\0');
  bytes->read(0, text.data(), text.size());
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw Error(ErrorCode::InvalidData, path.string() + ": holds no JSON object", kCocoForm);
  return json;
}

class CocoReader {
 public:
  explicit CocoReader(const Json& json) : json_(json) {}

  ObjectLabels read() {
    for (const Json& category : list("categories")) categories_[category.at("id")] = category.at("name");
    for (const auto& [id, name] : categories_) {
      index_[id] = static_cast<int32_t>(index_.size());
      labels_.categories.push_back(name);
    }
    for (const Json& image : list("images")) add_image(image);
    for (const Json& annotation : list("annotations")) add_object(annotation);
    return std::move(labels_);
  }

 private:
  const Json& list(const char* name) const {
    if (!json_.contains(name) || !json_[name].is_array())
      throw Error(ErrorCode::InvalidData, "has no list '" + std::string(name) + "'");
    return json_[name];
  }

  void add_image(const Json& image) {
    const PixelSize size{image.at("height"), image.at("width")};
    const std::string name = image.at("file_name");
    if (size.height <= 0 || size.width <= 0)
      throw Error(ErrorCode::InvalidData, "image '" + name + "' is " + std::to_string(size.height) + "x" +
                                              std::to_string(size.width) + " pixels");
    const auto [entry, added] = labels_.images.emplace(name, ObjectLabels::Image{size, {}});
    if (!added) throw Error(ErrorCode::InvalidData, "image '" + name + "' is there twice");
    images_[image.at("id")] = &entry->second;
  }

  void add_object(const Json& annotation) {
    const auto image = images_.find(annotation.at("image_id"));
    const auto category = index_.find(annotation.at("category_id"));
    if (image == images_.end() || category == index_.end())
      throw Error(ErrorCode::InvalidData, "an annotation belongs to no image or category: " + annotation.dump());
    const Json& box = annotation.at("bbox");
    if (box.size() != 4) throw Error(ErrorCode::InvalidData, "a bbox has not four numbers: " + annotation.dump());
    image->second->objects.push_back({box[0], box[1], box[2], box[3], category->second,
                                      annotation.value("iscrowd", 0) != 0, annotation.value("area", 0.0)});
  }

  const Json& json_;
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
    return CocoReader(json).read();
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidData, path.string() + ": " + error.what(), kCocoForm);
  } catch (const Json::exception& error) {  // a member is missing or of another type
    throw Error(ErrorCode::InvalidData, path.string() + ": " + error.what(), kCocoForm);
  }
}

}  // namespace detent
