//! A client of a demo machine in the same thread, with a clock of its own.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use rejoin::base::Now;
use rejoin::demo::{Conn, FIRST, Machine, Output};
use rejoin::protocol::initialize::InitializeParams;
use serde_json::{Value, json};

/// The server, its time, and what waits for each connection.
struct Server {
    machine: Machine,
    now: Now,
    waiting: BTreeMap<Conn, VecDeque<String>>,
    ended: Option<i32>,
}

/// One connection.
pub struct Client {
    server: Rc<RefCell<Server>>,
    conn: Conn,
    next_id: u64,
    /// Every message of the server, in order.
    pub received: Vec<String>,
    /// The methods that were asked, by id.
    pub asked: BTreeMap<u64, String>,
    /// Requests of the server that have come.
    pub open: Vec<Value>,
}

impl Client {
    pub fn connect(scenario: &str) -> Self {
        let machine = Machine::new(scenario).expect("a scenario");
        let server = Server { machine, now: Now::VIRTUAL, waiting: BTreeMap::new(), ended: None };
        Self::new(Rc::new(RefCell::new(server)), FIRST)
    }

    /// Another connection to the same server.
    pub fn share(&self, conn: Conn) -> Self {
        Self::new(self.server.clone(), conn)
    }

    fn new(server: Rc<RefCell<Server>>, conn: Conn) -> Self {
        let (received, asked, open) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { server, conn, next_id: 1, received, asked, open }
    }

    pub fn initialize(&mut self) {
        let params = serde_json::to_value(InitializeParams::rejoin()).expect("plain data");
        self.ask("initialize", params);
        self.send(&json!({ "method": "initialized" }));
    }

    pub fn send(&mut self, message: &Value) {
        let server = &mut *self.server.borrow_mut();
        server.machine.handle_message(server.now, self.conn, &message.to_string());
        server.collect();
    }

    /// The response, or null from a server that gives none.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.asked.insert(id, method.to_owned());
        let before = self.received.len();
        self.send(&json!({ "id": id, "method": method, "params": params }));
        self.drain();
        let messages = self.received[before..].iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let mut answers = messages.filter(|message| message["id"] == id && message.get("method").is_none());
        answers.next().unwrap_or_default()
    }

    pub fn answer(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "id": request["id"], "result": result }));
        self.drain();
    }

    /// Says yes to everything that was asked.
    pub fn answer_all(&mut self) {
        for request in std::mem::take(&mut self.open) {
            let result = match request["method"].as_str() {
                Some("item/tool/requestUserInput") => json!({ "answers": {} }),
                Some("mcpServer/elicitation/request") => json!({ "action": "accept", "content": {} }),
                _ => json!({ "decision": "accept" }),
            };
            self.answer(&request, result);
        }
    }

    /// Lets time pass, from timer to timer.
    pub fn advance(&mut self, ms: u64) {
        {
            let server = &mut *self.server.borrow_mut();
            let target = server.now.instant + Duration::from_millis(ms);
            while let Some(due) = server.machine.poll_timeout().filter(|due| *due <= target) {
                server.at(due);
                server.machine.handle_timeout(server.now);
                server.collect();
            }
            server.at(target);
        }
        self.drain();
    }

    /// Takes what has come.
    pub fn drain(&mut self) {
        let messages = self.server.borrow_mut().waiting.remove(&self.conn).unwrap_or_default();
        for text in &messages {
            if let Ok(message) = serde_json::from_str::<Value>(text)
                && message.get("id").is_some()
                && message.get("method").is_some()
            {
                self.open.push(message);
            }
        }
        self.received.extend(messages);
    }

    /// The exit code, if the server has ended.
    pub fn ended(&self) -> Option<i32> {
        self.server.borrow().ended
    }
}

impl Server {
    fn at(&mut self, instant: rejoin::base::Instant) {
        let passed = i64::try_from(instant.since(self.now.instant).as_millis()).expect("a short test");
        self.now.unix_ms.0 += passed;
        self.now.instant = self.now.instant.max(instant);
    }

    fn collect(&mut self) {
        while let Some(output) = self.machine.poll_output() {
            match output {
                Output::Line { to, text } => self.waiting.entry(to).or_default().push_back(text),
                Output::End { code } => self.ended = Some(code),
            }
        }
    }
}
