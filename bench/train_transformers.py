#!/usr/bin/env python3
"""Trains small transformers for bench/transformers.py and exports them to ONNX. Needs PyTorch and a GPU.

  python3 bench/train_transformers.py TEXT FOLDER [STEPS]

TEXT is any plain text of a few megabytes; Debian's bible-kjv-text was used. FOLDER receives for each model NAME.onnx
(opset 17), and calib_ids.npy [64,256], eval_ids.npy [128,257], calib_images.npy [200,3,32,32], eval_images.npy and
eval_labels.npy (1000). Every tensor of weights is rounded to FP16 before the export, so that files compress.

  llama          decoder: RMSNorm, SwiGLU, rotary positions, tied embeddings
  llama_cached   the same weights; takes the keys and values of earlier steps (past_keys, past_values [N,5,7,P,32]) and
                 returns them with the new ones (keys, values)
  llama_out8     llama, trained with three channels of the residual stream at a constant of 8 (of about 1 elsewhere)
  llama_out32    the same at 32
  llama_gated    llama with planted channels: the up and value projections have rows 8 to 64 times as large, which the
                 next weights undo
  qwen           decoder with grouped queries, a norm of queries and keys, and an output layer that is not tied
  bert           encoder with LayerNorm behind each block, GELU and a mask of padding; predicts masked letters
  vit            image classifier with a class token; drawn shapes with noise, ten classes
"""
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Attention(nn.Module):
    def __init__(self, width, heads, kv_heads, causal, rotary, norms, bias):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, width // heads
        self.causal, self.rotary = causal, rotary
        self.q = nn.Linear(width, heads * self.size, bias=bias)
        self.k = nn.Linear(width, kv_heads * self.size, bias=bias)
        self.v = nn.Linear(width, kv_heads * self.size, bias=bias)
        self.o = nn.Linear(heads * self.size, width, bias=bias)
        self.norms = nn.ModuleList([RMSNorm(self.size), RMSNorm(self.size)]) if norms else None

    def forward(self, x, mask, past=None):
        batch, length, _ = x.shape
        before = 0 if past is None else past[0].shape[2]
        q = self.q(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        k = self.k(x).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
        v = self.v(x).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
        if self.norms is not None:
            q, k = self.norms[0](q), self.norms[1](k)
        if self.rotary:
            steps = torch.arange(before, before + length, device=x.device, dtype=torch.float32)
            rates = 10000.0 ** (-torch.arange(0, self.size, 2, device=x.device, dtype=torch.float32) / self.size)
            angles = torch.cat((steps[:, None] * rates,) * 2, -1)
            q, k = rotate(q, angles.cos(), angles.sin()), rotate(k, angles.cos(), angles.sin())
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        self.state = (k, v)
        if self.kv_heads != self.heads:
            k = k.repeat_interleave(self.heads // self.kv_heads, 1)
            v = v.repeat_interleave(self.heads // self.kv_heads, 1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        if self.causal:
            scores = scores + torch.full((length, before + length), -1e9, device=x.device).triu(1 + before)
        if mask is not None:
            scores = scores + (1 - mask[:, None, None, :].to(scores.dtype)) * -1e9
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, -1))


class GatedLayer(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False),
                                         nn.Linear(inner, width, bias=False))

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class PlainLayer(nn.Sequential):
    def __init__(self, width, inner):
        super().__init__(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))


class Block(nn.Module):
    def __init__(self, width, inner, style, **attention):
        super().__init__()
        modern = style == "modern"
        norm = RMSNorm if modern else nn.LayerNorm
        self.post = style == "post"
        self.attention = Attention(width, rotary=modern, bias=not modern, **attention)
        self.layer = (GatedLayer if modern else PlainLayer)(width, inner)
        self.first, self.second = norm(width), norm(width)

    def forward(self, x, mask, past=None):
        if self.post:
            x = self.first(x + self.attention(x, mask))
            return self.second(x + self.layer(x))
        x = x + self.attention(self.first(x), mask, past)
        return x + self.layer(self.second(x))


class Decoder(nn.Module):
    def __init__(self, vocabulary, width, depth, inner, heads, kv_heads, norms=False, tied=True, outlier=0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=0.02 if tied else 1.0)
        self.scale = 1.0 if not tied else math.sqrt(width)
        self.blocks = nn.ModuleList([Block(width, inner, "modern", heads=heads, kv_heads=kv_heads, causal=True,
                                           norms=norms) for _ in range(depth)])
        self.norm = RMSNorm(width)
        self.output = None if tied else nn.Linear(width, vocabulary, bias=False)
        offset = torch.zeros(width)
        offset[[5, width // 2, width - 9]] = torch.tensor([1.0, -1.0, 0.75]) * outlier
        self.register_buffer("offset", offset)

    def forward(self, ids):
        x = self.embedding(ids) * self.scale + self.offset
        for block in self.blocks:
            x = block(x, None)
        x = self.norm(x)
        return x @ self.embedding.weight.T if self.output is None else self.output(x)


class CachedDecoder(nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, ids, past_keys, past_values):
        decoder = self.decoder
        x = decoder.embedding(ids) * decoder.scale + decoder.offset
        states = []
        for i, block in enumerate(decoder.blocks):
            x = block(x, None, (past_keys[:, i], past_values[:, i]))
            states.append(block.attention.state)
        logits = decoder.norm(x) @ decoder.embedding.weight.T
        return logits, torch.stack([k for k, _ in states], 1), torch.stack([v for _, v in states], 1)


class Encoder(nn.Module):
    def __init__(self, vocabulary, width, depth, inner, heads):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(256, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList([Block(width, inner, "post", heads=heads, kv_heads=heads, causal=False, norms=False)
                                     for _ in range(depth)])
        self.output = nn.Linear(width, vocabulary)

    def forward(self, ids, mask):
        x = self.norm(self.embedding(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device)))
        for block in self.blocks:
            x = block(x, mask)
        return self.output(x)


class ViT(nn.Module):
    def __init__(self, width, depth, heads, classes):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, 65, width) * 0.02)
        self.blocks = nn.ModuleList([Block(width, 4 * width, "pre", heads=heads, kv_heads=heads, causal=False,
                                           norms=False) for _ in range(depth)])
        self.norm, self.output = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), 1) + self.positions
        for block in self.blocks:
            x = block(x, None)
        return self.output(self.norm(x[:, 0]))


def draw(count, random):
    """Returns images [count,3,32,32] in 0..1 and classes: five outlines, filled or not, under strong noise."""
    y, x = np.mgrid[0:32, 0:32].astype(np.float32)
    images, labels = np.empty((count, 3, 32, 32), np.float32), random.integers(0, 10, count)
    for i, label in enumerate(labels):
        cx, cy, r, t = random.uniform(11, 21), random.uniform(11, 21), random.uniform(6, 11), random.uniform(0, 6.28)
        u, v = (x - cx) * np.cos(t) + (y - cy) * np.sin(t), (y - cy) * np.cos(t) - (x - cx) * np.sin(t)
        angle = np.arctan2(v, u)
        radius = [np.hypot(u, v), np.maximum(abs(u), abs(v)) * 1.2, abs(u) + abs(v) * 1.6,
                  np.hypot(u, v) * (1 + 0.35 * np.cos(3 * angle)), np.hypot(u, v) * (1 + 0.35 * np.cos(5 * angle))][label // 2]
        inside = (radius < r) & ((label % 2 == 0) | (radius > 0.6 * r))
        color, ground = random.uniform(0, 1, 3), random.uniform(0, 1, 3)
        images[i] = np.where(inside, color[:, None, None], ground[:, None, None])
    return np.clip(images + random.normal(0, 0.15, images.shape), 0, 1).astype(np.float32), labels


def train(model, batch, loss, steps, rate=2e-3):
    model.cuda().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, steps, pct_start=0.1)
    for step in range(steps):
        with torch.autocast("cuda", torch.bfloat16):
            value = loss(model, *batch())
        optimizer.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    print(f"  loss {value.item():.4f}", flush=True)
    return round_weights(model)


def round_weights(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    return model.cpu().eval()


def plant_channels(model):
    """Multiplies rows by powers of two that the next weight's columns undo: exact, and hard for a scale per tensor."""
    with torch.no_grad():
        for block in model.blocks:
            for before, after in ((block.layer.up, block.layer.down), (block.attention.v, block.attention.o)):
                for channel, factor in ((3, 8.0), (17, 32.0), (40, 64.0)):
                    before.weight[channel] *= factor
                    after.weight[:, channel] /= factor
    return model


def export(model, inputs, names, outputs, file, axes=None):
    torch.onnx.export(model, inputs, file, input_names=names, output_names=outputs, opset_version=17, dynamo=False,
                      dynamic_axes=axes or {name: {0: "N"} for name in names + outputs})
    print(f"  wrote {file}", flush=True)


def main():
    text, folder, steps = open(sys.argv[1], encoding="latin-1").read(), sys.argv[2], int(sys.argv[3] if len(sys.argv) > 3 else 2500)
    random = np.random.default_rng(7)
    torch.manual_seed(7)
    torch.backends.cuda.matmul.allow_tf32 = True
    letters = sorted(set(text))
    ids = np.array([letters.index(c) for c in text], np.int64)
    cut = len(ids) * 9 // 10
    learned, held = torch.tensor(ids[:cut]).cuda(), ids[cut:]
    windows = lambda source, count, length: np.stack([source[i:i + length] for i in random.integers(0, len(source) - length, count)])
    np.save(f"{folder}/calib_ids.npy", windows(ids[:cut], 64, 256))
    evaluation = windows(held, 128, 257)
    np.save(f"{folder}/eval_ids.npy", evaluation)
    vocabulary = len(letters) + 1  # the last id is the mask

    def text_batch():
        at = torch.randint(0, cut - 257, (128, 1), device="cuda") + torch.arange(257, device="cuda")
        return (learned[at],)

    next_loss = lambda model, batch: F.cross_entropy(model(batch[:, :-1]).float().flatten(0, 1), batch[:, 1:].flatten())
    sample = torch.tensor(evaluation[:2, :256])
    decoders = {"llama": {}, "llama_out8": {"outlier": 8.0}, "llama_out32": {"outlier": 32.0},
                "qwen": {"kv_heads": 2, "norms": True, "tied": False, "depth": 6, "width": 192, "inner": 512, "heads": 6}}
    for name, changes in decoders.items():
        print(name, flush=True)
        sizes = {"width": 224, "depth": 5, "inner": 600, "heads": 7, "kv_heads": 7} | changes
        model = train(Decoder(vocabulary, **sizes), text_batch, next_loss, steps)
        export(model, (sample,), ["ids"], ["logits"], f"{folder}/{name}.onnx")
        if name == "llama":
            past = torch.zeros(2, 5, 7, 3, 32)
            export(CachedDecoder(model), (sample[:, :2], past, past), ["ids", "past_keys", "past_values"],
                   ["logits", "keys", "values"], f"{folder}/llama_cached.onnx",
                   {"ids": {0: "N", 1: "S"}, "past_keys": {0: "N", 3: "P"}, "past_values": {0: "N", 3: "P"},
                    "logits": {0: "N", 1: "S"}, "keys": {0: "N", 3: "T"}, "values": {0: "N", 3: "T"}})
            export(plant_channels(model), (sample,), ["ids"], ["logits"], f"{folder}/llama_gated.onnx")

    print("bert", flush=True)

    def masked_batch():
        (batch,) = text_batch()
        batch = batch[:, :256]
        lengths = torch.randint(64, 257, (128, 1), device="cuda")
        mask = (torch.arange(256, device="cuda") < lengths).long()
        hidden = (torch.rand(batch.shape, device="cuda") < 0.15) & (mask == 1)
        return batch, torch.where(hidden, vocabulary - 1, batch), mask, hidden

    masked_loss = lambda model, truth, ids, mask, hidden: F.cross_entropy(model(ids, mask).float()[hidden], truth[hidden])
    model = train(Encoder(vocabulary, 192, 4, 768, 6), masked_batch, masked_loss, 2 * steps, 5e-4)
    export(model, (sample, torch.ones_like(sample)), ["ids", "mask"], ["logits"], f"{folder}/bert.onnx")

    print("vit", flush=True)
    shapes, classes = draw(60000, random)
    shapes, classes = torch.tensor(shapes).cuda(), torch.tensor(classes).cuda()

    def image_batch():
        at = torch.randint(0, len(shapes), (256,), device="cuda")
        images = shapes[at]
        return (torch.flip(images, (3,)) if torch.rand(()) < 0.5 else images) * 2 - 1, classes[at]

    image_loss = lambda model, images, truth: F.cross_entropy(model(images).float(), truth, label_smoothing=0.05)
    model = train(ViT(192, 5, 3, 10), image_batch, image_loss, 3 * steps, 5e-4)
    calibration, _ = draw(200, random)
    images, truth = draw(1000, random)
    with torch.no_grad():
        print(f"  top1 {(model(torch.tensor(images) * 2 - 1).argmax(-1).numpy() == truth).mean():.4f}")
    export(model, (torch.tensor(images[:2]) * 2 - 1,), ["images"], ["logits"], f"{folder}/vit.onnx")
    np.save(f"{folder}/calib_images.npy", (calibration * 2 - 1).astype(np.float16).astype(np.float32))
    np.save(f"{folder}/eval_images.npy", (images * 2 - 1).astype(np.float16).astype(np.float32))
    np.save(f"{folder}/eval_labels.npy", truth.astype(np.int64))


main()
