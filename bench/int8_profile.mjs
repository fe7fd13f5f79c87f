// Reads the profile that ONNX Runtime writes of a file, node by node. Times are milliseconds, the least of all runs.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '../tests/onnxruntime/detent.mjs';
import { openSession } from '../tests/onnxruntime/engine.mjs';

const pairHalves = new Set(['QuantizeLinear', 'DequantizeLinear']);
const layerKinds = /^(Conv|FusedConv|ConvTranspose|QLinearConv|Gemm|FusedGemm|QGemm|MatMul|FusedMatMul|QLinearMatMul|MatMulIntegerToFloat)$/;

const isInteger = (kind) => /^(QLinear|QGemm|QAttention|MatMulInteger|DynamicQuantize)/.test(kind);

// "f32[1,3,224,224]" of the profiler's {"float": [1,3,224,224]}.
const shapeText = (shapes) => (shapes ?? []).map((one) => Object.entries(one).map(([type, dims]) => `${type}[${dims}]`)).flat()[0] ?? '';

// {nodes: [{index, name, kind, ms, shape}] in the order of execution, total}.
export async function profileOf(path, feeds, settings, seconds) {
  const prefix = join(freshFolder(), 'profile');
  const session = await openSession(path, 'all', { ...settings, enableProfiling: true, profileFilePrefix: prefix });
  const end = performance.now() + 1000 * seconds * 10;
  let runs = 0;
  // The profiler keeps a million events and drops the rest.
  while (runs < 5 || (performance.now() < end && runs < 200)) {
    await session.run(feeds);
    ++runs;
  }
  session.endProfiling();
  await session.release();
  const nodes = new Map();
  for (const { cat, name, dur, args } of readProfile(prefix)) {
    if (cat !== 'Node' || !name.endsWith('_kernel_time')) continue;
    const node = nodes.get(args.node_index) ?? { index: Number(args.node_index), name: name.replace(/_kernel_time$/, ''),
      kind: args.op_name, ms: Infinity, shape: shapeText(args.output_type_shape) };
    node.ms = Math.min(node.ms, dur / 1000);
    nodes.set(args.node_index, node);
  }
  const list = [...nodes.values()];
  return { nodes: list, total: list.reduce((sum, node) => sum + node.ms, 0) };
}

function readProfile(prefix) {
  const folder = join(prefix, '..');
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

// [{kind, float, int8: {ms, nodes}}], the costliest first.
export function kindsOf(float, int8) {
  const kinds = new Map();
  for (const [side, { nodes }] of Object.entries({ float, int8 })) {
    for (const { kind, ms } of nodes) {
      const row = kinds.get(kind) ?? { kind, float: { ms: 0, nodes: 0 }, int8: { ms: 0, nodes: 0 } };
      row[side].ms += ms;
      row[side].nodes += 1;
      kinds.set(kind, row);
    }
  }
  return [...kinds.values()].sort((a, b) => b.float.ms + b.int8.ms - a.float.ms - a.int8.ms);
}

// Returns the nodes of the quantized file that are not integer kernels, worst first, with their neighbours in the
// optimized graph.
export function floatNodes(profile, optimized) {
  const byName = new Map(optimized.nodes.map((node) => [node.name, node]));
  const producer = new Map(optimized.nodes.flatMap((node) => node.outputs.map((value) => [value, node.op])));
  const readers = (value) => optimized.nodes.filter((node) => node.inputs.includes(value)).map((node) => node.op);
  return profile.nodes.filter(({ kind }) => !isInteger(kind)).sort((a, b) => b.ms - a.ms).map((node) => {
    const inGraph = byName.get(node.name.replace(/_(nchwc|token_\d+)$/, ''));
    return { ...node, from: inGraph?.inputs.map((value) => producer.get(value)).filter(Boolean).join(', ') ?? '',
      to: inGraph?.outputs.flatMap(readers).join(', ') ?? '' };
  });
}

// Returns [{float, int8}] of the k-th layers of both files, largest loss in INT8 first. Names differ, because fusions
// rename nodes.
export function layersOf(float, int8) {
  const layers = ({ nodes }) => nodes.filter(({ kind }) => layerKinds.test(kind));
  const [floats, integers] = [layers(float), layers(int8)];
  if (floats.length !== integers.length) return [];
  return floats.map((layer, k) => ({ float: layer, int8: integers[k] })).sort((a, b) => b.int8.ms - b.float.ms - a.int8.ms + a.float.ms);
}

export const standalonePairs = ({ nodes }) => nodes.filter(({ kind }) => pairHalves.has(kind));
