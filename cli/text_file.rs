//! Files of text, in whatever encoding people have them.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use anyhow::anyhow;
use hippolyta_game::notation;

/// The bytes of the file at `path` as text.
///
/// # Errors
/// When they are not UTF-8: the error has the command that makes them so.
pub(crate) fn decode<'a>(bytes: &'a [u8], path: &Path) -> anyhow::Result<Cow<'a, str>> {
    notation::decode(bytes).map_err(|error| {
        let quoted = |path: &Path| {
            let name = path.to_string_lossy().into_owned();
            shlex::try_quote(&name).map(Cow::into_owned).unwrap_or(name)
        };
        let mut name = path.file_stem().map(OsString::from).unwrap_or_default();
        name.push(".utf8");
        if let Some(extension) = path.extension() {
            name.push(".");
            name.push(extension);
        }
        let (from, to) = (quoted(path), quoted(&path.with_file_name(name)));
        let charset = &error.charset;
        anyhow!("{}: {error}: make it UTF-8 with: iconv -f {charset} -t UTF-8 {from} > {to}", path.display())
    })
}
