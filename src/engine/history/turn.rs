//! One turn of the window: what of its items is loaded, in which order they stand, and its frame.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::order::{self, Marks, Side};
use super::row::{self, Cell, Held, Keys, Slot};
use crate::base::{ItemId, TurnId, UnixMs};
use crate::engine::view::RowBody;
use crate::live::{Block, BlockBody, KeptText};
use crate::protocol::thread::{ItemsView, TurnError};
use crate::protocol::{ThreadItem, Turn as Described, TurnStatus};

/// What a place in the order of a turn holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SlotId {
    /// An item or its unfinished block.
    Item(ItemId),
    /// A lost text, by its row key.
    Lost(u64),
}

/// What lies beyond the loaded items at one end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing.
    Complete,
    /// Items that were never loaded: the turn's head says so.
    Missing,
    /// Items that were evicted: the edge of the window says so.
    Cut,
}

/// Loading the items of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expansion {
    Idle,
    Busy,
    Failed(String),
}

/// A message of the summary; its slot is here only while the item itself is not loaded.
#[derive(Debug)]
pub(super) struct StandIn {
    pub(super) id: ItemId,
    pub(super) slot: Option<Slot>,
}

/// An item that a page or an event brought.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) item: ThreadItem,
    pub(super) at: Option<UnixMs>,
    /// The row of the local echo that this item replaces.
    pub(super) echo: Option<Cell>,
}

/// What became of an item that was put into its slot.
enum Filled {
    Known,
    New,
    /// It took over the row of its lost text.
    InsteadOf(SlotId),
}

/// One turn. See the module.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) id: TurnId,
    pub(super) status: Option<TurnStatus>,
    pub(super) error: Option<TurnError>,
    pub(super) began: Option<UnixMs>,
    pub(super) ended: Option<UnixMs>,
    /// Its end was heard live: no page makes it run again.
    pub(super) ended_live: bool,
    /// Heard from its beginning. Legacy rows then come from live events alone.
    pub(super) from_start: bool,
    /// Rows on screen, oldest first.
    pub(super) order: Vec<SlotId>,
    pub(super) slots: BTreeMap<SlotId, Slot>,
    /// Completed items in the server's order.
    pub(super) stored: Vec<ItemId>,
    pub(super) top: End,
    pub(super) bottom: End,
    pub(super) first: Option<StandIn>,
    pub(super) last: Option<StandIn>,
    /// The user asked for its items.
    pub(super) expanded: bool,
    pub(super) expansion: Expansion,
    pub(super) marks: Marks<ItemId>,
    pub(super) head: Option<Cell>,
    pub(super) end: Option<Cell>,
}

impl Turn {
    /// A turn of which no item is loaded; `ends`: whether items exist on the server.
    pub(super) fn new(id: TurnId, ends: End) -> Self {
        Self {
            id,
            status: None,
            error: None,
            began: None,
            ended: None,
            ended_live: false,
            from_start: false,
            order: Vec::new(),
            slots: BTreeMap::new(),
            stored: Vec::new(),
            top: ends,
            bottom: ends,
            first: None,
            last: None,
            expanded: false,
            expansion: Expansion::Idle,
            marks: Marks::default(),
            head: None,
            end: None,
        }
    }

    /// Takes status and times of a page. What was heard live is newer than any page.
    pub(super) fn describe(&mut self, turn: &Described) {
        self.began = turn.started_at.map(UnixMs::from_seconds).or(self.began);
        if self.ended_live {
            return;
        }
        self.status = Some(turn.status);
        self.error.clone_from(&turn.error);
        self.ended = turn.completed_at.map(UnixMs::from_seconds);
    }

    /// Takes the two messages of a summary as stand-ins for items that are not loaded.
    pub(super) fn summarize(&mut self, view: ItemsView, messages: Vec<Arrived>, keys: &mut Keys) {
        if view == ItemsView::NotLoaded {
            return;
        }
        let (began, ended) = (self.began, self.ended);
        for mut message in messages {
            let is_user = matches!(message.item, ThreadItem::UserMessage { .. });
            message.at = if is_user { began } else { ended };
            let place = if is_user { &mut self.first } else { &mut self.last };
            let id = message.item.id().clone();
            if self.slots.contains_key(&SlotId::Item(id.clone())) {
                *place = Some(StandIn { id, slot: None });
                continue;
            }
            if let Some(StandIn { id: known, slot: Some(slot) }) = place
                && *known == id
            {
                slot.bytes = row::item_bytes(&message.item);
                slot.cell.set(RowBody::Item(message.item));
                continue;
            }
            *place = Some(StandIn { id, slot: Some(new_slot(message, None, false, keys)) });
        }
    }

    /// The unfinished blocks of this turn may still grow.
    pub(super) fn runs(&self) -> bool {
        !self.ended_live && matches!(self.status, Some(TurnStatus::InProgress))
    }

    /// Puts a completed item into its slot; a new one goes to the end.
    pub(super) fn put(&mut self, arrived: Arrived, live: bool, keys: &mut Keys) {
        let item = arrived.item.id().clone();
        match self.fill(arrived, live, keys) {
            Filled::Known => {}
            Filled::New => self.order.push(SlotId::Item(item.clone())),
            Filled::InsteadOf(lost) => {
                for id in &mut self.order {
                    if *id == lost {
                        *id = SlotId::Item(item.clone());
                    }
                }
            }
        }
        self.forget_lost(&item);
    }

    /// Puts a completed item into its slot, and says what its place in the order is to be.
    fn fill(&mut self, arrived: Arrived, live: bool, keys: &mut Keys) -> Filled {
        let item = arrived.item.id().clone();
        let id = SlotId::Item(item.clone());
        if let Some(slot) = self.slots.get_mut(&id) {
            if slot.held != Held::Done || !slot.live || live {
                slot.live |= live;
                slot.held = Held::Done;
                slot.bytes = row::item_bytes(&arrived.item);
                slot.at = arrived.at.or(slot.at);
                slot.cell.set(RowBody::Item(arrived.item));
            }
            return Filled::Known;
        }
        let lost = self.order.iter().find(|id| self.is_lost_of(id, &item)).cloned();
        let row = match lost.as_ref().and_then(|lost| self.slots.remove(lost)) {
            Some(slot) => Some(slot.cell),
            None => self.take_stand_in(&item),
        };
        self.slots.insert(id, new_slot(arrived, row, live, keys));
        lost.map_or(Filled::New, Filled::InsteadOf)
    }

    /// A completed item that was heard live: the server lists it last.
    pub(super) fn complete(&mut self, arrived: Arrived, keys: &mut Keys) {
        let id = arrived.item.id().clone();
        let stored = self.slots.get(&SlotId::Item(id.clone())).is_some_and(|slot| slot.held == Held::Done);
        if !stored {
            self.stored.push(id);
        }
        self.put(arrived, true, keys);
    }

    /// Merges a page of this turn, ascending and without holes, at `side` of what is loaded.
    pub(super) fn merge_page(&mut self, page: Vec<Arrived>, side: Side, live: bool, keys: &mut Keys) -> usize {
        let ids: Vec<ItemId> = page.iter().map(|arrived| arrived.item.id().clone()).collect();
        self.stored = order::merge(&self.stored, &ids, side);
        let slots: Vec<SlotId> = ids.into_iter().map(SlotId::Item).collect();
        if self.runs() {
            // What is stored stands before what is not finished; nothing that is shown moves.
            let open = self.order.iter().position(|id| self.slots.get(id).is_some_and(|slot| slot.held == Held::Open));
            let stands_alone = side == Side::After && !order::overlap(&self.order, &slots);
            let unfinished = open.filter(|_| stands_alone).map(|at| self.order.split_off(at));
            order::insert(&mut self.order, &slots, side);
            self.order.extend(unfinished.into_iter().flatten());
        } else {
            self.order = order::merge(&self.order, &slots, side);
        }
        let mut added = 0;
        for arrived in page {
            let item = arrived.item.id().clone();
            match self.fill(arrived, live, keys) {
                Filled::Known => {}
                Filled::New => added += 1,
                Filled::InsteadOf(lost) => self.order.retain(|id| *id != lost),
            }
            self.forget_lost(&item);
        }
        added
    }

    /// Drops the loaded items that a page could bring again (a hole would remain above a new page).
    pub(super) fn drop_paged(&mut self) {
        self.retain(|_, slot| slot.live || slot.held != Held::Done);
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&SlotId, &Slot) -> bool) {
        self.slots.retain(|id, slot| keep(id, slot));
        self.forget_order();
    }

    /// Takes the order along after slots were removed.
    pub(super) fn forget_order(&mut self) {
        let slots = &self.slots;
        self.order.retain(|id| slots.contains_key(id));
        self.stored.retain(|id| slots.contains_key(&SlotId::Item(id.clone())));
        self.marks.retain(&self.stored);
    }

    /// The server's order, now that nothing of this turn moves any more.
    pub(super) fn settle(&mut self) {
        let stored: Vec<SlotId> = self.stored.iter().cloned().map(SlotId::Item).collect();
        self.order = order::merge(&self.order, &stored, Side::After);
    }

    /// An unfinished block appeared or changed. Returns the bytes it grew by, or `None` if a row was added.
    pub(super) fn open(&mut self, block: &Block, at: UnixMs, echo: Option<Cell>, keys: &mut Keys) -> Option<usize> {
        let id = SlotId::Item(block.item.clone());
        if let Some(slot) = self.slots.get_mut(&id) {
            if slot.held != Held::Open {
                return Some(0);
            }
            let before = slot.bytes;
            slot.grow(block);
            return Some(slot.bytes.saturating_sub(before));
        }
        let body = unfinished(block);
        let lost = self.order.iter().position(|other| self.is_lost_of(other, &block.item));
        let place = lost.map_or(self.order.len(), |at| at + 1);
        // The block that was left and came back with all its text goes on in its row; one that
        // lacks the beginning stands below the text that was kept.
        let again = lost.and_then(|at| {
            let whole = matches!(&*self.slots.get(&self.order[at])?.cell.body,
                RowBody::Lost { body, .. } if row::covers(&block.body, body));
            whole.then(|| self.order.remove(at)).and_then(|old| self.slots.remove(&old))
        });
        let (place, cell) = match again {
            Some(slot) => (place - 1, Some(slot.cell)),
            None => (place, echo),
        };
        let cell = reuse(cell, body, keys);
        let bytes = row::block_bytes(&block.body);
        let slot = Slot { cell, at: Some(at), bytes, held: Held::Open, live: true, pos: usize::MAX };
        self.slots.insert(id.clone(), slot);
        self.order.insert(place, id);
        None
    }

    /// Unfinished blocks become lost text. `only`: those whose ids it names; `None`: all.
    pub(super) fn lose(&mut self, note: &str, only: Option<&[ItemId]>) -> bool {
        let mut changed = false;
        for index in 0..self.order.len() {
            let id = self.order[index].clone();
            let SlotId::Item(item) = &id else { continue };
            let open = self.slots.get(&id).is_some_and(|slot| slot.held == Held::Open);
            if !open || only.is_some_and(|only| !only.contains(item)) {
                continue;
            }
            changed = true;
            let Some(mut slot) = self.slots.remove(&id) else { continue };
            let Some(body) = lost_body(&slot.cell.body) else { continue };
            slot.bytes = row::block_bytes(&body);
            slot.cell.set(RowBody::Lost { body, note: note.to_owned() });
            slot.held = Held::Lost { of: item.clone() };
            let lost = SlotId::Lost(slot.cell.key);
            self.order[index] = lost.clone();
            self.slots.insert(lost, slot);
        }
        if changed {
            let slots = &self.slots;
            self.order.retain(|id| slots.contains_key(id));
        }
        changed
    }

    /// Forgets the loaded items again; the summary's messages keep their rows.
    pub(super) fn collapse(&mut self) {
        for stand_in in [&mut self.first, &mut self.last].into_iter().flatten() {
            if stand_in.slot.is_none() {
                stand_in.slot = self.slots.remove(&SlotId::Item(stand_in.id.clone()));
            }
        }
        self.retain(|_, slot| slot.held != Held::Done);
        (self.top, self.bottom) = (End::Missing, End::Missing);
        (self.expanded, self.expansion) = (false, Expansion::Idle);
    }

    /// Makes the first message that is loaded the stand-in of its turn.
    pub(super) fn stand_in_first(&mut self) {
        let is_user = |id: &&ItemId| {
            let slot = self.slots.get(&SlotId::Item((*id).clone()));
            slot.is_some_and(|slot| matches!(&*slot.cell.body, RowBody::Item(ThreadItem::UserMessage { .. })))
        };
        if self.first.is_none()
            && let Some(id) = self.stored.iter().find(is_user)
        {
            let id = id.clone();
            let slot = self.slots.remove(&SlotId::Item(id.clone()));
            self.first = Some(StandIn { id, slot });
            self.forget_order();
        }
    }

    /// Stand-ins that are shown: the item beyond an end that is not loaded.
    pub(super) fn shown_first(&self) -> Option<&Slot> {
        self.first.as_ref().filter(|_| self.top == End::Missing)?.slot.as_ref()
    }

    pub(super) fn shown_last(&self) -> Option<&Slot> {
        self.last.as_ref().filter(|_| self.bottom == End::Missing && self.stored.is_empty())?.slot.as_ref()
    }

    fn is_lost_of(&self, id: &SlotId, item: &ItemId) -> bool {
        matches!(id, SlotId::Lost(_))
            && matches!(self.slots.get(id), Some(Slot { held: Held::Lost { of }, .. }) if of == item)
    }

    /// The item is there: its kept parts are no longer needed.
    fn forget_lost(&mut self, item: &ItemId) {
        if self.order.iter().any(|id| self.is_lost_of(id, item)) {
            self.slots.retain(|_, slot| !matches!(&slot.held, Held::Lost { of } if of == item));
            let slots = &self.slots;
            self.order.retain(|id| slots.contains_key(id) || matches!(id, SlotId::Item(_)));
        }
    }

    /// A message of the summary whose item came by another way gives it its row.
    pub(super) fn drop_stand_ins(&mut self) {
        for stand_in in [&mut self.first, &mut self.last].into_iter().flatten() {
            let Some(slot) = self.slots.get_mut(&SlotId::Item(stand_in.id.clone())) else { continue };
            if let Some(mut shown) = stand_in.slot.take() {
                shown.cell.set(RowBody::clone(&slot.cell.body));
                slot.cell = shown.cell;
            }
        }
    }

    fn take_stand_in(&mut self, item: &ItemId) -> Option<Cell> {
        let mut stand_ins = [&mut self.first, &mut self.last].into_iter().flatten();
        Some(stand_ins.find(|stand_in| stand_in.id == *item)?.slot.take()?.cell)
    }
}

impl Slot {
    /// Takes over what the block gained.
    fn grow(&mut self, block: &Block) {
        if matches!(&*self.cell.body, RowBody::Unfinished { started, late, body, .. }
            if *started == block.started && *late == block.is_late() && !row::grew(body, &block.body))
        {
            return;
        }
        // Shared only while a view of before is still held: then it is copied once.
        if let RowBody::Unfinished { started, body, late, .. } = Arc::make_mut(&mut self.cell.body) {
            if *started != block.started {
                started.clone_from(&block.started);
            }
            row::catch_up(body, &block.body);
            *late = block.is_late();
        }
        self.cell.rev += 1;
        self.bytes = row::block_bytes(&block.body);
    }
}

fn new_slot(arrived: Arrived, row: Option<Cell>, live: bool, keys: &mut Keys) -> Slot {
    let bytes = row::item_bytes(&arrived.item);
    let cell = reuse(arrived.echo.or(row), RowBody::Item(arrived.item), keys);
    Slot::done(cell, bytes, arrived.at, live)
}

fn reuse(cell: Option<Cell>, body: RowBody, keys: &mut Keys) -> Cell {
    match cell {
        Some(mut cell) => {
            cell.set(body);
            cell
        }
        None => Cell::new(keys, body),
    }
}

fn unfinished(block: &Block) -> RowBody {
    RowBody::Unfinished {
        item: block.item.clone(),
        started: block.started.clone(),
        body: block.body.clone(),
        late: block.is_late(),
    }
}

/// What is kept of an unfinished block that ends; a command keeps its line above its output.
fn lost_body(body: &RowBody) -> Option<BlockBody> {
    let RowBody::Unfinished { started, body, .. } = body else { return None };
    if let Some(ThreadItem::CommandExecution { command, .. }) = started {
        let output = if let BlockBody::CommandOutput(text) = body { text.clone() } else { KeptText::default() };
        return Some(BlockBody::CommandOutput(KeptText { head: format!("$ {command}\n{}", output.head), ..output }));
    }
    (row::block_bytes(body) > 0).then(|| body.clone())
}
