//! HTTP and WebSocket on the loopback interface, for the holder of a token only.
//!
//! ```text
//! GET /?token=T                      moves the token into a cookie, on to /
//! GET /?ticket=T                     the same, once
//! GET /                              the page
//! GET /socket                        the WebSocket: see `message`
//! GET /files/scene.toml              the scene as it is
//! GET /files/inputs.jsonl            everything that was done to it, for `holonom replay`
//! GET /files/recording.csv?names=A,B the recorded past of quantities
//! ```
//!
//! Nothing else is there, and no GET changes anything. Who may come in is decided in [`guard`](self), how answers are
//! dressed in `answer`, what a client may cost in `socket` and `timed_stream`; refused are 403 (wrong host or origin),
//! 401 (no token), 404, 405, 503 (too many clients). Connections that send no request, or stop reading what they asked
//! for, are closed; there is a most of them.

mod answer;
mod files;
mod guard;
pub mod socket;
mod timed_stream;
mod token;

pub use token::Token;

use crate::hub::Hub;
use axum::Router;
use axum::body::Body;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::{HeaderValue, Method, Response, StatusCode};
use axum::middleware::{self, Next};
use axum::routing::get;
use guard::Guard;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use timed_stream::TimedStream;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;

/// Most pages open at once.
pub const MOST_CLIENTS: usize = 32;
/// Most connections of any kind.
pub const MOST_CONNECTIONS: usize = 256;
/// Longest head of a request, bytes; what comes in one piece with it may be more.
pub const LARGEST_HEAD: usize = 64 << 10;

/// Longest wait for a request to be made, and for any byte of an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(10);
/// What the system may hold of what a client has not read yet, bytes: enough for a frame of ten thousand bodies.
const SEND_BUFFER: u32 = 512 << 10;
/// How often it is asked whether to stop.
const LOOK: Duration = Duration::from_millis(25);
/// What clients are given to hear of the end.
const FAREWELL: Duration = Duration::from_millis(300);

/// A server, bound to its port.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    ticket: Token,
    hub: Hub,
}

/// What all requests share.
#[derive(Clone)]
struct Shared {
    hub: Hub,
    guard: Arc<Guard>,
    policy: HeaderValue,
    clients: Arc<Semaphore>,
    stop: watch::Receiver<bool>,
}

impl Server {
    /// On a port of 127.0.0.1, or with 0 on one that the system chooses, with a new token.
    pub fn bind(hub: Hub, port: u16) -> io::Result<Server> {
        Server::bind_with(hub, port, Token::random()?)
    }

    /// The same with a token of the caller's: see [`Token::kept`].
    pub fn bind_with(hub: Hub, port: u16, token: Token) -> io::Result<Server> {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("server").enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            listen(port).map_err(|e| explain(e, port))?
        };
        let address = listener.local_addr()?;
        Ok(Server { runtime, listener, address, token, ticket: Token::random()?, hub })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page, token included: for the user alone.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token.text())
    }

    /// The same with a ticket in place of the token, which lets somebody in once: for starting a browser, because other
    /// users of the machine can see with what programs are started.
    pub fn ticket_url(&self) -> String {
        format!("http://{}/?ticket={}", self.address, self.ticket.text())
    }

    /// Serve until `asked` says to stop (it is looked at forty times a second). Clients are told; the hub is left as it
    /// is.
    pub fn run_until(self, asked: impl Fn() -> bool) -> io::Result<()> {
        let Server { runtime, listener, address, token, ticket, hub } = self;
        let guard = Arc::new(Guard::new(address, token, ticket));
        let policy = HeaderValue::from_str(&answer::policy(&guard)).map_err(io::Error::other)?;
        let (stop, stopped) = watch::channel(false);
        let shared = Shared { hub, guard, policy, clients: Arc::new(Semaphore::new(MOST_CLIENTS)), stop: stopped };
        runtime.block_on(async {
            let clients = shared.clients.clone();
            tokio::select! {
                () = accept(listener, routes(shared)) => {}
                () = async { while !asked() { sleep(LOOK).await } } => {}
            }
            let _ = stop.send(true);
            // every client returns its permit when it has been told
            let _ = tokio::time::timeout(FAREWELL, clients.acquire_many(MOST_CLIENTS as u32)).await;
        });
        runtime.shutdown_background();
        Ok(())
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // on Windows this would let another program take the same port
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?; // connections inherit it
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    socket.listen(128)
}

fn explain(e: io::Error, port: u16) -> io::Error {
    let text = match e.kind() {
        io::ErrorKind::AddrInUse => format!("port {port} is in use by another program"),
        io::ErrorKind::PermissionDenied => format!("port {port} is reserved for the system: {e}"),
        _ => format!("cannot listen on port {port} of 127.0.0.1: {e}"),
    };
    io::Error::new(e.kind(), text)
}

/// Let connections in, each served by a task of its own.
async fn accept(listener: TcpListener, routes: Router) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(LARGEST_HEAD);
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // too many open files, or a connection that was gone already: the next one may be better
                sleep(LOOK).await;
                continue;
            }
        };
        let Ok(permit) = room.clone().try_acquire_owned() else {
            continue; // closed at once
        };
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(TimedStream::new(stream, PATIENCE));
        let connection = http.serve_connection(io, TowerToHyperService::new(routes.clone())).with_upgrades();
        tokio::spawn(async move {
            let _ = connection.await; // broken connections are no news
            drop(permit);
        });
    }
}

fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/socket", get(socket))
        .route("/files/{name}", get(files::download))
        .fallback(async || answer::sentence(StatusCode::NOT_FOUND, "There is nothing here; the page is at /."))
        .method_not_allowed_fallback(async || {
            answer::sentence(StatusCode::METHOD_NOT_ALLOWED, "Everything here is read with GET.")
        })
        .layer(middleware::from_fn_with_state(shared.clone(), admit))
        .with_state(shared)
}

/// Every request passes here, whatever it is for; every answer leaves here, dressed.
async fn admit(State(shared): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let admitted = shared.guard.place(request.method(), request.uri(), request.headers());
    let token_in_address = admitted.and_then(|()| match (request.method(), request.uri().path()) {
        (&Method::GET, "/") => shared.guard.address(request.uri()),
        _ => Ok(None),
    });
    let response = match token_in_address {
        Err(refused) => refused.into(),
        Ok(Some(cookie)) => answer::welcome(&cookie),
        Ok(None) => match shared.guard.cookie(request.headers()) {
            Err(refused) => refused.into(),
            Ok(()) => next.run(request).await,
        },
    };
    answer::dress(response, &shared.policy)
}

async fn page() -> Response<Body> {
    answer::the_page()
}

async fn socket(
    State(shared): State<Shared>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response<Body> {
    let Ok(upgrade) = upgrade else {
        return answer::sentence(StatusCode::UPGRADE_REQUIRED, "This is a WebSocket.");
    };
    let Ok(permit) = shared.clients.clone().try_acquire_owned() else {
        return answer::sentence(
            StatusCode::SERVICE_UNAVAILABLE,
            &format!("There are {MOST_CLIENTS} pages open already; close one."),
        );
    };
    socket::limited(upgrade).on_upgrade(async move |socket| {
        socket::serve(socket, shared.hub, shared.stop).await;
        drop(permit);
    })
}
