//! Which pages are asked for, and what an answer means. Every read has one owner and one answer.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::order::Side;
use super::sync::{Buffer, Sync};
use super::turn::{End, Expansion};
use super::window::{Cuts, Viewport};
use super::{Fetch, FetchError, History};
use crate::base::{Now, TurnId, limit};
use crate::protocol::request::{
    ItemsListParams, ItemsListResponse, RequestedItemsView, SortDirection, TurnsListParams, TurnsListResponse,
};
use crate::protocol::{ClientRequest, ClientResponse};

/// Pages of one press that may bring nothing new before it is given up.
const FRUITLESS: usize = 20;

const REPEATED: &str = "the server sent the same page mark twice";

/// Who asked for a page.
#[derive(Debug, Clone)]
pub(super) enum Want {
    NewestTurns,
    NewestItems,
    /// Turns beyond an edge; the cursors this press has used.
    Turns {
        side: Side,
        used: BTreeSet<String>,
    },
    /// Items of one turn; `edge`: for Load older / newer, else for its expansion.
    Items {
        turn: TurnId,
        side: Side,
        edge: bool,
        used: BTreeSet<String>,
    },
}

/// The first read, Refresh or the second read of Join: both pages are applied together.
#[derive(Debug, Default)]
pub(super) struct Newest {
    pub(super) turns: Option<Result<TurnsListResponse, FetchError>>,
    /// `None` also while legacy, where turns bring their items.
    pub(super) items: Option<Result<ItemsListResponse, FetchError>>,
}

/// A read that is not answered yet.
#[derive(Debug)]
struct Open {
    want: Want,
    cursor: Option<String>,
    /// The window's cuts when it was asked for.
    cuts: Cuts,
}

#[derive(Debug, Default)]
pub(super) struct Reads {
    queue: VecDeque<Fetch>,
    open: BTreeMap<u64, Open>,
    next: u64,
    pub(super) newest: Option<Newest>,
}

impl Reads {
    pub(super) fn pop(&mut self) -> Option<Fetch> {
        self.queue.pop_front()
    }

    fn plan(&mut self, want: Want, cursor: Option<String>, cuts: Cuts, request: ClientRequest) {
        self.next += 1;
        self.open.insert(self.next, Open { want, cursor, cuts });
        self.queue.push_back(Fetch { id: self.next, request });
    }

    /// Forgets reads: an answer that still comes is nobody's.
    pub(super) fn forget(&mut self, is_forgotten: impl Fn(&Want) -> bool) {
        self.open.retain(|_, open| !is_forgotten(&open.want));
        let open = &self.open;
        self.queue.retain(|fetch| open.contains_key(&fetch.id));
    }

    pub(super) fn edge(&self, wanted: Side) -> bool {
        self.open.values().any(|open| match &open.want {
            Want::Turns { side, .. } | Want::Items { side, edge: true, .. } => *side == wanted,
            Want::Items { edge: false, .. } | Want::NewestTurns | Want::NewestItems => false,
        })
    }
}

impl FetchError {
    /// What went wrong, for the end of a sentence.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Rejected { code, message } => format!("the server refused: {message} ({code})"),
            Self::TimedOut => "the server did not answer in time".to_owned(),
            Self::Lost => "connection lost".to_owned(),
            Self::Unreadable(why) => format!("the answer could not be read: {why}"),
        }
    }
}

impl History {
    /// Reads the newest pages (again); answers to an earlier such read no longer count.
    pub(super) fn plan_newest(&mut self) {
        let Some(subject) = &self.subject else { return };
        if subject.ephemeral {
            return;
        }
        self.reads.forget(|want| matches!(want, Want::NewestTurns | Want::NewestItems));
        self.reads.newest = Some(Newest::default());
        self.ask_turns(Want::NewestTurns, None, Side::Before);
        if !self.is_legacy() {
            self.ask_items(Want::NewestItems, None, Side::Before, None);
        }
    }

    pub(super) fn plan_refresh(&mut self) {
        if matches!(self.sync, Sync::Overflowed) {
            let buffer = Buffer { needs_snapshot: true, ..Buffer::default() };
            self.sync = Sync::Buffering(Box::new(buffer));
        }
        self.plan_newest();
    }

    pub(super) fn plan_sync(&mut self) {
        self.sync = Sync::Buffering(Box::default());
        self.plan_newest();
        if self.reads.newest.is_none() {
            // Nothing can be read (ephemeral, or just started here): nothing to wait for.
            self.sync = Sync::Off;
        }
    }

    /// Load older: what lies directly above the first row.
    pub(super) fn plan_older(&mut self) {
        if self.reads.edge(Side::Before) || !self.older() {
            return;
        }
        self.page_failed = None;
        let Some(first) = self.turns.first() else { return };
        if first.top == End::Cut || self.at_first_turn() {
            let (turn, cursor) = (first.id.clone(), first.marks.older(&first.stored));
            if self.is_legacy() {
                self.ask_turns_beyond(Side::Before, BTreeSet::new());
            } else {
                self.ask_items_of(turn, Side::Before, true, cursor, BTreeSet::new());
            }
        } else {
            self.ask_turns_beyond(Side::Before, BTreeSet::new());
        }
    }

    /// Load newer: what lies directly below the last row, after it was evicted.
    pub(super) fn plan_newer(&mut self) {
        if self.reads.edge(Side::After) || !self.gap {
            return;
        }
        self.page_failed = None;
        let cut = self.turns.last().filter(|turn| turn.bottom == End::Cut && !self.is_legacy());
        match cut.map(|turn| (turn.id.clone(), turn.marks.newer(&turn.stored))) {
            Some((turn, Some(cursor))) => {
                self.ask_items_of(turn, Side::After, true, Some(cursor), BTreeSet::new());
            }
            // No cursor of this turn is left: it belongs to the newest pages.
            Some((_, None)) => self.plan_newest(),
            None => self.ask_turns_beyond(Side::After, BTreeSet::new()),
        }
    }

    pub(super) fn plan_expand(&mut self, id: &TurnId) {
        if self.is_legacy() {
            self.plan_newest();
            return;
        }
        let Some(turn) = self.turn_mut(id) else { return };
        if turn.expansion == Expansion::Busy || turn.top == End::Complete {
            return;
        }
        turn.expanded = true;
        turn.expansion = Expansion::Busy;
        let cursor = turn.marks.older(&turn.stored);
        self.changed();
        self.ask_items_of(id.clone(), Side::Before, false, cursor, BTreeSet::new());
    }

    pub(super) fn ask_turns_beyond(&mut self, side: Side, used: BTreeSet<String>) {
        let ids: Vec<TurnId> = self.turns.iter().map(|turn| turn.id.clone()).collect();
        let cursor = match side {
            Side::Before => self.marks.older(&ids),
            Side::After => match self.marks.newer(&ids) {
                Some(cursor) => Some(cursor),
                None => return self.plan_newest(),
            },
        };
        self.ask_turns(Want::Turns { side, used }, cursor, side);
    }

    pub(super) fn ask_turns(&mut self, want: Want, cursor: Option<String>, side: Side) {
        let Some(subject) = &self.subject else { return };
        let items_view = if self.is_legacy() { RequestedItemsView::Full } else { RequestedItemsView::Summary };
        let request = ClientRequest::TurnsList(TurnsListParams {
            thread_id: subject.id.clone(),
            cursor: cursor.clone(),
            limit: Some(limit::FIRST_TURNS),
            sort_direction: direction(side),
            items_view,
        });
        self.reads.plan(want, cursor, self.cuts, request);
    }

    pub(super) fn ask_items_of(
        &mut self,
        turn: TurnId,
        side: Side,
        edge: bool,
        cursor: Option<String>,
        used: BTreeSet<String>,
    ) {
        let want = Want::Items { turn: turn.clone(), side, edge, used };
        self.ask_items(want, cursor, side, Some(turn));
    }

    fn ask_items(&mut self, want: Want, cursor: Option<String>, side: Side, turn_id: Option<TurnId>) {
        let Some(subject) = &self.subject else { return };
        let request = ClientRequest::ItemsList(ItemsListParams {
            thread_id: subject.id.clone(),
            cursor: cursor.clone(),
            limit: Some(limit::PAGE_ITEMS),
            sort_direction: direction(side),
            turn_id,
        });
        self.reads.plan(want, cursor, self.cuts, request);
    }

    /// The one answer to a read.
    pub(super) fn answered(&mut self, id: u64, result: Result<ClientResponse, FetchError>, now: Now) {
        let Some(Open { want, cursor, cuts }) = self.reads.open.remove(&id) else { return };
        if self.is_overtaken(&want, cuts) && result.is_ok() {
            self.ask_again(want);
            return;
        }
        match want {
            Want::NewestTurns => {
                if let Some(newest) = &mut self.reads.newest {
                    newest.turns = Some(result.and_then(turns_page));
                }
                self.newest_answered(now);
            }
            Want::NewestItems => {
                if let Some(newest) = &mut self.reads.newest {
                    newest.items = Some(result.and_then(items_page));
                }
                self.newest_answered(now);
            }
            Want::Turns { side, used } => {
                let page = result.and_then(turns_page).map_err(|error| error.words());
                let page = page.and_then(|page| {
                    let used = next_used(used, cursor.as_ref(), page.next_cursor.as_ref())?;
                    Ok((page, used))
                });
                match page {
                    Ok((page, used)) => self.turns_beyond(side, cursor.as_deref(), page, used),
                    Err(why) => self.page_failed(side, &why),
                }
            }
            Want::Items { turn, side, edge, used } => {
                let page = result.and_then(items_page).map_err(|error| error.words());
                let page = page.and_then(|page| {
                    let used = next_used(used, cursor.as_ref(), page.next_cursor.as_ref())?;
                    Ok((page, used))
                });
                match page {
                    Ok((page, used)) => self.items_of(&turn, side, edge, cursor.is_none(), page, used),
                    Err(why) if edge => self.page_failed(side, &why),
                    Err(why) => {
                        if let Some(turn) = self.turn_mut(&turn) {
                            turn.expansion = Expansion::Failed(format!("Could not be loaded: {why}. Try again."));
                        }
                        self.changed();
                    }
                }
            }
        }
        self.changed();
    }

    /// Whether a page no longer joins the window: what it continues was evicted meanwhile, or what
    /// was heard live after it was made was let go again.
    fn is_overtaken(&self, want: &Want, cuts: Cuts) -> bool {
        match want {
            Want::NewestTurns | Want::NewestItems => self.gap && cuts.below != self.cuts.below,
            Want::Turns { side: Side::Before, .. } | Want::Items { side: Side::Before, .. } => {
                cuts.above != self.cuts.above
            }
            Want::Turns { side: Side::After, .. } | Want::Items { side: Side::After, .. } => {
                cuts.below != self.cuts.below
            }
        }
    }

    /// Asks for what an overtaken page was to bring.
    fn ask_again(&mut self, want: Want) {
        match want {
            Want::NewestTurns | Want::NewestItems => self.plan_newest(),
            // Whoever follows the tail evicts what is older again at once.
            Want::Turns { side: Side::Before, .. } | Want::Items { side: Side::Before, edge: true, .. } => {
                if self.viewport != Viewport::Tail {
                    self.plan_older();
                }
            }
            Want::Turns { side: Side::After, .. } | Want::Items { side: Side::After, .. } => self.plan_newer(),
            Want::Items { turn, side: Side::Before, edge: false, .. } => {
                if let Some(turn) = self.turn_mut(&turn) {
                    turn.expansion = Expansion::Idle;
                }
                self.plan_expand(&turn);
            }
        }
        self.changed();
    }

    fn newest_answered(&mut self, now: Now) {
        let legacy = self.is_legacy();
        let ready = |newest: &Newest| newest.turns.is_some() && (legacy || newest.items.is_some());
        if self.reads.newest.as_ref().is_some_and(ready)
            && let Some(newest) = self.reads.newest.take()
        {
            self.merge_newest(newest, now);
        }
    }

    fn page_failed(&mut self, side: Side, why: &str) {
        let which = match side {
            Side::Before => "Older",
            Side::After => "Newer",
        };
        self.page_failed =
            Some(format!("{which} history could not be loaded: {why}. What is shown stays as it is; try again."));
    }
}

fn direction(side: Side) -> SortDirection {
    match side {
        Side::Before => SortDirection::Desc,
        Side::After => SortDirection::Asc,
    }
}

/// The cursors used so far by one press; a repeated one would be a loop.
fn next_used(
    mut used: BTreeSet<String>,
    cursor: Option<&String>,
    next: Option<&String>,
) -> Result<BTreeSet<String>, String> {
    used.extend(cursor.cloned());
    if next.is_some_and(|next| used.contains(next)) {
        return Err(REPEATED.to_owned());
    }
    if used.len() > FRUITLESS {
        return Err("the server sent page after page without anything new".to_owned());
    }
    Ok(used)
}

fn turns_page(response: ClientResponse) -> Result<TurnsListResponse, FetchError> {
    match response {
        ClientResponse::TurnsList(page) => Ok(page),
        other => Err(mismatched(&other)),
    }
}

fn items_page(response: ClientResponse) -> Result<ItemsListResponse, FetchError> {
    match response {
        ClientResponse::ItemsList(page) => Ok(page),
        other => Err(mismatched(&other)),
    }
}

fn mismatched(_: &ClientResponse) -> FetchError {
    FetchError::Unreadable("it answers another question".to_owned())
}
