// Cuts a model into one model a node, each fed with the tensors that ONNX Runtime had at that node.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession, runOnce } from './engine.mjs';
import { writeNpy } from './npy.mjs';
import { elemTypes, message, modelLike, parse, readModel, tensorProto, valueInfo, withAllOutputs } from './onnx_file.mjs';

// Names of the values that do not depend on any input.
function constantValues(model) {
  const names = new Set(model.initializers.keys());
  for (const node of model.nodes) {
    if (node.inputs.every((name) => name === '' || names.has(name))) node.outputs.forEach((name) => names.add(name));
  }
  return names;
}

// {model, values: {name: tensor}, constants}: every value of one sample as ONNX Runtime computes it, unoptimized.
export async function traceModel(file, feeds, wanted) {
  const model = readModel(file);
  const session = await openSession(withAllOutputs(model, wanted), 'disabled');
  try {
    return { model, values: { ...feeds, ...(await runOnce(session, feeds)) }, constants: constantValues(model) };
  } finally {
    await session.release();
  }
}

const info = (number, name, value) => valueInfo(number, name, elemTypes[value.type], value.dims);

// A constant operand as an initializer: the file's bytes, or the output of constant nodes.
const initializer = ({ model, values }, name) =>
  model.initializers.get(name) ?? message(5, tensorProto(name, values[name]));

// Writes one backend-test folder for a node: its first operand and every activation are inputs, other constants are
// initializers, as they are in the model.
function writeCase(trace, node, folder) {
  const { model, values, constants } = trace;
  const operands = [...new Set(node.inputs.filter(Boolean))];
  const inputs = operands.filter((name, slot) => slot === 0 || !constants.has(name));
  const outputs = node.outputs.filter(Boolean);
  const graph = [node.raw,
    ...operands.filter((name) => !inputs.includes(name)).map((name) => initializer(trace, name)),
    ...inputs.map((name) => info(11, name, values[name])), ...outputs.map((name) => info(12, name, values[name]))];
  const data = join(folder, 'test_data_set_0');
  mkdirSync(data, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), modelLike(model, graph));
  inputs.forEach((name, i) => writeFileSync(join(data, `input_${i}.pb`), tensorProto(name, values[name])));
  outputs.forEach((name, i) => writeFileSync(join(data, `output_${i}.pb`), tensorProto(name, values[name])));
}

// Writes one folder for each node except constants and QuantizeLinear (whose last step may differ: see
// writeQuantizers).
export function writeCases(trace, folder) {
  const nodes = trace.model.nodes.filter((node) => node.op !== 'QuantizeLinear' && node.inputs.length > 0);
  return nodes.map((node, index) => {
    const dir = join(folder, `${String(index).padStart(4, '0')}_${node.op}`);
    writeCase(trace, node, dir);
    return dir;
  });
}

// One model with all QuantizeLinear nodes side by side: {file, stacks: {in_I: path}, expected: {out_I: tensor}}.
// Only QuantizeLinear of activations; quantized weights stand in the file as integers.
export function writeQuantizers(trace, folder) {
  const { model, values, constants } = trace;
  const nodes = model.nodes.filter((node) => node.op === 'QuantizeLinear' && !constants.has(node.inputs[0]));
  const [graph, stacks, expected] = [[], {}, {}];
  const operands = new Set();
  nodes.forEach((node, index) => {
    const [x, ...rest] = node.inputs;
    const attributes = parse(parse(node.raw)[0].value).filter((field) => field.number === 5).map((field) => field.raw);
    graph.push(message(1, message(1, `in_${index}`), ...rest.map((name) => message(1, name)),
      message(2, `out_${index}`), message(3, `quantize_${index}`), message(4, node.op), ...attributes));
    rest.forEach((name) => operands.add(name));
    graph.push(info(11, `in_${index}`, values[x]), info(12, `out_${index}`, values[node.outputs[0]]));
    stacks[`in_${index}`] = join(folder, `in_${index}.npy`);
    writeNpy(stacks[`in_${index}`], values[x]);
    expected[`out_${index}`] = values[node.outputs[0]];
  });
  operands.forEach((name) => graph.push(initializer(trace, name)));
  const file = join(folder, 'quantizers.onnx');
  writeFileSync(file, modelLike(model, graph));
  return { file, stacks, expected };
}
