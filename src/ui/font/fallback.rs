//! Which family draws a script that the interface font lacks.
//!
//! Test fonts come first; they exist only where system fonts do not. Then come Windows' families, then those of Linux
//! distributions. Han characters have national forms: the locale decides, and Japanese is the default.

use iced::advanced::graphics::text::cosmic_text;
use unicode_script::Script;

pub(super) struct OurFallback;

const JAPANESE: &[&str] = &["Noto Sans JP", "Yu Gothic UI", "Yu Gothic", "Meiryo", "Noto Sans CJK JP", "IPAGothic"];
const SIMPLIFIED: &[&str] = &["Microsoft YaHei UI", "Microsoft YaHei", "Noto Sans CJK SC", "WenQuanYi Zen Hei"];
const TRADITIONAL: &[&str] = &["Microsoft JhengHei UI", "Microsoft JhengHei", "Noto Sans CJK TC"];
const HONG_KONG: &[&str] = &["Microsoft JhengHei UI", "Noto Sans CJK HK", "Noto Sans CJK TC"];
const KOREAN: &[&str] = &["Malgun Gothic", "Noto Sans CJK KR", "Noto Sans KR"];

const COMMON: &[&str] = &[
    "Noto Sans",
    "Segoe UI Emoji",
    "Noto Color Emoji",
    "Noto Emoji",
    "Segoe UI",
    "Segoe UI Symbol",
    "Noto Sans Symbols",
    "Noto Sans Symbols2",
    "DejaVu Sans",
    "Noto Sans Mono",
    "Noto Sans JP",
];

impl cosmic_text::Fallback for OurFallback {
    fn common_fallback(&self) -> &[&'static str] {
        COMMON
    }

    fn forbidden_fallback(&self) -> &[&'static str] {
        // A server must not draw our own signs: the icon face is used where it is named, never as a fallback.
        &[crate::ui::icons::FAMILY]
    }

    fn script_fallback(&self, script: Script, locale: &str) -> &[&'static str] {
        match script {
            Script::Hiragana | Script::Katakana => JAPANESE,
            Script::Han => han(locale),
            Script::Bopomofo => TRADITIONAL,
            Script::Hangul => KOREAN,
            Script::Arabic => &["Segoe UI", "Noto Sans Arabic", "DejaVu Sans"],
            Script::Hebrew => &["Segoe UI", "Noto Sans Hebrew", "DejaVu Sans"],
            Script::Armenian => &["Segoe UI", "Noto Sans Armenian", "DejaVu Sans"],
            Script::Georgian => &["Segoe UI", "Noto Sans Georgian", "DejaVu Sans"],
            Script::Thai => &["Leelawadee UI", "Noto Sans Thai"],
            Script::Lao => &["Leelawadee UI", "Noto Sans Lao"],
            Script::Khmer => &["Leelawadee UI", "Noto Sans Khmer"],
            Script::Myanmar => &["Myanmar Text", "Noto Sans Myanmar"],
            Script::Tibetan => &["Microsoft Himalaya", "Noto Serif Tibetan"],
            Script::Ethiopic => &["Ebrima", "Noto Sans Ethiopic"],
            Script::Bengali => &["Nirmala UI", "Noto Sans Bengali"],
            Script::Gujarati => &["Nirmala UI", "Noto Sans Gujarati"],
            Script::Gurmukhi => &["Nirmala UI", "Noto Sans Gurmukhi"],
            Script::Kannada => &["Nirmala UI", "Noto Sans Kannada"],
            Script::Malayalam => &["Nirmala UI", "Noto Sans Malayalam"],
            Script::Oriya => &["Nirmala UI", "Noto Sans Oriya"],
            Script::Sinhala => &["Nirmala UI", "Noto Sans Sinhala"],
            Script::Tamil => &["Nirmala UI", "Noto Sans Tamil"],
            Script::Telugu => &["Nirmala UI", "Noto Sans Telugu"],
            _ => &[],
        }
    }
}

/// The national forms a locale like `zh-Hant-HK`, `zh_TW` or `ja-JP` asks for.
fn han(locale: &str) -> &'static [&'static str] {
    let locale = locale.to_ascii_lowercase().replace('_', "-");
    let mut parts = locale.split(['-', '.', '@']);
    match parts.next() {
        Some("ko") => KOREAN,
        Some("zh" | "yue") => {
            let rest: Vec<&str> = parts.collect();
            if rest.contains(&"hk") || rest.contains(&"mo") {
                HONG_KONG
            } else if rest.contains(&"tw") || rest.contains(&"hant") {
                TRADITIONAL
            } else {
                SIMPLIFIED
            }
        }
        _ => JAPANESE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn han_characters_get_the_national_forms_of_the_locale() {
        for locale in ["ja", "ja-JP", "ja_JP.UTF-8", "en-US", ""] {
            assert_eq!(han(locale), JAPANESE, "{locale}");
        }
        assert_eq!(han("zh-CN"), SIMPLIFIED);
        assert_eq!(han("zh-Hans-SG"), SIMPLIFIED);
        assert_eq!(han("zh-TW"), TRADITIONAL);
        assert_eq!(han("zh_TW.UTF-8"), TRADITIONAL);
        assert_eq!(han("zh-Hant"), TRADITIONAL);
        assert_eq!(han("zh-Hant-HK"), HONG_KONG);
        assert_eq!(han("ko-KR"), KOREAN);
    }
}
