// Small models with graphs inside: engines infer other types in branches than outside.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node } from './graph_parts.mjs';
import { elemTypes, integer, message, tensorProto, valueInfo } from './onnx_file.mjs';
import { random } from './random_inputs.mjs';

const initializer = (name, dims, scale) => message(5, tensorProto(name, random(dims, scale, name.length)));
const ints = (name, ...values) =>
  message(5, tensorProto(name, { type: 'int64', dims: [values.length], data: BigInt64Array.from(values.map(BigInt)) }));

// A branch of one output; without `dims` it declares neither type nor shape, as exporters write it.
const branch = (output, dims, ...nodes) =>
  Buffer.concat([...nodes, message(2, output), valueInfo(12, output, dims && elemTypes.float32, dims)]);

// Two Convs around `inside`, which may read values a [N,16,L] and b [N,16,L] and must write z.
function model(inside, outDims) {
  const graph = [
    node('Conv', ['x', 'w1'], ['c1'], { pads: [1, 1], kernel_shape: [3] }), node('Relu', ['c1'], ['a']),
    node('Conv', ['a', 'w2'], ['b'], { pads: [1, 1], kernel_shape: [3] }), ...inside,
    initializer('w1', [16, 16, 3], 0.2), initializer('w2', [16, 16, 3], 0.2), initializer('w3', [8, 16], 0.2),
    initializer('lstmW', [1, 32, 16], 0.2), initializer('lstmR', [1, 32, 8], 0.2),
    ints('one', 1), ints('two', 2), ints('last', -1),
    valueInfo(11, 'x', elemTypes.float32, [1, 16, 12]), valueInfo(11, 'rate', elemTypes.int64, []),
    valueInfo(12, 'y', elemTypes.float32, outDims)];
  return Buffer.concat([integer(1, 8), message(8, integer(2, 16)), message(7, message(2, 'branching'), ...graph)]);
}

const isOne = [node('Equal', ['rate', 'number'], ['taken']),
  message(5, tensorProto('number', { type: 'int64', dims: [], data: BigInt64Array.of(1n) }))];
const choose = (output, yes, no) => node('If', ['taken'], [output], { then_branch: yes, else_branch: no });
const lstm = (x, y) => [node('LSTM', [x, 'lstmW', 'lstmR'], ['', `${y}_h`], { hidden_size: 8 }),
  node('Squeeze', [`${y}_h`, 'zeroth'], [y]), ints('zeroth', 0)];
const recurrent = (output, x) => branch(output, undefined, ...lstm(x, output));

const cases = {
  // silero_vad: each branch reads the layer's output behind its Transpose.
  'LSTM in branches behind a Transpose': [[...isOne, node('Transpose', ['b'], ['t'], { perm: [2, 0, 1] }),
    node('Transpose', ['b'], ['u'], { perm: [2, 0, 1] }), choose('z', recurrent('p', 't'), recurrent('q', 'u')),
    node('MatMul', ['z', 'w4'], ['y']), initializer('w4', [8, 8], 0.2)], [1, 8]],
  // The exported form of torch.squeeze: the rank of z is open.
  'branches of other ranks': [[...isOne, node('Slice', ['b', 'zeroth', 'one', 'one'], ['s']), ints('zeroth', 0),
    choose('z', branch('p', undefined, node('Squeeze', ['s', 'one'], ['p'])),
      branch('q', undefined, node('Identity', ['s'], ['q']))),
    node('Reshape', ['z', 'flat'], ['r']), ints('flat', 1, 12), node('MatMul', ['r', 'w5'], ['y']),
    initializer('w5', [12, 8], 0.2)], [1, 8]],
  // Branches that read a value with a pair, and one inside another.
  'branches read what layers read': [[...isOne,
    choose('z', branch('p', [1, 16, 12], node('Add', ['a', 'b'], ['p'])),
      branch('q', [1, 16, 12], choose('q', branch('pp', undefined, node('Mul', ['a', 'b'], ['pp'])),
        branch('qq', undefined, node('Sub', ['b', 'a'], ['qq']))))),
    node('Conv', ['z', 'w2'], ['y'], { kernel_shape: [3] })], [1, 16, 10]],
  // Copies of one kind after another lead into the branches.
  'copies in front of branches': [[...isOne, node('MaxPool', ['b'], ['m'], { kernel_shape: [2], strides: [2] }),
    node('Unsqueeze', ['m', 'last'], ['u']), node('Reshape', ['u', 'flat'], ['f']), ints('flat', 16, 6),
    node('Slice', ['f', 'zeroth', 'two', 'zeroth'], ['s']), ints('zeroth', 0),
    choose('z', branch('p', [2, 6], node('Abs', ['s'], ['p'])), branch('q', [2, 6], node('Neg', ['s'], ['q']))),
    node('Conv', ['b', 'w2'], ['d'], { kernel_shape: [3] }), node('ReduceMean', ['d'], ['e'], { keepdims: 0 }),
    node('Add', ['z', 'e'], ['y'])], [2, 6]],
};

// Models in the form of float_models.mjs; their files lie in `folder`.
export const branchingModels = (folder) => Object.entries(cases).map(([name, [inside, outDims]], index) => {
  const file = join(folder, `branching_${index}.onnx`);
  writeFileSync(file, model(inside, outDims));
  return { name, file };
});
