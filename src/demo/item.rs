//! Items as the real server writes them: every field it sends, those that are empty too.

use serde_json::{Value, json};

/// A user's message; `content` is the request's input.
pub(super) fn user(id: &str, client_id: Option<&str>, input: &Value) -> Value {
    let mut content = input.clone();
    for part in content.as_array_mut().into_iter().flatten() {
        if part["type"] == "text" && part.get("text_elements").is_none() {
            part["text_elements"] = json!([]);
        }
    }
    json!({ "type": "userMessage", "id": id, "clientId": client_id, "content": content })
}

/// The text of a request's input or of a user's message.
pub(super) fn text_of(input: &Value) -> String {
    let parts = input.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    parts.collect::<Vec<_>>().join("\n")
}

/// The input of a user who only types.
pub(super) fn typed(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

pub(super) fn message(id: &str, text: &str) -> Value {
    json!({
        "type": "agentMessage", "id": id, "text": text, "phase": null, "memoryCitation": null, "delivery": null,
        "questions": null,
    })
}

pub(super) fn reasoning(id: &str, summary: &[String], content: &[String]) -> Value {
    json!({ "type": "reasoning", "id": id, "summary": summary, "content": content })
}

/// A command before it runs. `asked`: an approval comes first, so there is no process yet.
pub(super) fn command(id: &str, command: &str, cwd: &str, process: Option<&str>) -> Value {
    json!({
        "type": "commandExecution", "id": id, "pluginId": null, "scriptPath": null, "command": shell(command),
        "cwd": cwd, "processId": process, "source": if process.is_some() { "unifiedExecStartup" } else { "agent" },
        "status": "inProgress", "commandActions": [{ "type": "unknown", "command": command }],
        "aggregatedOutput": null, "exitCode": null, "durationMs": null,
    })
}

/// The same command at its end.
pub(super) fn command_done(mut item: Value, process: &str, output: &str, exit: i64, duration_ms: u64) -> Value {
    item["processId"] = json!(process);
    item["source"] = json!("unifiedExecStartup");
    item["status"] = json!(if exit == 0 { "completed" } else { "failed" });
    item["aggregatedOutput"] = if output.is_empty() { Value::Null } else { json!(output) };
    item["exitCode"] = json!(exit);
    item["durationMs"] = json!(duration_ms);
    item
}

/// How the server writes a command for the shell.
pub(super) fn shell(command: &str) -> String {
    if command.contains('\'') {
        let escaped = command.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`");
        return format!("/bin/bash -lc \"{escaped}\"");
    }
    format!("/bin/bash -lc '{command}'")
}

pub(super) fn file_change(id: &str, changes: &Value) -> Value {
    json!({ "type": "fileChange", "id": id, "changes": changes, "status": "inProgress" })
}

/// One file of a patch; `kind` is `add`, `delete` or `update`.
pub(super) fn change(path: &str, kind: &str, diff: &str) -> Value {
    let kind = if kind == "update" { json!({ "type": "update", "move_path": null }) } else { json!({ "type": kind }) };
    json!({ "path": path, "kind": kind, "diff": diff })
}

pub(super) fn mcp(id: &str, server: &str, tool: &str, arguments: &Value) -> Value {
    json!({
        "type": "mcpToolCall", "id": id, "server": server, "tool": tool, "status": "inProgress",
        "arguments": arguments, "appContext": null, "mcpAppResourceUri": null, "mcpAppUi": null, "pluginId": null,
        "readOnlyHint": null, "result": null, "error": null, "durationMs": null,
    })
}

/// A tool call at its end, with one text as its result.
pub(super) fn mcp_done(mut item: Value, text: &str, duration_ms: u64) -> Value {
    item["status"] = json!("completed");
    item["result"] = json!({ "content": [{ "type": "text", "text": text }], "structuredContent": null, "_meta": null });
    item["durationMs"] = json!(duration_ms);
    item
}
