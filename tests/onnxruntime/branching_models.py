"""Small models with graphs inside: engines infer other types in branches than outside."""

import graph_parts
import onnx
from graph_parts import ints, scalar
from program import fresh_folder

# Two Convs, and between them and y what a case adds, which may read a [N,16,L] and b [N,16,L]. A branch that declares
# neither type nor shape is as exporters write it.
FRAME = """(float[1,16,12] x, int64 rate) => (float{dims} y) {{
  c1 = Conv<pads=[1,1], kernel_shape=[3]>(x, w1)
  a = Relu(c1)
  b = Conv<pads=[1,1], kernel_shape=[3]>(a, w2)
  taken = Equal(rate, number)
  {inside}
}}"""

def _recurrent(output, source):
    return f"""{output}_all, {output}_h = LSTM<hidden_size=8>({source}, lstmW, lstmR)
               {output} = Squeeze({output}_h, zeroth)"""


CASES = {
    # silero_vad: each branch reads the layer's output behind its Transpose.
    "LSTM in branches behind a Transpose": ([1, 8], f"""
        t = Transpose<perm=[2,0,1]>(b)
        u = Transpose<perm=[2,0,1]>(b)
        z = If(taken) <then_branch = p () => (p) {{ {_recurrent("p", "t")} }},
                       else_branch = q () => (q) {{ {_recurrent("q", "u")} }}>
        y = MatMul(z, w4)"""),
    # The exported form of torch.squeeze: the rank of z is open.
    "branches of other ranks": ([1, 8], """
        s = Slice(b, zeroth, one, one)
        z = If(taken) <then_branch = p () => (p) { p = Squeeze(s, one) }, else_branch = q () => (q) { q = Identity(s) }>
        r = Reshape(z, one_by_12)
        y = MatMul(r, w5)"""),
    # Branches that read a value with a pair, and one inside another.
    "branches read what layers read": ([1, 16, 10], """
        z = If(taken) <then_branch = p () => (float[1,16,12] p) { p = Add(a, b) },
                       else_branch = q () => (float[1,16,12] q) {
            q = If(taken) <then_branch = pp () => (pp) { pp = Mul(a, b) }, else_branch = qq () => (qq) { qq = Sub(b, a) }> }>
        y = Conv<kernel_shape=[3]>(z, w2)"""),
    # Copies of one kind after another lead into the branches.
    "copies in front of branches": ([2, 6], """
        m = MaxPool<kernel_shape=[2], strides=[2]>(b)
        u = Unsqueeze(m, last)
        f = Reshape(u, six_columns)
        s = Slice(f, zeroth, two, zeroth)
        z = If(taken) <then_branch = p () => (float[2,6] p) { p = Abs(s) },
                       else_branch = q () => (float[2,6] q) { q = Neg(s) }>
        d = Conv<kernel_shape=[3]>(b, w2)
        e = ReduceMean<keepdims=0>(d)
        y = Add(z, e)"""),
}
_WEIGHTS = {"w1": [16, 16, 3], "w2": [16, 16, 3], "w3": [8, 16], "w4": [8, 8], "w5": [12, 8], "lstmW": [1, 32, 16],
            "lstmR": [1, 32, 8]}


def branching_models():
    """Returns [(name, file)]."""
    constants = {name: graph_parts.random(dims, 0.2, len(name)) for name, dims in _WEIGHTS.items()}
    constants |= {"number": scalar(1, "int64"), "zeroth": ints(0), "one": ints(1), "two": ints(2), "last": ints(-1),
                  "one_by_12": ints(1, 12), "six_columns": ints(16, 6)}
    folder, found = fresh_folder(), []
    for index, (name, (dims, inside)) in enumerate(CASES.items()):
        file = folder / f"branching_{index}.onnx"
        text = FRAME.format(dims=dims, inside=inside)
        used = {key: array for key, array in constants.items() if key in text}
        onnx.save(graph_parts.parsed(text, used, 16), file)
        found.append((name, file))
    return found
