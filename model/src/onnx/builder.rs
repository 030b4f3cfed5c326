//! Puts a graph together, node by node.

use super::messages::{
    Attribute, AttributeType, DataType, Dimension, Graph, Node, Shape, Tensor, TensorType, Type, ValueInfo,
};

/// A graph under construction. A value of the graph is known by its name.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    graph: Graph,
}

/// A length of an input or output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    Fixed(usize),
    /// Known when the graph runs; the same name, the same length.
    Named(&'static str),
}

impl Builder {
    pub(crate) fn new(name: &str) -> Self {
        Self { graph: Graph { name: name.to_owned(), ..Graph::default() } }
    }

    pub(crate) fn finish(self) -> Graph {
        self.graph
    }

    /// An input of the graph, in f32.
    pub(crate) fn input(&mut self, name: &str, shape: &[Length], doc: &str) -> String {
        self.graph.input.push(value_info(name, shape, doc));
        name.to_owned()
    }

    /// Names a value that a node gives as an output of the graph, in f32.
    pub(crate) fn output(&mut self, name: &str, shape: &[Length], doc: &str) {
        self.graph.output.push(value_info(name, shape, doc));
    }

    /// A constant of f32, row-major.
    pub(crate) fn floats(&mut self, name: &str, shape: &[usize], data: &[f32]) -> String {
        let bytes = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constant(name, shape, DataType::Float, bytes)
    }

    /// A constant list of integers, as operators take axes and shapes.
    pub(crate) fn integers(&mut self, name: &str, data: &[i64]) -> String {
        let bytes = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constant(name, &[data.len()], DataType::Int64, bytes)
    }

    fn constant(&mut self, name: &str, shape: &[usize], data_type: DataType, raw_data: Vec<u8>) -> String {
        self.graph.initializer.push(Tensor {
            dims: shape.iter().map(|&length| length as i64).collect(),
            data_type: data_type.into(),
            name: name.to_owned(),
            raw_data,
        });
        name.to_owned()
    }

    /// Applies an operator; the node and its value are called `name`.
    pub(crate) fn node(
        &mut self,
        operator: &str,
        name: &str,
        inputs: &[&str],
        attributes: Vec<Attribute>,
    ) -> String {
        self.node_of_many(operator, name, inputs, &[name], attributes);
        name.to_owned()
    }

    /// Applies an operator that gives several values.
    pub(crate) fn node_of_many(
        &mut self,
        operator: &str,
        name: &str,
        inputs: &[&str],
        outputs: &[&str],
        attribute: Vec<Attribute>,
    ) {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        self.graph.node.push(Node {
            input: owned(inputs),
            output: owned(outputs),
            name: name.to_owned(),
            op_type: operator.to_owned(),
            attribute,
        });
    }
}

/// An attribute of one integer.
pub(crate) fn int(name: &str, value: i64) -> Attribute {
    Attribute { name: name.to_owned(), i: Some(value), ints: Vec::new(), r#type: AttributeType::Int.into() }
}

/// An attribute of a list of integers.
pub(crate) fn ints(name: &str, values: &[i64]) -> Attribute {
    Attribute { name: name.to_owned(), i: None, ints: values.to_vec(), r#type: AttributeType::Ints.into() }
}

fn value_info(name: &str, shape: &[Length], doc: &str) -> ValueInfo {
    let dim = shape.iter().map(|&length| match length {
        Length::Fixed(length) => Dimension { dim_value: Some(length as i64), dim_param: None },
        Length::Named(name) => Dimension { dim_value: None, dim_param: Some(name.to_owned()) },
    });
    let shape = Shape { dim: dim.collect() };
    let tensor_type = TensorType { elem_type: DataType::Float.into(), shape: Some(shape) };
    ValueInfo {
        name: name.to_owned(),
        r#type: Some(Type { tensor_type: Some(tensor_type) }),
        doc_string: doc.to_owned(),
    }
}
