//! The bytes decode to a graph that can be computed and holds the model's numbers. That it computes what
//! [`crate::Network`] does is for a runtime to say: `scripts/check-examples`.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use super::messages::{Dimension, Model, Tensor, ValueInfo};
use super::to_bytes;
use crate::{ModelFile, NetSpec, Weights};

fn model() -> ModelFile {
    let spec = NetSpec { value_hidden: 48, ..NetSpec::with_trunk(3, 32, &[0, 2]) };
    ModelFile {
        weights: Weights::untrained(spec, 3).unwrap(),
        calibration: None,
        history: BTreeMap::from([("generation".into(), "12".into())]),
    }
}

fn decoded() -> Model {
    Model::decode(to_bytes(&model()).as_slice()).unwrap()
}

fn floats(tensor: &Tensor) -> Vec<f32> {
    tensor.raw_data.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

#[test]
fn every_value_is_there_before_it_is_used() {
    let graph = decoded().graph.unwrap();
    let constants = graph.initializer.iter().map(|tensor| &tensor.name);
    let mut known = BTreeSet::new();
    for name in constants.chain(graph.input.iter().map(|input| &input.name)) {
        assert!(known.insert(name.clone()), "{name} is there twice");
    }
    let mut used = BTreeSet::new();
    for node in &graph.node {
        for input in &node.input {
            assert!(known.contains(input), "{} uses {input}", node.name);
            used.insert(input.clone());
        }
        for output in &node.output {
            assert!(known.insert(output.clone()), "{output} is there twice");
        }
    }
    used.extend(graph.output.iter().map(|output| output.name.clone()));
    assert_eq!(known, used, "nothing is computed in vain, and all outputs are");
}

#[test]
fn the_model_s_numbers_are_all_there() {
    let graph = decoded().graph.unwrap();
    let constants: BTreeMap<&str, &Tensor> =
        graph.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    for (tensor, data) in model().weights.iter() {
        let found = constants[tensor.name.as_str()];
        assert_eq!(floats(found), data, "{}", tensor.name);
        let mut shape: Vec<usize> = found.dims.iter().map(|&length| length as usize).collect();
        if ["policy.weight", "owner.weight"].contains(&tensor.name.as_str()) {
            // Matrices that are applied as convolutions of 1x1.
            assert_eq!(shape.split_off(2), [1, 1], "{}", tensor.name);
        }
        assert_eq!(shape, tensor.shape, "{}", tensor.name);
    }
    assert_eq!(floats(constants["policy.scale"]), [0.25]);
}

#[test]
fn inputs_and_outputs_leave_batch_and_board_open() {
    let graph = decoded().graph.unwrap();
    let shape = |info: &ValueInfo| {
        let length = |Dimension { dim_value, dim_param }: &Dimension| match (dim_value, dim_param) {
            (Some(length), None) => length.to_string(),
            (None, Some(name)) => name.clone(),
            _ => panic!("{} has a length of two kinds or none", info.name),
        };
        let shape = info.r#type.as_ref().unwrap().tensor_type.as_ref().unwrap().shape.as_ref().unwrap();
        format!("{} {}", info.name, shape.dim.iter().map(length).collect::<Vec<_>>().join(","))
    };
    assert_eq!(graph.input.iter().map(shape).collect::<Vec<_>>(), ["planes batch,20,ranks,files"]);
    let outputs = [
        "from_to batch,squares,squares",
        "to_arrow batch,squares,squares",
        "from_arrow batch,squares,squares",
        "value batch",
        "margin batch,65",
        "owner batch,ranks,files",
    ];
    assert_eq!(graph.output.iter().map(shape).collect::<Vec<_>>(), outputs);
}

#[test]
fn metadata_tell_what_the_network_is() {
    let found = decoded();
    assert_eq!((found.ir_version, found.opset_import[0].version), (8, 17));
    let properties: BTreeMap<&str, &str> = found
        .metadata_props
        .iter()
        .map(|property| (property.key.as_str(), property.value.as_str()))
        .collect();
    assert_eq!(properties["features"], "1");
    assert_eq!(properties["hash"], model().hash());
    assert_eq!(properties["history"], r#"{"generation":"12"}"#);
    let spec: NetSpec = serde_json::from_str(properties["spec"]).unwrap();
    assert_eq!(spec, *model().weights.spec());
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    assert_eq!(to_bytes(&model()), to_bytes(&model()));
}
