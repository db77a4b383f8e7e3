//! A scripted WebSocket server on loopback, and raw ones below it.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Any stream to a client.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// The server's end of one connection.
pub type Socket = WebSocketStream<Box<dyn Stream>>;

/// Header lines of a handshake, in lower case.
pub type Headers = Arc<Mutex<Vec<String>>>;

/// Serves each TCP connection by `serve`.
pub async fn tcp<F, S>(serve: S) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
    S: Fn(TcpStream) -> F + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    address
}

/// Serves each WebSocket connection by `serve`; returns where, and the headers it saw.
pub async fn websocket<F, S>(tls: Option<Arc<ServerConfig>>, serve: S) -> (SocketAddr, Headers)
where
    F: Future<Output = ()> + Send + 'static,
    S: Fn(Socket) -> F + Clone + Send + Sync + 'static,
{
    let headers = Headers::default();
    let seen = Arc::clone(&headers);
    let address = tcp(move |stream| {
        let (tls, seen, serve) = (tls.clone(), Arc::clone(&seen), serve.clone());
        async move {
            let stream: Box<dyn Stream> = match tls {
                // A client that does not like the certificate goes away.
                Some(config) => match TlsAcceptor::from(config).accept(stream).await {
                    Ok(stream) => Box::new(stream),
                    Err(_) => return,
                },
                None => Box::new(stream),
            };
            if let Ok(socket) = accept(stream, seen).await {
                serve(socket).await;
            }
        }
    })
    .await;
    (address, headers)
}

#[expect(clippy::result_large_err, reason = "the callback's type is the library's")]
async fn accept(stream: Box<dyn Stream>, seen: Headers) -> Result<Socket, ()> {
    let note = move |request: &Request, response: Response| {
        let mut seen = seen.lock().unwrap();
        for (name, value) in request.headers() {
            seen.push(format!("{name}: {}", value.to_str().unwrap_or("?")));
        }
        Ok(response)
    };
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    tokio_tungstenite::accept_hdr_async_with_config(stream, note, Some(config)).await.map_err(drop)
}

/// Reads an HTTP request up to its empty line.
pub async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => request.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&request).into_owned()
}
