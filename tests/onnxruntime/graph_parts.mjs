// Parts of an ONNX file from plain values, for models that are written here: nodes, attributes, graphs, functions.
import { elemTypes, floating, integer, message, tensorProto, valueInfo } from './onnx_file.mjs';

// AttributeProto.AttributeType
const [floatType, intType, stringType, tensorType, graphType, floatsType, intsType] = [1, 2, 3, 4, 5, 6, 7];

// A number with a fraction is a float: { alpha: 0.5 }; { float: 2 } is a float without one, { floats: [1] } a list.
const attribute = (name, value) => {
  const [type, ...parts] = typeof value === 'number' && Number.isInteger(value) ? [intType, integer(3, value)]
    : typeof value === 'number' ? [floatType, floating(2, value)]
      : typeof value === 'object' && 'float' in value ? [floatType, floating(2, value.float)]
      : typeof value === 'object' && 'floats' in value ? [floatsType, ...value.floats.map((v) => floating(7, v))]
        : typeof value === 'string' ? [stringType, message(4, value)]
          : Array.isArray(value) ? [intsType, ...value.map((v) => integer(8, v))]
            : Buffer.isBuffer(value) ? [graphType, message(6, value)] : [tensorType, message(5, tensorProto('', value))];
  return message(5, message(1, name), ...parts, integer(20, type));
};

// A node, called OP_OUTPUT, as field `number` of its owner: 1 in a graph, 7 in a function.
export const node = (op, inputs, outputs, attributes = {}, domain = '', number = 1) => message(number,
  ...inputs.map((name) => message(1, name)), ...outputs.map((name) => message(2, name)), message(3, `${op}_${outputs[0]}`),
  message(4, op), ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
  ...(domain ? [message(7, domain)] : []));

export const initializer = (name, tensor) => message(5, tensorProto(name, tensor));

// Values are {name, type, dims}; dims undefined: neither type nor shape is declared.
const declared = (number, { name, type, dims }) => valueInfo(number, name, dims && elemTypes[type], dims);

export const graphOf = ({ name = 'g', nodes, initializers = [], inputs = [], outputs }) => Buffer.concat([...nodes,
  message(2, name), ...initializers, ...inputs.map((value) => declared(11, value)),
  ...outputs.map((value) => declared(12, value))]);

const opsetId = (number, domain, version) => message(number, message(1, domain), integer(2, version));

// A function of one opset: inputs and outputs by name, nodes of field 7.
export const functionOf = ({ domain, name, inputs, outputs, nodes, opset }) => message(25, message(1, name),
  ...inputs.map((value) => message(4, value)), ...outputs.map((value) => message(5, value)), ...nodes, opsetId(9, '', opset),
  message(10, domain));

export const modelOf = ({ ir = 8, opset, domains = [], graph, functions = [] }) => Buffer.concat([integer(1, ir),
  message(7, graph), opsetId(8, '', opset), ...domains.map((domain) => opsetId(8, domain, 1)), ...functions]);
