// Networks whose score has a truth here, for the benches that lay what Detent says beside it: each is a model with its
// samples and labels, as options of `detent quantize`.
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {everyNth, readNpy, writeNpy} from '../tests/onnxruntime/npy.mjs';

/** Returns the networks by name. shared: the folder of models and images; what it writes lies in `folder`. */
export function labelledNetworks(shared) {
  const folder = mkdtempSync(join(tmpdir(), 'networks-'));
  const CIFAR = 'div=255,mean=.4914/.4822/.4465,std=.2470/.2435/.2616';
  const model = (name, file) => join(shared, 'models', name, file);

  /** Writes every fourth sample of a stack and returns the file. */
  function quarter(file) {
    const part = join(folder, basename(file));
    writeNpy(part, everyNth(readNpy(file), 4));
    return part;
  }

  /** Options of a classifier of images. */
  const classifier = (name, opset, images, preprocess, calibrated, judged) => [model(name, `model_opset${opset}.onnx`),
    '--data', join(shared, 'images', images, 'calib'), '--limit', calibrated,
    '--eval', join(shared, 'images', images, 'eval'), '--eval-limit', judged,
    '--labels', join(shared, 'images', images, 'eval.csv'), '--preprocess', preprocess];

  // `fitted`: the limits were fitted to it. `judged`: classified samples, for the noise of labels.
  const iou = fileURLToPath(new URL('../tests/onnxruntime/occupancy_iou.mjs', import.meta.url));
  const networks = {
    cifar10_efficientnet_b0: {fitted: true, judged: 500,
      options: classifier('cifar10_efficientnet_b0', 17, 'cifar10', `resize=64x64,${CIFAR}`, '64', '500')},
    imagenet_mobilenetv2: {fitted: true, judged: 200,
      options: classifier('imagenet_mobilenetv2', 12, 'imagenet', 'imagenet-opencv', '32', '200')},
    occupancy3d: {fitted: true, options: [model('occupancy3d', 'model_opset13.onnx'), '--data',
      model('occupancy3d', 'calib'), '--limit', '16', '--eval', quarter(model('occupancy3d', 'eval/latents.npy')),
      '--metric-command', `node '${iou}' '${quarter(model('occupancy3d', 'eval/occupancy_bits.npy'))}'`]},
    cifar10_resnet18: {judged: 500,
      options: classifier('cifar10_resnet18', 17, 'cifar10', `resize=32x32,${CIFAR}`, '64', '500')},
    'imagenet_squeezenet1.1': {judged: 200,
      options: classifier('imagenet_squeezenet1.1', 12, 'imagenet', 'imagenet-opencv', '32', '200')},
    shapes_unet: {options: [model('shapes_unet', 'model_opset13.onnx'), '--data', model('shapes_unet', 'calib'),
      '--limit', '32', '--eval', model('shapes_unet', 'eval/images'), '--eval-limit', '48', '--masks',
      model('shapes_unet', 'eval/masks'), '--preprocess',
      'resize=128x128,div=255,mean=.485/.456/.406,std=.229/.224/.225']},
    chars_gpt: {options: [model('chars_gpt', 'model_opset17.onnx'), '--data', model('chars_gpt', 'calib_ids.npy'),
      '--limit', '32', '--eval', model('chars_gpt', 'eval_ids.npy'), '--eval-limit', '16', '--next-token']},
  };
  for (const name of ['bccd_dfl', 'bccd_nmsfree'])
    networks[name] = {detector: true, options: [model(name, 'model_opset17.onnx'), '--data',
      join(shared, 'images/bccd/calib'), '--eval', join(shared, 'images/bccd/eval'), '--labels',
      join(shared, 'images/bccd/eval_coco.json'), '--preprocess', 'unit']};
  return {networks, folder};
}
