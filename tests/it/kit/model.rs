//! A scripted model: enough of the Responses API on loopback for the real app-server to run whole turns.
//!
//! The last message of the user is the script: directives separated by `;` or line ends, one
//! output item each. A directive that calls a tool ends the response; when the tool's output
//! comes back in the next request, the script goes on behind it. The position follows from the
//! request alone, so an answer is a pure function of the request.
//!
//! | directive | does |
//! |---|---|
//! | `SLOW n [ms]` | message of the words `w0 w1 ..`, ms apart |
//! | `LONG n [chunk]` | message of n characters, chunk characters a delta |
//! | `REASON n [ms]`, `RAWREASON n [ms]` | reasoning summary, raw reasoning text |
//! | `TOOL command`, `ESC command` | shell call; `ESC` asks for escalated permissions |
//! | `PATCH path text` | patch that adds a file with this text |
//! | `CALL name json`, `NSCALL namespace name json` | call of any function tool |
//! | `ASK question` | question with two options |
//! | `HANG [n]`, `DROP [n]` | n words, then silence for ever, or the connection cut |
//! | `FAIL status`, `ERR code` | HTTP error before the stream, failure inside it |
//! | `WAIT ms` | pause |
//! | `SAY text` | message in one delta |
//! | anything else | message `echo: ` and the text |

mod script;

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use script::{Directive, Turn};

/// One request that the server made to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The whole last message of the user.
    pub script: String,
    /// Tool outputs behind it: 0 is the first request for this message, more are continuations.
    pub tool_outputs: usize,
}

/// The running model; ends when dropped.
pub struct Model {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Model {
    /// Listens on a free port of 127.0.0.1, on a thread of its own (for tests with and without a runtime).
    pub fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (stop, stopped) = oneshot::channel();
        let (bound, port) = std::sync::mpsc::channel();
        let log = asked.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port on loopback");
                bound.send(listener.local_addr().expect("a bound port").port()).expect("start() waits for it");
                tokio::select! {
                    () = serve(listener, log) => {}
                    _ = stopped => {}
                }
            });
        });
        let port = port.recv().expect("the model's thread binds or panics");
        Self { port, asked, stop: Some(stop), thread: Some(thread) }
    }

    /// What `base_url` of the provider must be.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Every request so far, oldest first.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic holds the lock").clone()
    }

    /// How often the model was asked for the first time with exactly this message: 1 if it was sent once.
    pub fn times(&self, script: &str) -> usize {
        self.asked().iter().filter(|asked| asked.tool_outputs == 0 && asked.script == script).count()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the scripted model panicked");
        }
    }
}

async fn serve(listener: TcpListener, asked: Arc<Mutex<Vec<Asked>>>) {
    loop {
        let (stream, _) = listener.accept().await.expect("a loopback listener accepts");
        let asked = asked.clone();
        tokio::spawn(async move {
            // An error is the server hanging up: it interrupted the turn.
            answer(stream, &asked).await.unwrap_or_default();
        });
    }
}

async fn answer(stream: TcpStream, asked: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let (target, body) = read_request(&mut stream).await?;
    let mut stream = stream.into_inner();
    if target.contains("/models") {
        return reply(&mut stream, 200, &json!({ "object": "list", "data": [], "models": [] })).await;
    }
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return reply(&mut stream, 400, &json!({ "error": { "message": "the body is no JSON" } })).await;
    };
    if !target.trim_end_matches('/').ends_with("/responses") {
        return reply(&mut stream, 404, &json!({ "error": { "message": "not found" } })).await;
    }
    let turn = Turn::read(&body);
    asked
        .lock()
        .expect("no panic holds the lock")
        .push(Asked { script: turn.script.clone(), tool_outputs: turn.tool_outputs });
    let directives = turn.directives();
    if let Some(Directive::Fail(status)) = directives.first() {
        let error = json!({ "message": format!("scripted failure {status}"), "type": "scripted", "code": "scripted" });
        return reply(&mut stream, *status, &json!({ "error": error })).await;
    }
    Reply::new(stream, &body).run(directives).await
}

/// Request target and body; `Content-Length` only, as the server sends it.
async fn read_request(stream: &mut BufReader<TcpStream>) -> std::io::Result<(String, Vec<u8>)> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 || line.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok((target, body))
}

async fn reply(stream: &mut TcpStream, status: u16, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await
}

/// One streamed response.
struct Reply<'a> {
    stream: TcpStream,
    body: &'a Value,
    /// Length of the request's input: grows along a conversation, so the ids made from it are fresh and stable.
    ordinal: usize,
    sequence: u64,
    output: Vec<Value>,
}

impl<'a> Reply<'a> {
    fn new(stream: TcpStream, body: &'a Value) -> Self {
        Self { stream, body, ordinal: body["input"].as_array().map_or(0, Vec::len), sequence: 0, output: Vec::new() }
    }

    async fn run(mut self, directives: Vec<Directive>) -> std::io::Result<()> {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
                    Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
        self.stream.write_all(head.as_bytes()).await?;
        let id = format!("resp_{}", self.ordinal);
        let response = json!({ "id": id, "object": "response", "status": "in_progress", "output": [] });
        self.event("response.created", json!({ "response": response })).await?;
        for directive in directives {
            let calls_a_tool = directive.calls_a_tool();
            match directive {
                Directive::Slow { words, pause } => {
                    self.message((0..words).map(|n| format!("w{n} ")), pause, true).await?;
                }
                Directive::Long { characters, chunk } => {
                    let text: Vec<char> =
                        "abcdefghijklmnopqrstuvwxyz 0123456789\n".chars().cycle().take(characters).collect();
                    self.message(text.chunks(chunk).map(|part| part.iter().collect()), Duration::ZERO, true).await?;
                }
                Directive::Reason { words, pause, raw } => self.reasoning(words, pause, raw).await?,
                Directive::Shell { command, escalated } => self.shell(&command, escalated).await?,
                Directive::Patch { path, text } => self.patch(&path, &text).await?,
                Directive::Call { namespace, name, arguments } => {
                    self.call(namespace.as_deref(), &name, &arguments).await?;
                }
                Directive::Ask(question) => self.ask(&question).await?,
                Directive::Hang { words } => {
                    self.message((0..words).map(|n| format!("w{n} ")), Duration::ZERO, false).await?;
                    return self.hang().await;
                }
                Directive::Drop { words } => {
                    return self.message((0..words).map(|n| format!("w{n} ")), Duration::ZERO, false).await;
                }
                Directive::Fail(_) => {}
                Directive::Err(code) => {
                    let error = json!({ "code": code, "message": "scripted error" });
                    let response = json!({ "id": id, "object": "response", "status": "failed", "error": error });
                    self.event("response.failed", json!({ "response": response })).await?;
                    return self.end().await;
                }
                Directive::Wait(pause) => tokio::time::sleep(pause).await,
                Directive::Say(text) => self.message([text].into_iter(), Duration::ZERO, true).await?,
            }
            if calls_a_tool {
                break;
            }
        }
        let usage = json!({
            "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 5, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 15,
        });
        let response = json!({
            "id": id, "object": "response", "status": "completed", "output": self.output, "usage": usage,
        });
        self.event("response.completed", json!({ "response": response })).await?;
        self.end().await
    }

    async fn message(
        &mut self,
        parts: impl Iterator<Item = String>,
        pause: Duration,
        finish: bool,
    ) -> std::io::Result<()> {
        let (index, id) = (self.output.len(), format!("msg_{}_{}", self.ordinal, self.output.len()));
        let item = json!({ "type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": [] });
        self.event("response.output_item.added", json!({ "output_index": index, "item": item })).await?;
        let part = json!({ "type": "output_text", "text": "", "annotations": [] });
        self.at("response.content_part.added", &id, json!({ "content_index": 0, "part": part })).await?;
        let mut text = String::new();
        for part in parts {
            text.push_str(&part);
            self.at("response.output_text.delta", &id, json!({ "content_index": 0, "delta": part })).await?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
        if !finish {
            return Ok(());
        }
        self.at("response.output_text.done", &id, json!({ "content_index": 0, "text": text })).await?;
        let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
        self.done(
            json!({ "type": "message", "id": id, "role": "assistant", "status": "completed", "content": content }),
        )
        .await
    }

    async fn reasoning(&mut self, words: usize, pause: Duration, raw: bool) -> std::io::Result<()> {
        let (index, id) = (self.output.len(), format!("rs_{}_{}", self.ordinal, self.output.len()));
        let mut item = json!({ "type": "reasoning", "id": id, "summary": [] });
        self.event("response.output_item.added", json!({ "output_index": index, "item": item })).await?;
        if !raw {
            let part = json!({ "type": "summary_text", "text": "" });
            self.at("response.reasoning_summary_part.added", &id, json!({ "summary_index": 0, "part": part })).await?;
        }
        let mut text = String::new();
        for word in (0..words).map(|n| if raw { format!("q{n} ") } else { format!("r{n} ") }) {
            text.push_str(&word);
            if raw {
                self.at("response.reasoning_text.delta", &id, json!({ "content_index": 0, "delta": word })).await?;
            } else {
                let delta = json!({ "summary_index": 0, "delta": word });
                self.at("response.reasoning_summary_text.delta", &id, delta).await?;
            }
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
        if raw {
            item["content"] = json!([{ "type": "reasoning_text", "text": text }]);
        } else {
            let done = json!({ "summary_index": 0, "text": text });
            self.at("response.reasoning_summary_text.done", &id, done).await?;
            item["summary"] = json!([{ "type": "summary_text", "text": text }]);
        }
        self.done(item).await
    }

    /// The tools that the request offers, by name.
    fn offers(&self, name: &str) -> Option<&'a Value> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools.into_iter().find(|tool| tool["name"] == name)
    }

    async fn shell(&mut self, command: &str, escalated: bool) -> std::io::Result<()> {
        let (name, mut arguments) = if self.offers("exec_command").is_some() {
            ("exec_command", json!({ "cmd": command, "yield_time_ms": 30_000 }))
        } else if self.offers("shell_command").is_some() {
            ("shell_command", json!({ "command": command }))
        } else {
            ("shell", json!({ "command": ["bash", "-lc", command] }))
        };
        if escalated {
            arguments["sandbox_permissions"] = json!("require_escalated");
            arguments["justification"] = json!("the script asked");
        }
        self.call(None, name, &arguments.to_string()).await
    }

    /// With the patch tool where it is offered, else in the here-document form that the server recognises.
    async fn patch(&mut self, path: &str, text: &str) -> std::io::Result<()> {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n");
        match self.offers("apply_patch").map(|tool| tool["type"] == "custom") {
            Some(true) => {
                let (index, id) = (self.output.len(), self.call_id("fc"));
                let mut item = json!({
                    "type": "custom_tool_call", "id": id, "call_id": self.call_id("call"), "name": "apply_patch",
                    "input": "", "status": "in_progress",
                });
                self.event("response.output_item.added", json!({ "output_index": index, "item": item })).await?;
                self.at("response.custom_tool_call_input.delta", &id, json!({ "delta": patch })).await?;
                item["input"] = json!(patch);
                item["status"] = json!("completed");
                self.done(item).await
            }
            Some(false) => self.call(None, "apply_patch", &json!({ "input": patch }).to_string()).await,
            None => self.shell(&format!("apply_patch <<'EOF'\n{patch}EOF\n"), false).await,
        }
    }

    async fn ask(&mut self, question: &str) -> std::io::Result<()> {
        let options = json!([
            { "label": "Yes", "description": "do it" },
            { "label": "No", "description": "leave it" },
        ]);
        let questions = json!([{ "id": "q1", "header": "Choice", "question": question, "options": options }]);
        self.call(None, "request_user_input", &json!({ "questions": questions }).to_string()).await
    }

    async fn call(&mut self, namespace: Option<&str>, name: &str, arguments: &str) -> std::io::Result<()> {
        let (index, id) = (self.output.len(), self.call_id("fc"));
        let mut item = json!({
            "type": "function_call", "id": id, "call_id": self.call_id("call"), "name": name, "arguments": "",
            "status": "in_progress",
        });
        if let Some(namespace) = namespace {
            item["namespace"] = json!(namespace);
        }
        self.event("response.output_item.added", json!({ "output_index": index, "item": item })).await?;
        self.at("response.function_call_arguments.delta", &id, json!({ "delta": arguments })).await?;
        self.at("response.function_call_arguments.done", &id, json!({ "arguments": arguments })).await?;
        item["arguments"] = json!(arguments);
        item["status"] = json!("completed");
        self.done(item).await
    }

    fn call_id(&self, kind: &str) -> String {
        format!("{kind}_{}_{}", self.ordinal, self.output.len())
    }

    async fn done(&mut self, item: Value) -> std::io::Result<()> {
        let index = self.output.len();
        self.event("response.output_item.done", json!({ "output_index": index, "item": item })).await?;
        self.output.push(item);
        Ok(())
    }

    /// An event about the item that is being written.
    async fn at(&mut self, kind: &str, item_id: &str, mut fields: Value) -> std::io::Result<()> {
        fields["item_id"] = json!(item_id);
        fields["output_index"] = json!(self.output.len());
        self.event(kind, fields).await
    }

    async fn event(&mut self, kind: &str, mut fields: Value) -> std::io::Result<()> {
        fields["type"] = json!(kind);
        fields["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        self.chunk(&format!("event: {kind}\ndata: {fields}\n\n")).await
    }

    async fn chunk(&mut self, text: &str) -> std::io::Result<()> {
        self.stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await?;
        self.stream.flush().await
    }

    async fn end(&mut self) -> std::io::Result<()> {
        self.stream.write_all(b"0\r\n\r\n").await
    }

    /// Keeps the stream open until the server hangs up.
    async fn hang(&mut self) -> std::io::Result<()> {
        loop {
            self.chunk(": keep-alive\n\n").await?;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
