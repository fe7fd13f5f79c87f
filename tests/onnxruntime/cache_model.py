"""A small decoder of one layer: ids and past keys and values in, logits and all keys and values out. Embedding and head
share their table; the head reads it transposed."""

import numpy
import onnx
from graph_parts import ints, parsed, random, scalar
from program import saved

SYMBOLS, WIDTH, HEADS, PAST, STEP = 48, 64, 4, 12, 4
HEAD_WIDTH = WIDTH // HEADS

GRAPH = f"""(int64[1,{STEP}] ids, float[1,{HEADS},{PAST},{HEAD_WIDTH}] past_key, float[1,{HEADS},{PAST},{HEAD_WIDTH}] past_value)
  => (float[1,{STEP},{SYMBOLS}] logits, float[1,{HEADS},{PAST + STEP},{HEAD_WIDTH}] present_key,
      float[1,{HEADS},{PAST + STEP},{HEAD_WIDTH}] present_value) {{
  x = Gather(table, ids)
  n = LayerNormalization(x, one, zero)
  q_flat = MatMul(n, wq)
  k_flat = MatMul(n, wk)
  v_flat = MatMul(n, wv)
  q_split = Reshape(q_flat, split)
  q = Transpose<perm=[0,2,1,3]>(q_split)
  k_split = Reshape(k_flat, split)
  k = Transpose<perm=[0,2,1,3]>(k_split)
  v_split = Reshape(v_flat, split)
  v = Transpose<perm=[0,2,1,3]>(v_split)
  present_key = Concat<axis=2>(past_key, k)
  present_value = Concat<axis=2>(past_value, v)
  kt = Transpose<perm=[0,1,3,2]>(present_key)
  scores = MatMul(q, kt)
  scaled = Mul(scores, scale)
  p = Softmax<axis=-1>(scaled)
  c = MatMul(p, present_value)
  ct = Transpose<perm=[0,2,1,3]>(c)
  cr = Reshape(ct, join)
  o = MatMul(cr, wo)
  r = Add(x, o)
  m = LayerNormalization(r, one, zero)
  u = MatMul(m, wu)
  a = Relu(u)
  d = MatMul(a, wd)
  s = Add(r, d)
  f = LayerNormalization(s, one, zero)
  head = Transpose<perm=[1,0]>(table)
  logits = MatMul(f, head)
}}"""
WEIGHTS = {"table": ([SYMBOLS, WIDTH], 1), "wq": ([WIDTH, WIDTH], 0.2), "wk": ([WIDTH, WIDTH], 0.22),
           "wv": ([WIDTH, WIDTH], 0.18), "wo": ([WIDTH, WIDTH], 0.15), "wu": ([WIDTH, 2 * WIDTH], 0.2),
           "wd": ([2 * WIDTH, WIDTH], 0.14)}


def write_cache_model(file):
    constants = {name: random(dims, scale, len(name) + 7) for name, (dims, scale) in WEIGHTS.items()}
    constants |= {"one": numpy.ones(WIDTH, numpy.float32), "zero": numpy.zeros(WIDTH, numpy.float32),
                  "scale": scalar(HEAD_WIDTH ** -0.5), "split": ints(0, -1, HEADS, HEAD_WIDTH), "join": ints(0, -1, WIDTH)}
    onnx.save(parsed(GRAPH, constants), file)
    return file


def write_cache_samples(count, seed):
    """Writes `count` samples of each input as stacks; returns {input: path}."""
    at = numpy.arange(count * STEP)
    cache = [count, HEADS, PAST, HEAD_WIDTH]
    return {"ids": saved(((at * 31 + seed * 17 + (at >> 2) * 5) % SYMBOLS).reshape(count, STEP)),
            "past_key": saved(random(cache, 1, seed)), "past_value": saved(random(cache, 1, seed + 1))}
