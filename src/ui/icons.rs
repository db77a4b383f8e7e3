//! The code points of the bundled icon font.
//!
//! Every icon fills its em (24 by 24 grid), so an icon of size 18 is centred in a box of 18 by 18 logical pixels.
//! The font and its outlines are our own work, under the licence of this project.

/// The family name of the icon font.
pub const FAMILY: &str = "Rejoin Icons";

/// Tick: done, saved, confirmed.
pub const CHECK: char = '\u{e000}';
/// Circular arrow: connect again, reload.
pub const REFRESH: char = '\u{e001}';
/// Triangle with an exclamation mark: needs attention.
pub const WARNING: char = '\u{e002}';
/// Key: sign-in, credentials.
pub const KEY: char = '\u{e003}';
/// Shield: permissions, approvals.
pub const SHIELD: char = '\u{e004}';
/// Bulleted list: threads, plan.
pub const LIST: char = '\u{e005}';
/// Plug pulled from its socket: no connection.
pub const OFFLINE: char = '\u{e006}';
/// Chevron to the right: closed section, next.
pub const CHEVRON_RIGHT: char = '\u{e007}';
/// Chevron downwards: open section, drop-down.
pub const CHEVRON_DOWN: char = '\u{e008}';
/// Chevron upwards: fold up, previous match.
pub const CHEVRON_UP: char = '\u{e009}';
/// Chevron to the left: back.
pub const CHEVRON_LEFT: char = '\u{e00a}';
/// Two sheets: copy to the clipboard.
pub const COPY: char = '\u{e00b}';
/// Cross: close, dismiss, remove.
pub const CLOSE: char = '\u{e00c}';
/// Three bars: menu, side panel.
pub const MENU: char = '\u{e00d}';
/// Magnifying glass: search.
pub const SEARCH: char = '\u{e00e}';
/// Plus: new, add.
pub const PLUS: char = '\u{e00f}';
/// Gear: settings.
pub const GEAR: char = '\u{e010}';
/// Arrow downwards: to the newest message.
pub const ARROW_DOWN: char = '\u{e011}';
/// Filled square: stop the running turn.
pub const STOP: char = '\u{e012}';
/// Paper plane: send the message.
pub const SEND: char = '\u{e013}';
/// Prompt: a command and its output.
pub const TERMINAL: char = '\u{e014}';
/// Sheet with a folded corner: a file.
pub const FILE: char = '\u{e015}';
/// Plus above minus: changes of files.
pub const DIFF: char = '\u{e016}';
/// Globe: web search, network.
pub const GLOBE: char = '\u{e017}';
/// Picture with sun and hill: an image.
pub const IMAGE: char = '\u{e018}';
/// Clock: waiting, time, history.
pub const CLOCK: char = '\u{e019}';
/// Head and shoulders: the user, the account.
pub const USER: char = '\u{e01a}';
/// Four-pointed star: the assistant.
pub const SPARK: char = '\u{e01b}';
/// Wrench: a tool call.
pub const TOOL: char = '\u{e01c}';
/// Padlock: sandboxed, read-only.
pub const LOCK: char = '\u{e01d}';
/// Pencil: edit, rename.
pub const PENCIL: char = '\u{e01e}';
/// Arrow leaving a box: opens outside the app.
pub const EXTERNAL: char = '\u{e01f}';
/// Letter i in a circle: information.
pub const INFO: char = '\u{e020}';
