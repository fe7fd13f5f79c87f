// Networks here without labels, for the bench of targets: each is a model with its samples, as options of
// `detent quantize`. Exports have one stored sample, and random weights.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

/** Returns the names in a folder in order; none if it is missing. */
const namesIn = folder => existsSync(folder) ? readdirSync(folder).sort() : [];

/** Returns the networks by name. shared: the folder of models and images. */
export function unlabelledNetworks(shared) {
  const images = (file, folder, limit, preprocess) => ({options: [join(shared, 'models', file), '--data',
    join(shared, 'images', folder), '--limit', limit, '--preprocess', preprocess]});

  /** Options of a model with stacks of samples for each input. */
  function ofZoo(name) {
    const folder = join(shared, 'zoo', name);
    const {inputs} = JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8'));
    const stacks = (option, kind) => inputs.flatMap(input => [option, `${input}=${join(folder, `${kind}__${input}.npy`)}`]);
    return {options: [join(folder, 'model.onnx'), ...stacks('--data', 'calib'), ...stacks('--eval', 'eval')]};
  }

  const MEAN = 'mean=.485/.456/.406,std=.229/.224/.225';
  const networks = {
    coco_yolox_nano: images('coco_yolox_nano/model_opset11.onnx', 'coco', '16', 'yolox'),
    face_rfb320: images('face_rfb320/model_opset9.onnx', 'faces', '8', 'raw,mean=127/127/127,std=128/128/128'),
    text_ppocrv3_det: images('text_ppocrv3_det/model_opset14.onnx', 'ocr', '4', `unit,${MEAN},resize=320x320`),
    style_starry_night: images('style_starry_night/model_opset12.onnx', 'coco', '2', 'raw'),
  };
  for (const name of namesIn(join(shared, 'zoo'))) networks[`zoo/${name}`] = ofZoo(name);
  for (const name of namesIn(join(shared, 'exports')))
    for (const file of namesIn(join(shared, 'exports', name)).filter(one => one.endsWith('.onnx')))
      networks[`${name}, ${file.replace('.onnx', '')}`] = {options: [join(shared, 'exports', name, file), '--data',
        join(shared, 'exports', name, 'test_data_set_0')]};
  return networks;
}
