#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/images/preprocess.h"

namespace detent {

/// An object as an annotation has it: a box in pixels of the image file, or in fractions of it.
struct LabelledObject {
  double left = 0, top = 0, width = 0, height = 0;
  int32_t category = 0;  ///< index into ObjectLabels::categories
  bool crowd = false;    ///< a region of many objects that are not told apart
  double area = 0;       ///< of the object in pixels of the image; 0: not known
};

/// Objects of many images.
struct ObjectLabels {
  enum class Form : uint8_t {
    Coco,
    Yolo,  ///< boxes are fractions of the image; an image without labels shows no objects
    Voc
  };
  struct Image {
    PixelSize size;                       ///< 0: not known
    std::vector<LabelledObject> objects;  ///< none: the image shows none
  };
  Form form = Form::Coco;
  std::vector<std::string> categories;  ///< names, in the order of their ids; YOLO: empty where they are not known
  std::vector<int64_t> ids = {};        ///< of the categories as the file has them; empty: they are 0, 1 ...
  std::map<std::string, Image> images;  ///< by file name as written; YOLO, VOC: without extension

  /// Returns the id of a category, given by its index.
  [[nodiscard]] int64_t id_of(int32_t category) const {
    return ids.empty() ? category : ids[static_cast<size_t>(category)];
  }
  /// Finds an image by its path, then by its file name; nullptr where there are no labels for it.
  [[nodiscard]] const Image* find(const std::string& file) const;
};

/// Reads annotations in the form of COCO: "images" (id, file_name, width, height), "annotations" (image_id,
/// category_id, bbox [x, y, width, height], iscrowd, area) and "categories" (id, name). Category ids need not follow
/// each other: the smallest is class 0. Errors  InvalidData naming the file and what is missing or wrong. Source
/// cocodataset.org/#format-data.
[[nodiscard]] ObjectLabels read_coco(const std::filesystem::path& path);

}  // namespace detent
