//! The list of conversations: pages on demand, one cursor per search, live changes merged in place.

use super::input::Filter;
use super::words;
use crate::base::{ThreadId, UnixMs, limit};
use crate::protocol::request::{ThreadListParams, ThreadListResponse, ThreadSortKey};
use crate::protocol::thread::SessionSource;
use crate::protocol::{ServerNotification, Thread};

/// Interactive kinds plus `exec` (without it such threads are hidden, FACTS 3.2).
const SOURCES: [&str; 5] = ["cli", "vscode", "exec", "appServer", "unknown"];
/// The others.
const AGENTS: [&str; 5] = ["subAgent", "subAgentReview", "subAgentCompact", "subAgentThreadSpawn", "subAgentOther"];

/// The list of one owner.
#[derive(Debug, Default)]
pub struct Threads {
    rows: Vec<Thread>,
    pub search: String,
    pub filter: Filter,
    /// Counts searches; a page of an older one is dropped.
    epoch: u64,
    cursor: Option<String>,
    pub loading: bool,
    pub failed: Option<String>,
    /// The first page of this search has arrived.
    paged: bool,
    /// Some page of this connection has arrived or failed.
    settled: bool,
}

impl Threads {
    pub fn rows(&self) -> &[Thread] {
        &self.rows
    }

    pub fn get(&self, id: &ThreadId) -> Option<&Thread> {
        self.rows.iter().find(|row| row.id == *id)
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether the list of this connection has been read once (or failed to be).
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    pub fn more(&self) -> bool {
        self.cursor.is_some() && !self.is_full()
    }

    pub fn is_full(&self) -> bool {
        self.rows.len() >= limit::PICKER_ROWS
    }

    /// Starts over: another search, filter, or a refresh. The rows stay until the new ones arrive.
    pub fn restart(&mut self) -> ThreadListParams {
        self.epoch += 1;
        self.cursor = None;
        self.paged = false;
        self.params()
    }

    /// The next page, unless one is under way or there is none.
    pub fn next_page(&mut self) -> Option<ThreadListParams> {
        (!self.loading && self.more()).then(|| self.params())
    }

    fn params(&mut self) -> ThreadListParams {
        self.loading = true;
        let search = self.search.trim();
        let sources = SOURCES.iter().chain(if self.filter.all_sources { &AGENTS[..] } else { &[] });
        ThreadListParams {
            cursor: self.cursor.clone(),
            limit: Some(limit::PICKER_PAGE),
            sort_key: ThreadSortKey::RecencyAt,
            model_providers: Vec::new(),
            source_kinds: sources.map(|kind| (*kind).to_owned()).collect(),
            archived: self.filter.archived.then_some(true),
            search_term: (!search.is_empty()).then(|| search.to_owned()),
            cwd: None,
        }
    }

    /// A page arrived. A page of an older search changes nothing.
    pub fn page(&mut self, epoch: u64, page: ThreadListResponse) {
        if epoch != self.epoch {
            return;
        }
        self.loading = false;
        self.settled = true;
        self.failed = None;
        if !std::mem::replace(&mut self.paged, true) {
            self.rows.clear();
        }
        for thread in page.data {
            let full = self.is_full();
            match self.rows.iter_mut().find(|row| row.id == thread.id) {
                Some(row) => *row = thread,
                None if !full => self.rows.push(thread),
                None => {}
            }
        }
        self.cursor = page.next_cursor;
    }

    /// A page did not come; the rows stay.
    pub fn page_failed(&mut self, epoch: u64, why: String) {
        if epoch == self.epoch {
            self.loading = false;
            self.settled = true;
            self.failed = Some(why);
        }
    }

    /// A thread that this window started or read: known before the list shows it.
    pub fn learn(&mut self, thread: &Thread) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.id == thread.id) {
            *row = thread.clone();
        }
    }

    /// What every connection hears about threads.
    pub fn heard(&mut self, event: &ServerNotification) {
        match event {
            ServerNotification::ThreadStarted { thread } => self.started(thread),
            ServerNotification::ThreadStatusChanged { thread_id, status } => {
                self.change(thread_id, |row| row.status = status.clone());
            }
            ServerNotification::ThreadNameUpdated { thread_id, thread_name } => {
                self.change(thread_id, |row| row.name.clone_from(thread_name));
            }
            ServerNotification::ThreadArchived { thread_id } if !self.filter.archived => self.remove(thread_id),
            ServerNotification::ThreadUnarchived { thread_id } if self.filter.archived => self.remove(thread_id),
            ServerNotification::ThreadDeleted { thread_id } => self.remove(thread_id),
            _ => {}
        }
    }

    /// Only what the visible filter shows joins the list; a search is answered by the server alone.
    fn started(&mut self, thread: &Thread) {
        let shown = match &thread.source {
            SessionSource::Named(kind) => self.filter.all_sources || SOURCES.contains(&kind.as_str()),
            SessionSource::Other(_) => self.filter.all_sources,
        };
        if self.get(&thread.id).is_some() {
            self.learn(thread);
        } else if shown
            && !thread.ephemeral
            && !self.filter.archived
            && self.search.trim().is_empty()
            && !self.is_full()
        {
            self.rows.insert(0, thread.clone());
        }
    }

    fn change(&mut self, id: &ThreadId, change: impl FnOnce(&mut Thread)) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.id == *id) {
            change(row);
        }
    }

    fn remove(&mut self, id: &ThreadId) {
        self.rows.retain(|row| row.id != *id);
    }
}

/// Name, else first line of the preview, else a neutral title.
pub fn title(thread: &Thread) -> String {
    let named = thread.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let preview = || first_line(&thread.preview);
    named.map(words::short).or_else(preview).unwrap_or_else(|| words::UNTITLED.to_owned())
}

/// The first line of a text that says something, short enough for a title.
pub fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(words::short)
}

/// The time the list is sorted by.
pub fn recency(thread: &Thread) -> UnixMs {
    UnixMs::from_seconds(thread.recency_at.unwrap_or(thread.updated_at))
}

/// The word for where a thread came from.
pub fn source(thread: &Thread) -> Option<String> {
    match &thread.source {
        SessionSource::Named(kind) if kind == "unknown" => None,
        SessionSource::Named(kind) => Some(kind.clone()),
        SessionSource::Other(_) => Some("sub-agent or custom".to_owned()),
    }
}

/// The id in what a user pasted: an id, or a `codex resume <id>` command.
pub fn pasted_id(text: &str) -> Option<ThreadId> {
    let words = || {
        text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '/' | '\\')).filter(|w| !w.is_empty())
    };
    if let Some(id) = words().find(|word| is_uuid(word)) {
        return Some(ThreadId::from(id));
    }
    // Ids are opaque: another form is the server's to judge, if it is one word.
    let mut all = words().skip_while(|word| matches!(*word, "codex" | "resume"));
    let id = all.next().filter(|id| id.len() <= 128 && !id.starts_with('-'))?;
    all.next().is_none().then(|| ThreadId::from(id))
}

/// The id in a search that can only mean one: a UUID, or what `codex resume` is given.
pub fn id_in(search: &str) -> Option<ThreadId> {
    let id = pasted_id(search)?;
    let named = search.trim().trim_start_matches('`').starts_with("codex resume");
    (named || is_uuid(id.as_str())).then_some(id)
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.char_indices().all(|(at, c)| match at {
            8 | 13 | 18 | 23 => c == '-',
            _ => c.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_an_id_only_when_it_can_be_nothing_else() {
        let uuid = "0199a213-81c0-7800-8aa1-bbab2a035a53";
        assert_eq!(id_in(uuid).unwrap().as_str(), uuid);
        assert_eq!(id_in("codex resume thread-7").unwrap().as_str(), "thread-7");
        assert_eq!(id_in("stream"), None);
        assert_eq!(id_in("codex"), None);
    }

    #[test]
    fn ids_are_found_in_what_people_paste() {
        let uuid = "0199a213-81c0-7800-8aa1-bbab2a035a53";
        for text in
            [uuid.to_owned(), format!("  {uuid}\n"), format!("codex resume {uuid}"), format!("`codex resume '{uuid}'`")]
        {
            assert_eq!(pasted_id(&text).unwrap().as_str(), uuid, "{text}");
        }
        assert_eq!(pasted_id("codex resume thread-7").unwrap().as_str(), "thread-7");
        assert_eq!(pasted_id("what is this"), None);
        assert_eq!(pasted_id("  "), None);
        assert_eq!(pasted_id("codex resume"), None);
    }
}
