//! `convert` on files as people have them.

use std::fs;
use std::process::Command;

use crate::binary::{finish, hippolyta};

/// A contest's record in GB18030: the names 先手队 and 后手队, and that the first player won.
const GB18030: &[u8] =
    b"#[AM][\xCF\xC8\xCA\xD6\xB6\xD3][\xBA\xF3\xCA\xD6\xB6\xD3][\xCF\xC8\xCA\xD6\xCA\xA4][2024];\r\n1 d1d7(g7)\r\n";

#[test]
fn text_that_is_not_utf_8_comes_with_the_command_that_makes_it_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a record.txt");
    fs::write(&path, GB18030).unwrap();
    let refused = finish(hippolyta("convert --to text").arg(&path));
    refused.fails(1, &["a record.txt", "byte 0xcf at offset 6 is not UTF-8", "iconv -f GB18030 -t UTF-8 '"]);
    let (_, command) = refused.stderr.split_once("make it UTF-8 with: ").unwrap();
    if Command::new("iconv").arg("--version").output().is_err() {
        return;
    }
    assert!(Command::new("sh").args(["-c", command]).status().unwrap().success(), "{command}");
    let text = finish(hippolyta("convert --to text").arg(folder.path().join("a record.utf8.txt")));
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert!(text.stdout.contains("white 先手队\nblack 后手队\nwinner white\n"), "{}", text.stdout);
    // SGF that says that it is Latin-1 needs no other program.
    let path = folder.path().join("latin.sgf");
    fs::write(&path, b"(;GM[18]CA[ISO-8859-1]PB[J\xF6rg];B[djddgd])").unwrap();
    let sgf = finish(hippolyta("convert --to sgf").arg(&path)).stdout;
    assert!(sgf.contains("CA[UTF-8]") && sgf.contains("PB[Jörg]"), "{sgf}");
    // A program that writes UTF-16.
    let utf16: Vec<u8> = "\u{feff}1. d1-d7/g7 {ö}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&path, utf16).unwrap();
    assert!(finish(hippolyta("convert --to text").arg(&path)).stdout.ends_with("1. d1-d7/g7 {ö}\n"));
}
