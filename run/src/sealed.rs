//! JSON files that carry a checksum over their own content.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The key of the checksum, the last one of the object.
const CHECKSUM: &str = "checksum";

/// Why a sealed file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SealError {
    /// Truncated, or something else.
    #[error("is not a JSON object with a checksum: {0}")]
    Json(String),
    /// A value is not the one that was written.
    #[error("is damaged or was edited: its checksum does not fit its content")]
    Checksum,
    /// A whole file of another kind or version.
    #[error("is not of the kind or version that belongs here: {0}")]
    Content(String),
}

/// The bytes of a sealed file: an object with the keys of `content` and a checksum. The same content gives the same
/// bytes.
///
/// # Panics
/// When `content` is not an object in JSON.
pub fn seal(content: &impl Serialize) -> Vec<u8> {
    let mut value = serde_json::to_value(content).expect("plain structs become JSON");
    let checksum = checksum(&value);
    value.as_object_mut().expect("a struct becomes an object").insert(CHECKSUM.to_owned(), checksum.into());
    let mut bytes = serde_json::to_vec_pretty(&value).expect("a value becomes JSON");
    bytes.push(b'\n');
    bytes
}

/// Reads what [`seal`] wrote.
///
/// # Errors
/// When any byte that says something has changed, or the content is of another kind.
pub fn unseal<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, SealError> {
    let json = |error: serde_json::Error| SealError::Json(error.to_string());
    let mut value: Value = serde_json::from_slice(bytes).map_err(json)?;
    let found = value.as_object_mut().and_then(|object| object.shift_remove(CHECKSUM));
    let found = found.ok_or_else(|| SealError::Json("there is no checksum".to_owned()))?;
    if found.as_str() != Some(checksum(&value).as_str()) {
        return Err(SealError::Checksum);
    }
    serde_json::from_value(value).map_err(|error| SealError::Content(error.to_string()))
}

fn checksum(value: &Value) -> String {
    sha256(serde_json::to_string(value).expect("a value becomes JSON").as_bytes())
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn content_comes_back_and_a_changed_digit_is_found() {
        let content = BTreeMap::from([("a".to_owned(), 0.1 + 0.2), ("b".to_owned(), 1e-9)]);
        let bytes = seal(&content);
        assert_eq!(unseal::<BTreeMap<String, f64>>(&bytes), Ok(content.clone()));
        assert_eq!(seal(&content), bytes);
        let text = String::from_utf8(bytes).unwrap();
        let read = |text: &str| unseal::<BTreeMap<String, f64>>(text.as_bytes());
        assert_eq!(read(&text.replace("0.30000000000000004", "0.3")), Err(SealError::Checksum));
        assert!(matches!(read(""), Err(SealError::Json(_))));
        assert!(matches!(read("{\"a\": 1}"), Err(SealError::Json(_))));
        assert!(matches!(read(&text[..text.len() / 2]), Err(SealError::Json(_))));
        assert!(matches!(unseal::<BTreeMap<String, bool>>(text.as_bytes()), Err(SealError::Content(_))));
        // Spaces say nothing.
        assert_eq!(read(&text.replace('\n', "")), Ok(content));
    }
}
