"""networks.py FOLDER [NAME...]

Exports the networks of the table in README.md as FOLDER/NAME.onnx, with random weights, a free batch and opset 16, and
prints "NAME BATCH" for each. Needs PyTorch and torchvision (1.13 and .14 made the table); a file that is there is kept.

BatchNormalization takes its statistics from random samples, so that ranges are those of a network in use."""

import pathlib
import sys

import torch
import torchvision.models as zoo
from torch import nn
from torch.nn import functional


class Bert(nn.Module):
    """Six layers of 768 with 12 heads, behind a linear embedding of 64 numbers a token."""

    def __init__(self, layers=6, width=768, heads=12):
        super().__init__()
        self.heads = heads
        self.embed, self.head = nn.Linear(64, width), nn.Linear(width, 2)
        self.layers = nn.ModuleList(nn.ModuleDict({
            "query": nn.Linear(width, width), "key": nn.Linear(width, width), "value": nn.Linear(width, width),
            "output": nn.Linear(width, width), "norm": nn.LayerNorm(width), "wide": nn.Linear(width, 4 * width),
            "narrow": nn.Linear(4 * width, width), "last": nn.LayerNorm(width)}) for _ in range(layers))

    def attend(self, layer, tokens):
        batch, count, width = tokens.shape
        query, key, value = (layer[name](tokens).view(batch, count, self.heads, -1).transpose(1, 2)
                             for name in ("query", "key", "value"))
        scores = query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5
        return layer["output"]((scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, count, width))

    def forward(self, tokens):
        tokens = self.embed(tokens)
        for layer in self.layers:
            tokens = layer["norm"](tokens + self.attend(layer, tokens))
            tokens = layer["last"](tokens + layer["narrow"](functional.gelu(layer["wide"](tokens))))
        return self.head(tokens[:, 0])


class SegformerBlock(nn.Module):
    """Attention with fewer keys than queries, and an MLP with a depthwise convolution. The scale stands behind the
    scores and comes from a shape, as SegFormer's export writes it."""

    def __init__(self, width, heads, shrink):
        super().__init__()
        self.heads = heads
        self.norm, self.norm_keys, self.norm_mlp = (nn.LayerNorm(width) for _ in range(3))
        self.query, self.both, self.output = (nn.Linear(width, to) for to in (width, 2 * width, width))
        self.shrink = nn.Conv2d(width, width, shrink, shrink)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.depthwise = nn.Conv2d(4 * width, 4 * width, 3, 1, 1, groups=4 * width)

    def forward(self, tokens, rows, columns):
        batch, count, width = tokens.shape
        split = lambda value: value.reshape(batch, -1, self.heads, width // self.heads).transpose(1, 2)
        image = lambda value: value.transpose(1, 2).reshape(batch, -1, rows, columns)
        flat = lambda value: value.flatten(2).transpose(1, 2)
        normed = self.norm(tokens)
        key, value = self.both(self.norm_keys(flat(self.shrink(image(normed))))).split(width, 2)
        scores = split(self.query(normed)) @ split(key).transpose(-1, -2) * (width // self.heads) ** -0.5
        tokens = tokens + self.output((scores.softmax(-1) @ split(value)).transpose(1, 2).reshape(batch, count, width))
        inner = flat(self.depthwise(image(self.wide(self.norm_mlp(tokens)))))
        return tokens + self.narrow(functional.gelu(inner))


class Segformer(nn.Module):
    """Four stages of two blocks, and the head that joins them."""

    def __init__(self, widths=(32, 64, 160, 256), heads=(1, 2, 5, 8), classes=80):
        super().__init__()
        before = (3, *widths)
        self.patches = nn.ModuleList(nn.Conv2d(before[i], width, 3 if i else 7, 2 if i else 4, 1 if i else 3)
                                     for i, width in enumerate(widths))
        self.blocks = nn.ModuleList(nn.ModuleList(SegformerBlock(width, heads[i], 8 >> i) for _ in range(2))
                                    for i, width in enumerate(widths))
        self.same = nn.ModuleList(nn.Conv2d(width, 256, 1) for width in widths)
        self.fuse = nn.Sequential(nn.Conv2d(1024, 256, 1, bias=False), nn.BatchNorm2d(256), nn.ReLU())
        self.classes = nn.Conv2d(256, classes, 1)

    def forward(self, image):
        stages = []
        for patches, blocks in zip(self.patches, self.blocks):
            image = patches(image)
            shape = image.shape
            tokens = image.flatten(2).transpose(1, 2)
            for block in blocks:
                tokens = block(tokens, shape[2], shape[3])
            image = tokens.transpose(1, 2).reshape(shape)
            stages.append(image)
        size = stages[0].shape[2:]
        joined = [functional.interpolate(same(stage), size=size, mode="bilinear")
                  for same, stage in zip(self.same, stages)]
        return self.classes(self.fuse(torch.cat(joined[::-1], 1)))


def convolution(before, after, kernel=3, stride=1, activation=nn.ReLU, bias=True):
    return nn.Sequential(nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=bias), nn.BatchNorm2d(after),
                         activation())


class Unet(nn.Module):
    """Two convolutions a level, ConvTranspose 2x2 upwards."""

    def __init__(self, widths=(64, 128, 256, 512), classes=4):
        super().__init__()
        twice = lambda before, after: nn.Sequential(convolution(before, after), convolution(after, after))
        up = widths[-2::-1]
        self.down = nn.ModuleList(twice(before, after) for before, after in zip((3, *widths), widths))
        self.rise = nn.ModuleList(nn.ConvTranspose2d(2 * width, width, 2, 2) for width in up)
        self.join = nn.ModuleList(twice(2 * width, width) for width in up)
        self.classes = nn.Conv2d(widths[0], classes, 1)

    def forward(self, image):
        levels = []
        for level, block in enumerate(self.down):
            image = block(functional.max_pool2d(image, 2) if level else image)
            levels.append(image)
        for rise, join, level in zip(self.rise, self.join, levels[-2::-1]):
            image = join(torch.cat([level, rise(image)], 1))
        return self.classes(image)


def silu(before, after, kernel=1, stride=1):
    return convolution(before, after, kernel, stride, nn.SiLU, False)


class Split(nn.Module):
    """Half of the channels passes through pairs of convolutions; all results are joined (YOLOv8's C2f)."""

    def __init__(self, before, after, count, residual):
        super().__init__()
        half = after // 2
        self.half, self.residual = half, residual
        self.first, self.last = silu(before, after), silu((2 + count) * half, after)
        self.inner = nn.ModuleList(nn.Sequential(silu(half, half, 3), silu(half, half, 3)) for _ in range(count))

    def forward(self, image):
        parts = list(self.first(image).split(self.half, 1))
        for inner in self.inner:
            parts.append(parts[-1] + inner(parts[-1]) if self.residual else inner(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Pools(nn.Module):
    """Three poolings one behind the other, joined."""

    def __init__(self, width):
        super().__init__()
        self.first, self.last = silu(width, width // 2), silu(2 * width, width)

    def forward(self, image):
        parts = [self.first(image)]
        for _ in range(3):
            parts.append(functional.max_pool2d(parts[-1], 5, 1, 2))
        return self.last(torch.cat(parts, 1))


class Yolo(nn.Module):
    """The form of YOLOv8-s, without the decoding behind its heads."""

    def __init__(self, classes=80):
        super().__init__()
        self.small = nn.Sequential(silu(3, 32, 3, 2), silu(32, 64, 3, 2), Split(64, 64, 1, True), silu(64, 128, 3, 2),
                                   Split(128, 128, 2, True))
        self.middle = nn.Sequential(silu(128, 256, 3, 2), Split(256, 256, 2, True))
        self.large = nn.Sequential(silu(256, 512, 3, 2), Split(512, 512, 1, True), Pools(512))
        self.up_middle, self.up_small = Split(768, 256, 1, False), Split(384, 128, 1, False)
        self.to_middle, self.to_large = silu(128, 128, 3, 2), silu(256, 256, 3, 2)
        self.down_middle, self.down_large = Split(384, 256, 1, False), Split(768, 512, 1, False)
        head = lambda before, inner, after: nn.Sequential(silu(before, inner, 3), silu(inner, inner, 3),
                                                          nn.Conv2d(inner, after, 1))
        self.boxes = nn.ModuleList(head(width, 64, 64) for width in (128, 256, 512))
        self.scores = nn.ModuleList(head(width, 128, classes) for width in (128, 256, 512))

    def forward(self, image):
        twice = lambda value: functional.interpolate(value, scale_factor=2.0)
        small = self.small(image)
        middle = self.middle(small)
        large = self.large(middle)
        joined = self.up_middle(torch.cat([twice(large), middle], 1))
        first = self.up_small(torch.cat([twice(joined), small], 1))
        second = self.down_middle(torch.cat([self.to_middle(first), joined], 1))
        third = self.down_large(torch.cat([self.to_large(second), large], 1))
        return torch.cat([torch.cat([boxes(value), scores(value)], 1).flatten(2)
                          for boxes, scores, value in zip(self.boxes, self.scores, (first, second, third))], 2)


def inception():
    return zoo.inception_v3(init_weights=False, aux_logits=False, transform_input=False)


def googlenet():
    return zoo.googlenet(init_weights=False, aux_logits=False, transform_input=False)


class Masks(nn.Module):
    """LR-ASPP on MobileNetV3: the scores of each pixel."""

    def __init__(self):
        super().__init__()
        self.network = zoo.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=21)

    def forward(self, image):
        return self.network(image)["out"]


IMAGE = (3, 224, 224)
# Name: the network, a sample's shape, and the batch on the GPU.
NETWORKS = {
    "shufflenet_v2": (zoo.shufflenet_v2_x1_0, IMAGE, 64), "swin_t": (zoo.swin_t, IMAGE, 64),
    "vit_b_16": (zoo.vit_b_16, IMAGE, 64), "bert": (Bert, (128, 64), 64),
    "segformer": (Segformer, (3, 512, 512), 8), "vgg16_bn": (zoo.vgg16_bn, IMAGE, 64),
    "mnasnet": (zoo.mnasnet1_0, IMAGE, 64), "unet": (Unet, (3, 256, 256), 8),
    "resnext50": (zoo.resnext50_32x4d, IMAGE, 64), "mobilenet_v2": (zoo.mobilenet_v2, IMAGE, 64),
    "inception_v3": (inception, (3, 299, 299), 64), "r3d_18": (zoo.video.r3d_18, (3, 16, 112, 112), 8),
    "efficientnet_v2_s": (zoo.efficientnet_v2_s, IMAGE, 64), "regnet_y_800mf": (zoo.regnet_y_800mf, IMAGE, 64),
    "yolov8s": (Yolo, (3, 640, 640), 8), "convnext_tiny": (zoo.convnext_tiny, IMAGE, 64),
    "densenet121": (zoo.densenet121, IMAGE, 64),
    # The rows below gave nothing to rules or to the estimate.
    "resnet50": (zoo.resnet50, IMAGE, 64), "efficientnet_b0": (zoo.efficientnet_b0, IMAGE, 64),
    "mobilenet_v3_large": (zoo.mobilenet_v3_large, IMAGE, 64), "googlenet": (googlenet, IMAGE, 64),
    "vit_b_32": (zoo.vit_b_32, IMAGE, 64),
    "regnet_x_1_6gf": (zoo.regnet_x_1_6gf, IMAGE, 64), "squeezenet": (zoo.squeezenet1_1, IMAGE, 64),
    "lraspp": (Masks, (3, 512, 512), 8),
}


def export(name, path):
    make, shape, _ = NETWORKS[name]
    torch.manual_seed(0)
    network = make()
    if any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in network.modules()):
        network.train()
        small = {3: (3, 128, 128), 4: (3, 8, 64, 64)}[len(shape)]
        with torch.no_grad():
            network(torch.randn(2, *small))
    torch.onnx.export(network.eval(), torch.randn(1, *shape), str(path), opset_version=16, input_names=["x"],
                      output_names=["y"], dynamic_axes={"x": {0: "N"}, "y": {0: "N"}})


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in sys.argv[2:] if name not in NETWORKS]
    if unknown:
        sys.exit(f"networks.py: no network '{unknown[0]}'; there are {', '.join(NETWORKS)}")
    torch.set_num_threads(1)
    for name in sys.argv[2:] or NETWORKS:
        path = folder / f"{name}.onnx"
        if not path.exists():
            export(name, path)
        print(name, NETWORKS[name][2], flush=True)


if __name__ == "__main__":
    main()
