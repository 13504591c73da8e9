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
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// No request of a browser to this server has a longer head, in bytes.
const MAX_HEAD: u64 = 64 * 1024;
/// Larger files go out as they are.
const MAX_PACKED: usize = 256 * 1024;
/// What every answer carries.
const COMMON: [(&str, &str); 5] = [
    ("Connection", "close"),
    // Names hold hashes of what Trunk built, but wasm-opt's flags can change a file under its name.
    ("Cache-Control", "no-cache"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
];

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

/// A server of one folder on 127.0.0.1. Each connection has a thread and carries one answer: a browser that holds
/// idle connections open can never keep another waiting.
pub(crate) struct Server {
    port: u16,
    thread: thread::JoinHandle<()>,
}

impl Server {
    /// Starts serving `folder`; port 0 takes any free one.
    pub(crate) fn start(folder: PathBuf, port: u16) -> Result<Self> {
        let refused = |error: std::io::Error| {
            Error::new(
                format!("cannot serve on 127.0.0.1:{port}: {error}"),
                "Is it running already? Another port: cargo xtask serve --port N",
            )
        };
        let listener = TcpListener::bind(("127.0.0.1", port)).map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let folder = Arc::new(folder);
        let thread = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = Arc::clone(&folder);
                // A browser that went away needs no answer.
                thread::spawn(move || drop(serve_one(&stream, &folder)));
            }
        });
        Ok(Self { port, thread })
    }

    /// The page's address.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves for ever.
    fn wait(self) {
        // A thread that panicked has said so.
        drop(self.thread.join());
    }
}

/// What of a request matters here.
struct Request {
    method: String,
    url: String,
    gzip: bool,
}

/// An answer before it is written.
struct Response {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

fn serve_one(stream: &TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let Some(request) = read_request(stream)? else { return Ok(()) };
    let response = respond(&request, folder);
    let mut head = format!("HTTP/1.1 {}\r\nContent-Length: {}\r\n", response.status, response.body.len());
    for (name, value) in
        COMMON.iter().map(|(name, value)| (*name, (*value).to_owned())).chain(response.headers)
    {
        head.extend([name, ": ", &value, "\r\n"]);
    }
    head.push_str("\r\n");
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        stream.write_all(&response.body)?;
    }
    stream.flush()
}

/// The head of a request; `None` when the connection closes before one.
fn read_request(stream: &TcpStream) -> std::io::Result<Option<Request>> {
    let mut lines = BufReader::new(stream.take(MAX_HEAD)).lines();
    let Some(first) = lines.next().transpose()? else { return Ok(None) };
    let mut words = first.split_whitespace().map(str::to_owned);
    let (Some(method), Some(url)) = (words.next(), words.next()) else { return Ok(None) };
    let mut gzip = false;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        gzip |= name.eq_ignore_ascii_case("Accept-Encoding") && value.contains("gzip");
    }
    Ok(Some(Request { method, url, gzip }))
}

fn respond(request: &Request, folder: &Path) -> Response {
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        let mut refused = text("405 Method Not Allowed", "only GET and HEAD");
        refused.headers.push(("Allow", "GET, HEAD".to_owned()));
        return refused;
    }
    let found = file_of(&request.url, folder).and_then(|path| Some((fs::read(&path).ok()?, path)));
    let Some((content, path)) = found else { return text("404 Not Found", "no such file") };
    let (media_type, compressible) = media_type(&path);
    let mut headers = vec![("Content-Type", media_type.to_owned()), ("Vary", "Accept-Encoding".to_owned())];
    if media_type.starts_with("text/html")
        && let Some(policy) = content_security_policy(&String::from_utf8_lossy(&content))
    {
        headers.push(("Content-Security-Policy", policy));
    }
    // wasm is large and local: packing it would cost more time than it saves on loopback.
    let packed = compressible && request.gzip && content.len() < MAX_PACKED;
    if packed {
        headers.push(("Content-Encoding", "gzip".to_owned()));
    }
    Response { status: "200 OK", headers, body: if packed { gzip(&content) } else { content } }
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

/// The page's own policy (its meta element in static/index.html), and the one rule that only a header can set.
fn content_security_policy(html: &str) -> Option<String> {
    let (_, rest) = html.split_once("http-equiv=\"Content-Security-Policy\"")?;
    let (_, rest) = rest.split_once("content=\"")?;
    let (policy, _) = rest.split_once('"')?;
    let policy: Vec<_> = policy.split_whitespace().collect();
    Some(format!("{}; frame-ancestors 'none'", policy.join(" ")))
}

fn text(status: &'static str, text: &str) -> Response {
    let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
    Response { status, headers, body: text.as_bytes().to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

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
