// detent._detent: commands as functions. Options come as keyword arguments, reports go back as JSON text, which __init__.py makes dicts of.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <stop_token>

#include "detent/detent.h"
#include "report/json/json.h"

namespace py = pybind11;

namespace detent {
namespace {

/// Hands progress to a Python function `progress(task, done, total)`, and keeps warnings until the call is over: __init__.py gives
/// them to `warnings.warn`.
class PythonReporter final : public Reporter {
 public:
  explicit PythonReporter(py::object progress) : progress_(std::move(progress)) {}
  ~PythonReporter() override = default;

  void begin(std::string_view task, size_t total) override {
    const std::scoped_lock lock(mutex_);
    task_ = task;
    total_ = total;
    tell(0);
  }
  void advance_to(size_t done) override {
    const std::scoped_lock lock(mutex_);
    tell(done);
  }
  void end() override {}
  void warn(std::string_view message) override {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(warnings_, message) == warnings_.end()) warnings_.emplace_back(message);
  }
  [[nodiscard]] std::vector<std::string> warnings() const { return warnings_; }

  /// Called with the GIL by the thread that the caller waits in: Python functions run nowhere else.
  void deliver() {
    std::unique_lock lock(mutex_);
    if (!pending_ || progress_.is_none()) return;
    const auto [task, done, total] = std::tuple(task_, done_, total_);
    pending_ = false;
    lock.unlock();
    progress_(task, done, total);
  }

 private:
  void tell(size_t done) {
    done_ = done;
    pending_ = true;
  }

  py::object progress_;
  std::mutex mutex_;
  std::string task_;
  size_t done_ = 0, total_ = 0;
  bool pending_ = false;
  std::vector<std::string> warnings_;
};

/// Runs `work` beside the interpreter: progress is delivered meanwhile. KeyboardInterrupt, which Python raises in its main thread alone,
/// and what the progress function raises end this work through `stop`; that of other threads goes on.
template <class Work>
auto beside_python(PythonReporter& reporter, std::stop_source& stop, Work work) {
  std::future<std::string> result = std::async(std::launch::async, std::move(work));
  const auto ended = [&] {
    const py::gil_scoped_release without;
    return result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  };
  try {
    while (!ended()) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      reporter.deliver();
    }
    reporter.deliver();
  } catch (...) {
    stop.request_stop();
    {
      const py::gil_scoped_release without;
      result.wait();
    }
    throw;
  }
  return result.get();
}

DataType type_of(const py::array& array) {
  const py::dtype type = array.dtype();
  // By kind and size: several types of numpy have the same numbers (longlong, int64).
  static const std::map<std::pair<char, py::ssize_t>, DataType> types{
      {{'f', 2}, DataType::Float16}, {{'f', 4}, DataType::Float32}, {{'f', 8}, DataType::Float64},
      {{'i', 1}, DataType::Int8},    {{'i', 2}, DataType::Int16},   {{'i', 4}, DataType::Int32},
      {{'i', 8}, DataType::Int64},   {{'u', 1}, DataType::UInt8},   {{'u', 2}, DataType::UInt16},
      {{'u', 4}, DataType::UInt32},  {{'u', 8}, DataType::UInt64},  {{'b', 1}, DataType::Bool}};
  const auto found = types.find({type.kind(), type.itemsize()});
  if (found != types.end() && type.attr("isnative").cast<bool>()) return found->second;
  throw Error(ErrorCode::InvalidData,
              "arrays of type " + std::string(py::str(static_cast<const py::object&>(type))) + " cannot be fed");
}

/// The arrays in the order of the model's inputs, looked at, not copied: the caller holds them until the work is over.
std::vector<Tensor> tensors_of(const std::vector<py::array>& arrays) {
  if (arrays.empty()) throw Error(ErrorCode::InvalidData, "no arrays were given");
  std::vector<Tensor> tensors;
  for (const py::array& array : arrays) {
    constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    if (!(array.flags() & py::array::c_style) || !(array.flags() & kAligned))
      throw Error(ErrorCode::InvalidData, "an array is not C-contiguous, or not aligned");
    const std::vector<int64_t> extents(array.shape(), array.shape() + array.ndim());
    tensors.push_back(Tensor::view(type_of(array), Shape(extents), array.data()));
  }
  return tensors;
}

DataOptions data_of(const py::dict& from, const std::string& option) {
  DataOptions data;
  data.option = option;
  if (from.contains("arrays")) data.arrays = tensors_of(from["arrays"].cast<std::vector<py::array>>());
  if (from.contains("sources")) data.sources = from["sources"].cast<std::vector<std::string>>();
  if (from.contains("preprocess")) data.preprocess = from["preprocess"].cast<std::string>();
  if (from.contains("limit")) data.limit = from["limit"].cast<size_t>();
  if (from.contains("batch_axes")) data.batch_axes = from["batch_axes"].cast<std::vector<std::string>>();
  if (from.contains("shuffle")) data.shuffle = from["shuffle"].cast<uint64_t>();
  return data;
}

[[noreturn]] void refuse_choice(const std::string& option, const std::string& given) {
  throw Error(ErrorCode::Usage, option + ": '" + given + "' is not one of its values");
}

/// Takes keyword arguments one by one; what is left when all was asked for is a mistake.
class Keywords {
 public:
  explicit Keywords(py::kwargs given) : given_(std::move(given)) {}

  template <class T>
  void take(const char* name, T& into) {
    if (!given_.contains(name)) return;
    const py::object value = given_.attr("pop")(name);
    if (!value.is_none()) into = value.cast<T>();
  }
  template <class T>
  void take(const char* name, std::optional<T>& into) {
    if (!given_.contains(name)) return;
    const py::object value = given_.attr("pop")(name);
    if (!value.is_none()) into = value.cast<T>();
  }
  template <class T>
  void choose(const char* name, T& into, const std::map<std::string, T>& values) {
    std::string word;
    take(name, word);
    if (word.empty()) return;
    const auto found = values.find(word);
    if (found == values.end()) refuse_choice(name, word);
    into = found->second;
  }
  [[nodiscard]] DataOptions data(const char* name) {
    py::dict form;
    take(name, form);
    held_.push_back(form);
    return data_of(form, name);
  }
  void end() const {
    for (const auto& [name, value] : given_)
      throw py::type_error("unexpected keyword argument '" + std::string(py::str(name)) + "'");
  }

 private:
  py::kwargs given_;
  std::vector<py::object> held_;  // the arrays that sources look at
};

void take_placement(Keywords& words, PlacementOptions& placement) {
  words.take("include", placement.include);
  words.take("exclude", placement.exclude);
  words.take("include_op", placement.include_op);
  words.take("exclude_op", placement.exclude_op);
  words.choose<CodeType>("type", placement.type, {{"int8", CodeType::Int8}, {"fp8", CodeType::Fp8}});
}

void take_evaluation(Keywords& words, EvaluationOptions& evaluation) {
  evaluation.data = words.data("eval");
  evaluation.data.spread = true;  // as --eval-limit does
  words.take("labels", evaluation.labels);
  words.take("masks", evaluation.masks);
  words.take("next_token", evaluation.next_token);
}

void take_outliers(Keywords& words, OutlierPolicy& policy) {
  words.choose<OutlierPolicy>(
      "outliers", policy,
      {{"keep", OutlierPolicy::Keep}, {"drop", OutlierPolicy::Drop}, {"clip", OutlierPolicy::Clip}});
}

using Answer = std::pair<std::string, std::vector<std::string>>;

/// `call(options)` with progress, and its report as text.
template <class Options, class Call>
Answer run(Keywords& words, Options& options, Call call) {
  py::object progress = py::none();
  words.take("progress", progress);
  words.take("threads", options.run.threads);
  words.end();
  PythonReporter reporter(progress);
  options.run.reporter = &reporter;
  std::stop_source stop;
  options.run.stop = stop.get_token();
  std::string json = beside_python(reporter, stop, [&] { return to_json(call(options)); });
  return {std::move(json), reporter.warnings()};
}

Answer quantize(const std::filesystem::path& model, const std::filesystem::path& output, const py::kwargs& given) {
  Keywords words(given);
  QuantizeOptions options;
  options.model = model;
  options.output = output;
  options.data = words.data("data");
  words.take("table", options.table);
  words.take("calibrator", options.calibrator);
  words.take("override", options.override_file);
  words.take("target", options.target);
  words.take("overwrite", options.overwrite);
  words.choose<Accuracy>("accuracy", options.accuracy,
                         {{"fast", Accuracy::Fast}, {"balanced", Accuracy::Balanced}, {"best", Accuracy::Best}});
  words.take("equalize", options.equalize.equalize);
  words.take("bias_correction", options.equalize.bias_correction);
  words.take("max_drop", options.bound.max_drop);
  words.take("min_sqnr", options.bound.min_sqnr_db);
  words.choose<std::optional<FloatType>>(
      "float_type", options.format.float_type,
      {{"fp32", FloatType::Fp32}, {"fp16", FloatType::Fp16}, {"bf16", FloatType::Bf16}});
  words.choose<std::optional<Cpu>>("cpu", options.format.cpu, {{"any", Cpu::Any}, {"vnni", Cpu::Vnni}});
  take_outliers(words, options.outliers);
  take_placement(words, options.placement);
  take_evaluation(words, options.bound.evaluation);
  return run(words, options, quantize_model);
}

Answer calibrate(const std::filesystem::path& model, const std::filesystem::path& output, const py::kwargs& given) {
  Keywords words(given);
  CalibrateOptions options;
  options.model = model;
  options.output = output;
  options.data = words.data("data");
  words.take("targets", options.targets);
  words.take("equalize", options.equalize.equalize);
  words.take("resume", options.resume);
  words.take("overwrite", options.overwrite);
  take_placement(words, options.placement);
  return run(words, options, calibrate_model);
}

Answer compare(const std::filesystem::path& model, const py::kwargs& given) {
  Keywords words(given);
  CompareOptions options;
  options.model = model;
  options.data = words.data("data");
  words.take("calibrators", options.calibrators);
  words.take("target", options.target);
  words.take("equalize", options.equalize.equalize);
  words.choose<CpuProducts>("cpu", options.run.products, {{"exact", CpuProducts::Exact}, {"avx2", CpuProducts::Avx2}});
  take_outliers(words, options.outliers);
  take_placement(words, options.placement);
  take_evaluation(words, options.evaluation);
  return run(words, options, compare_calibrators);
}

Answer lint(const std::filesystem::path& model, const py::kwargs& given) {
  Keywords words(given);
  LintOptions options;
  options.model = model;
  options.data = words.data("data");
  words.take("target", options.target);
  words.take("shapes", options.shapes);
  return run(words, options, lint_model);
}

std::string inspect(const std::filesystem::path& file) {
  return is_table(file) ? to_json(inspect_table(file)) : to_json(inspect_model(file));
}

}  // namespace
}  // namespace detent

PYBIND11_MODULE(_detent, module) {
  module.doc() = "Detent's commands; use the package `detent`, which says what they take.";
  static py::exception<detent::Error> error(module, "Error");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const detent::Error& caught) {
      const py::object made = static_cast<const py::object&>(error)(caught.what());
      made.attr("code") = static_cast<int>(caught.code());
      made.attr("hint") = caught.hint();
      PyErr_SetObject(error.ptr(), made.ptr());
    }
  });
  module.def("version", &detent::version_number);
  module.def("quantize", &detent::quantize);
  module.def("calibrate", &detent::calibrate);
  module.def("compare", &detent::compare);
  module.def("lint", &detent::lint);
  module.def("inspect", &detent::inspect);
}
