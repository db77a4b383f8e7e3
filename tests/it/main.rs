mod kit;
mod transport;
mod worker_process;
