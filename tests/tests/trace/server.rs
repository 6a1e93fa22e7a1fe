//! A small HTTP server: it keeps what it is sent, and answers as it is told.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// One request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    /// `POST /v1/traces HTTP/1.1`.
    pub(crate) line: String,
    /// Headers in lower case, `name: value`.
    pub(crate) headers: Vec<String>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Heard {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|header| header.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Status line, content type and body.
pub(crate) type Said = (&'static str, &'static str, Vec<u8>);

pub(crate) struct Server {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Server {
    /// A server that answers each request by `answer`, until the test ends.
    pub(crate) fn new(answer: impl Fn(&Heard) -> Said + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.expect("a connection");
                let request = read(&stream);
                let said = answer(&request);
                keep.lock().expect("the lock").push(request);
                say(stream, &said);
            }
        });
        Server { address, heard }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("the lock").clone()
    }
}

fn read(stream: &TcpStream) -> Heard {
    let mut reader = BufReader::new(stream);
    let mut heard = Heard::default();
    reader.read_line(&mut heard.line).expect("a request");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a header");
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').expect("a header");
        heard.headers.push(format!("{}: {}", name.to_lowercase(), value.trim()));
    }
    let length = heard.header("content-length").map_or(0, |length| length.parse().expect("a length"));
    heard.body.resize(length, 0);
    reader.read_exact(&mut heard.body).expect("a body");
    heard
}

fn say(mut stream: TcpStream, (status, kind, body): &Said) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // Whoever asked may have gone.
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
}
