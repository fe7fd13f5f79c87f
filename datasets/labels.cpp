#include "datasets/labels.h"

#include "core/index.h"
#include "core/parse.h"
#include "datasets/csv.h"
#include "detent/base/error.h"

namespace detent {

std::vector<FileLabel> read_labels(const std::filesystem::path& path) {
  const CsvTable table = read_csv(path);
  const int file = table.column("file");
  const int label = table.column("label");
  if (file < 0 || label < 0)
    throw Error(ErrorCode::InvalidData,
                path.string() + ": the header lacks a column '" + (file < 0 ? "file" : "label") + "'",
                "the first line must name the columns: file,label");
  std::vector<FileLabel> labels;
  for (const auto& row : table.rows) {
    const std::string& text = row[as_index(label)];
    const std::string& name = row[as_index(file)];
    const auto number = parse_number<int64_t>(text);
    if (!number)
      throw Error(ErrorCode::InvalidData,
                  path.string() + ": the label '" + text + "' of " + name + " is not a whole number");
    labels.push_back({name, *number});
  }
  if (labels.empty()) throw Error(ErrorCode::InvalidData, path.string() + ": holds no labels");
  return labels;
}

}  // namespace detent
