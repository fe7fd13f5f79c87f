// The integer layers of a Q/DQ file, each from the codes that it reads to the codes that it writes.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { freshFolder } from './detent.mjs';
import { message, modelLike, parse, valueInfo } from './onnx_file.mjs';

const layers = new Set(['Conv', 'Gemm', 'MatMul']);
const absorbed = new Set(['Relu', 'Clip']);
const uint8 = 2;

// Returns [{layer, nodes, from, quantize}]: from = name of the codes read, quantize = the QuantizeLinear behind the
// layer, or behind its Relu or Clip. Layers without a constant weight, or whose output has other readers, are left
// out.
export function codedLayers(model) {
  const producer = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node])));
  const readers = new Map();
  for (const node of model.nodes)
    for (const name of node.inputs) readers.set(name, [...(readers.get(name) ?? []), node]);
  const outputs = new Set(model.outputs.map(({ name }) => name));
  const onlyReader = (name) => (readers.get(name)?.length === 1 && !outputs.has(name) ? readers.get(name)[0] : undefined);
  return model.nodes.filter((node) => layers.has(node.op)).flatMap((layer) => {
    const [data, weight, bias] = layer.inputs.map((name) => producer.get(name));
    if (data?.op !== 'DequantizeLinear' || weight?.op !== 'DequantizeLinear') return [];
    if (model.initializers.has(data.inputs[0]) || !model.initializers.has(weight.inputs[0])) return [];
    const nodes = [data, weight, ...(bias ? [bias] : []), layer];
    let next = onlyReader(layer.outputs[0]);
    if (next && absorbed.has(next.op)) {
      // Bounds may come from Constant nodes.
      nodes.push(...next.inputs.slice(1).flatMap((name) => producer.get(name) ?? []), next);
      next = onlyReader(next.outputs[0]);
    }
    return next?.op === 'QuantizeLinear' ? [{ layer, nodes, from: data.inputs[0], quantize: next }] : [];
  });
}

const resultOf = (index) => `codes_${index}`;

// One model with all of these layers side by side. Layer k reads the codes `from`, an input, and writes codes_k.
export function layersAlone(model, found, dims) {
  const nodes = new Map(found.flatMap(({ nodes: all }) => all.map((node) => [node.outputs[0], node.raw])));
  const used = new Set(found.flatMap(({ nodes: all, quantize }) => [...all, quantize].flatMap((node) => node.inputs)));
  const quantizers = found.map(({ quantize }, index) => {
    const attributes = parse(parse(quantize.raw)[0].value).filter((field) => field.number === 5).map((field) => field.raw);
    return message(1, ...quantize.inputs.map((name) => message(1, name)), message(2, resultOf(index)),
      message(3, `quantize_${index}`), message(4, quantize.op), ...attributes);
  });
  const inputs = [...new Set(found.map(({ from }) => from))];
  const file = join(freshFolder(), 'layers.onnx');
  writeFileSync(file, modelLike(model, [...nodes.values(), ...quantizers,
    ...[...model.initializers].filter(([name]) => used.has(name)).map(([, raw]) => raw),
    ...inputs.map((name) => valueInfo(11, name, uint8, dims[name])),
    ...found.map((_, index) => valueInfo(12, resultOf(index)))]));
  return { file, inputs, resultOf };
}
