#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <unistd.h>

#include <memory>

#include "core/files/atomic_file.h"
#include "core/files/content_hash.h"
#include "core/files/dead_temporaries.h"
#include "core/files/folder_lock.h"
#include "core/files/input_files.h"
#include "core/files/mapped_file.h"
#include "core/files/output_set.h"
#include "core/files/reach.h"
#include "core/files/unfinished.h"
#include "model/file/data_files.h"
#include "model/file/detached_initializers.h"
#include "model/file/model_stream.h"
#include "model/graph/file_boundary.h"
#include "model/graph/stored_data.h"
#include "model/graph/tensor_proto.h"
#include "model/write_shown_model.h"

namespace detent {

namespace {

namespace fs = std::filesystem;
using Check = std::function<void(const fs::path& written)>;

Error cannot_write(const fs::path& path, const std::string& why) {
  return {ErrorCode::CannotWrite, path.string() + ": " + why};
}

void write_proto(AtomicFile& file, const fs::path& path, onnx::ModelProto& proto) {
  const google::protobuf::LogSilencer silence;
  google::protobuf::io::FileOutputStream stream(file.descriptor());
  const bool serialised = write_model_stream(proto, stream);
  const bool flushed = stream.Flush();
  if (stream.GetErrno() != 0) file.fail(stream.GetErrno());
  if (!serialised || !flushed)
    throw cannot_write(path, "the model does not fit into one ONNX file: protobuf allows 2 GiB");
}

constexpr uint64_t kSmallTensor = 1024;  // bytes: shapes and scalars stay in the model file
constexpr uint64_t kPageBytes = 4096;    // readers may map the file; source: ONNX docs/ExternalData.md, "offset"

void set_external(onnx::TensorProto& header, uint64_t offset, uint64_t length) {
  header.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char* key, std::string text) {
    onnx::StringStringEntryProto* entry = header.add_external_data();
    entry->set_key(key);
    entry->set_value(std::move(text));
  };
  add("location", "");  // first; known at the end
  add("offset", std::to_string(offset));
  add("length", std::to_string(length));
}

void set_location(onnx::TensorProto& header, const std::string& file) {
  header.mutable_external_data(0)->set_value(file);
}

/// True for a large tensor whose elements are not raw data, as external data must be. Tensors that Detent does not read
/// stay unchanged.
bool is_large_in_fields(const onnx::TensorProto& tensor) {
  return raw_bytes(tensor).empty() && tensor.ByteSizeLong() >= kSmallTensor &&
         data_type_from_onnx(tensor.data_type()) != DataType::Undefined;
}

/// The file for weights, which gets its name when all of them are known.
class DataFile {
 public:
  DataFile(const fs::path& model, AtomicFile& file) : model_(model), file_(file) {}

  /// Returns a copy of `tensor`, without its data when that went into the file.
  void write(const onnx::TensorProto& tensor, onnx::TensorProto& copy) {
    if (is_large_in_fields(tensor)) {
      copy = tensor;
      tensor_to_proto(tensor_from_proto(tensor), copy);
      const onnx::TensorProto with_raw_data = std::exchange(copy, {});
      return write(with_raw_data, copy);
    }
    const std::string_view raw = raw_bytes(tensor);
    if (raw.size() < kSmallTensor) {
      copy = tensor;
      load_stored_data(copy);
      return;
    }
    append(std::string((kPageBytes - file_.size() % kPageBytes) % kPageBytes, '\0'));
    set_external(copy, file_.size(), raw.size());
    append(raw);
    let_go_of_pages(raw.data(), raw.size());
    copy.set_name(tensor.name());
    copy.set_data_type(tensor.data_type());
    *copy.mutable_dims() = tensor.dims();
    if (tensor.has_doc_string()) copy.set_doc_string(tensor.doc_string());
  }

  /// Names the file, also in the tensors that lie in it.
  fs::path settle(onnx::GraphProto& graph) {
    fs::path path = data_path_of(model_, hash_.digest());
    for (onnx::TensorProto& tensor : *graph.mutable_initializer())
      if (tensor.data_location() == onnx::TensorProto::EXTERNAL) set_location(tensor, path.filename().string());
    file_.go_to(path);
    return path;
  }

 private:
  void append(std::string_view bytes) {
    file_.write(bytes);
    hash_.add(std::as_bytes(std::span(bytes)));
  }

  const fs::path& model_;
  AtomicFile& file_;
  ContentHash hash_;
};

/// Removes the data of a replaced model, except what another model needs that is being read.
void remove_all_but(const fs::path& kept, const std::vector<fs::path>& files) {
  for (const fs::path& file : files)
    if (file != kept && !find_input_file(file)) ::unlink(file.c_str());
}

/// Waits for other writers while the model gets its name, and removes the data of the one that it replaced.
/// data  of the new model; empty: none.
void replace_data_with(OutputSet& set, const fs::path& path, const fs::path& data) {
  set.around([path, data]() -> std::function<void()> {
    auto lock = std::make_shared<const FolderLock>(folder_of(path));
    if (!data.empty() && !is_there(data)) throw cannot_write(data, "another process removed it");
    return [lock, data, replaced = data_files_of(path)] { remove_all_but(data, replaced); };
  });
}

/// Calls `check` with a path of the model in the folder of its data. Behind a link it lies in another folder.
void check_beside_data(const AtomicFile& model, const fs::path& path, const Check& check) {
  const fs::path& written = model.temporary();
  if (folder_of(written) == folder_of(path)) return check(written);
  const fs::path link = folder_of(path) / written.filename();
  static_cast<void>(make_unfinished(link, [&] { return ::symlink(fs::absolute(written).c_str(), link.c_str()); }));
  const auto remove = [&] {
    ::unlink(link.c_str());
    forget_unfinished(link);
  };
  try {
    check(link);
  } catch (...) {
    remove();
    throw;
  }
  remove();
}

/// Names the data first, under a name that only the new model has: a process killed in between leaves the old pair
/// intact. Others wait: a writer of the model before might remove data of this name as those that it replaces.
void name_pair(AtomicFile& data, const fs::path& data_path, AtomicFile& model, const fs::path& path,
               const Check& check) {
  const FolderLock lock(folder_of(path));
  OutputSet pair;
  if (is_there(data_path)) {  // the same content
    const AtOnce now;
    data.commit();
  } else {
    static_cast<void>(make_unfinished(data_path, [] { return 0; }));
    StagedFile named(data_path, data_path, true, -1);
    {
      const AtOnce now;
      data.commit();
    }
    OutputSet::take(std::move(named));
  }
  check_beside_data(model, path, check);
  replace_data_with(pair, path, data_path);
  model.commit();
  pair.commit();
}

/// Returns false, with nothing written, where no tensor is large enough for a data file.
bool write_with_data_file(onnx::ModelProto& proto, const fs::path& path, const WriteOptions& options,
                          const Check& check) {
  const fs::path unnamed = path.string() + ".data";
  remove_dead_temporaries(unnamed);
  AtomicFile file(unnamed), model(path, options.overwrite);
  DataFile data(path, file);
  onnx::ModelProto shell;
  {
    const DetachedInitializers held(*proto.mutable_graph());
    shell = proto;
    for (const onnx::TensorProto& tensor : held.tensors())
      data.write(tensor, *shell.mutable_graph()->add_initializer());
  }
  if (file.size() == 0) return false;
  const fs::path data_path = data.settle(*shell.mutable_graph());
  write_proto(model, path, shell);
  file.sync();
  model.sync();
  name_pair(file, data_path, model, path, check);
  return true;
}

void write_in_one(onnx::ModelProto& proto, const fs::path& path, const WriteOptions& options, const Check& check) {
  AtomicFile file(path, options.overwrite);
  write_proto(file, path, proto);
  file.sync();
  check(file.temporary());
  OutputSet one;
  replace_data_with(one, path, {});
  file.commit();
  one.commit();
}

/// Refuses nodes between the files of a pipeline, which no engine knows.
void check_is_one_file(const onnx::GraphProto& graph, const fs::path& path) {
  for (const onnx::NodeProto& node : graph.node())
    if (node.domain() == kBoundaryDomain)
      throw Error(ErrorCode::Internal, path.string() + ": the model still holds node '" + node.name() +
                                           "', which joins two files; no engine knows it");
}

}  // namespace

void write_model(const Model& model, const fs::path& path, const WriteOptions& options) {
  write_shown_model(model, path, options, [](const fs::path&) {});
}

void write_shown_model(const Model& model, const fs::path& path, const WriteOptions& options, const Check& check) {
  if (!options.joined) check_is_one_file(model.proto().graph(), path);
  check_writable(path, options.overwrite);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))  // a rename would replace a device by a file
    throw cannot_write(path, "exists and is not a regular file");
  // The model is the same before and after: its initializers are only taken out while the rest is written.
  auto& proto = const_cast<onnx::ModelProto&>(model.proto());
  if (model.byte_size() > options.external_data_above && write_with_data_file(proto, path, options, check)) return;
  write_in_one(proto, path, options, check);
}

}  // namespace detent
