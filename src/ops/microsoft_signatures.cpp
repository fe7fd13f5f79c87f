#include "ops/microsoft_signatures.h"

#include "ops/signature_row.h"

namespace detent {

namespace {

// Notation: signature_notation.h. Source: onnxruntime, docs/ContribOperators.md.
constexpr SignatureRow kMicrosoftRows[] = {
    {"Attention",
     "input:T weights:T bias:T? mask_index:i32? past:T? attention_bias:T? past_sequence_length:i32? -> output:T "
     "present:T?; do_rotary:int mask_filter_value:float num_heads:int! past_present_share_buffer:int "
     "qkv_hidden_sizes:ints rotary_embedding_dim:int scale:float unidirectional:int T=f32,f16,bf16"},
    {"BiasGelu", "A:T B:T -> C:T; T=float,bf16"},
    {"DynamicQuantizeLSTM",
     "X:T W:T2 R:T2 B:T? sequence_lens:i32? initial_h:T? initial_c:T? P:T? W_scale:f32 W_zero_point:T2 R_scale:f32 "
     "R_zero_point:T2 -> Y:T? Y_h:T? Y_c:T?; activation_alpha:floats activation_beta:floats activations:strings "
     "clip:float direction:string(forward|reverse|bidirectional) hidden_size:int input_forget:int T=f32 T2=i8,u8"},
    {"DynamicQuantizeMatMul", "A:f32 B:T b_scale:f32 b_zero_point:T? bias:f32? -> Y:f32; T=i8,u8"},
    {"EmbedLayerNormalization",
     "input_ids:i32 segment_ids:i32? word_embedding:T position_embedding:T segment_embedding:T? gamma:T beta:T "
     "mask:i32? position_ids:i32? -> output:T mask_index:i32? embedding_sum:T?; epsilon:float mask_index_type:int "
     "T=f32,f16"},
    {"FastGelu", "X:T bias:T? -> Y:T; T=float,bf16"},
    {"FusedConv",
     "X:T W:T B:T? Z:T? -> Y:T; activation:string activation_params:floats "
     "auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) dilations:ints group:int kernel_shape:ints pads:ints "
     "strides:ints T=float"},
    {"FusedGemm",
     "A:T B:T C:T? -> Y:T; activation:string activation_alpha:float activation_beta:float activation_gamma:float "
     "alpha:float beta:float transA:int transB:int T=float,u32,u64,i32,i64"},
    {"FusedMatMul", "A:T B:T -> Y:T; alpha:float transA:int transB:int transBatchA:int transBatchB:int T=float,bf16"},
    {"Gelu", "X:T -> Y:T; T=float,bf16"},
    {"GroupQueryAttention",
     "query:T key:T? value:T? past_key:C? past_value:C? seqlens_k:i32 total_sequence_length:i32 cos_cache:T? "
     "sin_cache:T? position_ids:i64? attention_bias:T? head_sink:T? k_scale:f32? v_scale:f32? q_norm_weight:T? "
     "k_norm_weight:T? -> output:T present_key:C? present_value:C? output_qk:T?; causal:int do_rotary:int "
     "k_quant_type:string kv_cache_bit_width:int kv_num_heads:int! local_window_size:int num_heads:int! "
     "qk_norm_epsilon:float qk_output:int rotary_interleaved:int scale:float sliding_window_cache:int "
     "smooth_softmax:int softcap:float v_quant_type:string T=f32,f16,bf16 C=f32,f16,bf16,u8,i8,e4m3"},
    {"LayerNormalization",
     "X:T Scale:V B:V? -> Y:V Mean:U? InvStdVar:U?; axis:int epsilon:float stash_type:int T=float,bf16 V=float,bf16 "
     "U=float,bf16"},
    {"MatMulIntegerToFloat",
     "A:T1 B:T2 a_scale:f32 b_scale:f32 a_zero_point:T1? b_zero_point:T2? bias:f32? -> Y:f32; T1=i8,u8 T2=i8,u8"},
    {"MatMulNBits",
     "A:T1 B:u8 scales:T1 zero_points:T3? g_idx:i32? bias:T1? -> Y:T1; K:int! N:int! accuracy_level:int bits:int "
     "block_size:int! weight_prepacked:int T1=f32,f16,bf16 T3=u8,f32,f16,bf16"},
    {"MultiHeadAttention",
     "query:T key:T? value:T? bias:T? key_padding_mask:i32? attention_bias:T? past_key:T? past_value:T? "
     "past_sequence_length:i32? cache_indirection:i32? -> output:T present_key:T? present_value:T? qk:Q?; "
     "mask_filter_value:float num_heads:int! scale:float unidirectional:int T=f32,f16,bf16 Q=f32,f16,bf16"},
    {"NhwcMaxPool",
     "x:T -> y:T; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) ceil_mode:int dilations:ints kernel_shape:ints! "
     "pads:ints strides:ints T=i8,u8"},
    {"QGemm",
     "A:TA a_scale:f32 a_zero_point:TA B:TB b_scale:f32 b_zero_point:TB C:i32? y_scale:f32? y_zero_point:TY? -> Y:Y; "
     "alpha:float transA:int transB:int TA=i8,u8 TB=i8,u8 TY=i8,u8 Y=f32,i8,u8"},
    {"QLinearAdd QLinearMul",
     "A:T A_scale:f32 A_zero_point:T? B:T B_scale:f32 B_zero_point:T? C_scale:f32 C_zero_point:T? -> C:T; T=i8,u8"},
    {"QLinearAveragePool",
     "X:T x_scale:f32 x_zero_point:T? y_scale:f32 y_zero_point:T? -> Y:T; "
     "auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) ceil_mode:int channels_last:int count_include_pad:int "
     "kernel_shape:ints! pads:ints strides:ints T=i8,u8"},
    {"QLinearConcat", "Y_scale:f32 Y_zero_point:T inputs:V+ -> Y:T; axis:int! T=i8,u8 V=i8,u8,f32"},
    {"QLinearConv",
     "x:T1 x_scale:f32 x_zero_point:T1 w:T2 w_scale:f32 w_zero_point:T2 y_scale:f32 y_zero_point:T3 B:i32? -> y:T3; "
     "auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) channels_last:int dilations:ints group:int "
     "kernel_shape:ints pads:ints strides:ints T1=i8,u8 T2=i8,u8 T3=i8,u8"},
    {"QLinearGlobalAveragePool",
     "X:T x_scale:f32 x_zero_point:T y_scale:f32 y_zero_point:T -> Y:T; channels_last:int T=i8,u8"},
    {"QLinearLeakyRelu", "X:T X_scale:f32 X_zero_point:T? Y_scale:f32 Y_zero_point:T? -> Y:T; alpha:float T=i8,u8"},
    {"QLinearSigmoid", "X:T X_scale:f32 X_zero_point:T? Y_scale:f32 Y_zero_point:T? -> Y:T; T=i8,u8"},
    {"QLinearSoftmax",
     "X:T X_scale:f32 x_zero_point:T? y_scale:f32 y_zero_point:T -> Y:T; axis:int opset:int! T=i8,u8"},
    {"QLinearWhere",
     "condition:bool X:T x_scale:f32 x_zero_point:T Y:T y_scale:f32 y_zero_point:T z_scale:f32 z_zero_point:T -> Z:T; "
     "T=i8,u8"},
    {"QuickGelu", "X:T -> Y:T; alpha:float T=float,bf16"},
    {"RotaryEmbedding",
     "input:T position_ids:i64 cos_cache:T sin_cache:T -> output:T; interleaved:int is_packed_batching:int "
     "num_heads:int rotary_embedding_dim:int scale:float T=f32,f16,bf16"},
    {"SimplifiedLayerNormalization",
     "X:T scale:V -> Y:V inv_std_var:U?; axis:int epsilon:float stash_type:int T=float,bf16 V=float,bf16 "
     "U=float,bf16"},
    {"SkipLayerNormalization",
     "input:T skip:T gamma:T beta:T? bias:T? -> output:T mean:f32? inv_std_var:f32? input_skip_bias_sum:T?; "
     "epsilon:float T=f32,f16,bf16"},
    {"SkipSimplifiedLayerNormalization",
     "input:T skip:T gamma:T bias:T? -> output:T mean:f32? inv_std_var:f32? input_skip_bias_sum:T?; epsilon:float "
     "T=f32,f16,bf16"},
    {"TransposeMatMul", "A:T B:T -> Y:T; alpha:float transA:int transB:int T=float,bf16"},
};

}  // namespace

const Signature* find_microsoft_signature(std::string_view op_type) {
  static const SignatureTable table = read_rows(kMicrosoftRows);
  const auto found = table.find(op_type);
  return found == table.end() ? nullptr : &found->second.front();
}

}  // namespace detent
