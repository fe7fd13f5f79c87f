#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "detent/cache.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct ExportState {
  CacheExportOptions options;
  ReportOptions report;
};

struct ImportState {
  CacheImportOptions options;
  ReportOptions report;
};

Action declare_export(CLI::App& app) {
  auto state = std::make_shared<ExportState>();
  CacheExportOptions* options = &state->options;
  app.add_option("TABLE", options->table, "Calibration table")->required();
  app.add_option("-o,--output", options->output, "Where the cache goes")->required()->type_name("F");
  app.add_option("--calibrator", options->calibrator, "How scales are chosen from the histograms, as in quantize")
      ->type_name("NAME[:ARG]")
      ->check(known_calibrator("--calibrator"))
      ->capture_default_str();
  app.add_option("--target", options->target, "The TensorRT that the cache is for, such as tensorrt:8.6")
      ->type_name("NAME[:VERSION]")
      ->capture_default_str();
  add_json_option(app, state->report, "Options");
  app.add_flag("--overwrite", state->report.overwrite, "Replace F, and the file of --json, if it exists");
  app.footer("Example\n  detent cache export shapes_unet.dct -o shapes_unet.cache");
  return [state](Environment&) {
    state->options.overwrite = state->report.overwrite;
    state->report.check();
    const CacheExportReport report = export_cache(state->options);
    state->report.write_json([&] { return to_json(report); });
    state->report.print(to_text(report));
    return 0;
  };
}

Action declare_import(CLI::App& app) {
  auto state = std::make_shared<ImportState>();
  CacheImportOptions* options = &state->options;
  app.add_option("F", options->cache, "TensorRT calibration cache")->required();
  app.add_option("--model", options->model, "The float ONNX model that it belongs to")->required()->type_name("MODEL");
  app.add_option("-o,--output", options->output, "Where the calibration table goes")
      ->required()
      ->type_name("TABLE.dct");
  add_json_option(app, state->report, "Options");
  app.add_flag("--overwrite", state->report.overwrite, "Replace TABLE, and the file of --json, if it exists");
  app.footer(
      "Example\n  detent cache import shapes_unet.cache --model datasets/samples/shapes_unet/model_opset13.onnx \\\n"
      "      -o imported.dct");
  return [state](Environment&) {
    state->options.overwrite = state->report.overwrite;
    state->report.check();
    const CacheImportReport report = import_cache(state->options);
    state->report.write_json([&] { return to_json(report); });
    state->report.print(to_text(report));
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
