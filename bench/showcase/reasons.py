"""Causes of Detent's losses, a line each: what a peer's file does otherwise, and what that costs it."""

ALL = []
DB = ["sqnr_db", "openvino_db"]

# Measures that a reason concerns, its networks (ALL: those that have no other one), and the reason.
REASONS = [
    (["openvino"], ALL,
     "Values behind SiLU, GELU and HardSwish have UINT8 codes with a zero point, which OpenVINO takes longer for on this CPU. "
     "The peer's signed codes cost dB there: .4 (YOLOv8n), 4 (bge), 7 (the detector of blood cells)."),
    (["openvino"], ["rfb320", "unet", "whisper_encoder", "basic_pitch", "dnsmos", "style", "ppocrv3_det", "ppocrv4_det", "ppocrv4_rec"],
     "The peer's signed codes without zero points take less time and lose 4 to 27 dB; so do its layers that ruin the network, "
     "which Detent keeps float."),
    (["openvino"], ["minilm", "bge_small", "e5_small"],
     "A Mul in front of layers beside a residual evens channels out; it costs .2 to .4 ms and keeps up to 2 dB."),
    (["size"], ALL,
     "A dynamic or coarser file stores no scales of activations, one scale a weight instead of one a channel, and no INT32 biases."),
    (["size"], ["dnsmos"], "The weights of the Fourier transform stay float: in INT8 the peers' files have 6 to 26 dB."),
    (["size"], ["yolox_nano"], "Four layers that ruin the network stay float; the file for OpenVINO is smaller than the peer's."),
    (DB, ALL, "The peer finds scales for each sample at run time, which takes 1.5 to 4 times as long for convolutions."),
    (DB, ["mobilenetv2"], "The peer's ranges are .7 dB better on these samples, in 1.15 times the milliseconds."),
    (DB, ["line_orientation"], "The default keeps what its 32 samples show as exact; other samples differ by some dB."),
    (["openvino_db"], ["minilm"],
     "Signed codes without zero points are .2 ms faster and cost .7 dB; the peer takes longer for its dB."),
    (DB, ["ddddocr_det"],
     "Pairs between Conv and SiLU, which ONNX Runtime's integer Conv needs, cost 9 dB of the file for OpenVINO's 25; five samples "
     "judge it."),
    (DB, ["minilm"], "Two outputs: the pooled one is 1 dB better than the peer's, the tokens' .5 worse."),
    (DB, ["pfld"], "Within a dB by which values the 32 samples show; in OpenVINO Detent's file is the better one."),
    (["score"], ALL, "Within the standard error of 48 samples, 5 to 7 points."),
    (["ort"], ALL, "The same layers in INT8; the peer has pooling and activations on codes as well, at fewer dB."),
    (["ort", "openvino"], ["line_orientation"],
     "Depthwise 5x5 kernels of INT8 take 3 to 8 times as long as float ones; the search by latency writes the float model."),
    (["ort", "openvino"], ["gtcrn_simple"], "Small recurrent parts and copies between layers; for ONNX Runtime the search writes the float model."),
    (["ort"], ["chars_gpt"], "Static scales of attention's inputs; the peer's scales at run time lose 4 dB."),
    (["ort", "openvino"], ["g2p_decoder", "duck_policy", "latentradio_enc", "g2p_encoder"],
     "A file of .1 ms, in which a pair more or less is a tenth of the time."),
]


def of(network, measure):
    """Returns the reason of a loss; "" where none is known."""
    fitting = [(networks, why) for measures, networks, why in REASONS if measure in measures and
               (network in networks or not networks)]
    return next((why for networks, why in fitting if networks), fitting[0][1] if fitting else "")
