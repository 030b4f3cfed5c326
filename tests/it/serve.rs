//! The server of the page, asked as a browser asks it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::binary::{finish, hippolyta};

struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(page: &Path, run: &Path) -> Served {
        let mut command = hippolyta("serve --port 0 --page");
        command.arg(page).arg("--run").arg(run).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        Served { child, address }
    }

    /// The status line and the body.
    fn ask(&self, request: &str, host: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_and_a_runs_networks_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let [page, run] = ["page", "run"].map(|name| folder.path().join(name));
    fs::create_dir_all(page.join("models")).unwrap();
    fs::create_dir_all(run.join("models")).unwrap();
    fs::write(page.join("index.html"), "the page").unwrap();
    fs::write(folder.path().join("secret"), "a secret").unwrap();
    fs::write(run.join("config.toml"), "a secret").unwrap();
    for name in ["g000001.safetensors", "g000003.safetensors", "notes.txt"] {
        fs::write(run.join("models").join(name), name).unwrap();
    }
    let served = Served::start(&page, &run);
    let host = served.address.clone();

    assert_eq!(served.ask("GET /?x=1", &host), ("HTTP/1.1 200 OK".to_owned(), "the page".to_owned()));
    let (_, list) = served.ask("GET /models/index.json", &host);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["champions"][0]["name"], "g000003");
    assert_eq!(list["champions"].as_array().unwrap().len(), 2);
    let file = list["champions"][1]["file"].as_str().unwrap();
    assert_eq!(served.ask(&format!("GET /models/{file}"), &host).1, "g000001.safetensors");

    for address in
        ["/../secret", "/models/run/../config.toml", "//etc/hosts", "/none", "/models/insane-6x6.safetensors"]
    {
        let (status, body) = served.ask(&format!("GET {address}"), &host);
        assert!(status.contains("404") && !body.contains("a secret"), "{address}: {status} {body}");
    }
    assert!(served.ask("POST /", &host).0.contains("405"));
    assert!(served.ask("GET /", "evil.example").0.contains("403"), "another site's name leads here");
}

#[test]
fn a_folder_without_a_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let finished = finish(hippolyta("serve --page").arg(folder.path()));
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(finished.stderr.contains("no index.html"), "{}", finished.stderr);
}
