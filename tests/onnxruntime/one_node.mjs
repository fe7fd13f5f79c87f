// A model of one node with its inputs on disk, as ONNX's backend tests have them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { graphOf, initializer, modelOf, node } from './graph_parts.mjs';
import { tensorProto } from './onnx_file.mjs';

const names = 'abcdefghijklmnopqrstuvwxyz';

// Writes the model of a case of expansion_cases.mjs: {file, data: folder of its inputs, feeds, outputs: names}.
export function writeOneNode(folder, { op, inputs, attributes, outputs, domain = 'com.microsoft', opset = 17, declare = 'shapes' }) {
  const wanted = Array.isArray(outputs) ? outputs : Array(outputs).fill(true);
  const slots = inputs.map((tensor, slot) => (tensor ? { name: names[slot], ...tensor } : null));
  while (slots.at(-1) === null) slots.pop();
  const results = wanted.map((is, slot) => (is ? `out_${slot}` : ''));
  const fed = slots.filter((one) => one && !one.constant);
  const constants = slots.filter((one) => one?.constant);
  // Behind an Identity no shape is declared.
  const hidden = declare === 'shapes' ? [] : fed.map(({ name }) => node('Identity', [`given_${name}`], [name]));
  const given = (name) => (hidden.length ? `given_${name}` : name);
  const graph = graphOf({
    nodes: [...hidden, node(op, slots.map((one) => one?.name ?? ''), results, attributes, domain)],
    initializers: constants.map(({ name, ...tensor }) => initializer(name, tensor)),
    inputs: fed.map((one) => ({ ...one, name: given(one.name) })), outputs: results.filter(Boolean).map((name) => ({ name })),
  });
  const file = join(folder, 'model.onnx');
  writeFileSync(file, modelOf({ opset, domains: domain ? [domain] : [], graph }));
  const data = join(folder, 'test_data_set_0');
  mkdirSync(data, { recursive: true });
  fed.forEach(({ name, ...tensor }, i) => writeFileSync(join(data, `input_${i}.pb`), tensorProto(given(name), tensor)));
  return { file, data, feeds: Object.fromEntries(fed.map(({ name, ...tensor }) => [given(name), tensor])), outputs: results.filter(Boolean) };
}
