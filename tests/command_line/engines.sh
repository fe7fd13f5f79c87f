# shellcheck shell=sh
# Sourced after expect.sh: small made-up engines in in/.

# tensor NAME FORMAT: a tensor of TensorRT.
tensor() { printf '{"Name": "%s", "Dimensions": [1,8,8,8], "Format/Datatype": "%s"}' "$1" "$2"; }

codes="Thirty-two wide channel vectorized row major Int8 format"
float="Row major linear FP32"

# The network's input is quantized, conv_a writes floats for a MaxPool, whose output is quantized again.
cat >in/layers.json <<END
{"Layers": [
{"Name": "QuantizeLinear_1", "LayerType": "Reformat", "Inputs": [$(tensor x "$float")], "Outputs": [$(tensor q "$codes")], "Origin": "QDQ"},
{"Name": "a.weight + conv_a + Relu_2", "LayerType": "CaskConvolution", "Inputs": [$(tensor q "$codes")], "Outputs": [$(tensor a "$float")], "Weights": {"Type": "Int8", "Count": 64}, "TacticName": "sm80_i8f32_i8i32_f32"},
{"Name": "MaxPool_3", "LayerType": "CaskPooling", "Inputs": [$(tensor a "$float")], "Outputs": [$(tensor p "$float")]},
{"Name": "QuantizeLinear_4", "LayerType": "Reformat", "Inputs": [$(tensor p "$float")], "Outputs": [$(tensor r "$codes")], "Origin": "QDQ"},
{"Name": "b.weight + /c.2/c.2.3/Conv", "LayerType": "CaskConvolution", "Inputs": [$(tensor r "$codes")], "Outputs": [$(tensor b "$float")], "Weights": {"Type": "Int8", "Count": 64}, "TacticName": "sm80_i8f32_i8i32_f32"},
{"Name": "Reformatting CopyNode for Output Tensor 0 to /c.2/c.2.3/Conv", "LayerType": "NoOp", "Inputs": [$(tensor b "$float")], "Outputs": [$(tensor y "$float")]}
], "Bindings": ["x", "y"]}
END
cat >in/profile.json <<'END'
[{"count": 10}, {"name": "QuantizeLinear_1", "timeMs": 1, "averageMs": 0.1}, {"name": "a.weight + conv_a + Relu_2", "timeMs": 4, "averageMs": 0.4},
 {"name": "MaxPool_3", "timeMs": 2, "averageMs": 0.2}, {"name": "QuantizeLinear_4", "timeMs": 1, "averageMs": 0.1},
 {"name": "b.weight + /c.2/c.2.3/Conv", "timeMs": 2, "averageMs": 0.2}, {"name": "Reformatting CopyNode for Output Tensor 0 to /c.2/c.2.3/Conv", "timeMs": 0, "averageMs": 0}]
END
# The same network, with conv_a and its pool in one layer.
sed -e '/"QuantizeLinear_4"/d; /"MaxPool_3"/d' -e 's/conv_a + Relu_2"/conv_a + Relu_2 + MaxPool_3"/' -e "s/Outputs\": \[{\"Name\": \"a\"[^}]*}/Outputs\": [$(tensor r "$codes" | sed 's,/,\\/,g')/" in/layers.json >in/fused.json

# node NAME OP MICROSECONDS TYPE: an event of ONNX Runtime's profile.
node() {
  printf '{"cat": "Node", "name": "%s_kernel_time", "dur": %s, "ts": 1, "ph": "X", "args": {"op_name": "%s", "provider": "CPUExecutionProvider", "input_type_shape": [{"%s": [1, 3]}], "output_type_shape": [{"%s": [1, 3]}]}}' "$1" "$3" "$2" "$4" "$4"
}
echo "[$(node conv_a QLinearConv 100 uint8), $(node pool MaxPool 20 uint8), $(node gone Softmax 5 float)]" >in/events.json
echo "[$(node conv_a Conv 300 float), $(node pool MaxPool 20 uint8)]" >in/float_events.json
