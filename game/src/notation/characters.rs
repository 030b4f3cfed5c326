//! Characters that stand for nothing, and strings that grow.

use std::borrow::Cow;

/// Why writing to a string cannot fail.
pub(super) const TAKES_ALL: &str = "a string takes all";

/// The byte order mark, which some programs write in front of each file, and so inside joined ones.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text with one kind of line end and without byte order marks.
pub(super) fn normalised(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', BYTE_ORDER_MARK]) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(BYTE_ORDER_MARK, "").replace("\r\n", "\n").replace('\r', "\n"))
}

/// Whether a character is white space between games and moves: also NUL and Ctrl-Z, with which old programs fill or
/// end a file.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\0' | '\u{1a}')
}

/// Adds to a comment what is said further, on a line of its own.
pub(super) fn append(comment: &mut String, text: &str) {
    if !comment.is_empty() && !text.is_empty() {
        comment.push('\n');
    }
    comment.push_str(text);
}
