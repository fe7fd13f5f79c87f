#include "ops/signatures.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "model/graph/graph.h"
#include "ops/microsoft_signatures.h"
#include "ops/signature_row.h"

namespace detent {

namespace {

// Notation: signature_notation.h. Source: ONNX, docs/Changelog.md. Tests compare the rows with the schemas of libonnx
// up to opset 17; up to opset 26 the types were compared, operator by operator and type by type, with the models that
// ONNX Runtime 1.30 takes.
constexpr SignatureRow kRows[] = {
    {"Abs", "X:T -> Y:T; T=number | 13: T+bf16"},
    {"Acos Asin Atan Cos Sin Softsign Tan", "input:T -> output:T; T=float | 22: T+bf16"},
    {"Acosh Asinh Atanh Cosh Sinh", "9: input:T -> output:T; T=float | 22: T+bf16"},
    {"Add Div Mul Sub", "A:T B:T -> C:T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 14: T+i8,i16,u8,u16"},
    {"AffineGrid", "20: theta:T1 size:i64 -> grid:T1; align_corners:int T1=float,bf16"},
    {"And Or Xor", "A:bool B:bool -> C:bool"},
    {"ArgMax ArgMin", "data:T -> reduced:i64; axis:int keepdims:int T=number | 12: select_last_index:int | 13: T+bf16"},
    {"Attention",
     "23: Q:T1 K:T1 V:T2 attn_mask:U? past_key:T1? past_value:T2? -> Y:T1 present_key:T1? present_value:T2? "
     "qk_matmul_output:T1?; is_causal:int kv_num_heads:int q_num_heads:int qk_matmul_output_mode:int scale:float "
     "softcap:float softmax_precision:int T1=float,bf16 T2=float,bf16 U=number,bf16,bool | 24: Q:T1 K:T1 V:T2 "
     "attn_mask:U? past_key:T1? past_value:T2? nonpad_kv_seqlen:i64? -> Y:T1 present_key:T1? present_value:T2? "
     "qk_matmul_output:T1?; left_window_size:int right_window_size:int"},
    {"AveragePool",
     "X:T -> Y:T; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) count_include_pad:int kernel_shape:ints! "
     "pads:ints strides:ints T=float | 10: ceil_mode:int | 19: dilations:ints | 22: T+bf16"},
    {"BatchNormalization",
     "X:T scale:T B:T mean:T var:T -> Y:T mean:T? var:T? saved_mean:T? saved_var:T?; epsilon:float momentum:float "
     "spatial:int T=float | 9: -spatial | 14: X:T scale:T B:T input_mean:U input_var:U -> Y:T running_mean:U? "
     "running_var:U?; training_mode:int T+bf16 U=float,bf16 | 15: X:T scale:T1 B:T1 input_mean:T2 input_var:T2 -> Y:T "
     "running_mean:T2? running_var:T2?; T1=float,bf16 T2=float,bf16"},
    {"Bernoulli",
     "15: input:T1 -> output:T2@dtype=T1; dtype:int seed:float T1=float T2=number,bf16,bool | 22: T1+bf16"},
    {"BitCast",
     "26: input:T1 -> output:T2@to; to:int! T1=number,bf16,bool,fp8,i4,u4,f4,e8m0,i2,u2 "
     "T2=number,bf16,bool,fp8,i4,u4,f4,e8m0,i2,u2"},
    {"BitShift", "11: X:T Y:T -> Z:T; direction:string(LEFT|RIGHT)! T=unsigned"},
    {"BitwiseAnd BitwiseOr BitwiseXor", "18: A:T B:T -> C:T; T=int"},
    {"BitwiseNot", "18: X:T -> Y:T; T=int"},
    {"BlackmanWindow HammingWindow HannWindow",
     "17: size:T1 -> output:T2@output_datatype=f32; output_datatype:int periodic:int T1=i32,i64 T2=number,bf16"},
    {"Cast",
     "input:T1 -> output:T2@to; to:int! T1=number,bool T2=number,bool | 9: T1+string T2+string | 13: T1+bf16 T2+bf16 | "
     "19: saturate:int T1+fp8 T2+fp8 | 21: T1+i4,u4 T2+i4,u4 | 23: T1+f4 T2+f4 | 24: "
     "round_mode:string(up|down|nearest) T1+e8m0 T2+e8m0 | 25: T1+i2,u2 T2+i2,u2"},
    {"CastLike",
     "15: input:T1 target_type:T2 -> output:T2; T1=any,bf16 T2=any,bf16 | 19: saturate:int T1+fp8 T2+fp8 | 21: "
     "T1+i4,u4 T2+i4,u4 | 23: T1+f4 T2+f4 | 24: round_mode:string(up|down|nearest) T1+e8m0 T2+e8m0 | 25: T1+i2,u2 "
     "T2+i2,u2"},
    {"CausalConvWithState",
     "27: input:T weight:T bias:T? past_state:T? -> output:T present_state:T; activation:string(none|silu|swish) "
     "T=f16,f32,bf16"},
    {"Ceil Floor Reciprocal Sigmoid Sqrt", "X:T -> Y:T; T=float | 13: T+bf16"},
    {"Celu", "12: X:f32 -> Y:f32; alpha:float"},
    {"CenterCropPad", "18: input_data:T shape:Tind -> output_data:T; axes:ints T=any,bf16 Tind=i32,i64"},
    {"Clip",
     "input:T -> output:T; max:float min:float T=float | 11: input:T min:T? max:T? -> output:T; -max -min | 12: T+int "
     "| 13: T+bf16"},
    {"Col2Im",
     "18: input:T image_shape:i64 block_shape:i64 -> output:T; dilations:ints pads:ints strides:ints T=any,bf16"},
    {"Compress", "9: input:T condition:bool -> output:T; axis:int T=any"},
    {"Concat", "inputs:T+ -> concat_result:T; axis:int! T=any | 13: T+bf16"},
    {"ConcatFromSequence", "11: input_sequence:seq -> concat_result:T; axis:int! new_axis:int T=any"},
    {"Constant",
     "-> output; value:tensor! | 11: sparse_value:sparse_tensor value:tensor | 12: value_float:float "
     "value_floats:floats value_int:int value_ints:ints value_string:string value_strings:strings"},
    {"ConstantOfShape",
     "9: input:i64 -> output:T@value=f32; value:tensor T=number,bool | 20: T+bf16,fp8 | 21: T+i4,u4 | 23: T+f4 | 24: "
     "T+e8m0 | 25: T+i2,u2"},
    {"Conv",
     "X:T W:T B:T? -> Y:T; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) dilations:ints group:int "
     "kernel_shape:ints pads:ints strides:ints T=float | 22: T+bf16"},
    {"ConvInteger",
     "10: x:T1 w:T2 x_zero_point:T1? w_zero_point:T2? -> y:i32; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) "
     "dilations:ints group:int kernel_shape:ints pads:ints strides:ints T1=i8,u8 T2=i8,u8"},
    {"ConvTranspose",
     "X:T W:T B:T? -> Y:T; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) dilations:ints group:int "
     "kernel_shape:ints output_padding:ints output_shape:ints pads:ints strides:ints T=float | 22: T+bf16"},
    {"CumProd", "26: x:T axis:T2 -> y:T; exclusive:int reverse:int T=float,bf16,i32,i64,u32,u64 T2=i32,i64"},
    {"CumSum",
     "11: x:T axis:T2 -> y:T; exclusive:int reverse:int T=f32,f64,i32,i64,u32,u64 T2=i32,i64 | 14: T+f16,bf16"},
    {"DeformConv",
     "19: X:T W:T offset:T B:T? mask:T? -> Y:T; dilations:ints group:int kernel_shape:ints offset_group:int pads:ints "
     "strides:ints T=float | 22: T+bf16"},
    {"DepthToSpace", "input:T -> output:T; blocksize:int! T=any | 11: mode:string(DCR|CRD) | 13: T+bf16"},
    {"DequantizeLinear",
     "10: x:T x_scale:f32 x_zero_point:T? -> y:f32; T=i8,i32,u8 | 13: axis:int | 19: x:T x_scale:S x_zero_point:T? -> "
     "y:S; T+fp8 S=f16,f32,bf16 | 21: block_size:int T+i16,u16,i4,u4 | 23: x:T x_scale:S x_zero_point:T? -> "
     "y:T3@output_dtype=S; output_dtype:int T+f4 T3=f16,f32,bf16 | 24: S+e8m0 | 25: T+i2,u2"},
    {"Det Round", "11: X:T -> Y:T; T=float | 22: T+bf16"},
    {"DFT",
     "17: input:T1 dft_length:T2? -> output:T1; axis:int inverse:int onesided:int T1=float,bf16 T2=i32,i64 | 20: "
     "input:T1 dft_length:T2? axis:i64? -> output:T1; -axis"},
    {"Dropout",
     "data:T -> output:T mask:T?; ratio:float T=float | 10: data:T -> output:T mask:T1?; T1=bool | 12: data:T "
     "ratio:T1? training_mode:bool? -> output:T mask:bool?; -ratio seed:int T1=float | 13: T+bf16 | 22: T+fp8 "
     "T1+bf16,fp8"},
    {"DynamicQuantizeLinear", "11: x:f32 -> y:u8 y_scale:f32 y_zero_point:u8"},
    {"Einsum", "12: Inputs:T+ -> Output:T; equation:string! T=number"},
    {"Elu", "X:T -> Y:T; alpha:float T=float | 22: T+bf16"},
    {"Equal", "A:T B:T -> C:bool; T=i32,i64,bool | 11: T+float,unsigned,i8,i16 | 13: T+bf16 | 19: T+string"},
    {"Erf Sign", "9: input:T -> output:T; T=number | 13: T+bf16"},
    {"Exp Log Tanh", "input:T -> output:T; T=float | 13: T+bf16"},
    {"Expand", "8: input:T shape:i64 -> output:T; T=any | 13: T+bf16"},
    {"EyeLike",
     "9: input:T1 -> output:T2@dtype=T1; dtype:int k:int T1=number,bool T2=number,bool | 22: T1+bf16 T2+bf16"},
    {"Flatten",
     "input:T -> output:T; axis:int T=float | 9: T+int,bool,string | 13: T+bf16 | 21: T+fp8,i4,u4 | 23: T+f4 | 24: "
     "T+e8m0 | 25: T+i2,u2"},
    {"Gather", "data:T indices:Tind -> output:T; axis:int T=any Tind=i32,i64 | 13: T+bf16"},
    {"GatherElements", "11: data:T indices:Tind -> output:T; axis:int T=any Tind=i32,i64 | 13: T+bf16"},
    {"GatherND", "11: data:T indices:i64 -> output:T; T=any | 12: batch_dims:int | 13: T+bf16"},
    {"Gelu", "20: X:T -> Y:T; approximate:string(none|tanh) T=float,bf16"},
    {"Gemm",
     "A:T B:T C:T -> Y:T; alpha:float beta:float transA:int transB:int T=float | 9: T+i32,i64,u32,u64 | 11: A:T B:T "
     "C:T? -> Y:T | 13: T+bf16"},
    {"GlobalAveragePool GlobalMaxPool Softplus", "X:T -> Y:T; T=float | 22: T+bf16"},
    {"GlobalLpPool", "X:T -> Y:T; p:int T=float | 22: T+bf16"},
    {"Greater Less", "A:T B:T -> C:bool; T=float | 9: T+int | 13: T+bf16"},
    {"GreaterOrEqual LessOrEqual", "12: A:T B:T -> C:bool; T=number | 16: T+bf16"},
    {"GridSample",
     "16: X:T1 grid:T2 -> Y:T1; align_corners:int mode:string padding_mode:string(zeros|border|reflection) T1=any "
     "T2=float | 22: T1+bf16 T2+bf16"},
    {"GroupNormalization",
     "18: X:T scale:T bias:T -> Y:T; epsilon:float num_groups:int! T=float,bf16 | 21: stash_type:int"},
    {"GRU",
     "X:T W:T R:T B:T? sequence_lens:i32? initial_h:T? -> Y:T? Y_h:T?; activation_alpha:floats activation_beta:floats "
     "activations:strings clip:float direction:string(forward|reverse|bidirectional) hidden_size:int "
     "linear_before_reset:int T=float | 14: layout:int | 22: T+bf16"},
    {"Hardmax LogSoftmax Softmax", "input:T -> output:T; axis:int T=float | 13: T+bf16"},
    {"HardSigmoid", "X:T -> Y:T; alpha:float beta:float T=float | 22: T+bf16"},
    {"HardSwish", "14: X:T -> Y:T; T=float | 22: T+bf16"},
    {"Identity",
     "input:T -> output:T; T=any | 13: T+bf16 | 14: input:V -> output:V; V=any,bf16,seq | 19: V+fp8 | 21: V+i4,u4 | "
     "23: V+f4 | 24: V+e8m0 | 25: V+i2,u2"},
    {"If", "cond -> outputs+; else_branch:graph! then_branch:graph!"},
    {"InstanceNormalization", "input:T scale:T B:T -> output:T; epsilon:float T=float | 22: T+bf16"},
    {"IsInf", "10: X:T1 -> Y:bool; detect_negative:int detect_positive:int T1=f32,f64 | 20: T1+f16,bf16,fp8"},
    {"IsNaN", "9: X:T1 -> Y:bool; T1=float | 13: T1+bf16 | 20: T1+fp8"},
    {"LayerNormalization",
     "17: X:T Scale:T B:T? -> Y:T Mean:U@stash_type=f32? InvStdDev:U@stash_type=f32?; axis:int epsilon:float "
     "stash_type:int T=float,bf16 U=f32,bf16"},
    {"LeakyRelu", "X:T -> Y:T; alpha:float T=float | 16: T+bf16"},
    {"LinearAttention",
     "27: query:T key:T value:T past_state:S? decay:T? beta:T? -> output:T present_state:S; chunk_size:int "
     "kv_num_heads:int! q_num_heads:int! scale:float update_rule:string(linear|gated|delta|gated_delta) T=f16,f32,bf16 "
     "S=f16,f32,bf16"},
    {"Loop",
     "M? cond? v_initial+ -> v_final_and_scan_outputs+; body:graph! | 11: M? cond? v_initial* -> "
     "v_final_and_scan_outputs+"},
    {"LpNormalization", "input:T -> output:T; axis:int p:int T=float | 22: T+bf16"},
    {"LpPool",
     "X:T -> Y:T; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) kernel_shape:ints! p:int pads:ints strides:ints "
     "T=float | 18: ceil_mode:int dilations:ints | 22: T+bf16"},
    {"LRN", "X:T -> Y:T; alpha:float beta:float bias:float size:int! T=float | 13: T+bf16"},
    {"LSTM",
     "X:T W:T R:T B:T? sequence_lens:i32? initial_h:T? initial_c:T? P:T? -> Y:T? Y_h:T? Y_c:T?; "
     "activation_alpha:floats activation_beta:floats activations:strings clip:float "
     "direction:string(forward|reverse|bidirectional) hidden_size:int input_forget:int T=float | 14: layout:int | 22: "
     "T+bf16"},
    {"MatMul", "A:T B:T -> Y:T; T=float | 9: T+i32,i64,u32,u64 | 13: T+bf16"},
    {"MatMulInteger", "10: A:T1 B:T2 a_zero_point:T1? b_zero_point:T2? -> Y:i32; T1=i8,u8 T2=i8,u8"},
    {"Max Min", "data:T+ -> result:T; T=float | 12: T+int | 13: T+bf16"},
    {"MaxPool",
     "X:T -> Y:T; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) kernel_shape:ints! pads:ints strides:ints "
     "T=float | 8: X:T -> Y:T Indices:i64?; storage_order:int | 10: ceil_mode:int dilations:ints | 12: T+i8,u8 | 22: "
     "T+bf16"},
    {"MaxRoiPool", "X:T rois:T -> Y:T; pooled_shape:ints! spatial_scale:float T=float | 22: T+bf16"},
    {"MaxUnpool",
     "9: X:T1 I:i64 output_shape:i64? -> output:T1; kernel_shape:ints! pads:ints strides:ints T1=float | 22: T1+bf16"},
    {"Mean Sum", "data:T+ -> result:T; T=float | 13: T+bf16"},
    {"MeanVarianceNormalization", "9: X:T -> Y:T; axes:ints T=float | 13: T+bf16"},
    {"MelWeightMatrix",
     "17: num_mel_bins:T1 dft_length:T1 sample_rate:T1 lower_edge_hertz:T2 upper_edge_hertz:T2 -> "
     "output:T3@output_datatype=f32; output_datatype:int T1=i32,i64 T2=float,bf16 T3=number,bf16"},
    {"Mish", "18: X:T -> Y:T; T=float | 22: T+bf16"},
    {"Mod", "10: A:T B:T -> C:T; fmod:int T=number | 13: T+bf16"},
    {"Multinomial",
     "input:T1 -> output:T2@dtype=i32; dtype:int sample_size:int seed:float T1=float T2=i32,i64 | 22: T1+bf16"},
    {"Neg", "X:T -> Y:T; T=float,signed | 13: T+bf16"},
    {"NegativeLogLikelihoodLoss",
     "12: input:T target:Tind weight:T? -> loss:T; ignore_index:int reduction:string(none|sum|mean) T=float "
     "Tind=i32,i64 | 22: T+bf16"},
    {"NonMaxSuppression",
     "10: boxes:f32 scores:f32 max_output_boxes_per_class:i64? iou_threshold:f32? score_threshold:f32? -> "
     "selected_indices:i64; center_point_box:int"},
    {"NonZero", "9: X:T -> Y:i64; T=any | 13: T+bf16"},
    {"Not", "X:bool -> Y:bool"},
    {"OneHot", "9: indices:T1 depth:T2 values:T3 -> output:T3; axis:int T1=number T2=number T3=any"},
    {"Optional", "input? -> output; type:type"},
    {"OptionalGetElement", "input -> output"},
    {"OptionalHasElement", "input -> output | 18: input? -> output"},
    {"Pad",
     "data:T -> output:T; mode:string(constant|reflect|edge) pads:ints! value:float T=float | 11: data:T pads:i64 "
     "constant_value:T? -> output:T; -pads -value T+int | 13: T+bf16,bool,string | 18: data:T pads:i64 "
     "constant_value:T? axes:Tind? -> output:T; Tind=i32,i64 | 19: mode:string(constant|reflect|edge|wrap) | 21: "
     "T+fp8,i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Pow", "X:T Y:T -> Z:T; T=float | 12: X:T Y:T1 -> Z:T; T+i32,i64 T1=number | 13: T+bf16 | 15: T1+bf16"},
    {"PRelu", "X:T slope:T -> Y:T; T=float | 9: T+i32,i64,u32,u64 | 16: T+bf16"},
    {"QLinearConv",
     "10: x:T1 x_scale:f32 x_zero_point:T1 w:T2 w_scale:f32 w_zero_point:T2 y_scale:f32 y_zero_point:T3 B:i32? -> "
     "y:T3; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) dilations:ints group:int kernel_shape:ints pads:ints "
     "strides:ints T1=i8,u8 T2=i8,u8 T3=i8,u8"},
    {"QLinearMatMul",
     "10: a:T1 a_scale:f32 a_zero_point:T1 b:T2 b_scale:f32 b_zero_point:T2 y_scale:f32 y_zero_point:T3 -> y:T3; "
     "T1=i8,u8 T2=i8,u8 T3=i8,u8 | 21: a:T1 a_scale:S a_zero_point:T1 b:T2 b_scale:S b_zero_point:T2 y_scale:S "
     "y_zero_point:T3 -> y:T3; T1+fp8 T2+fp8 T3+fp8 S=f16,f32,bf16"},
    {"QuantizeLinear",
     "10: x:T1 y_scale:f32 y_zero_point:T2? -> y:T2@output_dtype=u8; T1=f32,i32 T2=i8,u8 | 13: axis:int | 19: x:T1 "
     "y_scale:T1 y_zero_point:T2? -> y:T2@output_dtype=u8; saturate:int T1+f16,bf16 T2+fp8 | 21: block_size:int "
     "output_dtype:int T2+i16,u16,i4,u4 | 23: x:T1 y_scale:S y_zero_point:T2? -> y:T2@output_dtype=u8; precision:int "
     "T2+f4 S=f16,f32,bf16,i32 | 24: S+e8m0 | 25: T2+i2,u2"},
    {"RandomNormal",
     "-> output:T@dtype=f32; dtype:int mean:float scale:float seed:float shape:ints! T=float | 22: T+bf16"},
    {"RandomNormalLike",
     "input:T1 -> output:T2@dtype=T1; dtype:int mean:float scale:float seed:float T1=any T2=float | 22: T1+bf16 "
     "T2+bf16"},
    {"RandomUniform",
     "-> output:T@dtype=f32; dtype:int high:float low:float seed:float shape:ints! T=float | 22: T+bf16"},
    {"RandomUniformLike",
     "input:T1 -> output:T2@dtype=T1; dtype:int high:float low:float seed:float T1=any T2=float | 22: T1+bf16 T2+bf16"},
    {"Range", "11: start:T limit:T delta:T -> output:T; T=f32,f64,i16,i32,i64 | 27: stash_type:int T+f16,bf16"},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd ReduceSumSquare",
     "data:T -> reduced:T; axes:ints keepdims:int T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: data:T axes:i64? -> "
     "reduced:T; -axes noop_with_empty_axes:int"},
    {"ReduceMax ReduceMin",
     "data:T -> reduced:T; axes:ints keepdims:int T=float,i32,i64,u32,u64 | 12: T+i8,u8 | 13: T+bf16 | 18: data:T "
     "axes:i64? -> reduced:T; -axes noop_with_empty_axes:int | 20: T+bool"},
    {"ReduceSum",
     "data:T -> reduced:T; axes:ints keepdims:int T=float,i32,i64,u32,u64 | 13: data:T axes:i64? -> reduced:T; -axes "
     "noop_with_empty_axes:int T+bf16"},
    {"RegexFullMatch", "20: X:string -> Y:bool; pattern:string"},
    {"Relu", "X:T -> Y:T; T=float | 13: T+bf16 | 14: T+signed"},
    {"Reshape",
     "data:T shape:i64 -> reshaped:T; T=any | 13: T+bf16 | 14: allowzero:int | 19: T+fp8 | 21: T+i4,u4 | 23: T+f4 | "
     "24: T+e8m0 | 25: T+i2,u2"},
    {"Resize",
     "10: X:T scales:f32 -> Y:T; mode:string T=any | 11: X:T1 roi:T2 scales:f32 sizes:i64? -> Y:T1; "
     "coordinate_transformation_mode:string cubic_coeff_a:float exclude_outside:int extrapolation_value:float "
     "nearest_mode:string T1=any T2=float | 13: X:T1 roi:T2? scales:f32? sizes:i64? -> Y:T1; T1+bf16 | 18: "
     "antialias:int axes:ints keep_aspect_ratio_policy:string"},
    {"ReverseSequence", "10: input:T sequence_lens:i64 -> Y:T; batch_axis:int time_axis:int T=any"},
    {"RMSNormalization", "23: X:T scale:V -> Y:V; axis:int epsilon:float stash_type:int T=float,bf16 V=float,bf16"},
    {"RNN",
     "X:T W:T R:T B:T? sequence_lens:i32? initial_h:T? -> Y:T? Y_h:T?; activation_alpha:floats activation_beta:floats "
     "activations:strings clip:float direction:string(forward|reverse|bidirectional) hidden_size:int T=float | 14: "
     "layout:int | 22: T+bf16"},
    {"RoiAlign",
     "10: X:T1 rois:T1 batch_indices:i64 -> Y:T1; mode:string(avg|max) output_height:int output_width:int "
     "sampling_ratio:int spatial_scale:float T1=float | 16: "
     "coordinate_transformation_mode:string(half_pixel|output_half_pixel) | 22: T1+bf16"},
    {"RotaryEmbedding",
     "23: X:T cos_cache:T sin_cache:T position_ids:i64? -> Y:T; interleaved:int num_heads:int rotary_embedding_dim:int "
     "T=f16,f32,bf16"},
    {"Scan",
     "8: sequence_lens? initial_state_and_scan_inputs+ -> final_state_and_scan_outputs+; body:graph! directions:ints "
     "num_scan_inputs:int! | 9: initial_state_and_scan_inputs+ -> final_state_and_scan_outputs+; -directions "
     "scan_input_axes:ints scan_input_directions:ints scan_output_axes:ints scan_output_directions:ints"},
    {"Scatter", "9: data:T indices:Tind updates:T -> output:T; axis:int T=any Tind=i32,i64"},
    {"ScatterElements",
     "11: data:T indices:Tind updates:T -> output:T; axis:int T=any Tind=i32,i64 | 13: T+bf16 | 16: "
     "reduction:string(none|add|mul) | 18: reduction:string(none|add|mul|min|max)"},
    {"ScatterND",
     "11: data:T indices:i64 updates:T -> output:T; T=any | 13: T+bf16 | 16: reduction:string(none|add|mul) | 18: "
     "reduction:string(none|add|mul|min|max)"},
    {"Selu", "X:T -> Y:T; alpha:float gamma:float T=float | 22: T+bf16"},
    {"SequenceAt", "11: input_sequence:seq position:I -> tensor:T; T=any I=i32,i64"},
    {"SequenceConstruct", "11: inputs:T+ -> output_sequence:seq; T=any"},
    {"SequenceEmpty", "11: -> output:seq; dtype:int"},
    {"SequenceErase", "11: input_sequence:seq position:I? -> output_sequence:seq; I=i32,i64"},
    {"SequenceInsert", "11: input_sequence:seq tensor:T position:I? -> output_sequence:seq; T=any I=i32,i64"},
    {"SequenceLength", "11: input_sequence:seq -> length:i64"},
    {"SequenceMap", "input_sequence additional_inputs* -> out_sequence+; body:graph!"},
    {"Shape",
     "data:T -> shape:i64; T=any | 13: T+bf16 | 15: end:int start:int | 19: T+fp8 | 21: T+i4,u4 | 23: T+f4 | 24: "
     "T+e8m0 | 25: T+i2,u2"},
    {"Shrink", "9: input:T -> output:T; bias:float lambd:float T=number"},
    {"Size", "data:T -> size:i64; T=any | 13: T+bf16 | 19: T+fp8 | 21: T+i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Slice",
     "data:T -> output:T; axes:ints ends:ints! starts:ints! T=any | 10: data:T starts:Tind ends:Tind axes:Tind? "
     "steps:Tind? -> output:T; -axes -ends -starts Tind=i32,i64 | 13: T+bf16"},
    {"SoftmaxCrossEntropyLoss",
     "12: scores:T labels:Tind weights:T? -> output:T log_prob:T?; ignore_index:int reduction:string(none|sum|mean) "
     "T=float Tind=i32,i64 | 13: T+bf16"},
    {"SpaceToDepth", "input:T -> output:T; blocksize:int! T=any | 13: T+bf16"},
    {"Split",
     "input:T -> outputs:T+; axis:int split:ints T=any | 13: input:T split:i64? -> outputs:T+; -split T+bf16 | 18: "
     "num_outputs:int"},
    {"SplitToSequence",
     "11: input:T split:I? -> output_sequence:seq; axis:int keepdims:int T=any I=i32,i64 | 24: T+bf16"},
    {"Squeeze",
     "data:T -> squeezed:T; axes:ints T=any | 13: data:T axes:i64? -> squeezed:T; -axes T+bf16 | 21: T+fp8,i4,u4 | 23: "
     "T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"STFT",
     "17: signal:T1 frame_step:T2 window:T1? frame_length:T2? -> output:T1; onesided:int T1=float,bf16 T2=i32,i64"},
    {"StringConcat", "20: X:string Y:string -> Z:string"},
    {"StringNormalizer",
     "10: X:string -> Y:string; case_change_action:string is_case_sensitive:int locale:string stopwords:strings"},
    {"StringSplit", "20: X:string -> Y:string Z:i64; delimiter:string maxsplit:int"},
    {"SwiGLU", "28: A:T B:T -> Y:T; alpha:float T=float,bf16"},
    {"Swish", "24: X:T -> Y:T; alpha:float T=float,bf16"},
    {"TensorScatter",
     "24: past_cache:T update:T write_indices:i64? -> present_cache:T; axis:int mode:string(linear|circular) "
     "T=any,bf16,fp8,i4,u4,f4,e8m0"},
    {"TfIdfVectorizer",
     "9: X:T -> Y:f32; max_gram_length:int! max_skip_count:int! min_gram_length:int! mode:string(TF|IDF|TFIDF)! "
     "ngram_counts:ints! ngram_indexes:ints! pool_int64s:ints pool_strings:strings weights:floats T=i32,i64,string"},
    {"ThresholdedRelu", "10: X:T -> Y:T; alpha:float T=float | 22: T+bf16"},
    {"Tile", "input:T repeats:i64 -> output:T; T=any | 13: T+bf16"},
    {"TopK",
     "X:T -> Values:T Indices:i64; axis:int k:int! T=float | 10: X:T K:i64 -> Values:T Indices:i64; -k | 11: "
     "largest:int sorted:int T+int | 24: T+bf16"},
    {"Transpose",
     "data:T -> transposed:T; perm:ints T=any | 13: T+bf16 | 21: T+fp8,i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Trilu", "14: input:T k:i64? -> output:T; upper:int T=any,bf16"},
    {"Unique", "11: X:T -> Y:T indices:i64? inverse_indices:i64? counts:i64?; axis:int sorted:int T=any"},
    {"Unsqueeze",
     "data:T -> expanded:T; axes:ints! T=any | 13: data:T axes:i64 -> expanded:T; -axes T+bf16 | 21: T+fp8,i4,u4 | 23: "
     "T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Upsample", "X:T -> Y:T; mode:string scales:floats! T=any | 9: X:T scales:f32 -> Y:T; -scales"},
    {"Where", "9: condition:bool X:T Y:T -> output:T; T=any | 16: T+bf16"},
};

const SignatureTable& signature_table() {
  static const SignatureTable table = read_rows(kRows);
  return table;
}

}  // namespace

std::span<const Signature> signatures_of(std::string_view op_type) {
  const auto found = signature_table().find(op_type);
  return found == signature_table().end() ? std::span<const Signature>() : found->second;
}

const Signature* find_signature(std::string_view op_type, int64_t opset) {
  const std::span<const Signature> signatures = signatures_of(op_type);
  if (signatures.empty()) return nullptr;
  const auto later = std::ranges::find_if(signatures, [&](const Signature& one) { return one.since > opset; });
  return later == signatures.begin() ? &*later : &*(later - 1);
}

int64_t signature_opset(const Graph& graph, const Node& node) {
  constexpr int64_t kWideCodes = 21;
  const int64_t opset = graph.opset(node.domain);
  return node.of_microsoft ? std::max(opset, kWideCodes) : opset;
}

const Signature* find_node_signature(const Graph& graph, const Node& node) {
  if (node.domain == kMicrosoftDomain) return find_microsoft_signature(node.op_type);
  if (!node.domain.empty()) return nullptr;
  const int64_t opset = signature_opset(graph, node);
  const Signature* found = find_signature(node.op_type, opset);
  // ONNX Runtime's optimizer writes norms into ONNX's domain whatever the opset.
  const Signature* written = !found || found->since > opset ? find_microsoft_signature(node.op_type) : nullptr;
  return written ? written : found;
}

const Signature* find_typed_signature(const Graph& graph, const Node& node) {
  const Signature* found = find_node_signature(graph, node);
  const int64_t opset = signature_opset(graph, node);
  return found && found->since <= opset && !found->variables.empty() ? found : nullptr;
}

}  // namespace detent
