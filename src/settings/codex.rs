//! Where a Codex program may be, and which versions of it are known to work.
//!
//! Pure: the environment and the question "is there a file?" come from the caller, and paths are
//! text, so that Windows' places are tested on Linux too.

use std::path::Path;

/// Oldest version the tests run against.
pub const OLDEST: [u32; 3] = [0, 155, 1];
/// The version Rejoin is written for.
pub const TARGET: [u32; 3] = [0, 159, 1];
/// Newest version the tests run against.
pub const NEWEST: [u32; 3] = [0, 171, 0];

/// What decides where programs lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Unix,
    Windows,
}

/// A found program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Absolute path.
    pub path: String,
    /// The kind of place, for the screen: `PATH`, `npm`, `winget`, ...
    pub place: &'static str,
}

/// How a version relates to the tested ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Older than [`OLDEST`].
    TooOld,
    /// Within the tested range.
    Tested,
    /// Newer than [`NEWEST`]: expected to work, not tried.
    NotTriedYet,
}

/// All Codex programs of this machine, the one a shell would start first.
pub fn find() -> Vec<Found> {
    let platform = if cfg!(windows) { Platform::Windows } else { Platform::Unix };
    let env = |name: &str| std::env::var(name).ok();
    candidates(platform, &env).into_iter().filter(|found| Path::new(&found.path).is_file()).collect()
}

/// Every path worth a look, in order, each once. `env` is the environment.
///
/// Entries of PATH that are not absolute are skipped: a program in the current directory is never run.
pub fn candidates(platform: Platform, env: &dyn Fn(&str) -> Option<String>) -> Vec<Found> {
    let (separator, names): (char, &[&str]) = match platform {
        Platform::Unix => (':', &["codex"]),
        // As a shell would with PATHEXT. The extensionless npm script is for Unix shells only.
        Platform::Windows => (';', &["codex.exe", "codex.cmd", "codex.bat"]),
    };
    let path = env("PATH").or_else(|| env("Path")).unwrap_or_default();
    let on_path = path.split(separator).map(|dir| ("PATH", dir.trim_matches('"').to_owned()));
    let elsewhere = places(platform, env);
    let mut found: Vec<Found> = Vec::new();
    for (place, dir) in on_path.chain(elsewhere) {
        if !is_absolute(platform, &dir) {
            continue;
        }
        for name in names {
            let path = join(platform, &dir, name);
            if !found.iter().any(|other| same(platform, &other.path, &path)) {
                found.push(Found { path, place });
            }
        }
    }
    found
}

/// The version in the output of `codex --version` (`codex-cli 0.159.1`).
pub fn version(output: &str) -> Option<[u32; 3]> {
    output.split_whitespace().find_map(|word| {
        let core = word.trim_start_matches('v').split(['-', '+']).next().unwrap_or_default();
        let mut parts = core.split('.').map(|part| part.parse().ok());
        let version = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(version)
    })
}

/// How a version relates to the tested ones.
pub fn support(version: [u32; 3]) -> Support {
    if version < OLDEST {
        Support::TooOld
    } else if version <= NEWEST {
        Support::Tested
    } else {
        Support::NotTriedYet
    }
}

/// `0.159.1`.
pub fn display(version: [u32; 3]) -> String {
    let [major, minor, patch] = version;
    format!("{major}.{minor}.{patch}")
}

/// Where installers put programs, also when PATH does not say so (a window started by the desktop
/// often has a shorter PATH than a shell).
fn places(platform: Platform, env: &dyn Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
    let table: &[(&str, &str, &str)] = match platform {
        Platform::Unix => &[
            ("npm", "npm_config_prefix", "/bin"),
            ("npm", "NPM_CONFIG_PREFIX", "/bin"),
            ("npm", "HOME", "/.npm-global/bin"),
            ("npm", "HOME", "/.npm-packages/bin"),
            ("user", "HOME", "/.local/bin"),
            ("Volta", "HOME", "/.volta/bin"),
            ("Bun", "HOME", "/.bun/bin"),
            ("pnpm", "PNPM_HOME", ""),
            ("pnpm", "HOME", "/.local/share/pnpm"),
            ("Cargo", "HOME", "/.cargo/bin"),
            ("system", "", "/usr/local/bin"),
            ("system", "", "/usr/bin"),
            ("Homebrew", "", "/home/linuxbrew/.linuxbrew/bin"),
            ("Homebrew", "", "/opt/homebrew/bin"),
        ],
        Platform::Windows => &[
            ("npm", "npm_config_prefix", ""),
            ("npm", "APPDATA", r"\npm"),
            ("winget", "LOCALAPPDATA", r"\Microsoft\WinGet\Links"),
            ("winget", "ProgramFiles", r"\WinGet\Links"),
            ("Store", "LOCALAPPDATA", r"\Microsoft\WindowsApps"),
            ("user", "LOCALAPPDATA", r"\Programs\codex"),
            ("user", "LOCALAPPDATA", r"\Programs\OpenAI\Codex\bin"),
            ("Scoop", "USERPROFILE", r"\scoop\shims"),
            ("Volta", "LOCALAPPDATA", r"\Volta\bin"),
            ("pnpm", "LOCALAPPDATA", r"\pnpm"),
            ("Bun", "USERPROFILE", r"\.bun\bin"),
            ("Cargo", "USERPROFILE", r"\.cargo\bin"),
            ("Chocolatey", "ProgramData", r"\chocolatey\bin"),
        ],
    };
    let base = |variable: &str| if variable.is_empty() { Some(String::new()) } else { env(variable) };
    table.iter().filter_map(|(place, variable, below)| Some((*place, base(variable)? + below))).collect()
}

fn is_absolute(platform: Platform, dir: &str) -> bool {
    match platform {
        Platform::Unix => dir.starts_with('/'),
        Platform::Windows => {
            let drive = dir.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
                && matches!(dir.as_bytes().get(1..3), Some(b":\\" | b":/"));
            drive || dir.starts_with(r"\\")
        }
    }
}

fn join(platform: Platform, dir: &str, name: &str) -> String {
    match platform {
        Platform::Unix => format!("{}/{name}", dir.trim_end_matches('/')),
        Platform::Windows => format!(r"{}\{name}", dir.trim_end_matches(['\\', '/'])),
    }
}

fn same(platform: Platform, a: &str, b: &str) -> bool {
    match platform {
        Platform::Unix => a == b,
        Platform::Windows => a.eq_ignore_ascii_case(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(platform: Platform, env: &[(&str, &str)]) -> Vec<String> {
        let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        candidates(platform, &env).into_iter().map(|found| found.path).collect()
    }

    #[test]
    fn the_path_comes_first_and_relative_entries_are_never_looked_at() {
        let found = paths(Platform::Unix, &[("PATH", "/a/bin::.:bin:/b/"), ("HOME", "/home/me")]);
        assert_eq!(found[..2], ["/a/bin/codex", "/b/codex"]);
        assert!(found.contains(&"/home/me/.npm-global/bin/codex".into()));
        assert!(found.iter().all(|path| path.starts_with('/')), "{found:?}");
    }

    #[test]
    fn a_place_that_is_on_the_path_too_is_listed_once() {
        let found = paths(Platform::Unix, &[("PATH", "/usr/bin:/usr/local/bin")]);
        assert_eq!(found.iter().filter(|path| *path == "/usr/bin/codex").count(), 1);
        let windows =
            paths(Platform::Windows, &[("Path", r"c:\users\me\appdata\NPM"), ("APPDATA", r"C:\Users\me\AppData")]);
        assert_eq!(
            windows.iter().filter(|path| path.eq_ignore_ascii_case(r"C:\Users\me\AppData\npm\codex.cmd")).count(),
            1
        );
    }

    #[test]
    fn windows_places_of_npm_and_winget_are_known_and_the_unix_script_is_not_offered() {
        let found = paths(
            Platform::Windows,
            &[
                ("PATH", r#"C:\Windows;"D:\Program Files\x\";\rooted;tools;C:relative;\\server\share"#),
                ("APPDATA", r"C:\Users\Zoë\AppData\Roaming"),
                ("LOCALAPPDATA", r"C:\Users\Zoë\AppData\Local"),
            ],
        );
        for path in [
            r"D:\Program Files\x\codex.exe",
            r"\\server\share\codex.cmd",
            r"C:\Users\Zoë\AppData\Roaming\npm\codex.cmd",
            r"C:\Users\Zoë\AppData\Local\Microsoft\WinGet\Links\codex.exe",
        ] {
            assert!(found.contains(&path.into()), "{path} is not in {found:#?}");
        }
        assert!(found.iter().all(|path| !path.ends_with("codex")));
        assert!(
            !found.iter().any(|path| path.contains("tools") || path.contains("rooted") || path.contains("relative"))
        );
    }

    #[test]
    fn the_version_is_read_and_compared_by_number() {
        assert_eq!(version("codex-cli 0.159.1\n"), Some([0, 159, 1]));
        assert_eq!(version("codex v1.2.3-alpha.4"), Some([1, 2, 3]));
        assert_eq!(version("no version 1.2 here"), None);
        assert_eq!(support([0, 99, 9]), Support::TooOld);
        assert_eq!(support(TARGET), Support::Tested);
        assert_eq!(support([0, 171, 1]), Support::NotTriedYet);
    }
}
