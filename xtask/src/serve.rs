//! `cargo xtask serve`: the built page on 127.0.0.1, with the headers that a host of it should send.
//!
//! ```text
//! dist/ ──► Server ──► 127.0.0.1:8080     one folder, read anew for each request, GET and HEAD only
//!             └──────► 127.0.0.1:0        the end-to-end tests use the same, on a free port
//! ```

use crate::build;
use crate::paths;
use crate::run::{Error, Result, command, say};
use crate::setup::{self, Purpose};
use crate::size::gzip;
use std::fs;
use std::io::{Cursor, IsTerminal};
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use tiny_http::{Header, Method, Request, Response};

/// What `cargo xtask serve` was asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Serve {
    /// The port on 127.0.0.1. A fixed one, as browsers keep a page's data by address and port.
    pub port: u16,
    /// Whether to open a browser, when a person is at the terminal.
    pub open: bool,
    /// Whether to build again when a source file changes.
    pub watch: bool,
}

impl Default for Serve {
    fn default() -> Self {
        Self { port: 8080, open: true, watch: false }
    }
}

/// Sets up, builds, and serves until it is stopped.
pub(crate) fn serve(options: &Serve) -> Result {
    // First, so that a port in use is no news after minutes of building.
    let server = Server::start(paths::page(), options.port)?;
    setup::setup(Purpose::Serve)?;
    if !options.watch {
        build::page()?;
    }
    let address = server.address();
    println!("\nPalimpsest is up: {address}\nStop it with Ctrl-C.");
    if options.open && std::io::stdout().is_terminal() {
        open(&address);
    }
    if options.watch {
        say("building after every change, without optimising: reload the page to see it");
        let mut trunk = command("trunk");
        trunk.args(["watch", "--skip-version-check", "--release=false", "--cargo-profile", "dev"]);
        return crate::run::run(&mut trunk);
    }
    server.wait();
    Ok(())
}

/// Asks the desktop to show an address; where there is none, nothing happens.
fn open(address: &str) {
    let (program, args): (_, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start"])
    } else {
        ("xdg-open", &[])
    };
    let started: std::io::Result<Child> =
        command(program).args(args).arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    drop(started);
}

/// A server of one folder on 127.0.0.1.
pub(crate) struct Server {
    port: u16,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Server {
    /// Starts serving `folder`; port 0 takes any free one.
    pub(crate) fn start(folder: PathBuf, port: u16) -> Result<Self> {
        let server = tiny_http::Server::http(SocketAddr::from(([127, 0, 0, 1], port))).map_err(|error| {
            Error::new(
                format!("cannot serve on 127.0.0.1:{port}: {error}"),
                "Is it running already? Another port: cargo xtask serve --port N",
            )
        })?;
        let port = server.server_addr().to_ip().map_or(port, |address| address.port());
        let (server, folder) = (Arc::new(server), Arc::new(folder));
        let threads = (0..4).map(|_| {
            let (server, folder) = (Arc::clone(&server), Arc::clone(&folder));
            thread::spawn(move || server.incoming_requests().for_each(|request| answer(request, &folder)))
        });
        Ok(Self { port, threads: threads.collect() })
    }

    /// The page's address.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves for ever.
    fn wait(self) {
        for thread in self.threads {
            // A thread that panicked has said so; the others serve on.
            let _ = thread.join();
        }
    }
}

fn answer(request: Request, folder: &Path) {
    let response = respond(&request, folder);
    // A browser that went away needs no answer.
    let _ = request.respond(response);
}

fn respond(request: &Request, folder: &Path) -> Response<Cursor<Vec<u8>>> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return text(405, "only GET and HEAD").with_header(header("Allow", "GET, HEAD"));
    }
    let Some((path, content)) =
        file_of(request.url(), folder).and_then(|path| fs::read(&path).ok().map(|content| (path, content)))
    else {
        return text(404, "no such file");
    };
    let (media_type, compressible) = media_type(&path);
    let gzipped = compressible && accepts_gzip(request);
    let mut response = secured(Response::from_data(if gzipped { gzip(&content) } else { content }))
        .with_header(header("Content-Type", media_type))
        .with_header(header("Vary", "Accept-Encoding"));
    if gzipped {
        response.add_header(header("Content-Encoding", "gzip"));
    }
    if media_type.starts_with("text/html")
        && let Ok(html) = fs::read_to_string(&path)
        && let Some(policy) = content_security_policy(&html)
    {
        response.add_header(header("Content-Security-Policy", &policy));
    }
    response
}

/// The file of `folder` that a request names. Nothing above the folder, and nothing hidden, can be named.
fn file_of(url: &str, folder: &Path) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    let plain =
        |part: Component| matches!(part, Component::Normal(name) if !name.to_string_lossy().starts_with('.'));
    path.components().all(plain).then(|| folder.join(path))
}

/// A file's media type by its ending, and whether gzip makes it smaller.
fn media_type(path: &Path) -> (&'static str, bool) {
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => ("text/html; charset=utf-8", true),
        "css" => ("text/css; charset=utf-8", true),
        "js" | "mjs" => ("text/javascript; charset=utf-8", true),
        "wasm" => ("application/wasm", true),
        "json" | "map" => ("application/json", true),
        "webmanifest" => ("application/manifest+json", true),
        "svg" => ("image/svg+xml", true),
        "txt" | "md" | "jsonl" => ("text/plain; charset=utf-8", true),
        "png" => ("image/png", false),
        "woff2" => ("font/woff2", false),
        _ => ("application/octet-stream", false),
    }
}

fn accepts_gzip(request: &Request) -> bool {
    request
        .headers()
        .iter()
        .any(|header| header.field.equiv("Accept-Encoding") && header.value.as_str().contains("gzip"))
}

/// The page's own policy (its meta element in static/index.html), and the one rule that only a header can set.
fn content_security_policy(html: &str) -> Option<String> {
    let (_, rest) = html.split_once("http-equiv=\"Content-Security-Policy\"")?;
    let (_, rest) = rest.split_once("content=\"")?;
    let (policy, _) = rest.split_once('"')?;
    let policy: Vec<_> = policy.split_whitespace().collect();
    Some(format!("{}; frame-ancestors 'none'", policy.join(" ")))
}

fn text(status: u16, text: &str) -> Response<Cursor<Vec<u8>>> {
    secured(Response::from_string(text).with_status_code(status))
}

fn secured(response: Response<Cursor<Vec<u8>>>) -> Response<Cursor<Vec<u8>>> {
    [
        // Names hold hashes of what Trunk built, but wasm-opt's flags can change a file under its name.
        ("Cache-Control", "no-cache"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
    ]
    .iter()
    .fold(response, |response, (name, value)| response.with_header(header(name, value)))
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("names and values here are ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    #[test]
    fn only_files_of_the_folder_can_be_named() {
        let folder = Path::new("/page");
        assert_eq!(file_of("/", folder), Some("/page/index.html".into()));
        assert_eq!(file_of("/a/b.js?x=../..#y", folder), Some("/page/a/b.js".into()));
        for url in ["/../secret", "/a/../../secret", "/./x", "/.git/config", "//etc/../passwd"] {
            assert_eq!(file_of(url, folder), None, "{url}");
        }
    }

    #[test]
    fn takes_the_policy_from_the_page() {
        let html = r#"<meta http-equiv="Content-Security-Policy" content="
            default-src 'none';
            script-src 'self'">"#;
        let policy = content_security_policy(html).unwrap();
        assert_eq!(policy, "default-src 'none'; script-src 'self'; frame-ancestors 'none'");
        assert_eq!(content_security_policy("<p>"), None);
    }

    fn ask(server: &Server, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        write!(stream, "{request}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn answers_with_the_right_headers() {
        let server = Server::start(paths::root().join("static"), 0).unwrap();
        let page = ask(&server, "GET / HTTP/1.1");
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        for expected in ["text/html", "frame-ancestors 'none'", "nosniff", "<!doctype html>"] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        let packed = ask(&server, "GET /start.js HTTP/1.1\r\nAccept-Encoding: br, gzip");
        assert!(packed.contains("Content-Encoding: gzip") && packed.contains("text/javascript"), "{packed}");
        assert!(!ask(&server, "HEAD / HTTP/1.1").contains("<!doctype html>"));
        assert!(ask(&server, "GET /none HTTP/1.1").starts_with("HTTP/1.1 404"));
        assert!(ask(&server, "GET /%2e%2e/Cargo.toml HTTP/1.1").starts_with("HTTP/1.1 404"));
        assert!(ask(&server, "POST / HTTP/1.1").starts_with("HTTP/1.1 405"));
    }
}
