//! The contrast theme and the animation switch of the Windows settings.

#![allow(unsafe_code, reason = "these settings have no safe interface; there is no logic here")]

use windows_sys::Win32::Graphics::Gdi::{
    COLOR_GRAYTEXT, COLOR_HIGHLIGHT, COLOR_HIGHLIGHTTEXT, COLOR_HOTLIGHT, COLOR_WINDOW, COLOR_WINDOWTEXT, GetSysColor,
};
use windows_sys::Win32::UI::Accessibility::{HCF_HIGHCONTRASTON, HIGHCONTRASTW};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    SPI_GETCLIENTAREAANIMATION, SPI_GETHIGHCONTRAST, SystemParametersInfoW,
};

use crate::ui::theme::Palette;

/// The six colours, while a contrast theme is on.
pub fn palette() -> Option<Palette> {
    let mut contrast = HIGHCONTRASTW { cbSize: size_of::<HIGHCONTRASTW>() as u32, ..HIGHCONTRASTW::default() };
    // SAFETY: the structure tells its size and outlives the call.
    let known =
        unsafe { SystemParametersInfoW(SPI_GETHIGHCONTRAST, contrast.cbSize, (&raw mut contrast).cast(), 0) } != 0;
    // SAFETY: the call takes a number.
    let color = |index| unsafe { GetSysColor(index) };
    (known && contrast.dwFlags & HCF_HIGHCONTRASTON != 0).then(|| {
        let own =
            [COLOR_WINDOW, COLOR_WINDOWTEXT, COLOR_HIGHLIGHT, COLOR_HIGHLIGHTTEXT, COLOR_HOTLIGHT, COLOR_GRAYTEXT];
        Palette::of_system(own.map(color))
    })
}

/// "Animation effects" is off.
pub fn is_still() -> bool {
    let mut animates = 1_i32;
    // SAFETY: the call writes one BOOL, which outlives it.
    let known = unsafe { SystemParametersInfoW(SPI_GETCLIENTAREAANIMATION, 0, (&raw mut animates).cast(), 0) } != 0;
    known && animates == 0
}
