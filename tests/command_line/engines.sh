# shellcheck shell=sh
# Sourced after expect.sh: small made-up engines in in/.
. "$here/networks.sh"

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

# A network with a Resize in front of a Concat and a float Softmax between INT8 Convs, and its engine.
network coded "(float[1, 4, 8, 8] x) => (float[1, 4, 8, 8] y)
  <float s = {0.1}, int8 z = {0}, float[4] scales = {1, 1, 1, 1}, float[4,4,1,1] w = {$(numbers 16)}, float[4,8,1,1] v = {$(numbers 32)}>" "
  xq = QuantizeLinear (x, s, z)  xd = DequantizeLinear (xq, s, z)
  a = Conv (xd, w)  b = Relu (a)  r = Resize (b, , scales)
  c = Conv (xd, w)  j = Concat <axis = 1> (r, c)
  jq = QuantizeLinear (j, s, z)  jd = DequantizeLinear (jq, s, z)
  d = Conv (jd, v)  e = Softmax <axis = 1> (d)
  eq = QuantizeLinear (e, s, z)  ed = DequantizeLinear (eq, s, z)
  y = Conv (ed, w)"
# convolution NAME INPUT OUTPUT TYPE: a layer of INT8.
convolution() {
  printf '{"Name": "%s", "LayerType": "CaskConvolution", "Inputs": [%s], "Outputs": [%s], "Weights": {"Type": "Int8", "Count": 16}}' \
    "$1" "$(tensor "$2" "$codes")" "$(tensor "$3" "$4")"
}
# mover NAME ORIGIN INPUT TYPE OUTPUT TYPE: a Reformat.
mover() {
  printf '{"Name": "%s", "LayerType": "Reformat", "Inputs": [%s], "Outputs": [%s], "Origin": "%s"}' \
    "$1" "$(tensor "$3" "$4")" "$(tensor "$5" "$6")" "$2"
}
cat >in/coded.json <<END
{"Layers": [
$(mover QuantizeLinear_0 QDQ x "$float" xq "$codes"),
$(convolution "w + Conv_2 + Relu_3" xq b "$codes"),
{"Name": "Resize_4", "LayerType": "Resize", "Inputs": [$(tensor b "$codes")], "Outputs": [$(tensor r "$codes")]},
$(mover "r copy" CONCAT r "$codes" jq "$codes"),
$(convolution "w + Conv_5" xq jq "$codes"),
$(convolution "v + Conv_9" jq d "$float"),
$(mover "Reformatting CopyNode for Input Tensor 0 to Softmax_10" REFORMAT d "$float" f "Channel major FP32 format"),
{"Name": "Softmax_10", "LayerType": "CudaSoftMax", "Inputs": [$(tensor f "Channel major FP32 format")], "Outputs": [$(tensor e "$float")]},
$(mover QuantizeLinear_11 QDQ e "$float" eq "$codes"),
$(convolution "w + Conv_13" eq y "$float")
], "Bindings": ["x", "y"]}
END

# node NAME OP MICROSECONDS TYPE: an event of ONNX Runtime's profile.
node() {
  printf '{"cat": "Node", "name": "%s_kernel_time", "dur": %s, "ts": 1, "ph": "X", "args": {"op_name": "%s", "provider": "CPUExecutionProvider", "input_type_shape": [{"%s": [1, 3]}], "output_type_shape": [{"%s": [1, 3]}]}}' "$1" "$3" "$2" "$4" "$4"
}
echo "[$(node conv_a QLinearConv 100 uint8), $(node pool MaxPool 20 uint8), $(node gone Softmax 5 float)]" >in/events.json
echo "[$(node conv_a Conv 300 float), $(node pool MaxPool 20 uint8)]" >in/float_events.json

# The tables of Rockchip's compiler: an INT8 Conv, a float Sigmoid, and a Reshape on the CPU.
sed 's/^/D RKNN: [12:00:00.000] /' >in/compiler.log <<'END'
Network Layer Information Table
0 InputOperator INT8 CPU \ (1,3,8,8) 0/0/0 0 InputOperator:x
1 ConvRelu INT8 NPU (1,3,8,8),(16,3,3,3),(16) (1,16,8,8) 132/3000000/3000000 50 Conv:conv_a
2 Sigmoid FLOAT16 NPU (1,16,8,8) (1,16,8,8) 10/1000000/1000000 2 Sigmoid:Sigmoid_2
3 Reshape FLOAT16 CPU (1,16,8,8),(2) (1,1024) 0/0/0 2 Reshape:y-rs
4 OutputOperator FLOAT16 CPU (1,1024) \ 0/0/0 2 OutputOperator:y
Feature Tensor Information Table
1 ConvRelu x INT8 NC1HWC2 (1,3,8,8) (1,1,8,8,3) | 0x0 0x1 0x1
2 Sigmoid r FLOAT16 NC1HWC2 (1,16,8,8) (1,2,8,8,8) | 0x0 0x1 0x1
3 Reshape s FLOAT16 UNDEFINED (1,16,8,8) (1,16,8,8) | 0x0 0x1 0x1
END
