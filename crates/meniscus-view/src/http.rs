//! Just enough of HTTP for a page on the own machine: GET, one request for each connection, and a guard at the door.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The most bytes of a request `[byte]`.
const MAX_REQUEST: u64 = 16 << 10;
/// How long a whole request may take, however often a byte of it comes.
const TO_ASK: Duration = Duration::from_secs(5);
/// How long a whole answer may take: a large frame needs a small part of it.
const TO_TAKE: Duration = Duration::from_secs(30);

/// A connection that ends at a time, however slowly bytes trickle through it.
struct Timed<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl<'a> Timed<'a> {
    fn new(stream: &'a TcpStream, patience: Duration) -> Self {
        Self { stream, end: Instant::now() + patience }
    }

    /// What is left of the time.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// What was asked for: a path that begins with a slash, and what follows a question mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub path: String,
    pub query: String,
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct HttpResponse {
    /// The status of HTTP, such as 200 or 404.
    pub status: u16,
    /// What kind of thing the body is, as HTTP names it.
    pub kind: &'static str,
    /// What was asked for, or words about why it is not there.
    pub body: Vec<u8>,
}

impl HttpResponse {
    pub(super) fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, kind, body: body.into() }
    }

    pub(super) fn refuse(status: u16, why: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: why.as_bytes().to_vec() }
    }
}

/// Reads a request, or the answer that refuses it, before the patience with a slow guest ends. `port` is where this page is
/// served.
pub(super) fn receive(stream: &TcpStream, port: u16) -> io::Result<Result<Request, HttpResponse>> {
    read(Timed::new(stream, TO_ASK), port)
}

/// Reads a request, or the answer that refuses it.
pub(super) fn read(from: impl Read, port: u16) -> io::Result<Result<Request, HttpResponse>> {
    let mut lines = BufReader::new(from.take(MAX_REQUEST)).lines();
    let Some(first) = lines.next().transpose()? else {
        return Ok(Err(HttpResponse::refuse(400, "no request")));
    };
    let mut headers = Vec::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            return Ok(check(&first, &headers, port));
        }
        headers.push(line);
    }
    Ok(Err(HttpResponse::refuse(400, "the request is too long or has no end")))
}

/// Refuses what does not come from the own page: other methods, other hosts' names, other sites.
fn check(first: &str, headers: &[String], port: u16) -> Result<Request, HttpResponse> {
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(_)) = (words.next(), words.next(), words.next()) else {
        return Err(HttpResponse::refuse(400, "no request"));
    };
    if method != "GET" {
        return Err(HttpResponse::refuse(405, "only GET"));
    }
    let header = |name: &str| {
        headers.iter().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    // A page of another name that leads to this address must not read what is here.
    if !header("host").is_some_and(|host| own.iter().any(|name| name == host)) {
        return Err(HttpResponse::refuse(403, "this is served to 127.0.0.1 only"));
    }
    let own_site = |origin: &str| own.iter().any(|name| origin == format!("http://{name}"));
    let foreign = header("origin").is_some_and(|origin| !own_site(origin));
    let crossing = header("sec-fetch-site").is_some_and(|site| !["same-origin", "none"].contains(&site));
    if foreign || crossing {
        return Err(HttpResponse::refuse(403, "this is not served to other sites"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Request { path: path.to_owned(), query: query.to_owned() })
}

/// Sends an answer.
pub(super) fn send(stream: &TcpStream, response: &HttpResponse) -> io::Result<()> {
    send_within(stream, response, TO_TAKE)
}

fn send_within(stream: &TcpStream, response: &HttpResponse, patience: Duration) -> io::Result<()> {
    let mut stream = Timed::new(stream, patience);
    let HttpResponse { status, kind, body } = response;
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\
         Content-Security-Policy: default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'\r\n\r\n",
        if *status == 200 { "OK" } else { "No" },
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(first: &str, headers: &[&str]) -> Result<Request, u16> {
        let headers: Vec<String> = headers.iter().map(ToString::to_string).collect();
        check(first, &headers, 4000).map_err(|refused| refused.status)
    }

    /// Two ends of a connection on this machine.
    fn connected() -> (TcpStream, TcpStream) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (here, listener.accept().unwrap().0)
    }

    #[test]
    fn a_request_that_trickles_in_ends_in_time() {
        let (mut slow, served) = connected();
        let trickle = std::thread::spawn(move || {
            // A byte each 20 ms would keep a timeout of single reads waiting for ever.
            while slow.write_all(b"G").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let begun = Instant::now();
        assert!(read(Timed::new(&served, Duration::from_millis(200)), 4000).is_err());
        assert!(begun.elapsed() < Duration::from_secs(5));
        drop(served);
        trickle.join().unwrap();
    }

    #[test]
    fn an_answer_that_nobody_takes_ends_in_time() {
        let (mut slow, served) = connected();
        let sip = std::thread::spawn(move || {
            let mut byte = [0; 1];
            while slow.read(&mut byte).is_ok_and(|n| n == 1) {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let begun = Instant::now();
        let large = HttpResponse::ok("application/octet-stream", vec![0; 64 << 20]);
        assert!(send_within(&served, &large, Duration::from_millis(300)).is_err());
        assert!(begun.elapsed() < Duration::from_secs(5));
        served.shutdown(std::net::Shutdown::Both).unwrap();
        drop(served);
        drop(sip);
    }

    #[test]
    fn the_own_page_may_ask() {
        let request = ask("GET /frame/3?most=10 HTTP/1.1", &["Host: 127.0.0.1:4000"]).unwrap();
        assert_eq!((request.path.as_str(), request.query.as_str()), ("/frame/3", "most=10"));
        let headers =
            ["host: localhost:4000", "Origin: http://localhost:4000", "Sec-Fetch-Site: same-origin"];
        assert!(ask("GET / HTTP/1.1", &headers).is_ok());
    }

    #[test]
    fn others_may_not() {
        for host in
            ["Host: evil.example:4000", "Host: 127.0.0.1:80", "Host: 127.0.0.1.evil.example:4000", "X: y"]
        {
            assert_eq!(ask("GET / HTTP/1.1", &[host]), Err(403), "{host}");
        }
        for other in [
            "Origin: http://evil.example",
            "Origin: null",
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site",
        ] {
            assert_eq!(ask("GET / HTTP/1.1", &["Host: 127.0.0.1:4000", other]), Err(403), "{other}");
        }
        assert_eq!(ask("POST / HTTP/1.1", &["Host: 127.0.0.1:4000"]), Err(405));
        assert_eq!(ask("GET", &["Host: 127.0.0.1:4000"]), Err(400));
    }
}
