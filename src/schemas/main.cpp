#include <filesystem>
#include <fstream>
#include <iostream>

#include "schemas/schema_set.h"

/// Writes the JSON Schemas of all documents to FOLDER/schemas/KIND.schema.json, and the types of Python's stubs to
/// FOLDER/_reports.pyi. Usage: detent_schemas FOLDER.
int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "detent_schemas: name the folder to write to\n";
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder / "schemas");
  const auto schemas = detent::json::make_schemas();
  bool written = true;
  const auto write = [&](const std::filesystem::path& file, const std::string& text) {
    written &= static_cast<bool>((std::ofstream(file) << text).flush());
  };
  for (const auto& [kind, schema] : schemas) write(folder / "schemas" / (kind + ".schema.json"), schema.dump(2) + "\n");
  write(folder / "_reports.pyi", detent::json::make_python_types(schemas));
  if (!written) std::cerr << "detent_schemas: cannot write to " << folder << "\n";
  return written ? 0 : 1;
}
