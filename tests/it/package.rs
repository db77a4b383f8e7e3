//! The zip for Windows users: what is in it, and that its sums hold.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn run(program: &str, dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(dir).output().expect("the program starts");
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_zip_holds_the_program_its_licences_and_true_sums_and_is_made_the_same_twice() {
    let there = |tool: &str| Command::new(tool).arg("-v").output().is_ok();
    if !there("zip") || !there("unzip") {
        assert!(std::env::var_os("REJOIN_REQUIRE_CODEX").is_none(), "zip and unzip are missing");
        eprintln!("SKIPPED: zip and unzip are not installed, the Windows zip was not made");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("a program.exe");
    std::fs::write(&program, b"MZ not a real one").unwrap();
    let program = program.to_str().unwrap();
    for zip in ["one.zip", "two.zip"] {
        run(root.join(".ci/package").to_str().unwrap(), dir.path(), &[program, zip]);
    }
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("one.zip") == bytes("two.zip"), "the same inputs gave two different zips");

    let folder = format!("rejoin-{}-windows-x86_64", env!("CARGO_PKG_VERSION"));
    let list = run("unzip", dir.path(), &["-Z1", "one.zip"]);
    let expected: BTreeSet<String> = [
        "CHANGELOG.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "SHA256SUMS",
        "assets/fonts/OFL.txt",
        "assets/fonts/README.md",
        "rejoin.exe",
        "screenshots/reading.light.480x900.png",
        "screenshots/streaming.dark.480x900.png",
    ]
    .map(|name| format!("{folder}/{name}"))
    .into();
    assert_eq!(list.lines().map(str::to_owned).collect::<BTreeSet<_>>(), expected);

    run("unzip", dir.path(), &["-q", "one.zip"]);
    let sums = run("sha256sum", &dir.path().join(&folder), &["--check", "SHA256SUMS"]);
    assert_eq!(sums.lines().count(), expected.len() - 1, "{sums}");
}
