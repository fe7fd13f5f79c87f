// Which models a test file runs: those of the environment DETENT_MODELS (comma separated), else all that are there.
import { missing, modelNamed, models } from './models.mjs';

const names = process.env.DETENT_MODELS?.split(',') ?? models.map((model) => model.name);

// [{model, options}] where options carry the reason to skip.
export const selected = names.map((name) => {
  const model = modelNamed(name);
  if (!model) throw new Error(`DETENT_MODELS names '${name}', known are ${models.map((m) => m.name).join(', ')}`);
  return { model, options: { skip: missing(model) } };
});
