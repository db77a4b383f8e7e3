//! Page budget: what crosses the contract fits, and what is cut says so.
//!
//! The server bounds the items of a page but not its bytes (FACTS S8). A list response over
//! `limit::PAGE_BYTES` is asked again at half its item limit, down to one item; its cursors then
//! continue from the smaller page, so nothing is skipped. Anything else that is too large, one huge
//! item included, has its longest texts cut: each cut text ends with a line that names the bytes
//! cut by Rejoin, which reads differently from the server's own truncation.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::base::limit;
use crate::live::floor_boundary;
use crate::protocol::ClientRequest;

/// The page size the servers use when none is asked for, at most (FACTS 3.1, 5.4).
const DEFAULT_LIMIT: u32 = 100;
/// Texts are never cut below this, so that ids, cursors and paths stay whole.
const SHORTEST_CUT: usize = 1 << 10;

/// The same list request for half as many items; `None` if it is no list or asks for one item only.
pub(super) fn halved(request: &ClientRequest) -> Option<ClientRequest> {
    let mut request = request.clone();
    let limit = match &mut request {
        ClientRequest::ThreadList(params) => &mut params.limit,
        ClientRequest::TurnsList(params) => &mut params.limit,
        ClientRequest::ItemsList(params) => &mut params.limit,
        ClientRequest::ModelList(params) => &mut params.limit,
        ClientRequest::AccountRead(_)
        | ClientRequest::ThreadRead(_)
        | ClientRequest::ThreadStart(_)
        | ClientRequest::ThreadResume(_)
        | ClientRequest::ThreadUnsubscribe(_)
        | ClientRequest::TurnStart(_)
        | ClientRequest::TurnSteer(_)
        | ClientRequest::TurnInterrupt(_) => return None,
    };
    let asked = limit.unwrap_or(DEFAULT_LIMIT).min(DEFAULT_LIMIT);
    if asked <= 1 {
        return None;
    }
    *limit = Some(asked / 2);
    Some(request)
}

/// `value` if it fits the contract, else `value` with its longest texts cut; `None` if it cannot be
/// made to fit. `received`: the size of the message it came in; small ones are not measured.
pub(super) fn fitted<T: Serialize + DeserializeOwned>(value: T, received: usize) -> Option<T> {
    if received <= limit::MEASURED_FROM || written(&value) <= limit::PAGE_BYTES {
        return Some(value);
    }
    let whole = serde_json::to_value(&value).ok()?;
    let cut_at = |longest: usize| {
        let mut cut = whole.clone();
        shorten(&mut cut, longest);
        (written(&cut) <= limit::PAGE_BYTES).then_some(cut)
    };
    // The shortest cut first: what is large by its parts, not by its texts, is not worth a search.
    let mut best = cut_at(SHORTEST_CUT)?;
    let mut longest = limit::PAGE_BYTES / 2;
    while longest > SHORTEST_CUT {
        if let Some(cut) = cut_at(longest) {
            best = cut;
            break;
        }
        longest /= 2;
    }
    serde_json::from_value(best).ok()
}

fn shorten(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) if text.len() > longest => {
            let kept = floor_boundary(text, longest);
            let cut = text.len() - kept;
            text.truncate(kept);
            text.push_str(&format!("\n[{cut} bytes cut by Rejoin: too large to show]"));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| shorten(value, longest)),
        Value::Object(fields) => fields.values_mut().for_each(|value| shorten(value, longest)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The size of `value` as JSON.
fn written(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).map_or(usize::MAX, |()| count.0)
}
