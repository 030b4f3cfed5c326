//! A network as one ONNX graph, for other programs' runtimes.
//!
//! The graph takes the planes of [`crate::features`] for any number of positions on one board and computes in f32 what
//! [`crate::Network`] computes; board-size dependent scaling is part of it. `docs/front-ends.md` describes its inputs
//! and outputs.

mod builder;
mod messages;
#[cfg(test)]
mod tests;

use prost::Message as _;

use crate::file::ModelFile;
use crate::heads::{Head, HeadInput, HeadOutput, HeadSpec};
use crate::spec::PLANES;
use crate::weights::Weights;

use builder::{Builder, Length, int, ints};
use messages::{Graph, Model, OperatorSet, Property};

/// The version of ONNX's operators that the graph asks for.
const OPERATOR_SET: i64 = 17;

/// The version of ONNX's messages that goes with it.
const IR_VERSION: i64 = 8;

/// The bytes of an ONNX file. The same model gives the same bytes.
///
/// Its metadata are `features` and `spec` (as in [`crate::NetSpec`], JSON), `hash` ([`ModelFile::hash`]) and `history`
/// (JSON).
pub fn to_bytes(model: &ModelFile) -> Vec<u8> {
    to_message(model).encode_to_vec()
}

fn to_message(model: &ModelFile) -> Model {
    let spec = model.weights.spec();
    let json = "plain structs and strings become JSON";
    let properties = [
        ("features", spec.features.to_string()),
        ("spec", serde_json::to_string(spec).expect(json)),
        ("hash", model.hash()),
        ("history", serde_json::to_string(&model.history).expect(json)),
    ];
    Model {
        ir_version: IR_VERSION,
        producer_name: "hippolyta".to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        doc_string: "Policy and value network for the Game of the Amazons".to_owned(),
        graph: Some(Exporter { weights: &model.weights, graph: Builder::new("hippolyta") }.run()),
        opset_import: vec![OperatorSet { domain: Some(String::new()), version: OPERATOR_SET }],
        metadata_props: properties.map(|(key, value)| Property { key: key.to_owned(), value }).into(),
    }
}

/// Turns weights into nodes. Steps are called by the names of their tensors.
struct Exporter<'a> {
    weights: &'a Weights,
    graph: Builder,
}

impl Exporter<'_> {
    fn run(mut self) -> Graph {
        let spec = self.weights.spec().clone();
        let board =
            [Length::Named("batch"), Length::Fixed(PLANES), Length::Named("ranks"), Length::Named("files")];
        let planes =
            self.graph.input("planes", &board, "[position, plane, rank, file] from a1, of the side to move");
        self.constants(&planes);

        let stem = self.conv("stem", &planes, true);
        let mut trunk = self.graph.node("Relu", "trunk", &[&stem], vec![]);
        for block in 0..spec.blocks {
            trunk = self.block(block, spec.pooled.contains(&block), &trunk);
        }
        let pooled = self.pool("value.pooled", &trunk);
        let hidden = self.dense("value.hidden", "value.hidden", &pooled, "value.hidden.bias");
        let hidden = self.graph.node("Relu", "value.hidden.relu", &[&hidden], vec![]);
        for head in Head::shipped() {
            match head.spec().output {
                HeadOutput::Moves => self.policy(&trunk, head.spec().doc),
                HeadOutput::Chances(width) | HeadOutput::Classes(width) => {
                    self.head(head, width, &trunk, &hidden);
                }
            }
        }
        self.graph.finish()
    }

    /// What several steps share: axes, and `stretch`, the `(w - 8) / 4` of a pooled board, w being the geometric mean
    /// of the board's sides.
    fn constants(&mut self, planes: &str) {
        let graph = &mut self.graph;
        for (name, axes) in [("axis.1", &[1][..]), ("axes.board", &[2, 3])] {
            graph.integers(name, axes);
        }
        graph.floats("eight", &[1], &[8.0]);
        graph.floats("quarter", &[1], &[0.25]);
        graph.node("Shape", "sides", &[planes], vec![int("start", 2)]);
        graph.node("Cast", "sides.float", &["sides"], vec![int("to", messages::DataType::Float as i64)]);
        graph.node("ReduceProd", "area", &["sides.float"], vec![int("keepdims", 1)]);
        graph.node("Sqrt", "side", &["area"], vec![]);
        graph.node("Sub", "side.less", &["side", "eight"], vec![]);
        graph.node("Mul", "stretch", &["side.less", "quarter"], vec![]);
    }

    /// A tensor of the network as a constant.
    fn tensor(&mut self, name: &str) -> String {
        let spec = self.weights.spec().tensors().into_iter().find(|tensor| tensor.name == name);
        let shape = spec.expect("the tensor is one of the spec's").shape;
        self.graph.floats(name, &shape, self.weights.tensor(name))
    }

    /// A convolution of 3x3 over the padded board.
    fn conv(&mut self, name: &str, input: &str, biased: bool) -> String {
        let weight = self.tensor(&format!("{name}.weight"));
        let bias = biased.then(|| self.tensor(&format!("{name}.bias")));
        let inputs: Vec<&str> = [input, &weight].into_iter().chain(bias.as_deref()).collect();
        self.graph.node("Conv", name, &inputs, vec![ints("kernel_shape", &[3, 3]), ints("pads", &[1; 4])])
    }

    /// `bias + weight · input`, position by position: a node of this name, with the weight of the tensor `weight` and
    /// the bias of the tensor `bias`.
    fn dense(&mut self, name: &str, weight: &str, input: &str, bias: &str) -> String {
        let weight = self.tensor(&format!("{weight}.weight"));
        let bias = self.tensor(bias);
        self.graph.node("Gemm", name, &[input, &weight, &bias], vec![int("transB", 1)])
    }

    fn block(&mut self, index: usize, pooled: bool, input: &str) -> String {
        let name = |part: &str| format!("blocks.{index}.{part}");
        let mut hidden = self.conv(&name("conv1"), input, !pooled);
        if pooled {
            let board = self.pool(&name("pooled"), input);
            let bias = self.dense(&name("pool"), &name("pool"), &board, &name("conv1.bias"));
            let bias = self.graph.node("Unsqueeze", &name("pool.map"), &[&bias, "axes.board"], vec![]);
            hidden = self.graph.node("Add", &name("conv1.biased"), &[&hidden, &bias], vec![]);
        }
        let hidden = self.graph.node("Relu", &name("hidden"), &[&hidden], vec![]);
        let output = self.conv(&name("conv2"), &hidden, true);
        let sum = self.graph.node("Add", &name("sum"), &[&output, input], vec![]);
        self.graph.node("Relu", &name("output"), &[&sum], vec![])
    }

    /// Mean, mean times `stretch`, and maximum of each channel: `[position, 3 * channels]`.
    fn pool(&mut self, name: &str, input: &str) -> String {
        let part = |part: &str| format!("{name}.{part}");
        let mean = self.graph.node("GlobalAveragePool", &part("mean.map"), &[input], vec![]);
        let mean = self.graph.node("Flatten", &part("mean"), &[&mean], vec![int("axis", 1)]);
        let stretched = self.graph.node("Mul", &part("stretched"), &[&mean, "stretch"], vec![]);
        let most = self.graph.node("GlobalMaxPool", &part("max.map"), &[input], vec![]);
        let most = self.graph.node("Flatten", &part("max"), &[&most], vec![int("axis", 1)]);
        self.graph.node("Concat", name, &[&mean, &stretched, &most], vec![int("axis", 1)])
    }

    /// The three tables, `[position, query square, key square]`, divided by the root of the maps' channels.
    fn policy(&mut self, trunk: &str, doc: &str) {
        let dim = self.weights.spec().policy_dim;
        let maps = self.pointwise("policy.maps", "policy", trunk);
        // 0 keeps the batch's length, -1 takes what is left: the squares.
        let shape = self.graph.integers("policy.shape", &[0, 6 * dim as i64, -1]);
        let maps = self.graph.node("Reshape", "policy.squares", &[&maps, &shape], vec![]);
        let sizes = self.graph.integers("policy.sizes", &[dim as i64; 6]);
        let parts = ["from_to", "to_arrow", "from_arrow"]
            .map(|table| (table, format!("{table}.queries"), format!("{table}.keys")));
        let outputs: Vec<&str> =
            parts.iter().flat_map(|(_, queries, keys)| [queries.as_str(), keys.as_str()]).collect();
        self.graph.node_of_many("Split", "policy.parts", &[&maps, &sizes], &outputs, vec![int("axis", 1)]);
        self.graph.floats("policy.scale", &[1], &[1.0 / (dim as f32).sqrt()]);
        let shape = [Length::Named("batch"), Length::Named("squares"), Length::Named("squares")];
        let axes = ["from, to", "to, arrow", "from, arrow"];
        for ((table, queries, keys), axes) in parts.iter().zip(axes) {
            let scaled = format!("{queries}.scaled");
            let rows = format!("{queries}.rows");
            self.graph.node("Mul", &scaled, &[queries, "policy.scale"], vec![]);
            self.graph.node("Transpose", &rows, &[&scaled], vec![ints("perm", &[0, 2, 1])]);
            self.graph.node("MatMul", table, &[&rows, keys], vec![]);
            self.graph.output(table, &shape, &format!("[position, {axes}]: {doc}"));
        }
    }

    /// A head but the policy: its numbers under its name, without their axis where there is one number alone.
    fn head(&mut self, head: Head, width: usize, trunk: &str, hidden: &str) {
        let HeadSpec { name, tensors, input, output, doc, .. } = head.spec();
        let is_chance = matches!(output, HeadOutput::Chances(_));
        // The last node has the head's name.
        let (linear, logit) = (format!("{name}.linear"), format!("{name}.logit"));
        let logit = if is_chance { &logit } else { name };
        let linear = if width == 1 { &linear } else { logit };
        let numbers = match input {
            HeadInput::Board => self.dense(linear, tensors, hidden, &format!("{tensors}.bias")),
            HeadInput::Squares => self.pointwise(linear, tensors, trunk),
        };
        let numbers = match width {
            1 => self.graph.node("Squeeze", logit, &[&numbers, "axis.1"], vec![]),
            _ => numbers,
        };
        if is_chance {
            self.graph.node("Tanh", name, &[&numbers], vec![]);
        }
        let (batch, ranks, files) = (Length::Named("batch"), Length::Named("ranks"), Length::Named("files"));
        let (axes, places) = match input {
            HeadInput::Board => (vec![batch], "position"),
            HeadInput::Squares => (vec![batch, ranks, files], "position, rank, file"),
        };
        if width == 1 {
            self.graph.output(name, &axes, &format!("[{places}]: {doc}"));
        } else {
            let mut axes = axes;
            axes.insert(1, Length::Fixed(width));
            let places = places.replacen("position", "position, number", 1);
            self.graph.output(name, &axes, &format!("[{places}]: {doc}"));
        }
    }

    /// A convolution of 1x1 whose weight is a matrix, `[out, in]`.
    fn pointwise(&mut self, name: &str, tensors: &str, input: &str) -> String {
        let weight_name = format!("{tensors}.weight");
        let data = self.weights.tensor(&weight_name);
        let inputs = self.weights.spec().channels;
        let weight = self.graph.floats(&weight_name, &[data.len() / inputs, inputs, 1, 1], data);
        let bias = self.tensor(&format!("{tensors}.bias"));
        self.graph.node("Conv", name, &[input, &weight, &bias], vec![ints("kernel_shape", &[1, 1])])
    }
}
