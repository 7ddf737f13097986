//! Just enough of HTTP for a page on the own machine: GET, one request for each connection, and a guard at the door.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The most bytes of a request, and how long one may take.
const MAX_REQUEST: u64 = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(10);

/// What was asked for: a path that begins with a slash, and what follows a question mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub path: String,
    pub query: String,
}

/// What is answered.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

impl Response {
    pub fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, kind, body: body.into() }
    }

    pub fn refuse(status: u16, why: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: why.as_bytes().to_vec() }
    }
}

/// Reads a request, or the answer that refuses it. `port` is where this page is served.
pub(super) fn receive(stream: &TcpStream, port: u16) -> io::Result<Result<Request, Response>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.take(MAX_REQUEST)).lines();
    let Some(first) = lines.next().transpose()? else { return Ok(Err(Response::refuse(400, "no request"))) };
    let mut headers = Vec::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            return Ok(check(&first, &headers, port));
        }
        headers.push(line);
    }
    Ok(Err(Response::refuse(400, "the request is too long or has no end")))
}

/// Refuses what does not come from the own page: other methods, other hosts' names, other sites.
fn check(first: &str, headers: &[String], port: u16) -> Result<Request, Response> {
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(_)) = (words.next(), words.next(), words.next()) else {
        return Err(Response::refuse(400, "no request"));
    };
    if method != "GET" {
        return Err(Response::refuse(405, "only GET"));
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
        return Err(Response::refuse(403, "this is served to 127.0.0.1 only"));
    }
    let own_site = |origin: &str| own.iter().any(|name| origin == format!("http://{name}"));
    let foreign = header("origin").is_some_and(|origin| !own_site(origin));
    let crossing = header("sec-fetch-site").is_some_and(|site| !["same-origin", "none"].contains(&site));
    if foreign || crossing {
        return Err(Response::refuse(403, "this is not served to other sites"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Request { path: path.to_owned(), query: query.to_owned() })
}

/// Sends an answer.
pub(super) fn send(mut stream: &TcpStream, response: &Response) -> io::Result<()> {
    let Response { status, kind, body } = response;
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
