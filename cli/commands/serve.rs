//! `serve`: the page to play on, for this machine's browser.

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tiny_http::{Header, Method, Request, Response, Server};

use crate::failure::wrong_input;
use crate::output;

/// Serve the page to play on, on this machine alone, until it is stopped.
#[derive(Debug, Args)]
#[command(
    after_help = "'make web' builds the page; any host can serve the folder that it makes, target/web.\n\
    Example: hippolyta serve --run runs/quick"
)]
pub(crate) struct Arguments {
    /// A run whose networks can be chosen on the page.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// The port; 0 is any that is free.
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The folder of the page; without it `web` beside the program's own folder, or target/web.
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let site = Site { page: page_folder(arguments.page.as_deref())?, run: arguments.run.clone() };
    if let Some(run) = &site.run {
        site.champions().with_context(|| format!("{} cannot be served", run.display()))?;
    }
    let server = Server::http((Ipv4Addr::LOCALHOST, arguments.port)).map_err(|error| {
        wrong_input(format!("port {} of 127.0.0.1 cannot be used: {error}", arguments.port))
    })?;
    let address = server.server_addr().to_ip().context("the server has no address")?;
    output::text(&format!("http://{address}/"))?;
    for request in server.incoming_requests() {
        // A browser that hangs up in the middle of an answer is no trouble of ours.
        let _ = site.answer(request);
    }
    Ok(())
}

/// Where the page was built.
fn page_folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let is_page = |folder: &PathBuf| folder.join("index.html").is_file();
    if let Some(folder) = named {
        let folder = folder.to_owned();
        return Some(folder).filter(is_page).ok_or_else(|| {
            wrong_input(format!(
                "{} holds no page: it has no index.html",
                named.unwrap_or(Path::new("")).display()
            ))
        });
    }
    // The program is in target/release or target/lite/release, the page in target/web.
    let program = std::env::current_exe().unwrap_or_default();
    let beside = program.ancestors().skip(1).take(3).map(|folder| folder.join("web"));
    beside
        .chain([PathBuf::from("target/web")])
        .find(is_page)
        .ok_or_else(|| wrong_input("the page is not built: run 'make web', or name its folder with --page"))
}

/// What is served: the page, and a run's networks beside the page's own.
struct Site {
    page: PathBuf,
    run: Option<PathBuf>,
}

impl Site {
    fn answer(&self, request: Request) -> std::io::Result<()> {
        if !matches!(request.method(), Method::Get | Method::Head) {
            return request.respond(Response::empty(405));
        }
        // A page of another site, whose name leads here, may not read what is here.
        let is_ours = |host: &str| {
            matches!(host.rsplit_once(':').map_or(host, |(name, _)| name), "127.0.0.1" | "localhost")
        };
        let host = request.headers().iter().find(|header| header.field.equiv("Host"));
        if !host.is_some_and(|header| is_ours(header.value.as_str())) {
            return request
                .respond(Response::from_string("this server answers to 127.0.0.1").with_status_code(403));
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default().to_owned();
        if path == "/models/index.json" && self.run.is_some() {
            let champions = self.champions().unwrap_or_default();
            let text = json!({ "champions": champions }).to_string();
            return request.respond(
                Response::from_string(text).with_header(header("Content-Type", "application/json")),
            );
        }
        match self.file(&path).and_then(|path| Some((File::open(&path).ok()?, path))) {
            Some((file, path)) => {
                let kind = header("Content-Type", content_type(&path));
                let fresh = header("Cache-Control", "no-cache");
                request.respond(Response::from_file(file).with_header(kind).with_header(fresh))
            }
            None => {
                request.respond(Response::from_string(format!("there is no {path}\n")).with_status_code(404))
            }
        }
    }

    /// The file that an address names, if it is one of ours.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let relative = Path::new(path.strip_prefix('/')?);
        if relative.components().any(|part| !matches!(part, Component::Normal(_))) {
            return None;
        }
        let folder = match (&self.run, relative.strip_prefix("models/run")) {
            (Some(run), Ok(name)) => run.join("models").join(name),
            _ => self.page.join(relative),
        };
        let file = if path.ends_with('/') { folder.join("index.html") } else { folder };
        file.is_file().then_some(file)
    }

    /// The run's networks, the newest first, as the page wants them.
    fn champions(&self) -> anyhow::Result<Vec<serde_json::Value>> {
        let Some(run) = &self.run else { return Ok(Vec::new()) };
        let folder = run.join("models");
        let entries =
            fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".safetensors"))
            .collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        Ok(names
            .into_iter()
            .map(|name| json!({ "name": name.trim_end_matches(".safetensors"), "file": format!("run/{name}") }))
            .collect())
    }
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("names and values are plain ASCII")
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
