//! What the platform says about contrast and motion (DESIGN 11). Windows says both; elsewhere only light or dark is
//! known, which iced reports.

#[cfg(windows)]
mod windows;

use super::theme::Palette;

/// The user's choices in the platform's settings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct System {
    /// The colours of a contrast theme, while one is on.
    pub palette: Option<Palette>,
    /// Nothing shall move.
    pub still: bool,
}

impl System {
    /// Asks the platform; cheap enough for every time the window gets the focus.
    pub fn read() -> Self {
        #[cfg(windows)]
        return Self { palette: windows::palette(), still: windows::is_still() };
        #[cfg(not(windows))]
        Self::default()
    }
}
