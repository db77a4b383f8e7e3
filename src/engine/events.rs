//! Events of the worker, each to the machine it is for. Only admitted events come here.

use super::owner::Call;
use super::{Engine, words};
use crate::base::{OpId, RequestId, UnixMs};
use crate::contract::event::Resolution;
use crate::contract::{CallOutcome, Event};
use crate::protocol::{ServerNotification, ServerRequest};

impl Engine {
    pub(super) fn event(&mut self, event: Event) {
        let mut list_changed = true;
        match event {
            Event::Hello { .. } | Event::Ignored { .. } | Event::Quiet { .. } => list_changed = false,
            Event::Connected { server } => self.connected(server),
            Event::ConnectFailed { failure } | Event::Disconnected { failure } => self.end(failure),
            Event::Called { op, outcome } => self.called(op, outcome),
            Event::LateResponse { op, outcome } => self.late_response(op, outcome),
            Event::Answered { op, request: _, sent } => self.answered(op, sent),
            Event::SnapshotBegin { op, thread, seq, bytes } => self.snapshot_begun(op, thread, seq, bytes),
            Event::SnapshotPart { op, text } => self.snapshot_part(op, &text),
            Event::SnapshotEnd { op } => self.snapshot_ended(op),
            Event::NotSubscribed { op, thread: _ } => self.not_subscribed(op),
            Event::Live { thread, seq, at, event } => list_changed = self.live_event(&thread, seq, at, &event),
            Event::TurnEnded { thread } => self.turn_ended_away(&thread),
            Event::Broadcast { at: _, event } => self.broadcast(&event),
            Event::Asked { request, at, ask } => self.asked(request, at, ask),
            Event::Resolved { request, why } => self.resolved(&request, why),
            Event::RefusedRequest { method, code } => {
                let text = format!(
                    "The server asked for {}, which Rejoin does not support; it was refused.",
                    words::short(&method)
                );
                self.notice(text, Some(format!("answered with {code}")));
            }
            Event::Lagged { missed: _ } => self.lagged(),
        }
        self.picker_changed |= list_changed;
    }

    /// The one answer to a call. An answer to nothing that waits changes nothing.
    fn called(&mut self, op: OpId, outcome: CallOutcome) {
        let lost = outcome == CallOutcome::Lost;
        match self.owner.calls.remove(&op) {
            None | Some(Call::Unsubscribe) => {}
            // The end of the connection follows at once and says everything that is to be said.
            Some(Call::Account | Call::Models | Call::Threads(_) | Call::Read(_)) if lost => {}
            Some(Call::Operation) if lost => self.operation_lost(op),
            Some(Call::Account) => self.account_read(outcome),
            Some(Call::Models) => self.models_read(outcome),
            Some(Call::Threads(epoch)) => self.threads_read(epoch, outcome),
            Some(Call::Read(key)) => self.thread_read(&key, outcome),
            Some(Call::Page { conversation, fetch }) => self.page_read(&conversation, fetch, outcome),
            Some(Call::Operation) => self.operation_settled(op, outcome),
            // Answered by a snapshot, never by this.
            Some(call @ Call::Attach(_)) => {
                self.owner.calls.insert(op, call);
            }
        }
    }

    /// What every connection hears.
    fn broadcast(&mut self, event: &ServerNotification) {
        self.owner.threads.heard(event);
        self.thread_heard(event);
        match event {
            ServerNotification::AccountUpdated { .. } => self.read_account(),
            ServerNotification::RateLimitsUpdated { rate_limits } => self.owner.rate_limits = Some(rate_limits.clone()),
            ServerNotification::Warning { message, .. } | ServerNotification::GuardianWarning { message, .. } => {
                self.notice(words::short(message), None);
            }
            ServerNotification::ConfigWarning { summary, details, .. }
            | ServerNotification::DeprecationNotice { summary, details } => {
                self.notice(words::short(summary), details.clone());
            }
            ServerNotification::McpServerStatusUpdated { name, status, error, .. }
                if error.is_some() || status == "failed" =>
            {
                self.notice(format!("MCP server {} did not start.", words::short(name)), error.clone());
            }
            _ => {}
        }
    }

    // Requests of the server.

    fn asked(&mut self, request: RequestId, at: UnixMs, ask: ServerRequest) {
        let title = ask.thread_id().map(|thread| self.title_of_thread(thread));
        let what = words::asked(&ask);
        if !self.owner.requests.asked(request, at, ask) {
            self.notice(words::CARDS_FULL, None);
            return self.announce(true, words::CARDS_FULL);
        }
        match title {
            Some(title) => self.announce(true, format!("{what} In {title}.")),
            None => self.announce(true, what),
        }
    }

    fn resolved(&mut self, request: &RequestId, why: Resolution) {
        let Some(ask) = self.owner.requests.resolved(request) else { return };
        if why == Resolution::Elsewhere {
            self.announce(false, words::RESOLVED_ELSEWHERE);
        }
        if let Some(thread) = ask.thread_id() {
            let key = self.owner.key_of(thread);
            self.unsubscribe_if_done(&key);
        }
    }
}
