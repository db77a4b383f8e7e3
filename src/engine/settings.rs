//! Model, effort, approval policy, sandbox and directory of a conversation's next turn (DESIGN 9).
//!
//! Inherited values are what the server answered last (start, resume); chosen ones go out with
//! the next turn and are consumed by its success.

use super::view::NextTurn;
use crate::protocol::request::SessionResponse;
use crate::protocol::settings::{ApprovalPolicy, Model, SandboxMode, SandboxPolicy};

/// The settings of one conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    inherited: Values,
    pub chosen: Chosen,
    /// The directory on the server; `None`: its own.
    pub cwd: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Values {
    model: Option<String>,
    effort: Option<String>,
    approval: Option<ApprovalPolicy>,
    sandbox: Option<SandboxPolicy>,
}

/// What the user chose for the next turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chosen {
    pub model: Option<String>,
    pub effort: Option<String>,
    pub approval: Option<ApprovalPolicy>,
    pub sandbox: Option<SandboxMode>,
}

impl Settings {
    /// A new conversation in this directory.
    pub fn new(cwd: Option<String>) -> Self {
        Self { cwd, ..Self::default() }
    }

    /// The server said what the next turn will use; it knows best (FACTS 7.3).
    pub fn inherit(&mut self, session: &SessionResponse) {
        self.inherited = Values {
            model: Some(session.model.clone()),
            effort: session.reasoning_effort.clone(),
            approval: Some(session.approval_policy.clone()),
            sandbox: Some(session.sandbox.clone()),
        };
        self.cwd = Some(session.cwd.clone());
    }

    /// `thread/start` took everything but the effort.
    pub fn started(&mut self) {
        self.chosen.model = None;
        self.chosen.approval = None;
        self.chosen.sandbox = None;
    }

    /// A `turn/start` with these choices succeeded: the server goes on with them. What was chosen meanwhile stays.
    pub fn consumed(&mut self, sent: &Chosen) {
        let (inherited, chosen) = (&mut self.inherited, &mut self.chosen);
        if sent.model.is_some() {
            inherited.model.clone_from(&sent.model);
        }
        if sent.effort.is_some() {
            inherited.effort.clone_from(&sent.effort);
        }
        if sent.approval.is_some() {
            inherited.approval.clone_from(&sent.approval);
        }
        if sent.sandbox.is_some() {
            inherited.sandbox = sent.sandbox.map(policy);
        }
        if chosen == sent {
            *chosen = Chosen::default();
        }
    }

    /// For the line above the composer.
    pub fn view(&self, models: &[Model]) -> NextTurn {
        let (inherited, chosen) = (&self.inherited, &self.chosen);
        NextTurn {
            model: chosen.model.clone().or_else(|| inherited.model.clone()),
            effort: chosen.effort.clone().or_else(|| inherited.effort.clone()),
            approval: chosen.approval.clone().or_else(|| inherited.approval.clone()),
            sandbox: chosen.sandbox.map(policy).or_else(|| inherited.sandbox.clone()),
            cwd: self.cwd.clone(),
            models: models.to_vec(),
            chosen: *chosen != Chosen::default(),
        }
    }
}

/// The policy that `turn/start` takes for a mode, with nothing beyond the mode itself.
pub fn policy(mode: SandboxMode) -> SandboxPolicy {
    match mode {
        SandboxMode::ReadOnly => SandboxPolicy::ReadOnly { network_access: false },
        SandboxMode::WorkspaceWrite => SandboxPolicy::WorkspaceWrite {
            network_access: false,
            writable_roots: Vec::new(),
            exclude_slash_tmp: false,
            exclude_tmpdir_env_var: false,
        },
        SandboxMode::DangerFullAccess => SandboxPolicy::DangerFullAccess,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_consumed_by_one_success_and_goes_on_as_inherited() {
        let mut settings = Settings::default();
        settings.chosen.model = Some("m2".into());
        let sent = settings.chosen.clone();
        assert!(settings.view(&[]).chosen);
        settings.consumed(&sent);
        let view = settings.view(&[]);
        assert_eq!((view.model.as_deref(), view.chosen), (Some("m2"), false));
        settings.chosen.effort = Some("high".into());
        settings.consumed(&sent);
        assert_eq!(settings.view(&[]).effort.as_deref(), Some("high"), "what was chosen meanwhile stays");
    }
}
