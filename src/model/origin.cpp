#include "model/origin.h"

#include <onnx/onnx_pb.h>

namespace detent {

ModelOrigin origin_of(const Model& model) {
  const onnx::ModelProto& proto = model.proto();
  ModelOrigin origin{proto.producer_name(), proto.producer_version(), {}};
  for (const auto& entry : proto.metadata_props()) origin.metadata[entry.key()] = entry.value();
  return origin;
}

std::string producer_of(const Model& model) {
  const ModelOrigin origin = origin_of(model);
  return origin.producer_version.empty() ? origin.producer_name : origin.producer_name + " " + origin.producer_version;
}

void set_origin(Model& model, const ModelOrigin& origin, std::string_view own) {
  onnx::ModelProto& proto = model.mutable_proto();
  proto.set_producer_name(origin.producer_name);
  proto.set_producer_version(origin.producer_version);
  const auto before = proto.metadata_props();
  proto.clear_metadata_props();
  for (const auto& entry : before)
    if (!entry.key().starts_with(own)) *proto.add_metadata_props() = entry;
  for (const auto& [key, value] : origin.metadata) {
    auto* entry = proto.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
}

}  // namespace detent
