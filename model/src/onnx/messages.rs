//! The messages of ONNX, with the fields that a network needs.
//!
//! Names and numbers are those of `onnx.proto` (IR version 8). Scalars that a reader must find although they are 0 are
//! options.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Model {
    #[prost(int64, tag = "1")]
    pub(crate) ir_version: i64,
    #[prost(string, tag = "2")]
    pub(crate) producer_name: String,
    #[prost(string, tag = "3")]
    pub(crate) producer_version: String,
    #[prost(string, tag = "6")]
    pub(crate) doc_string: String,
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) opset_import: Vec<OperatorSet>,
    #[prost(message, repeated, tag = "14")]
    pub(crate) metadata_props: Vec<Property>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OperatorSet {
    /// Empty for ONNX's own operators.
    #[prost(string, optional, tag = "1")]
    pub(crate) domain: Option<String>,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Property {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Graph {
    /// In an order in which they can be computed.
    #[prost(message, repeated, tag = "1")]
    pub(crate) node: Vec<Node>,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(crate) output: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(crate) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) output: Vec<String>,
    #[prost(string, tag = "3")]
    pub(crate) name: String,
    #[prost(string, tag = "4")]
    pub(crate) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) attribute: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(int64, optional, tag = "3")]
    pub(crate) i: Option<i64>,
    #[prost(int64, repeated, tag = "8")]
    pub(crate) ints: Vec<i64>,
    #[prost(enumeration = "AttributeType", tag = "20")]
    pub(crate) r#type: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum AttributeType {
    Undefined = 0,
    Int = 2,
    Ints = 7,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Tensor {
    /// Its shape.
    #[prost(int64, repeated, tag = "1")]
    pub(crate) dims: Vec<i64>,
    #[prost(enumeration = "DataType", tag = "2")]
    pub(crate) data_type: i32,
    #[prost(string, tag = "8")]
    pub(crate) name: String,
    /// The elements, row-major and little-endian.
    #[prost(bytes = "vec", tag = "9")]
    pub(crate) raw_data: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum DataType {
    Undefined = 0,
    Float = 1,
    Int64 = 7,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) r#type: Option<Type>,
    #[prost(string, tag = "3")]
    pub(crate) doc_string: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Type {
    #[prost(message, optional, tag = "1")]
    pub(crate) tensor_type: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TensorType {
    #[prost(enumeration = "DataType", tag = "1")]
    pub(crate) elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dim: Vec<Dimension>,
}

/// A length that is fixed, or one that has a name and is known when the graph runs.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(crate) dim_value: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(crate) dim_param: Option<String>,
}
