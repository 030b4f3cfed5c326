//! What errors quote of an input.

/// The most characters of an input that an error quotes.
const LONGEST: usize = 40;

/// The text, cut to what a message has room for: an input may have megabytes where a word should be.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_long_texts_alone() {
        assert_eq!(excerpt(""), "");
        assert_eq!(excerpt(&"é".repeat(LONGEST)), "é".repeat(LONGEST));
        assert_eq!(excerpt(&"é".repeat(LONGEST + 1)), format!("{}...", "é".repeat(LONGEST)));
    }
}
