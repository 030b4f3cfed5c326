//! The bytes of a file as text.

use std::borrow::Cow;
use std::char;

use thiserror::Error;

/// Bytes that are not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("byte {byte:#04x} at offset {offset} is not UTF-8; the text looks like {charset}")]
pub struct NotUtf8 {
    /// Where the first byte stands that is not UTF-8, from 0.
    pub offset: usize,
    /// That byte.
    pub byte: u8,
    /// The encoding that the text names in `CA`, or that its bytes look like, by the name that `iconv` knows.
    pub charset: String,
}

/// The text of a file: UTF-8, UTF-16 behind a byte order mark, or Latin-1 where SGF's `CA` says so.
///
/// # Errors
/// When the bytes are in another encoding; the error names a likely one.
///
/// ```
/// use hippolyta_game::notation::decode;
///
/// assert_eq!(decode(b"(;GM[18]CA[ISO-8859-1]PB[J\xF6rg])").unwrap(), "(;GM[18]CA[ISO-8859-1]PB[Jörg])");
/// assert_eq!(decode(b"(;GM[18]PB[\xD5\xC5\xC8\xFD])").unwrap_err().charset, "GB18030");
/// ```
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, NotUtf8> {
    for (mark, unit) in
        [([0xFF, 0xFE], u16::from_le_bytes as fn([u8; 2]) -> u16), ([0xFE, 0xFF], u16::from_be_bytes)]
    {
        if let Some(rest) = bytes.strip_prefix(&mark) {
            return from_utf16(rest, unit).map(Cow::Owned).ok_or_else(|| NotUtf8 {
                offset: 0,
                byte: mark[0],
                charset: "UTF-16".to_owned(),
            });
        }
    }
    let error = match str::from_utf8(bytes) {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let charset = match named_charset(bytes) {
        Some(name) if is_latin_1(&name) => {
            return Ok(Cow::Owned(bytes.iter().copied().map(char::from).collect()));
        }
        // What says that it is UTF-8 and is not has to be something else.
        Some(name) if !name.eq_ignore_ascii_case("UTF-8") => name,
        _ => likely_charset(bytes).to_owned(),
    };
    let offset = error.valid_up_to();
    Err(NotUtf8 { offset, byte: bytes[offset], charset })
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text =
        char::decode_utf16(pairs.iter().map(|&pair| unit(pair))).collect::<Result<String, _>>().ok()?;
    rest.is_empty().then_some(text)
}

/// The value of the first `CA` in the text, if a shell takes it as one plain word.
fn named_charset(bytes: &[u8]) -> Option<String> {
    let at = bytes.windows(3).position(|window| window == b"CA[")? + 3;
    let value = bytes[at..].split(|&byte| byte == b']').next()?.trim_ascii();
    let is_plain = (1..=30).contains(&value.len())
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte))
        && value[0].is_ascii_alphanumeric();
    is_plain.then(|| String::from_utf8_lossy(value).into_owned())
}

fn is_latin_1(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    ["iso88591", "latin1", "l1"].iter().any(|latin| plain.eq_ignore_ascii_case(latin))
}

/// GB18030 when all bytes beyond ASCII stand in its pairs and most pairs are of two such bytes, as in the records of
/// Chinese contests; else Latin-1 in the form that Windows gives it.
fn likely_charset(bytes: &[u8]) -> &'static str {
    let (mut pairs, mut high_pairs) = (0, 0);
    let mut rest = bytes.iter();
    while let Some(&lead) = rest.next() {
        if lead < 0x80 {
            continue;
        }
        let trail = rest.next().filter(|trail| matches!(trail, 0x30..=0x39 | 0x40..=0x7E | 0x80..=0xFE));
        let Some(&trail) = trail.filter(|_| (0x81..=0xFE).contains(&lead)) else { return "WINDOWS-1252" };
        pairs += 1;
        high_pairs += usize::from(trail >= 0x80);
    }
    if 2 * high_pairs > pairs { "GB18030" } else { "WINDOWS-1252" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_says_how_it_is_written() {
        let text = "(;GM[18]PB[é])";
        let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
        };
        for bytes in [utf16(u16::to_le_bytes), utf16(u16::to_be_bytes), text.as_bytes().to_vec()] {
            assert_eq!(decode(&bytes).as_deref(), Ok(text));
        }
        assert_eq!(decode(b"(;CA[ latin-1 ]PB[\xE9])").as_deref(), Ok("(;CA[ latin-1 ]PB[\u{e9}])"));
    }

    #[test]
    fn names_a_likely_encoding() {
        let charset = |bytes: &[u8]| decode(bytes).expect_err("not UTF-8").charset;
        assert_eq!(charset(b"#[AM][\xCF\xC8\xCA\xD6]"), "GB18030");
        assert_eq!(charset(b"(;PB[Andr\xE9])"), "WINDOWS-1252");
        assert_eq!(charset(b"(;CA[Big5]PB[\xE9\xE9])"), "Big5");
        // Nothing that a shell would take for more than a word.
        assert_eq!(charset(b"(;CA[$(rm x)]PB[\xE9])"), "WINDOWS-1252");
        assert_eq!(charset(b"(;CA[-x]PB[\xE9])"), "WINDOWS-1252");
        assert_eq!(charset(b"(;CA[UTF-8]PB[\xE9])"), "WINDOWS-1252");
        assert_eq!(charset(b"\xFF\xFE("), "UTF-16");
        let error = decode(b"ab\xFFc").expect_err("not UTF-8");
        assert_eq!((error.offset, error.byte), (2, 0xFF));
    }
}
