// An FP16 model quantized for both targets, with both types of scales: ONNX Runtime loads it at every level, it is
// FP16 at its boundary, computes what Detent computes and still does its task.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { freshFolder, once, only, quantized, runOver, runWith, verify, writeSamples } from './detent.mjs';
import { openSession, runModel } from './engine.mjs';
import { calibrators, modelNamed, shared } from './models.mjs';
import { traceModel, writeCases, writeQuantizers } from './node_cases.mjs';
import { readNpy, sampleOf, widened } from './npy.mjs';
import { opsetOf, readModel } from './onnx_file.mjs';
import { changedArgmax, sqnr, within } from './score.mjs';

const file = join(shared, 'models/shapes_unet/model_fp16_opset17.onnx');
const model = { ...modelNamed('shapes_unet'), name: 'shapes_unet FP16', file };
const skip = existsSync(file) ? false : `${file} is not there`;
const half = 10; // TensorProto.FLOAT16

for (const target of ['tensorrt', 'onnxruntime']) {
  for (const scales of ['fp16', 'fp32']) {
    const written = (calibrator) => quantized(model, target, calibrator, '--format', `scales=${scales}`);

    test(`for ${target} with ${scales} scales: FP16 at the boundary`, { skip }, async () => {
      const read = readModel(await written('entropy'));
      assert.deepEqual([...read.inputs, ...read.outputs].map((value) => value.elemType), [half, half]);
      const readers = read.nodes.filter((node) => node.inputs.includes(read.inputs[0].name)).map((node) => node.op);
      assert.deepEqual(readers, [scales === 'fp16' ? 'QuantizeLinear' : 'Cast']);
      const casts = read.nodes.filter((node) => node.op === 'Cast').length;
      if (scales === 'fp16') assert.equal(casts, 0);
      else assert.ok(casts > 0);
      assert.equal(opsetOf(read), scales === 'fp16' ? 19 : 17);
    });

    test(`for ${target} with ${scales} scales: ONNX Runtime loads it at every level`, { skip }, async () => {
      for (const level of ['disabled', 'basic', 'extended', 'all']) {
        const session = await openSession(await written('entropy'), level);
        await session.release();
      }
    });

    test(`for ${target} with ${scales} scales: each node agrees`, { skip }, async (t) => {
      const out = await written('entropy');
      const stack = readNpy(await writeSamples(model, model.evaluation(12)));
      const trace = await traceModel(out, { [readModel(out).inputs[0].name]: sampleOf(stack, 0) });
      // Both round a result to a half: 2^-11 each; sums of halves that cancel differ by as much of their largest terms.
      const { closing, text } = await verify(writeCases(trace, freshFolder()), '--rtol', '1e-3', '--atol', '1e-3');
      t.diagnostic(closing);
      assert.match(closing, /^[1-9]\d* passed, 0 failed, 0 unsupported/, text);
      const { file: quantizers, stacks, expected } = writeQuantizers(trace, freshFolder());
      const found = await runWith(quantizers, stacks);
      for (const [name, reference] of Object.entries(expected)) {
        const { share, worst } = within(reference, found[name], 0);
        // Halves lie between two steps exactly, or far from the middle: hardly any may go either way.
        assert.ok(worst <= 1 && share >= 0.999, `${name}: ${share} equal, worst ${worst}`);
      }
    });

    for (const calibrator of calibrators) {
      test(`for ${target} with ${scales} scales, ${calibrator}: outputs and score`, { skip }, async (t) => {
        const set = model.evaluation(12);
        const samples = await writeSamples(model, set);
        const out = await written(calibrator);
        const inputs = { [readModel(out).inputs[0].name]: readNpy(samples) };
        const float = await once(['float', samples], async () => widened(only(await runModel(file, inputs, 'disabled'))));
        const ours = widened(only(await runOver(out, samples)));
        const theirs = widened(only(await runModel(out, inputs, 'disabled')));
        assert.deepEqual(ours.dims, theirs.dims);
        const [apart, lost] = [sqnr(theirs, ours), sqnr(float, theirs)];
        const [score, bound] = [set.score(ours), set.score(float) - 0.005];
        t.diagnostic(`SQNR between the two ${apart.toFixed(1)} dB, of the quantization ${lost.toFixed(1)} dB; changed argmax ` +
          `${(100 * changedArgmax(theirs, ours)).toFixed(3)} %; ${model.metric} ${score.toFixed(4)} ours, ` +
          `${set.score(theirs).toFixed(4)} theirs, ${set.score(float).toFixed(4)} FP16`);
        // A value up to 127 steps high is rounded to 2^-12 of itself, at other places by each program: up to a 32nd
        // of a step, so 3 % of all values end one step off. That is a third of the 1/12 step^2 of the quantization at
        // that place. The two programs must be nearer to each other than to FP16.
        assert.ok(apart > lost, `${apart} dB apart, ${lost} dB lost`);
        // Half a point, as for the FP32 model (models.mjs, fp32 and atLeast).
        assert.ok(score >= bound && set.score(theirs) >= bound, `${score} is below ${bound}`);
      });
    }
  }
}
