// Random networks of one input, each a pure function of its seed: layers, and the nodes around them in exported
// models.
import { node } from './graph_parts.mjs';
import { elemTypes, integer, message, tensorProto, valueInfo } from './onnx_file.mjs';

// Numbers of one stream; the same in every run. Mulberry32 of T. Ettinger.
function stream(seed) {
  let state = (seed * 2654435761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return { next, normal, chance: (p) => next() < p, pick: (list) => list[Math.floor(next() * list.length)] };
}

const size = (dims) => dims.reduce((a, b) => a * b, 1);

class Network {
  constructor(seed) {
    this.random = stream(seed);
    this.nodes = [];
    this.constants = new Map();
    this.values = [];
    this.count = 0;
  }

  fresh(prefix) { return `${prefix}${++this.count}`; }

  constant(type, dims, data) {
    const name = this.fresh('k');
    this.constants.set(name, { type, dims, data });
    return name;
  }

  floats(dims, scale = 1, mean = 0) {
    return this.constant('float32', dims, Float32Array.from({ length: size(dims) }, () => mean + scale * this.random.normal()));
  }

  // Numbers whose products over every extent behind the first have the variance of the data.
  weight(dims, fan = size(dims.slice(1))) { return this.floats(dims, 1 / Math.sqrt(fan)); }
  number(value) { return this.constant('float32', [], Float32Array.of(value)); }
  ints(...values) { return this.constant('int64', [values.length], BigInt64Array.from(values.map(BigInt))); }

  add(op, inputs, dims, attributes = {}) {
    const name = this.fresh('v');
    this.nodes.push({ op, inputs, outputs: [name], attributes });
    this.values.push({ name, dims });
    return name;
  }

  // A node whose result is no data: a mask, a weight.
  helper(op, inputs, attributes = {}) {
    const name = this.fresh('h');
    this.nodes.push({ op, inputs, outputs: [name], attributes });
    return name;
  }

  // Returns one of the last values that fit, so that networks grow deep.
  value(fits = () => true) {
    const found = this.values.slice(-8).filter(({ dims }) => fits(dims));
    return found.length ? this.random.pick(found) : undefined;
  }

  image(fits = () => true) { return this.value((dims) => dims.length === 4 && fits(dims)); }
  like({ name, dims }) {
    const same = this.values.filter((v) => v.name !== name && v.dims.join() === dims.join());
    return same.length && this.random.chance(0.8) ? this.random.pick(same).name : name;
  }

  // Some constants are computed from others, as exporters leave them.
  maybeComputed(name) {
    if (!this.random.chance(0.15)) return name;
    const { dims } = this.constants.get(name);
    if (dims.length === 2 && this.random.chance(0.5)) {
      const constant = this.constants.get(name);
      this.constants.set(name, { ...constant, dims: [dims[1], dims[0]] });
      return this.helper('Transpose', [name], { perm: [1, 0] });
    }
    return this.helper('Mul', [name, this.number(1.25)]);
  }

  bytes(outputs, dims) {
    const graph = [...this.nodes.map((n) => node(n.op, n.inputs, n.outputs, n.attributes)),
      message(2, 'random'),
      ...[...this.constants].map(([name, tensor]) => message(5, tensorProto(name, tensor))),
      valueInfo(11, 'x', elemTypes.float32, dims),
      ...outputs.map(({ name, dims: extents }) => valueInfo(12, name, elemTypes.float32, extents))];
    return Buffer.concat([integer(1, 8), message(8, integer(2, 17)), message(7, ...graph)]);
  }
}

const bias = (net, channels) => (net.random.chance(0.7) ? [net.floats([channels], 0.3)] : []);

function conv(net, depthwise) {
  const { random } = net;
  const v = net.image((d) => d[2] >= 3 && d[3] >= 3);
  if (!v) return;
  const [n, c, h, w] = v.dims;
  const k = random.pick([1, 3, 3]), stride = random.pick([1, 1, 2]), out = depthwise ? c : random.pick([8, 16, 16, 32]);
  const group = depthwise ? c : random.pick([1, 1, 1, 2]);
  if (c % group || out % group) return;
  const extent = (e) => Math.floor((e + 2 * (k >> 1) - k) / stride) + 1;
  net.add('Conv', [v.name, net.maybeComputed(net.weight([out, c / group, k, k])), ...bias(net, out)],
    [n, out, extent(h), extent(w)],
    { kernel_shape: [k, k], pads: [k >> 1, k >> 1, k >> 1, k >> 1], strides: [stride, stride], group });
}

function deconv(net) {
  const v = net.image((d) => d[2] < 16 && d[3] < 16);
  if (!v) return;
  const out = net.random.pick([8, 16]), [n, c, h, w] = v.dims;
  net.add('ConvTranspose', [v.name, net.weight([c, out, 2, 2], c), ...bias(net, out)], [n, out, 2 * h, 2 * w],
    { kernel_shape: [2, 2], strides: [2, 2] });
}

function activation(net) {
  const { random } = net;
  const v = net.value(), op = random.pick(['Relu', 'Relu', 'Relu', 'LeakyRelu', 'Sigmoid', 'HardSwish', 'HardSigmoid', 'Elu',
    'Tanh', 'Abs', 'Softplus', 'silu', 'clip', 'prelu', 'gelu', 'softmax', 'logsoftmax']);
  const one = (name, inputs = [v.name], attributes = {}) => net.add(name, inputs, v.dims, attributes);
  if (op === 'silu') return one('Mul', [v.name, one('Sigmoid')]);
  if (op === 'clip')
    return one('Clip', [v.name, net.number(random.pick([0, 0, -1, 0.1])), net.number(random.pick([1, 6]))]);
  if (op === 'prelu')
    return one('PRelu', [v.name, net.floats(v.dims.length > 2 ? [v.dims[1], ...v.dims.slice(2).map(() => 1)] : [1], 0.1, 0.2)]);
  if (op === 'gelu') {
    const bent = one('Add', [one('Erf', [one('Div', [v.name, net.number(1.4142)])]), net.number(1)]);
    return one('Mul', [one('Mul', [v.name, bent]), net.number(0.5)]);
  }
  if (op === 'softmax') return one('Softmax', [v.name], { axis: random.pick([1, -1]) });
  if (op === 'logsoftmax') return one('LogSoftmax', [v.name], { axis: -1 });
  return one(op);
}

function arithmetic(net) {
  const { random } = net;
  const v = net.value(), op = random.pick(['Add', 'Add', 'Add', 'Mul', 'Mul', 'Sub', 'Div', 'Min', 'Max', 'Sum', 'Where']);
  if (op === 'Where') {
    const mask = net.helper('Greater', [v.name, net.number(0)]);
    return net.add('Where', [mask, v.name, random.chance(0.7) ? net.like(v) : net.number(0.5)], v.dims);
  }
  if (op === 'Sum') return net.add('Sum', [v.name, net.like(v), ...(random.chance(0.3) ? [net.like(v)] : [])], v.dims);
  if (op === 'Div') return net.add('Div', [v.name, net.number(1.5)], v.dims);
  if (random.chance(0.35)) {
    const dims = v.dims.map(() => 1), axis = v.dims.length === 4 ? 1 : v.dims.length - 1;
    if (random.chance(0.6)) dims[axis] = v.dims[axis];
    const constant = net.floats(dims, 0.7);
    return net.add(op, random.chance(0.7) ? [v.name, constant] : [constant, v.name], v.dims);
  }
  return net.add(op, [v.name, net.like(v)], v.dims);
}

// The usual nodes behind a product in exported models.
function activated(net, name, dims) {
  const { random } = net;
  if (!random.chance(0.35)) return name;
  if (random.chance(0.6)) return net.add('Relu', [name], dims);
  return net.add('Clip', [name, net.number(random.pick([0, -1, 0.1])), net.number(6)], dims);
}

// MatMul, with a constant on either side and an Add of every form behind it, or of two activations.
function product(net) {
  const { random } = net;
  const v = net.value((d) => d.length >= 2 && d[d.length - 1] > 1 && d[d.length - 1] <= 128);
  if (!v) return;
  const last = v.dims.at(-1), rows = v.dims.at(-2), out = random.pick([16, 24, 32]);
  if (random.chance(0.15)) {
    if (v.dims.length < 3) return;
    const perm = v.dims.map((_, i) => i);
    [perm[perm.length - 2], perm[perm.length - 1]] = [perm.length - 1, perm.length - 2];
    const turned = net.add('Transpose', [v.name], perm.map((i) => v.dims[i]), { perm });
    return net.add('MatMul', [v.name, turned], [...v.dims.slice(0, -1), rows]);
  }
  if (random.chance(0.15)) return net.add('MatMul', [net.weight([out, rows]), v.name], [...v.dims.slice(0, -2), out, last]);
  const dims = [...v.dims.slice(0, -1), out];
  const name = net.add('MatMul', [v.name, net.maybeComputed(net.weight([last, out], last))], dims);
  if (random.chance(0.4)) return activated(net, name, dims);
  const added = net.floats(random.pick([[out], [out], [out], [1, out], [rows, out], [rows, 1], [1], []]), 0.3);
  return activated(net, net.add('Add', random.chance(0.5) ? [name, added] : [added, name], dims), dims);
}

function gemm(net) {
  const { random } = net;
  const v = net.value((d) => size(d.slice(1)) <= 1024);
  if (!v) return;
  const k = size(v.dims.slice(1)), out = random.pick([16, 20, 32]), transB = random.chance(0.5) ? 1 : 0;
  const flat = v.dims.length === 2 ? v.name : net.add('Flatten', [v.name], [v.dims[0], k]);
  const added = random.chance(0.8) ? [net.floats(random.pick([[out], [out], [out], [1, out], [1], [], [v.dims[0], 1]]), 0.3)] : [];
  const name = net.add('Gemm', [flat, net.weight(transB ? [out, k] : [k, out], k), ...added], [v.dims[0], out],
    { transB, ...(random.chance(0.1) ? { alpha: 0.5, beta: { float: 2 } } : {}) });
  activated(net, name, [v.dims[0], out]);
}

function pooling(net) {
  const { random } = net;
  const v = net.image((d) => d[2] >= 4 && d[3] >= 4);
  if (!v) return;
  const [n, c, h, w] = v.dims, op = random.pick(['MaxPool', 'AveragePool', 'GlobalAveragePool', 'GlobalMaxPool', 'ReduceMean', 'ReduceMax']);
  if (op.startsWith('Global')) return net.add(op, [v.name], [n, c, 1, 1]);
  if (op.startsWith('Reduce')) return net.add(op, [v.name], [n, c, 1, 1], { axes: [2, 3], keepdims: 1 });
  return net.add(op, [v.name], [n, c, h >> 1, w >> 1], { kernel_shape: [2, 2], strides: [2, 2] });
}

function resize(net) {
  const v = net.image((d) => d[2] < 16 && d[3] < 16);
  if (!v) return;
  const [n, c, h, w] = v.dims, mode = net.random.pick(['nearest', 'linear']);
  net.add('Resize', [v.name, '', net.constant('float32', [4], Float32Array.of(1, 1, 2, 2))], [n, c, 2 * h, 2 * w],
    { mode, ...(mode === 'nearest' ? { coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' } : {}) });
}

function concat(net) {
  const v = net.image();
  if (!v) return;
  const others = net.values.filter(({ dims }) => dims.length === 4 && dims[2] === v.dims[2] && dims[3] === v.dims[3]);
  const joined = [v, net.random.pick(others), ...(net.random.chance(0.3) ? [net.random.pick(others)] : [])];
  const channels = joined.reduce((sum, { dims }) => sum + dims[1], 0);
  if (channels > 128) return;
  net.add('Concat', joined.map(({ name }) => name), [v.dims[0], channels, v.dims[2], v.dims[3]], { axis: 1 });
}

function copy(net) {
  const { random } = net;
  const op = random.pick(['Reshape', 'Transpose', 'Transpose', 'Slice', 'Slice', 'Split', 'Pad', 'Gather', 'Tile', 'SpaceToDepth',
    'DepthToSpace', 'Identity', 'Dropout', 'Unsqueeze', 'Flatten', 'Expand']);
  if (op === 'Identity' || op === 'Dropout' || op === 'Transpose' || op === 'Flatten' || op === 'Unsqueeze') {
    const v = net.value();
    if (op === 'Flatten') return net.add(op, [v.name], [v.dims[0], size(v.dims.slice(1))]);
    if (op === 'Unsqueeze') return v.dims.length < 4 ? net.add(op, [v.name, net.ints(1)], [v.dims[0], 1, ...v.dims.slice(1)]) : undefined;
    if (op !== 'Transpose') return net.add(op, [v.name], v.dims);
    const perm = v.dims.map((_, i) => i);
    const [i, j] = [1 + Math.floor(random.next() * (perm.length - 1)), 1 + Math.floor(random.next() * (perm.length - 1))];
    [perm[i], perm[j]] = [perm[j], perm[i]];
    return net.add(op, [v.name], perm.map((axis) => v.dims[axis]), { perm });
  }
  const v = net.image();
  if (!v) return undefined;
  const [n, c, h, w] = v.dims;
  switch (op) {
    case 'Reshape': return net.add(op, [v.name, net.ints(n, c, -1)], [n, c, h * w]);
    case 'Slice': return c >= 4 ? net.add(op, [v.name, net.ints(0), net.ints(c >> 1), net.ints(1)], [n, c >> 1, h, w]) : undefined;
    case 'Split': {
      if (c % 2) return undefined;
      const names = [net.fresh('v'), net.fresh('v')];
      net.nodes.push({ op, inputs: [v.name], outputs: names, attributes: { axis: 1 } });
      for (const name of names) net.values.push({ name, dims: [n, c >> 1, h, w] });
      return names[0];
    }
    case 'Pad': return h < 16 ? net.add(op, [v.name, net.ints(0, 0, 1, 1, 0, 0, 1, 1), ...(random.chance(0.3) ? [net.number(0.5)] : [])],
      [n, c, h + 2, w + 2]) : undefined;
    case 'Gather': return c >= 4 ? net.add(op, [v.name, net.ints(0, 2, 3)], [n, 3, h, w], { axis: 1 }) : undefined;
    case 'Tile': return c <= 16 ? net.add(op, [v.name, net.ints(1, 2, 1, 1)], [n, 2 * c, h, w]) : undefined;
    case 'Expand': return h === 1 && w === 1 ? net.add(op, [v.name, net.ints(n, c, 4, 4)], [n, c, 4, 4]) : undefined;
    case 'SpaceToDepth': return h % 2 || w % 2 || c > 16 ? undefined : net.add(op, [v.name], [n, 4 * c, h >> 1, w >> 1], { blocksize: 2 });
    case 'DepthToSpace': return c % 4 || h >= 16 ? undefined : net.add(op, [v.name], [n, c >> 2, 2 * h, 2 * w], { blocksize: 2 });
    default: return undefined;
  }
}

function norm(net) {
  const { random } = net;
  const v = net.value((d) => d.at(-1) > 1);
  if (!v) return;
  if (random.chance(0.5) && v.dims.length === 4) {
    const channels = (scale, mean) => net.constant('float32', [v.dims[1]],
      Float32Array.from({ length: v.dims[1] }, () => mean + scale * random.next()));
    return net.add('BatchNormalization', [v.name, channels(1, 0.5), channels(1, -0.5), channels(1, -0.5), channels(1, 0.3)], v.dims);
  }
  return net.add('LayerNormalization', [v.name, net.floats([v.dims.at(-1)], 0.2, 1), net.floats([v.dims.at(-1)], 0.2)], v.dims, { axis: -1 });
}

// Squeeze-and-excite.
function gate(net) {
  const v = net.image((d) => d[1] >= 8);
  if (!v) return;
  const [n, c] = v.dims, dims = [n, c, 1, 1], layer = (x) => net.add('Conv', [x, net.weight([c, c, 1, 1])], dims, { kernel_shape: [1, 1] });
  const gates = net.add('Sigmoid', [layer(net.add('Relu', [layer(net.add('GlobalAveragePool', [v.name], dims))], dims))], dims);
  net.add('Mul', net.random.chance(0.5) ? [v.name, gates] : [gates, v.name], v.dims);
}

const pieces = [...Array(6).fill(conv), (net) => conv(net, true), deconv, ...Array(5).fill(activation), ...Array(5).fill(arithmetic),
  ...Array(3).fill(product), gemm, pooling, pooling, resize, concat, concat, ...Array(4).fill(copy), norm, gate];

// {bytes, dims, outputs}: an ONNX model of opset 17 with input 'x' of these extents, and its outputs with theirs.
export function randomGraph(seed) {
  const net = new Network(seed);
  const extent = net.random.pick([8, 12]), dims = [1, net.random.pick([3, 8, 16]), extent, extent];
  net.values.push({ name: 'x', dims });
  for (let step = 0, steps = 6 + Math.floor(net.random.next() * 10); step < steps || net.values.length < 3; ++step)
    net.random.pick(pieces)(net);
  const read = new Set(net.nodes.flatMap(({ inputs }) => inputs));
  const outputs = net.values.filter(({ name }) => name !== 'x' && !read.has(name)).slice(0, 4);
  const inner = net.values.filter(({ name }) => name !== 'x' && read.has(name));
  if (inner.length && net.random.chance(0.2)) outputs.push(net.random.pick(inner));
  // Removes nodes that no output needs.
  const needed = new Set(outputs.map(({ name }) => name));
  net.nodes = net.nodes.reverse().filter((n) => {
    if (!n.outputs.some((name) => needed.has(name))) return false;
    n.inputs.forEach((name) => needed.add(name));
    return true;
  }).reverse();
  net.constants = new Map([...net.constants].filter(([name]) => needed.has(name)));
  return { bytes: net.bytes(outputs, dims), dims, outputs };
}
