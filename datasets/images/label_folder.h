#pragma once

#include <filesystem>
#include <string_view>

#include "datasets/images/object_labels.h"

namespace detent {

/// Reads the labels of images in a folder and the folders below: Pascal VOC's if it holds .xml files, else YOLO's .txt.
/// A file labels the image of the same path without extension. The class names of `classes.txt`, `names.txt` or
/// `obj.names` in the folder are in the order of their ids, one a line.
///
/// YOLO  a line "class cx cy w h" for each object, the box in fractions of the image; empty lines do not count.
/// VOC   <object> with <name> and <bndbox> in pixels from 1 on; <difficult> 1 makes a crowd. Without a file of class
///       names their ids are those of the sorted names.
///
/// classes  that the model knows; 0: not known, any are accepted
/// Errors   InvalidData naming the file, the line and what is wrong: no labels in the folder, no number, a box beyond
///          the image, a class that is not known.
[[nodiscard]] ObjectLabels read_label_folder(const std::filesystem::path& folder, int64_t classes);

}  // namespace detent
