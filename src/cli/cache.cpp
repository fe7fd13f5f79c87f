#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "detent/cache.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

Action declare_export(CLI::App& app) {
  auto options = std::make_shared<CacheExportOptions>();
  app.add_option("TABLE", options->table, "Calibration table")->required();
  app.add_option("-o,--output", options->output, "Where the cache goes")->required()->type_name("F");
  app.add_option("--calibrator", options->calibrator, "How scales are chosen from the histograms, as in quantize")
      ->type_name("NAME[:ARG]")
      ->capture_default_str();
  app.add_option("--target", options->target, "The TensorRT that the cache is for, such as tensorrt:8.6")
      ->type_name("NAME[:VERSION]")
      ->capture_default_str();
  app.add_flag("--overwrite", options->overwrite, "Replace F if it exists");
  app.footer("Example\n  detent cache export shapes_unet.dct -o shapes_unet.cache");
  return [options](Environment&) {
    const size_t scales = export_cache(*options);
    std::printf("wrote %s (%zu scales)\n", options->output.c_str(), scales);
    return 0;
  };
}

Action declare_import(CLI::App& app) {
  auto options = std::make_shared<CacheImportOptions>();
  app.add_option("F", options->cache, "TensorRT calibration cache")->required();
  app.add_option("--model", options->model, "The float ONNX model that it belongs to")->required()->type_name("MODEL");
  app.add_option("-o,--output", options->output, "Where the calibration table goes")
      ->required()
      ->type_name("TABLE.dct");
  app.add_flag("--overwrite", options->overwrite, "Replace TABLE if it exists");
  app.footer(
      "Example\n  detent cache import shapes_unet.cache --model datasets/samples/shapes_unet/model_opset13.onnx \\\n"
      "      -o imported.dct");
  return [options](Environment&) {
    std::fputs(to_text(import_cache(*options)).c_str(), stdout);
    return 0;
  };
}

}  // namespace

Action declare_cache(CLI::App& app) {
  app.require_subcommand(1);
  CLI::App* writing = app.add_subcommand("export", "Write a table's scales as a TensorRT calibration cache");
  CLI::App* reading = app.add_subcommand("import", "Make a table of a TensorRT calibration cache");
  for (CLI::App* sub : {writing, reading}) sub->fallthrough();
  const Action run_export = declare_export(*writing), run_import = declare_import(*reading);
  return [writing, run_export, run_import](Environment& environment) {
    return writing->parsed() ? run_export(environment) : run_import(environment);
  };
}

}  // namespace detent::cli
