// Runs the network with onnxruntime-web, in Node as in a browser.

import * as ort from "onnxruntime-web";

import { PLANES, makePlanes } from "./amazons.mjs";

/** Makes a network ready from the bytes of an ONNX file. */
export async function loadNetwork(bytes) {
  ort.env.wasm.numThreads = 1;
  return ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
}

/** What the network says of one position; its points of view are those of the side to move. */
export async function evaluate(network, position) {
  const planes = new ort.Tensor("float32", makePlanes(position), [1, PLANES, position.ranks, position.files]);
  const out = await network.run({ planes });
  return {
    value: out.value.data[0],
    margin: out.margin.data,
    owner: out.owner.data,
    tables: { fromTo: out.from_to.data, toArrow: out.to_arrow.data, fromArrow: out.from_arrow.data },
  };
}
