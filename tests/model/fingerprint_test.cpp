#include "model/fingerprint.h"

#include <gtest/gtest.h>

#include "model/onnx_protos.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

const char* const kNetwork = R"(<ir_version: 7, opset_import: ["" : 13]>
net (float[N,2,4,4] x) => (float[N,2,4,4] y)
<float[2,2,1,1] w = {1, 2, 3, 4}, float[2] b = {5, 6}>
{ c = Conv <kernel_shape = [1, 1], group = 1> (x, w, b)  y = Relu (c) })";

/// Returns the fingerprint of the network after a change of its proto.
template <class Change>
Digest changed(Change&& change) {
  Model model = parse_model_text(kNetwork);
  change(model.mutable_proto());
  return fingerprint(model);
}

Digest original() {
  return changed([](onnx::ModelProto&) {});
}

TEST(Fingerprint, DoesNotSeeWhatDoesNotCompute) {
  EXPECT_EQ(changed([](onnx::ModelProto& model) {
              model.set_doc_string("about");
              model.set_producer_name("another producer");
              model.set_model_version(7);
              model.mutable_graph()->set_name("other");
              model.mutable_graph()->set_doc_string("graph");
              model.mutable_graph()->mutable_node(0)->set_doc_string("node");
              model.mutable_graph()->mutable_initializer(0)->set_doc_string("weight");
              auto* property = model.add_metadata_props();
              property->set_key("k");
              property->set_value("v");
              model.mutable_graph()->add_value_info()->set_name("c");
            }),
            original());
}

TEST(Fingerprint, DoesNotSeeHowWeightsAreStored) {
  EXPECT_EQ(changed([](onnx::ModelProto& model) {
              auto& weight = *model.mutable_graph()->mutable_initializer(0);
              const float values[] = {1, 2, 3, 4};
              weight.clear_float_data();
              weight.set_raw_data(values, sizeof values);
              model.mutable_graph()->mutable_initializer()->SwapElements(0, 1);
              model.mutable_graph()->mutable_node(0)->mutable_attribute()->SwapElements(0, 1);
            }),
            original());
}

/// Returns the digest of what computes the value `c` after a change.
template <class Change>
Digest part_of_c(Change&& change) {
  Model model = parse_model_text(kNetwork);
  change(model.mutable_proto());
  return fingerprint_of(model, {"c"});
}

TEST(Fingerprint, OfAPartSeesThatPartAlone) {
  const Digest part = part_of_c([](onnx::ModelProto&) {});
  EXPECT_EQ(part_of_c([](onnx::ModelProto& model) {
              model.mutable_graph()->mutable_node(1)->set_op_type("Sigmoid");
              model.mutable_graph()->add_initializer()->set_name("unused");
            }),
            part);
  EXPECT_NE(part_of_c([](onnx::ModelProto& model) { model.mutable_graph()->mutable_node(0)->set_input(0, "z"); }),
            part);
  EXPECT_NE(
      part_of_c([](onnx::ModelProto& model) { model.mutable_graph()->mutable_initializer(1)->set_float_data(0, 7); }),
      part);
}

TEST(Fingerprint, SeesEveryChangeOfTheComputation) {
  EXPECT_NE(changed([](onnx::ModelProto& model) {
              auto& weight = *model.mutable_graph()->mutable_initializer(0);
              const float values[] = {1, 2, 3, 4.0000005F};
              weight.clear_float_data();
              weight.set_raw_data(values, sizeof values);
            }),
            original());
  EXPECT_NE(changed([](onnx::ModelProto& model) { model.mutable_graph()->mutable_node(1)->set_op_type("Tanh"); }),
            original());
  EXPECT_NE(
      changed([](onnx::ModelProto& model) { model.mutable_graph()->mutable_node(0)->mutable_attribute(1)->set_i(2); }),
      original());
  EXPECT_NE(changed([](onnx::ModelProto& model) { model.mutable_opset_import(0)->set_version(14); }), original());
  EXPECT_NE(changed([](onnx::ModelProto& model) {
              model.mutable_graph()->mutable_node(0)->set_output(0, "d");
              model.mutable_graph()->mutable_node(1)->set_input(0, "d");
            }),
            original());
}

TEST(Fingerprint, IsTheSameForWeightsBesideTheFile) {
  const TemporaryFolder folder;
  Model model = parse_model_text(kNetwork);
  onnx::TensorProto& large = *model.mutable_proto().mutable_graph()->add_initializer();  // typed fields become raw data
  large.set_name("large");
  large.set_data_type(onnx::TensorProto::FLOAT);
  large.add_dims(256);
  for (int i = 0; i < 256; ++i) large.add_float_data(static_cast<float>(i));
  write_model(model, folder / "inside.onnx");
  write_model(model, folder / "beside.onnx", {.external_data_above = 1});
  ASSERT_GT(folder.names().size(), 2U);
  EXPECT_EQ(fingerprint(read_model(folder / "inside.onnx")), fingerprint(read_model(folder / "beside.onnx")));
  EXPECT_EQ(fingerprint(read_model(folder / "inside.onnx")), fingerprint(model));
}

TEST(Fingerprint, WeightsBelowAKibibyteStayInside) {
  const TemporaryFolder folder;
  write_model(parse_model_text(kNetwork), folder / "inside.onnx", {.external_data_above = 1});
  EXPECT_EQ(folder.names().size(), 1U);
  EXPECT_EQ(fingerprint(read_model(folder / "inside.onnx")), original());
}

}  // namespace
}  // namespace detent
