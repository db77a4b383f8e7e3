//! The worker process: transports, the machine between them and the GUI, and the shell that runs both.

pub mod process;
pub mod run;
pub mod stdio;
pub mod tls;
pub mod transport;
pub mod websocket;
