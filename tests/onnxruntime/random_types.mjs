// Small random networks that an exporter could have written: convolutions and products, copies, branches that meet,
// and between them integers, truth values, FP16, graphs inside and functions. No value inside declares its type, so
// readers have to infer it.
import { functionOf, graphOf, initializer, modelOf, node } from './graph_parts.mjs';
import { elements } from './npy.mjs';

// Marsaglia's xorshift: numbers in [0, 1), the same for a seed in every run.
function generatorOf(seed) {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x85ebca6b) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

// The bits of the FP16 number nearest to x, |x| below 65504; smaller than 2^-14 becomes 0.
function halfBits(x) {
  const bits = new Uint32Array(Float32Array.of(x).buffer)[0];
  const exponent = ((bits >>> 23) & 255) - 112;
  if (exponent <= 0) return (bits >>> 16) & 0x8000;
  return ((bits >>> 16) & 0x8000) | ((exponent << 10) + ((bits & 0x7fffff) >>> 13));
}

const makers = {
  float32: (numbers) => Float32Array.from(numbers), float16: (numbers) => Uint16Array.from(numbers, halfBits),
  int64: (numbers) => BigInt64Array.from(numbers, (x) => BigInt(Math.round(x))), int32: (numbers) => Int32Array.from(numbers),
  uint8: (numbers) => Uint8Array.from(numbers), int8: (numbers) => Int8Array.from(numbers),
  bool: (numbers) => Uint8Array.from(numbers, (x) => Number(x > 0)),
};
const tensorOf = (type, dims, numbers) => ({ type, dims, data: makers[type](numbers) });
const castTo = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9, float16: 10 };

class Network {
  constructor(seed) {
    this.seed = seed;
    this.random = generatorOf(seed);
    this.opset = this.among([10, 11, 13, 15, 17, 17, 17, 18, 19, 21]);
    this.float = this.chance(0.2) ? 'float16' : 'float32';
    this.nodes = [];
    this.initializers = [];
    this.functions = [];
    this.values = []; // floats of the network's type: {name, dims}
    this.made = []; // all values that nodes made: {name, type, dims}
    this.read = new Set();
    this.inner = []; // names that graphs inside define
    this.count = 0;
  }

  chance(p) { return this.random() < p; }
  int(low, high) { return low + Math.floor(this.random() * (high - low)); }
  among(list) { return list[this.int(0, list.length)]; }
  normal() { return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random()); }
  fresh(letter = 'v') { return `${letter}${this.count++}`; }

  constant(type, dims, numbers) {
    const name = this.fresh('k');
    const tensor = tensorOf(type, dims, numbers);
    if (this.chance(0.2)) this.nodes.push(node('Constant', [], [name], { value: tensor }));
    else this.initializers.push(initializer(name, tensor));
    return name;
  }
  ints(...numbers) { return this.constant('int64', [numbers.length], numbers); }
  scalar(x, type = this.float) { return this.constant(type, [], [x]); }
  weight(dims, scale) {
    return this.constant(this.float, dims, Array.from({ length: elements(dims) }, () => this.normal() * scale));
  }

  op(op, inputs, dims, attributes = {}, { type = this.float, outputs = 1, domain = '' } = {}) {
    const names = Array.from({ length: outputs }, () => this.fresh(type === this.float ? 'v' : 'i'));
    this.nodes.push(node(op, inputs, names, attributes, domain));
    inputs.forEach((name) => this.read.add(name));
    this.made.push({ name: names[0], type, dims });
    if (type === this.float) this.values.push({ name: names[0], dims });
    return outputs === 1 ? names[0] : names;
  }
  cast(name, type, dims) { return this.op('Cast', [name], dims, { to: castTo[type] }, { type }); }

  // One of the latest float values that fit.
  pick(fits = () => true) {
    const fitting = this.values.slice(-8).filter(({ dims }) => fits(dims));
    return fitting.length ? this.among(fitting) : undefined;
  }
  image() { return this.pick((dims) => dims.length === 4); }
  like({ name, dims }) {
    const others = this.values.filter((v) => v.name !== name && String(v.dims) === String(dims));
    return (others.length ? this.among(others) : { name }).name;
  }
  // Axes were attributes before the opset that made them inputs.
  axes(since, axes) {
    return this.opset < since ? [[], { axes }] : [[this.ints(...axes)], {}];
  }

  // Makes a truth value or an integer of float values, which a cast or a choice brings back.
  mask({ name, dims }) {
    const compare = () => this.op(this.among(['Greater', 'Less', 'Equal'].slice(0, this.opset < 11 ? 2 : 3)),
      [name, this.scalar(0)], dims, {}, { type: 'bool' });
    let mask = this.chance(0.15) ? this.op('IsNaN', [this.among([name])], dims, {}, { type: 'bool' }) : compare();
    if (this.chance(0.3)) mask = this.op('Not', [mask], dims, {}, { type: 'bool' });
    if (this.chance(0.3)) mask = this.op(this.among(['And', 'Or', 'Xor']), [mask, compare()], dims, {}, { type: 'bool' });
    if (this.chance(0.2)) mask = this.op('Identity', [mask], dims, {}, { type: 'bool' });
    if (this.chance(0.2)) mask = this.op('Reshape', [mask, this.ints(...dims)], dims, {}, { type: 'bool' });
    return mask;
  }

  moveBack(mask, type, dims) { // through a Transpose, there and back
    if (dims.length < 2 || !this.chance(0.3)) return mask;
    const perm = [...dims.keys()].reverse();
    const turned = this.op('Transpose', [mask], perm.map((axis) => dims[axis]), { perm }, { type });
    return this.op('Transpose', [turned], dims, { perm }, { type });
  }
}

const pieces = {
  conv(n) {
    const v = n.image();
    if (!v) return;
    const [batch, channels, height, width] = v.dims;
    const kernel = n.among([1, 3]), group = n.among([1, 1, 1, channels]), out = group === 1 ? n.among([8, 16]) : channels;
    if (Math.min(height, width) < kernel) return;
    const stride = n.among([1, 1, 2]), pad = (kernel - 1) / 2;
    const extent = (size) => Math.floor((size + 2 * pad - kernel) / stride) + 1;
    const inputs = [v.name, n.weight([out, channels / group, kernel, kernel], 1 / Math.sqrt(channels * kernel * kernel / group))];
    if (n.chance(0.7)) inputs.push(n.weight([out], 0.3));
    n.op('Conv', inputs, [batch, out, extent(height), extent(width)],
      { kernel_shape: [kernel, kernel], pads: [pad, pad, pad, pad], strides: [stride, stride], group });
  },
  deconv(n) {
    const v = n.image();
    if (!v || v.dims[2] > 8) return;
    const [batch, channels, height, width] = v.dims;
    n.op('ConvTranspose', [v.name, n.weight([channels, 8, 2, 2], 0.3)], [batch, 8, 2 * height, 2 * width],
      { kernel_shape: [2, 2], strides: [2, 2] });
  },
  activation(n) {
    const v = n.pick(), kind = n.among(['Relu', 'Relu', 'LeakyRelu', 'Sigmoid', 'HardSigmoid', 'Elu', 'Tanh', 'Abs', 'silu']);
    if (kind === 'silu') n.op('Mul', [v.name, n.op('Sigmoid', [v.name], v.dims)], v.dims);
    else n.op(kind, [v.name], v.dims);
  },
  clip(n) {
    const v = n.pick();
    if (n.opset < 11) n.op('Clip', [v.name], v.dims, { min: { float: 0 }, max: { float: 6 } });
    else n.op('Clip', [v.name, n.scalar(0), n.scalar(n.among([1, 6]))], v.dims);
  },
  pad(n) {
    const v = n.image();
    if (!v || v.dims[2] > 12) return;
    const dims = [v.dims[0], v.dims[1], v.dims[2] + 2, v.dims[3] + 2], pads = [0, 0, 1, 1, 0, 0, 1, 1];
    if (n.opset < 11) n.op('Pad', [v.name], dims, { pads, value: { float: 0.5 } });
    else n.op('Pad', [v.name, n.ints(...pads), n.scalar(0.5)], dims);
  },
  meet(n) {
    const v = n.pick();
    n.op(n.among(['Add', 'Add', 'Mul', 'Sub', 'Max']), n.opset < 12 && n.float === 'float16' ? [v.name, v.name] : [v.name, n.like(v)],
      v.dims);
  },
  concat(n) {
    const v = n.image();
    if (!v) return;
    const other = n.like(v);
    n.op('Concat', [v.name, other], [v.dims[0], 2 * v.dims[1], v.dims[2], v.dims[3]], { axis: 1 });
  },
  split(n) {
    const v = n.image();
    if (!v || v.dims[1] % 2) return;
    const part = v.dims[1] / 2, dims = [v.dims[0], part, ...v.dims.slice(2)];
    const [inputs, attributes] = n.opset < 13 ? [[], { split: [part, part] }] : [[n.ints(part, part)], {}];
    const [, second] = n.op('Split', [v.name, ...inputs], dims, { axis: 1, ...attributes }, { outputs: 2 });
    n.values.push({ name: second, dims });
  },
  pool(n) {
    const v = n.image();
    if (!v || v.dims[2] < 4 || v.dims[3] < 4) return;
    n.op(n.among(['MaxPool', 'AveragePool']), [v.name],
      [v.dims[0], v.dims[1], Math.floor(v.dims[2] / 2), Math.floor(v.dims[3] / 2)], { kernel_shape: [2, 2], strides: [2, 2] });
  },
  mean(n) {
    const v = n.image();
    if (!v) return;
    const [inputs, attributes] = n.axes(18, [2, 3]);
    n.op('ReduceMean', [v.name, ...inputs], [v.dims[0], v.dims[1], 1, 1], { keepdims: 1, ...attributes });
  },
  gate(n) {
    const v = n.image();
    if (!v) return;
    const channels = v.dims[1], small = [v.dims[0], channels, 1, 1];
    const average = n.op('GlobalAveragePool', [v.name], small);
    const mixed = n.op('Conv', [average, n.weight([channels, channels, 1, 1], 1 / Math.sqrt(channels))], small);
    n.op('Mul', [v.name, n.op('Sigmoid', [mixed], small)], v.dims);
  },
  resize(n) {
    const v = n.image();
    if (!v || v.dims[2] > 8 || n.opset < 13) return;
    n.op('Resize', [v.name, '', n.constant('float32', [4], [1, 1, 2, 2])], [v.dims[0], v.dims[1], 2 * v.dims[2], 2 * v.dims[3]],
      { mode: n.among(['nearest', 'linear']), coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' });
  },
  reshape(n) {
    const v = n.image();
    if (!v) return;
    const dims = [v.dims[0], v.dims[1], v.dims[2] * v.dims[3]];
    if (n.chance(0.5)) n.op('Reshape', [v.name, n.ints(...dims)], dims);
    else { // the shape is computed, as exporters do
      const shape = n.op('Shape', [v.name], [4], {}, { type: 'int64' });
      const front = n.op('Slice', [shape, n.ints(0), n.ints(2), n.ints(0)], [2], {}, { type: 'int64' });
      const whole = n.op('Concat', [front, n.ints(-1)], [3], { axis: 0 }, { type: 'int64' });
      n.op('Reshape', [v.name, whole], dims);
    }
  },
  transpose(n) {
    const v = n.pick((dims) => dims.length > 2);
    if (!v) return;
    const last = v.dims.length - 1, perm = [0, ...Array.from({ length: last }, (_, i) => last - i)];
    n.op('Transpose', [v.name], perm.map((axis) => v.dims[axis]), { perm });
  },
  slice(n) {
    const v = n.pick((dims) => dims.length > 1 && dims[1] > 3);
    if (!v) return;
    n.op('Slice', [v.name, n.ints(0), n.ints(Math.floor(v.dims[1] / 2)), n.ints(1)],
      v.dims.map((size, axis) => (axis === 1 ? Math.floor(size / 2) : size)));
  },
  squeeze(n) {
    const v = n.pick();
    const [inputs, attributes] = n.axes(13, [1]);
    const wide = n.op('Unsqueeze', [v.name, ...inputs], [v.dims[0], 1, ...v.dims.slice(1)], attributes);
    const [back, backAttributes] = n.axes(13, [1]);
    if (n.chance(0.5)) n.op('Squeeze', [wide, ...back], v.dims, backAttributes);
    else n.values.splice(n.values.findIndex((one) => one.name === wide), 1);
  },
  softmax(n) {
    const v = n.pick();
    n.op(n.among(['Softmax', 'Softmax', 'LogSoftmax']), [v.name], v.dims, { axis: v.dims.length - 1 });
  },
  layerNorm(n) {
    const v = n.pick((dims) => dims.at(-1) > 1);
    if (!v || n.opset < 17) return;
    const inputs = [v.name, n.weight([v.dims.at(-1)], 1), n.weight([v.dims.at(-1)], 1)];
    if (n.chance(0.7)) {
      n.op('LayerNormalization', inputs, v.dims, { axis: -1 });
    } else { // Mean is FP32, whatever the data is
      const [y, mean] = n.op('LayerNormalization', inputs, v.dims, { axis: -1 }, { outputs: 2 });
      const same = n.float === 'float32' ? mean : n.cast(mean, n.float, [...v.dims.slice(0, -1), 1]);
      n.op('Mul', [y, same], v.dims);
    }
  },
  batchNorm(n) {
    const v = n.image();
    if (!v) return;
    const positive = () => n.constant(n.float, [v.dims[1]], Array.from({ length: v.dims[1] }, () => 0.5 + n.random()));
    n.op('BatchNormalization', [v.name, positive(), n.weight([v.dims[1]], 0.5), n.weight([v.dims[1]], 0.5), positive()], v.dims);
  },
  matmul(n) {
    const v = n.pick((dims) => dims.length > 1);
    const inner = v?.dims.at(-1);
    if (!v || inner > 512) return;
    const out = n.among([16, 24]), dims = [...v.dims.slice(0, -1), out];
    const y = n.op('MatMul', [v.name, n.weight([inner, out], 1 / Math.sqrt(inner))], dims);
    if (n.chance(0.6)) n.op('Add', n.chance(0.5) ? [y, n.weight([out], 0.3)] : [n.weight([out], 0.3), y], dims);
  },
  attention(n) {
    const v = n.pick((dims) => dims.length > 2);
    if (!v) return;
    const rank = v.dims.length, perm = [...Array(rank).keys()];
    [perm[rank - 1], perm[rank - 2]] = [rank - 2, rank - 1];
    const turned = n.op('Transpose', [v.name], perm.map((axis) => v.dims[axis]), { perm });
    n.op('MatMul', [v.name, turned], [...v.dims.slice(0, -1), v.dims.at(-2)]);
  },
  gemm(n) {
    const v = n.pick((dims) => elements(dims.slice(1)) < 1500);
    if (!v) return;
    const inner = elements(v.dims.slice(1)), out = n.among([16, 20]);
    const flat = n.op('Flatten', [v.name], [v.dims[0], inner], { axis: 1 });
    n.op('Gemm', [flat, n.weight([out, inner], 1 / Math.sqrt(inner)), n.weight([out], 0.3)], [v.dims[0], out], { transB: 1 });
  },
  gelu(n) {
    const v = n.pick();
    const erf = n.op('Erf', [n.op('Div', [v.name, n.scalar(1.4142)], v.dims)], v.dims);
    n.op('Mul', [v.name, n.op('Add', [erf, n.scalar(1)], v.dims)], v.dims);
  },

  // ---- integers and truth values ----
  where(n) {
    const v = n.pick();
    const mask = n.moveBack(n.mask(v), 'bool', v.dims);
    n.op('Where', n.chance(0.5) ? [mask, v.name, n.scalar(0)] : [mask, v.name, n.like(v)], v.dims);
  },
  maskedProduct(n) {
    const v = n.pick();
    n.op('Mul', [v.name, n.cast(n.moveBack(n.mask(v), 'bool', v.dims), n.float, v.dims)], v.dims);
  },
  dropout(n) {
    const v = n.pick();
    const [y, mask] = n.op('Dropout', [v.name], v.dims, {}, { outputs: 2 });
    const how = n.int(0, 3);
    if (how === 0) n.op('Where', [mask, y, n.scalar(0)], v.dims);
    if (how === 1) n.op('Mul', [y, n.cast(mask, n.float, v.dims)], v.dims);
  },
  infinite(n) {
    const v = n.pick();
    if (n.float === 'float16' && n.opset < 20) return;
    const mask = n.op('IsInf', [v.name], v.dims, {}, { type: 'bool' });
    n.op('Where', [mask, n.scalar(0), v.name], v.dims);
  },
  integers(n) {
    const v = n.pick((dims) => dims.length > 1);
    if (!v) return;
    const type = n.among(['int32', 'int64']);
    let whole = n.cast(n.op('Mul', [v.name, n.scalar(4)], v.dims), type, v.dims);
    whole = n.moveBack(whole, type, v.dims);
    if (n.chance(0.5)) whole = n.op(n.among(['Add', 'Mul']), [whole, n.scalar(3, type)], v.dims, {}, { type });
    if (n.chance(0.3)) whole = n.op('Concat', [whole, whole], v.dims.map((size, axis) => (axis ? size : 2 * size)), { axis: 0 }, { type });
    else if (n.chance(0.3)) { // a product of integers
      const rank = v.dims.length, perm = [...Array(rank).keys()];
      [perm[rank - 1], perm[rank - 2]] = [rank - 2, rank - 1];
      const turned = n.op('Transpose', [whole], perm.map((axis) => v.dims[axis]), { perm }, { type });
      const dims = [...v.dims.slice(0, -1), v.dims.at(-2)];
      n.op('Mul', [n.cast(n.op('MatMul', [whole, turned], dims, {}, { type }), n.float, dims), n.scalar(0.01)], dims);
      return;
    }
    if (n.made.at(-1).dims[0] === v.dims[0]) n.op('Add', [v.name, n.cast(whole, n.float, v.dims)], v.dims);
  },
  narrowIntegers(n) {
    const v = n.pick();
    const type = n.among(['uint8', 'int8']);
    const small = n.op('Mul', [n.op('Sigmoid', [v.name], v.dims), n.scalar(100)], v.dims);
    n.op('Add', [v.name, n.cast(n.moveBack(n.cast(small, type, v.dims), type, v.dims), n.float, v.dims)], v.dims);
  },
  best(n) {
    const v = n.pick((dims) => dims.length > 1 && dims.at(-1) > 4);
    if (!v) return;
    const dims = [...v.dims.slice(0, -1), 4];
    const [values, indices] = n.op('TopK', [v.name, n.ints(4)], dims, { axis: -1 }, { outputs: 2 });
    if (n.chance(0.6)) n.op('Add', [values, n.cast(indices, n.float, dims)], dims);
  },
  largest(n) {
    const v = n.pick((dims) => dims.length > 1);
    if (!v) return;
    const dims = [...v.dims.slice(0, -1), 1];
    const index = n.op(n.among(['ArgMax', 'ArgMin']), [v.name], dims, { axis: v.dims.length - 1, keepdims: 1 }, { type: 'int64' });
    if (n.chance(0.5)) n.op('Mul', [v.name, n.cast(index, n.float, dims)], v.dims);
    else if (n.opset > 10) n.op('GatherElements', [v.name, index], dims, { axis: v.dims.length - 1 });
  },
  lookUp(n) {
    const v = n.pick((dims) => dims.length > 1);
    if (!v) return;
    const dims = v.dims.slice(0, -1);
    const index = n.op('ArgMax', [v.name], dims, { axis: v.dims.length - 1, keepdims: 0 }, { type: 'int64' });
    n.op('Gather', [n.weight([v.dims.at(-1), 8], 1), index], [...dims, 8], { axis: 0 });
  },
  poolIndices(n) {
    const v = n.image();
    if (!v || v.dims[2] < 4 || v.dims[3] < 4) return;
    const dims = [v.dims[0], v.dims[1], Math.floor(v.dims[2] / 2), Math.floor(v.dims[3] / 2)];
    const [y, indices] = n.op('MaxPool', [v.name], dims, { kernel_shape: [2, 2], strides: [2, 2] }, { outputs: 2 });
    n.op('Add', [y, n.op('Mul', [n.cast(indices, n.float, dims), n.scalar(0.01)], dims)], dims);
  },

  // ---- types ----
  detour(n) { // through the other float type
    const v = n.pick(), other = n.float === 'float32' ? 'float16' : 'float32';
    const like = n.opset > 14 && n.chance(0.5);
    const there = like ? n.op('CastLike', [v.name, n.scalar(0, other)], v.dims, {}, { type: other }) : n.cast(v.name, other, v.dims);
    const inside = n.chance(0.5) ? n.op('Relu', [there], v.dims, {}, { type: other }) : there;
    if (like) n.op('CastLike', [inside, v.name], v.dims);
    else n.cast(inside, n.float, v.dims);
  },
  filled(n) {
    const v = n.pick();
    const shape = n.op('Shape', [v.name], [v.dims.length], {}, { type: 'int64' });
    const value = tensorOf(n.float, [1], [0.5]);
    n.op('Add', [v.name, n.op('ConstantOfShape', [shape], v.dims, { value })], v.dims);
  },

  // ---- graphs inside and functions ----
  choice(n) {
    const v = n.pick();
    const [inputs, attributes] = n.axes(18, [...v.dims.keys()]);
    const top = n.op('ReduceMax', [v.name, ...inputs], [], { keepdims: 0, ...attributes });
    n.values = n.values.filter(({ name }) => name !== top);
    const taken = n.op('Greater', [top, n.scalar(1)], [], {}, { type: 'bool' });
    // Names that the rewriter would choose: they are taken already.
    const inner = n.among([`${v.name}_scale`, `${v.name}_quantized`, `${v.name}_dequantized`, `${v.name}_float16`]);
    if (n.inner.includes(inner)) return;
    n.inner.push(inner);
    const name = n.fresh('b');
    const branch = (suffix, ...nodes) => graphOf({ nodes, outputs: [{ name: name + suffix }] });
    const half = tensorOf(n.float, [], [0.5]);
    const yes = branch('_yes', node('Constant', [], [inner], { value: half }), node('Mul', [v.name, inner], [`${name}_yes`]));
    const no = branch('_no', node('Neg', [v.name], [`${name}_neg`]), node(n.among(['Relu', 'Abs']), [`${name}_neg`], [`${name}_no`]));
    n.op('If', [taken], v.dims, { then_branch: yes, else_branch: no });
  },
  loop(n) {
    const v = n.pick();
    if (n.opset < 11) return;
    const name = n.fresh('l'), other = n.like(v);
    const body = graphOf({
      nodes: [node('Identity', [`${name}_go`], [`${name}_on`]), node('Add', [`${name}_sum`, other], [`${name}_next`])],
      inputs: [{ name: `${name}_step`, type: 'int64', dims: [] }, { name: `${name}_go`, type: 'bool', dims: [] },
        { name: `${name}_sum`, type: n.float, dims: v.dims }],
      outputs: [{ name: `${name}_on`, type: 'bool', dims: [] }, { name: `${name}_next`, type: n.float, dims: v.dims }],
    });
    n.read.add(other);
    n.op('Loop', [n.constant('int64', [], [2]), n.constant('bool', [], [1]), v.name], v.dims, { body });
  },
  call(n) {
    const v = n.pick(), name = `Softened${n.functions.length}`;
    n.functions.push(functionOf({
      domain: 'local', name, inputs: ['a'], outputs: ['b'], opset: n.opset,
      nodes: [node('Sigmoid', ['a'], ['s'], {}, '', 7), node('Greater', ['a', 's'], ['g'], {}, '', 7),
        node('Where', ['g', 'a', 's'], ['b'], {}, '', 7)],
    }));
    n.op(name, [v.name], v.dims, {}, { domain: 'local' });
  },
};

const layers = ['conv', 'conv', 'conv', 'conv', 'activation', 'activation', 'matmul', 'gemm'];
const others = Object.keys(pieces);

// The image, as floats or as cameras and tokenizers give it.
function begin(n) {
  const dims = [1, n.among([3, 8]), 8, 8];
  const type = n.among([n.float, n.float, 'uint8', 'int64', 'bool', 'int32']);
  if (type === n.float) n.values.push({ name: 'x', dims });
  else n.cast('x', n.float, dims);
  return { name: 'x', type, dims };
}

// Returns {model: bytes, input: {name, type, dims}, samples(count): a stack of them, with the input's batch of 1 as
// first axis}.
export function randomGraph(seed) {
  const n = new Network(seed);
  const input = begin(n);
  const size = n.int(5, 16);
  for (let i = 0; i < size; ++i) pieces[n.chance(0.4) ? n.among(layers) : n.among(others)](n);
  const unread = n.made.filter(({ name }) => !n.read.has(name)).slice(0, 4);
  const outputs = unread.length ? unread : [n.made.at(-1) ?? { ...input }];
  if (!n.made.length) return undefined;
  const graph = graphOf({ nodes: n.nodes, initializers: n.initializers, inputs: [input], outputs });
  const model = modelOf({ ir: n.opset > 18 ? 10 : 8, opset: n.opset, graph, functions: n.functions,
    domains: n.functions.length ? ['local'] : [] });
  const samples = (count) => {
    const dims = [count, ...input.dims.slice(1)];
    const numbers = Array.from({ length: elements(dims) },
      () => (input.type.startsWith('float') ? n.normal() : input.type === 'bool' ? n.int(0, 2) : n.int(0, 9)));
    return tensorOf(input.type, dims, numbers);
  };
  return { model, input, samples };
}
