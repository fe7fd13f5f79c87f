// Each yes or no about an engine, with the test that shows its effect: there two engines, versions or devices differ
// because of it. tests/scripts/engines_asked_test.sh finds those tests and wants a row for each.
#include <gtest/gtest.h>

#include <set>

#include "place/engines/target.h"

namespace detent {
namespace {

struct OfEngine {
  Decided<bool> EngineDef::*member;
  const char* shown_by;  ///< "Suite.Name" of a test, or "file.Name" of a case in tests/place/cases or tests/lint/cases
};
struct OfTarget {
  Decided<bool> Target::*member;
  const char* shown_by;
};

constexpr OfEngine kOfEngines[] = {
    {&EngineDef::takes_pairs, "TargetList.DlaIsAVariantOfTensorRtThatTakesNoPairs"},
    {&EngineDef::whole_graph, "qnn.RecurrentLayersReadCodesOnEveryInput"},
    {&EngineDef::closes_outputs, "rknn.EveryValueOfALayerHasAPair"},
    {&EngineDef::pairs_beside_foreign, "weighted_ops.NoPairStandsBesideAnOperatorOfAnotherDomain"},
    {&EngineDef::narrow_weights, "WrittenFormats.LeaveOutTheLowestCodeWhereTheEngineWantsThat"},
    {&EngineDef::rescales_middle, "WrittenFormats.HaveNoZeroPointInTheMiddleWhereTheEngineReadsAnotherScaleThere"},
    {&EngineDef::channel_scales_of_products, "qnn.ProductsHaveOneScaleAndConvolutionsOneAChannel"},
    {&EngineDef::uint8_single_scales, "WrittenFormats.HaveUInt8CodesUnderOneScaleWhereTheEngineWantsThat"},
    {&EngineDef::blocks_divide_rows, "WeightsPlan.TensorRTWantsWholeBlocks"},
    {&EngineDef::shortens_blocks, "WeightsPlan.OpenVinoReadsFourBitsOfAnEvenNumberOfRows"},
    {&EngineDef::int8_weights_alone, "WeightsPlan.SaysWhereEightBitsSaveNothing"},
    {&EngineDef::packs_products, "PackedFiles.HaveMatMulNBitsWhereTheEngineHasThatKernelAlone"},
    {&EngineDef::gates_in_codes, "PackedFiles.HaveHardSwishOnCodesWhereTheEngineHasKernelsForThat"},
    {&EngineDef::half_bias_codes, "LeastWeightScales.KeepTheCodesOfAHalfBiasFinite"},
    {&EngineDef::runs_qoperators, "other_tools.IntegerOperators"},
    {&EngineDef::float32_scales, "WrittenFormats.HaveFloat32ScalesBesideHalvesWhereTheEngineWantsThat"},
    {&EngineDef::half_scales_below_opset19, "LintModel.HalfScalesBelowOpset19AreRefusedOrTaken"},
    {&EngineDef::pairs_in_front_suffice, "activations.PairBetweenConvAndLeakyReluIsWhatOnnxRuntimeNeeds"},
    {&EngineDef::fuses_residual_adds, "transformers.PostNormAddReadsFloat"},
    {&EngineDef::fuses_scaled_norms, "BranchRuined.OnlyForAnEngineWhoseNormalizationsRunTheMul"},
    {&EngineDef::kernels_with_half_scales, "CastModel.ScalesBecomeHalvesWhereKernelsTakeThem"},
    {&EngineDef::requantizes_at_concat, "ValuesApart.AreNoneWhereAConcatWithTwoScalesLeavesInt8"},
    {&EngineDef::gathers_codes, "TableInserter.BothFormsComputeTheSame"},
    {&EngineDef::fast_in_half, "SpeedNote.NamesTheCommandForFp16AloneIfTensorRTHasLittleInInt8"},
};
constexpr OfTarget kOfTargets[] = {
    {&Target::int8_weight_initializer, "weights_and_biases.Int8InitializerBefore10"},
    {&Target::default_axis_is_1, "float_types.AxisLeftOutIsOne"},
    {&Target::reads_uint8_as_int8, "float_types.Uint8ZeroPointReadAsInt8"},
    {&Target::saturates_without_vnni, "saturation.TwoLargeWeightsSideBySide"},
    {&Target::pairs_taps_apart, "saturation.OpenVinoPairsChannelsOfOneTap"},
    {&Target::int8_deconvolutions, "deconvolutions.VolumeWithoutAPairBehind"},
    {&Target::concat_shares_scale, "openvino.InputsOfAConcatHaveOneScale"},
    {&Target::operands_share_scale, "openvino.ResidualAddReadsPairsOnBothInputs"},
    {&Target::strongly_typed, "float_types.RestInFloat32"},
};

// One that all targets share would be no fact about any of them.
TEST(Capabilities, TellTargetsApart) {
  const auto values = [](const auto& value_for) {
    std::set<bool> found;
    for (const Target& target : target_list()) found.insert(value_for(target));
    return found.size();
  };
  for (const OfEngine& row : kOfEngines)
    EXPECT_EQ(values([&](const Target& target) -> bool { return target.engine.*row.member; }), 2U) << row.shown_by;
  for (const OfTarget& row : kOfTargets)
    EXPECT_EQ(values([&](const Target& target) -> bool { return target.*row.member; }), 2U) << row.shown_by;
}

}  // namespace
}  // namespace detent
