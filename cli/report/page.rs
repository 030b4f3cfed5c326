//! The page round a report: a fixed text, into which the styles, the scripts and the report's JSON are put.

use crate::report::Report;

/// The whole page.
///
/// # Errors
/// When the report is no JSON, which holds only for numbers that are not finite.
pub(crate) fn page(report: &Report) -> anyhow::Result<String> {
    Ok(format!(
        include_str!("page/page.html"),
        style = include_str!("page/style.css"),
        board = in_one_script(include_str!("../../web/page/board.js")),
        charts = include_str!("page/charts.js"),
        replay = include_str!("page/replay.js"),
        main = include_str!("page/main.js"),
        data = inert(&serde_json::to_string(report)?),
    ))
}

/// A module that imports nothing, as a part of the page's only script.
fn in_one_script(module: &str) -> String {
    module.replace("\nexport ", "\n")
}

/// JSON in which nothing can end the script element that holds it, or open a comment there. All `<` are in strings,
/// where `\u003c` means the same.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_script() {
        let text = "</script><!-- <b>";
        let safe = inert(&serde_json::to_string(text).unwrap());
        assert!(!safe.contains('<'), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }
}
