// Chooses the models of a test file: those of the environment DETENT_MODELS (comma separated), else all that exist.
import { exportedModels, floatModels } from './float_models.mjs';
import { missing, modelNamed, models } from './models.mjs';

const chosen = process.env.DETENT_MODELS?.split(',');

// [{model, options}] where options carry the reason to skip.
function select(all, names) {
  const named = new Map(all.map((model) => [model.name, model]));
  return names.map((name) => {
    const model = named.get(name);
    if (!model) throw new Error(`DETENT_MODELS names '${name}', known are ${[...named.keys()].join(', ')}`);
    return { model, options: { skip: missing(model) } };
  });
}

// Returns the models with a score.
export const selected = () => select(models, chosen ?? models.map((model) => model.name));

// Every model and export; `exports` names all of that folder.
export function selectedOfAll() {
  const all = [modelNamed('sample'), ...floatModels, ...exportedModels()];
  const everything = all.map((model) => model.name);
  const exported = everything.filter((name) => name.startsWith('exports/'));
  return select(all, chosen?.flatMap((name) => (name === 'exports' ? exported : [name])) ?? everything);
}
