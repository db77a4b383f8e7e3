//! Every message this client can send fits the schemas of all versions, with no undeclared field.

use std::collections::{BTreeMap, BTreeSet};

use rejoin::protocol::initialize::{self, InitializeParams};
use rejoin::protocol::item::UserInput;
use rejoin::protocol::request::{
    AccountReadParams, ClientRequest, ItemsListParams, ModelListParams, RequestedItemsView, SortDirection,
    ThreadListParams, ThreadReadParams, ThreadResumeParams, ThreadSortKey, ThreadStartParams, ThreadUnsubscribeParams,
    TurnInterruptParams, TurnStartParams, TurnSteerParams, TurnsListParams,
};
use rejoin::protocol::server_request::{Answer, CommandDecision, FileChangeDecision, NetworkPolicyAmendment};
use rejoin::protocol::settings::{ApprovalPolicy, SandboxMode, SandboxPolicy};
use rejoin::protocol::{JsonText, Method};
use serde_json::{Value, json};

use crate::kit::codex::{self, REGRESSION};
use crate::kit::schema::{Schemas, Surface};

/// Every request with nothing that may be absent, and with everything that may be there.
fn requests() -> Vec<ClientRequest> {
    let cursor = || Some("cursor".to_owned());
    let mut all = vec![
        ClientRequest::AccountRead(AccountReadParams::default()),
        ClientRequest::AccountRead(AccountReadParams { refresh_token: true }),
        ClientRequest::ThreadList(ThreadListParams::default()),
        ClientRequest::ThreadList(ThreadListParams {
            cursor: cursor(),
            limit: Some(50),
            sort_key: ThreadSortKey::RecencyAt,
            model_providers: vec!["mock".into()],
            source_kinds: SOURCE_KINDS.map(str::to_owned).into(),
            archived: Some(true),
            search_term: Some("word".into()),
            cwd: Some("/srv".into()),
        }),
        ClientRequest::ThreadRead(ThreadReadParams { thread_id: "t".into(), include_turns: false }),
        ClientRequest::ModelList(ModelListParams::default()),
        ClientRequest::ModelList(ModelListParams { cursor: cursor(), limit: Some(100) }),
        ClientRequest::ThreadStart(ThreadStartParams::default()),
        ClientRequest::ThreadResume(ThreadResumeParams { thread_id: "t".into(), exclude_turns: true }),
        ClientRequest::ThreadUnsubscribe(ThreadUnsubscribeParams { thread_id: "t".into() }),
        ClientRequest::TurnInterrupt(TurnInterruptParams { thread_id: "t".into(), turn_id: "u".into() }),
    ];
    for direction in [SortDirection::Asc, SortDirection::Desc] {
        for items_view in [RequestedItemsView::Summary, RequestedItemsView::Full] {
            all.extend([(None, None), (cursor(), Some(50))].map(|(cursor, limit)| {
                let thread_id = "t".into();
                ClientRequest::TurnsList(TurnsListParams {
                    thread_id,
                    cursor,
                    limit,
                    sort_direction: direction,
                    items_view,
                })
            }));
        }
        all.extend([(None, None, None), (cursor(), Some(100), Some("u".into()))].map(|(cursor, limit, turn_id)| {
            let thread_id = "t".into();
            ClientRequest::ItemsList(ItemsListParams { thread_id, cursor, limit, sort_direction: direction, turn_id })
        }));
    }
    for approval_policy in policies() {
        for sandbox in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite, SandboxMode::DangerFullAccess] {
            all.push(ClientRequest::ThreadStart(ThreadStartParams {
                cwd: Some("/srv".into()),
                model: Some("model".into()),
                approval_policy: Some(approval_policy.clone()),
                sandbox: Some(sandbox),
            }));
        }
    }
    all.extend(turns());
    all
}

/// All source kinds of `thread/list` that the three versions have.
const SOURCE_KINDS: [&str; 10] = [
    "cli",
    "vscode",
    "exec",
    "appServer",
    "subAgent",
    "subAgentReview",
    "subAgentCompact",
    "subAgentThreadSpawn",
    "subAgentOther",
    "unknown",
];

fn policies() -> Vec<ApprovalPolicy> {
    let granular = json!({ "granular": { "mcp_elicitations": true, "rules": true, "sandbox_approval": true } });
    let named = ["untrusted", "on-request", "never"].map(|name| ApprovalPolicy::Named(name.into()));
    named.into_iter().chain([ApprovalPolicy::Granular(JsonText::from(granular))]).collect()
}

fn turns() -> Vec<ClientRequest> {
    let start = TurnStartParams {
        thread_id: "t".into(),
        input: Vec::new(),
        client_user_message_id: "id".into(),
        model: None,
        effort: None,
        approval_policy: None,
        sandbox_policy: None,
    };
    let policies = policies().into_iter().flat_map(|policy| sandboxes().map(|sandbox| (policy.clone(), sandbox)));
    let mut all: Vec<_> = policies
        .map(|(policy, sandbox)| {
            ClientRequest::TurnStart(TurnStartParams {
                input: inputs(),
                model: Some("model".into()),
                effort: Some("high".into()),
                approval_policy: Some(policy),
                sandbox_policy: Some(sandbox),
                ..start.clone()
            })
        })
        .collect();
    all.push(ClientRequest::TurnStart(start));
    all.extend([Vec::new(), inputs()].map(|input| {
        ClientRequest::TurnSteer(TurnSteerParams {
            thread_id: "t".into(),
            expected_turn_id: "u".into(),
            input,
            client_user_message_id: "id".into(),
        })
    }));
    all
}

fn sandboxes() -> [SandboxPolicy; 4] {
    [
        SandboxPolicy::DangerFullAccess,
        SandboxPolicy::ReadOnly { network_access: true },
        SandboxPolicy::WorkspaceWrite {
            network_access: true,
            writable_roots: vec!["/srv".into()],
            exclude_slash_tmp: true,
            exclude_tmpdir_env_var: true,
        },
        SandboxPolicy::ExternalSandbox,
    ]
}

fn inputs() -> Vec<UserInput> {
    let (name, path) = ("name".to_owned(), "/path".to_owned());
    vec![
        UserInput::Text { text: "text".into() },
        UserInput::Image { url: Some("https://host/image.png".into()), file_id: None },
        UserInput::LocalImage { path: path.clone() },
        UserInput::Audio { url: "https://host/sound.wav".into() },
        UserInput::LocalAudio { path: path.clone() },
        UserInput::Skill { name: name.clone(), path: path.clone() },
        UserInput::Mention { name, path },
    ]
}

fn whole(request: &ClientRequest) -> Value {
    let mut message = serde_json::to_value(request).expect("a request is written");
    message["id"] = json!(1);
    message
}

/// The parameter fields that are sent, by method.
pub fn fields() -> BTreeMap<String, BTreeSet<String>> {
    let mut fields: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let initialize = json!({ "method": initialize::METHOD, "params": InitializeParams::rejoin() });
    for message in requests().iter().map(whole).chain([initialize]) {
        let method = message["method"].as_str().expect("a method").to_owned();
        let names = message["params"].as_object().expect("parameters").keys().cloned();
        fields.entry(method).or_default().extend(names);
    }
    fields
}

#[test]
fn every_request_fits_the_schema_of_every_version_exactly() {
    let requests = requests();
    for method in Method::ALL {
        assert!(requests.iter().any(|request| request.method() == *method), "{method:?} is tested");
    }
    for codex in codex::installed() {
        let schemas = Schemas::of(&codex, Surface::Experimental);
        for method in Method::ALL {
            let branch = schemas.message("ClientRequest", method.name()).expect("a used method");
            let check = schemas.check(branch.clone());
            for request in requests.iter().filter(|request| request.method() == *method) {
                check.accepts_exactly(&whole(request), &format!("{} {}", codex.version, method.name()));
            }
        }
    }
}

#[test]
fn the_sandboxes_and_policies_of_the_standard_surface_need_no_experimental_field() {
    for codex in codex::installed() {
        let schemas = Schemas::of(&codex, Surface::Standard);
        for request in requests() {
            let branch = schemas.message("ClientRequest", request.method().name()).expect("a used method");
            schemas.check(branch.clone()).accepts(&whole(&request), codex.version);
        }
    }
}

#[test]
fn initialize_declares_the_experimental_api_and_nothing_else() {
    let params = serde_json::to_value(InitializeParams::rejoin()).expect("plain data");
    assert_eq!(params["capabilities"], json!({ "experimentalApi": true }));
    let message = json!({ "id": 1, "method": "initialize", "params": params });
    for codex in codex::installed() {
        let schemas = Schemas::of(&codex, Surface::Experimental);
        let branch = schemas.message("ClientRequest", "initialize").expect("initialize");
        schemas.check(branch.clone()).accepts_exactly(&message, codex.version);
    }
}

#[test]
fn every_answer_fits_the_response_schema_of_every_version_exactly() {
    let amendment = NetworkPolicyAmendment { action: "allow".into(), host: "example.org".into() };
    let commands = [
        CommandDecision::Accept,
        CommandDecision::AcceptForSession,
        CommandDecision::AcceptWithExecpolicyAmendment { execpolicy_amendment: vec!["touch".into()] },
        CommandDecision::ApplyNetworkPolicyAmendment { network_policy_amendment: amendment },
        CommandDecision::Decline,
        CommandDecision::Cancel,
    ];
    let files = [
        FileChangeDecision::Accept,
        FileChangeDecision::AcceptForSession,
        FileChangeDecision::Decline,
        FileChangeDecision::Cancel,
    ];
    let commands = commands.map(Answer::Command).map(|answer| (super::ANSWERED[0], answer));
    let files = files.map(Answer::FileChange).map(|answer| (super::ANSWERED[1], answer));
    for codex in codex::installed() {
        let schemas = Schemas::of(&codex, Surface::Experimental);
        for (method, answer) in commands.iter().chain(&files) {
            let check = schemas.check_type(schemas.answer_type(method).expect("an answered request"));
            let result = serde_json::from_str(answer.result().expect("an answer is written").get()).expect("JSON");
            check.accepts_exactly(&result, &format!("{} {method}", codex.version));
        }
    }
}

#[test]
fn the_check_of_what_is_sent_notices_a_misspelt_field_and_a_wrong_word() {
    let Some(codex) = codex::codex(REGRESSION) else { return };
    let schemas = Schemas::of(&codex, Surface::Experimental);
    let branch = schemas.message("ClientRequest", "turn/start").expect("a used method");
    let check = schemas.check(branch.clone());
    let turn = turns().into_iter().next().expect("a turn");
    let right = whole(&turn);
    assert!(check.is_exact(&right));
    let spoil = |pointer: &str, name: &str, value: Value| {
        let mut wrong = right.clone();
        wrong.pointer_mut(pointer).expect("a part")[name] = value;
        wrong
    };
    for wrong in [
        spoil("/params", "clientUserMessageID", json!("id")),
        spoil("/params", "threadId", Value::Null),
        spoil("/params/input/0", "txt", json!("")),
        spoil("/params/input/1", "uri", json!("")),
        spoil("/params/sandboxPolicy", "type", json!("fullAccess")),
        spoil("/params", "approvalPolicy", json!("always")),
    ] {
        assert!(!check.is_exact(&wrong), "{wrong}");
    }
}
