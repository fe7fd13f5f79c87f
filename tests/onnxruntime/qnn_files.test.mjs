// Files for Qualcomm's HTP: ONNX Runtime's CPU provider has to load them, to compute what detent computes, and to lose
// less with 16-bit activations than with 8. No such processor was at hand.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { only, quantizedFromData, runWith, writeInputs } from './detent.mjs';
import { openSession, runModel, runStack } from './engine.mjs';
import { exportedModels } from './float_models.mjs';
import { modelNamed, shared } from './models.mjs';
import { readNpy } from './npy.mjs';
import { sqnr } from './score.mjs';

const scored = (name, stride) => ({ ...modelNamed(name), samples: () => modelNamed(name).evaluation(stride) });
const exported = (name) => exportedModels().filter((model) => model.name === `exports/${name}`);
const detector = { name: 'bccd_dfl', file: join(shared, 'models/bccd_dfl/model_opset17.onnx'), preprocess: 'unit',
  samples: () => ({ source: join(shared, 'images/bccd/calib') }) };
const all = [scored('cifar10_resnet18', 63), scored('imagenet_mobilenetv2', 20), scored('imagenet_squeezenet1.1', 20),
  detector, ...exported('bert_mini/legacy_opset14'), ...exported('vit_mini/legacy_opset14')];
const forms = { a8w8: [], 'a8w8, --format per-tensor=on': ['--format', 'per-tensor=on'], a16w8: ['--activation', 'uint16'] };

for (const model of all) {
  const options = { skip: existsSync(model.file) ? false : `${model.file} is not there` };
  test(`${model.name}: files for qnn load and compute what detent computes`, options, async (t) => {
    const paths = await writeInputs(model, model.samples());
    const inputs = Object.fromEntries(Object.entries(paths).map(([input, path]) => [input, readNpy(path)]));
    const reference = only(await runModel(model.file, inputs, 'disabled'));
    const found = {};
    for (const [form, words] of Object.entries(forms)) {
      const file = await quantizedFromData(model, 'qnn', 'mse', ...words);
      await (await openSession(file, 'all')).release();
      const session = await openSession(file, 'disabled');
      found[form] = sqnr(reference, only(await runStack(session, inputs)));
      await session.release();
      const ours = sqnr(reference, only(await runWith(file, paths)));
      t.diagnostic(`${model.name} ${form}: ${found[form].toFixed(2)} dB (detent run: ${ours.toFixed(2)} dB)`);
      // Below 10 dB one code more or less changes the number.
      const same = Math.abs(found[form] - ours) < 0.5 || Math.max(found[form], ours) < 10;
      assert.ok(same, `SQNR ${found[form]}, detent ${ours}`);
    }
    assert.ok(found.a16w8 > found.a8w8, JSON.stringify(found));
  });
}
