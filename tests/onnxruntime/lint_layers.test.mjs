// For each layer of a Q/DQ file for onnxruntime lint says what the engine builds: of files written for this target,
// for the other one, and with INT8 activations.
import assert from 'node:assert/strict';
import test from 'node:test';
import { detent, quantized } from './detent.mjs';
import { integerLayers } from './integer_nodes.mjs';
import { selectedOfAll } from './selection.mjs';

// ONNX Runtime makes a Gemm of MatMul and Add (float bias) if it infers the sizes. Here it does not: they come
// through an Expand whose target is computed from a mask.
const sizesNotInferred = {
  'exports/bert_mini/legacy_opset14 tensorrt': /layer\.\d\/attention\/output\/dense\/MatMul$/,
};

const variants = [['onnxruntime'], ['tensorrt'], ['onnxruntime', '--activation', 'int8']];

for (const { model, options } of selectedOfAll()) {
  for (const [target, ...more] of variants) {
    test(`${model.name} for ${[target, ...more].join(' ')}: lint names the integer layers`, options, async (t) => {
      const file = await quantized(model, target, 'max', ...more);
      const { layers } = JSON.parse((await detent('lint', file, '--target', 'onnxruntime', '--json')).stdout);
      const integer = await integerLayers(file);
      const unknown = sizesNotInferred[`${model.name} ${[target, ...more].join(' ')}`];
      const wrong = layers.filter((layer) => layer.int8 !== integer.has(layer.name) && !unknown?.test(layer.name))
        .map((layer) => `${layer.name}: lint says ${layer.int8 ? 'INT8' : `float (${layer.reason})`}`);
      assert.deepEqual(wrong, []);
      t.diagnostic(`${layers.filter((layer) => layer.int8).length} of ${layers.length} layers INT8`);
      assert.ok(layers.length > 0, 'lint sees no layer');
    });
  }
}
