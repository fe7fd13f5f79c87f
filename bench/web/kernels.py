"""kernels.py FOLDER: writes networks of one operator, one and three times in a row, float and between pairs, and an
index of them for time.mjs. The time of a kernel is half the difference. Needs onnx and numpy."""

import json
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

OUT = sys.argv[1]
rng = np.random.default_rng(0)

class G:
    def __init__(self, int8): self.n, self.i, self.int8, self.c = [], [], int8, 0
    def name(self, p): self.c += 1; return f"{p}{self.c}"
    def const(self, a, p="c"):
        n = self.name(p); self.i.append(nh.from_array(np.asarray(a), n)); return n
    def node(self, op, ins, **at):
        o = self.name("v"); self.n.append(h.make_node(op, ins, [o], name=o, **at)); return o
    def pair(self, x, s=.05, z=128):
        if not self.int8: return x
        sc, zp = self.const(np.float32(s)), self.const(np.uint8(z))
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, sc, zp]), sc, zp])
    def weight(self, shape, axis=0):
        if not self.int8: return self.const((rng.normal(size=shape) * .05).astype(np.float32))
        q = self.const(rng.integers(-127, 128, shape).astype(np.int8))
        s = self.const(np.full(shape[axis], .002, np.float32)); z = self.const(np.zeros(shape[axis], np.int8))
        return self.node("DequantizeLinear", [q, s, z], axis=axis)
    def bias(self, n):
        if not self.int8: return self.const(np.zeros(n, np.float32))
        q = self.const(np.zeros(n, np.int32)); s = self.const(np.full(n, np.float32(.002) * np.float32(.05), np.float32)); z = self.const(np.zeros(n, np.int32))
        return self.node("DequantizeLinear", [q, s, z], axis=0)

def step(g, x, op, p, back):
    if op == "Conv":
        ci, co, k, hw, s, grp = p
        if back: ci, co = co, ci
        return g.pair(g.node("Conv", [x, g.weight([co, ci // grp, k, k]), g.bias(co)], kernel_shape=[k, k], pads=[k // 2] * 4, group=grp))
    if op == "MatMul":
        m, k, n = p
        if back: k, n = n, k
        return g.pair(g.node("MatMul", [x, g.weight([k, n], 1)]))
    if op == "MatMulDynamic":
        m, k, n = p
        if back: k, n = n, k
        if not g.int8:
            return g.node("MatMul", [x, g.weight([k, n], 1)])
        q = g.name("q"); s = g.name("s"); z = g.name("z")
        g.n.append(h.make_node("DynamicQuantizeLinear", [x], [q, s, z]))
        i = g.node("MatMulInteger", [q, g.const(rng.integers(-127, 128, [k, n]).astype(np.int8)), z, g.const(np.zeros(n, np.int8))])
        return g.node("Mul", [g.node("Cast", [i], to=1), g.node("Mul", [s, g.const(np.full(n, .002, np.float32))])])
    if op == "MatMul2":   # two activations
        return g.pair(g.node("MatMul", [x, x]))
    if op in ("Add", "Mul"): return g.pair(g.node(op, [x, x]))
    if op == "Concat":  # half and half, then a slice back: cost of both
        return g.pair(g.node("Concat", [x, x], axis=1))
    if op == "MaxPool": return g.pair(g.node("MaxPool", [x], kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1]))
    if op == "AveragePool": return g.pair(g.node("AveragePool", [x], kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1]))
    if op == "GlobalAveragePool": return g.pair(g.node("GlobalAveragePool", [x]))
    if op in ("Sigmoid", "LeakyRelu", "Softmax", "Relu", "HardSwish"): return g.pair(g.node(op, [x]))
    if op == "Transpose": return g.pair(g.node("Transpose", [x], perm=[0, 1, 3, 2]))
    if op == "Resize":
        return g.pair(g.node("Resize", [x, "", g.const(np.array([1, 1, 2, 2], np.float32))], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"))
    raise Exception(op)

def write(path, op, p, int8, reps):
    g = G(int8)
    if op == "Conv": shape = [1, p[0], p[3], p[3]]
    elif op.startswith("MatMul") : shape = [1, p[0], p[1]] if op != "MatMul2" else [1, p[0], p[1], p[1]]
    elif op == "Softmax": shape = [1, p[0], p[1], p[1]]
    else: shape = [1, p[0], p[1], p[1]]
    if op == "Q":
        x = "x"
        xs = [g.node("DequantizeLinear", [g.node("QuantizeLinear", ["x", a := g.const(np.float32(.05)), z := g.const(np.uint8(128))]), a, z]) if int8 else "x"]
        outs = []
        y = xs[0]
        for r in range(reps):
            y = g.node("Neg", [y])
            if int8:
                a, z = g.const(np.float32(.05)), g.const(np.uint8(128))
                y = g.node("DequantizeLinear", [g.node("QuantizeLinear", [y, a, z]), a, z])
    else:
        y = "x" if op == "MatMulDynamic" else g.pair("x")
        for r in range(reps):
            if op in ("Concat", "GlobalAveragePool", "Resize"):
                y2 = step(g, y if r == 0 else first, op, p, False)
                if r == 0: first = y; outs = []
                outs.append(y2)
            else:
                y = step(g, y, op, p, r % 2 == 1)
        if op in ("Concat", "GlobalAveragePool", "Resize"):
            y = outs[0]
            for o in outs[1:]: y = o; 
    outputs = [y] if op not in ("Concat", "GlobalAveragePool", "Resize") else outs
    m = h.make_model(h.make_graph(g.n, op, [h.make_tensor_value_info("x", T.FLOAT, shape)],
        [h.make_tensor_value_info(o, T.FLOAT, None) for o in outputs], g.i), opset_imports=[h.make_opsetid("", 17)])
    m.ir_version = 8
    onnx.save(m, path)

CASES = []
for p in [(16,96,1,56),(24,144,1,28),(32,192,1,28),(96,24,1,28),(32,32,1,32),(64,64,1,28),(128,128,1,14),(256,256,1,14),(512,512,1,7),(160,960,1,7),(320,1280,1,7),(8,8,1,64),(3,16,1,64),(16,16,1,32),(32,16,1,112),(64,128,1,14),(96,576,1,14),(16,64,1,16),(40,240,1,8),
          (3,16,3,32),(3,32,3,112),(3,64,3,32),(3,64,3,112),(3,64,7,56),(16,16,3,32),(32,32,3,32),(64,64,3,16),(128,128,3,8),(256,256,3,8),(64,64,3,28),(512,512,3,4),(128,128,3,28),(64,64,3,56),(256,256,3,14),(512,512,3,7),(8,8,3,32),(1,32,5,28),(16,32,3,16),(32,64,3,8),(48,48,5,16),(64,1,3,64),(32,3,9,64)]:
    CASES.append(("Conv", (*p, 1, 1)))
# Few pixels: the float kernel reads its weights once for each, and a squeeze has one pixel.
for p in [(192,1152,1,2),(320,1280,1,2),(112,672,1,4),(80,480,1,4),(240,960,1,3),(48,1152,1,1),(20,480,1,1),(10,240,1,1),(256,1024,1,1),(64,64,1,1),(512,512,1,2),(512,512,3,2),(256,256,3,4),(256,256,3,2),(512,512,3,1)]:
    CASES.append(("Conv", (*p, 1, 1)))
for c, k, hw in [(1152,5,2),(1152,3,2),(672,5,4),(480,3,4),(512,3,4),(960,3,4)]:
    CASES.append(("Conv", (c, c, k, hw, 1, c)))
for c, k, hw in [(32,3,112),(32,3,56),(96,3,56),(144,3,28),(192,3,14),(384,3,14),(576,3,14),(960,3,7),(16,3,16),(64,3,8),(240,5,8),(72,5,28),(120,5,14),(48,7,14),(96,7,56)]:
    CASES.append(("Conv", (c, c, k, hw, 1, c)))
CASES += [("Conv", (64, 64, 3, 28, 1, 4)), ("Conv", (128, 128, 3, 14, 1, 32)), ("Conv", (64, 64, 1, 28, 1, 4))]
for p in [(1,64,64),(1,256,256),(1,512,1000),(1,1280,1000),(1,2048,2048),(16,64,64),(16,256,1024),(64,64,64),(64,192,192),(64,384,1536),(64,128,512),(197,384,384),(128,256,256),(256,64,64),(128,768,768),(16,768,3072),(65,192,768),(1,128,10), (1,768,3072)]:
    CASES += [("MatMul", p), ("MatMulDynamic", p)]
for c, hw in [(32, 56), (64, 14), (16, 16), (256, 14)]:
    for op in ("Add", "Mul", "MaxPool", "AveragePool", "Sigmoid", "LeakyRelu", "Transpose", "Concat", "GlobalAveragePool", "Resize", "Q", "Relu", "HardSwish"):
        CASES.append((op, (c, hw)))
for c, n in [(3, 65), (12, 128), (6, 16), (4, 64)]:
    CASES += [("MatMul2", (c, n)), ("Softmax", (c, n))]
index = []
for op, p in CASES:
    for int8 in (0, 1):
        for reps in (1, 3):
            f = f"{op}_{'_'.join(map(str, p))}_{'i' if int8 else 'f'}{reps}.onnx"
            write(os.path.join(OUT, f), op, p, int8, reps)
    index.append([op, p])
json.dump(index, open(os.path.join(OUT, "index.json"), "w"))
print(len(index))
