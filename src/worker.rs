//! The worker process: transports, the machine between them and the GUI, and the shell that runs both.

pub mod hub;
pub mod machine;
