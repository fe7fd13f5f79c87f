// Nodes and attributes as fields of GraphProto and NodeProto, for models that are written here.
import { floating, integer, message, tensorProto } from './onnx_file.mjs';

const [floatType, intType, stringType, tensorType, graphType, intsType] = [1, 2, 3, 4, 5, 7]; // AttributeProto.AttributeType

// A number with a fraction is a float: { alpha: 0.5 }; { float: 2 } is one without.
const attribute = (name, value) => {
  const [type, ...parts] = typeof value === 'number' && Number.isInteger(value) ? [intType, integer(3, value)]
    : typeof value === 'number' ? [floatType, floating(2, value)]
      : typeof value === 'object' && 'float' in value ? [floatType, floating(2, value.float)]
        : typeof value === 'string' ? [stringType, message(4, value)]
          : Array.isArray(value) ? [intsType, ...value.map((v) => integer(8, v))]
            : Buffer.isBuffer(value) ? [graphType, message(6, value)] : [tensorType, message(5, tensorProto('', value))];
  return message(5, message(1, name), ...parts, integer(20, type));
};

// A node of the graph, called OP_OUTPUT.
export const node = (op, inputs, outputs, attributes = {}) => message(1, ...inputs.map((name) => message(1, name)),
  ...outputs.map((name) => message(2, name)), message(3, `${op}_${outputs[0]}`), message(4, op),
  ...Object.entries(attributes).map(([name, value]) => attribute(name, value)));
