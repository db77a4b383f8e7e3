//! The command line: what each form means, and what is refused in which words.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use rejoin::cli::{self, Target};
use rejoin::settings::Theme;

use crate::kit::certificates::{Authority, Validity};

fn parse(line: &str) -> Result<cli::Command, String> {
    let words = std::iter::once("rejoin").chain(line.split_whitespace()).map(Into::into);
    cli::parse(words).map_err(|error| error.to_string())
}

fn start(line: &str) -> cli::Start {
    match parse(line) {
        Ok(cli::Command::Window(start)) => start,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn without_arguments_there_is_a_window_and_no_connection() {
    assert_eq!(start(""), cli::Start::default());
}

#[test]
fn each_way_to_connect_is_a_target() {
    let codex = |path: &str| Some(Target::Codex(Some(path.into())));
    assert_eq!(start("--codex /opt/codex").target, codex("/opt/codex"));
    assert_eq!(start("--cwd src").target, Some(Target::Codex(None)));
    assert_eq!(start("--profile work").target, Some(Target::Profile("work".into())));
    assert_eq!(start("--demo").target, Some(Target::Demo(cli::DEMO.into())));
    assert_eq!(start("--demo approval").target, Some(Target::Demo("approval".into())));
    assert_eq!(
        start("--ws wss://host.example --token-file t --ca-file c --cwd /srv").target,
        Some(Target::Server {
            url: "wss://host.example/".into(),
            token_file: Some("t".into()),
            ca_file: Some("c".into()),
        })
    );
    assert_eq!(start("--ws ws://[::1]:4500 --cwd /srv").cwd, Some("/srv".into()));
    let options = start("--theme high-contrast --settings here");
    assert_eq!((options.theme, options.settings), (Some(Theme::HighContrast), Some("here".into())));
}

#[test]
fn what_contradicts_itself_is_refused_and_names_both_options() {
    for (line, words) in [
        ("--codex a --ws wss://host.example", ["--codex", "--ws"]),
        ("--ws wss://host.example --demo", ["--ws", "--demo"]),
        ("--codex a --demo x", ["--codex", "--demo"]),
        ("--profile p --demo", ["--profile", "--demo"]),
        ("--token-file t", ["--ws", "required"]),
        ("--codex a --ca-file c", ["--ca-file", "--codex"]),
        ("drive --virtual-time", ["--demo", "required"]),
        ("--ws ws://host.example", ["this machine only", "wss://"]),
        ("--ws wss://me:pw@host.example", ["token file", "--ws"]),
        ("--theme pink", ["high-contrast", "--theme"]),
        ("drive --size 4x4", ["WIDTHxHEIGHT", "--size"]),
        ("drive --scale 9", ["0.5 to 4", "--scale"]),
        ("demo-server --listen ws://0.0.0.0:1", ["this machine only", "--listen"]),
        ("--theme dark worker", ["--theme", "cannot be used with"]),
    ] {
        let error = parse(line).expect_err(line);
        assert!(words.iter().all(|word| error.contains(word)), "{line}: {error}");
    }
}

#[test]
fn drive_takes_the_options_of_the_window_and_its_own() {
    let Ok(cli::Command::Drive(drive)) = parse("drive --demo --size 360x640 --scale 1.5 --virtual-time --theme dark")
    else {
        panic!()
    };
    assert_eq!((drive.size, drive.scale, drive.virtual_time), ((360, 640), 1.5, true));
    assert_eq!((drive.start.target, drive.start.theme), (Some(Target::Demo(cli::DEMO.into())), Some(Theme::Dark)));
}

#[test]
fn the_help_lists_every_command_of_the_readme() {
    let help = parse("--help").unwrap_err();
    for command in ["worker", "demo-server", "drive", "doctor"] {
        assert!(help.contains(command), "{command} is not in\n{help}");
    }
}

/// `rejoin doctor` on an empty machine: no PATH, no home, settings in `dir`.
fn doctor(dir: &std::path::Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rejoin"))
        .args(["doctor", "--settings"])
        .arg(dir)
        .args(arguments)
        .env("PATH", "")
        .env_remove("HOME")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

#[test]
fn doctor_names_each_problem_what_to_do_and_no_secret() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string().replace('\\', "/")
    };
    let token = file("token", "canary-7f3a");
    let ca = file("ca.pem", "canary-7f3a is no certificate");
    file(
        "profiles.toml",
        &format!(
            "[[profile]]\nname = \"box\"\nkind = \"remote\"\nurl = \"ws://box.example\"\n\
             token-file = \"{token}\"\nca-file = \"{ca}\"\n\
             [[profile]]\nname = \"here\"\nkind = \"local\"\ncodex = \"/no/such/codex\"\n"
        ),
    );
    file("settings.toml", "theme = ");
    let output = doctor(dir.path(), &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "problem  Profile \"box\": ws:// is for this machine only",
        "ca.pem holds no readable certificate",
        "problem  Profile \"here\": there is no /no/such/codex",
        "warning  Settings: settings.toml could not be read",
        "-> Choose the Codex program again.",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert!(!text.contains("canary"), "{text}");
    assert_eq!(output.status.code(), Some(1));
    assert!(dir.path().join("settings.toml").exists(), "doctor changes nothing");

    let json = doctor(dir.path(), &["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).expect("one JSON object");
    assert!(report["findings"].as_array().is_some_and(|list| list.iter().any(|one| one["level"] == "problem")));
}

#[test]
fn doctor_asks_the_health_endpoints_only_when_told_to() {
    let dir = tempfile::tempdir().unwrap();
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    };
    let profile = format!("[[profile]]\nname = \"box\"\nkind = \"remote\"\nurl = \"ws://127.0.0.1:{port}\"\n");
    std::fs::write(dir.path().join("profiles.toml"), profile).unwrap();
    let quiet = String::from_utf8(doctor(dir.path(), &[]).stdout).unwrap();
    assert!(quiet.contains("ok       Profile \"box\": complete"), "{quiet}");
    let asked = String::from_utf8(doctor(dir.path(), &["--connect"]).stdout).unwrap();
    assert!(asked.contains("problem  Profile \"box\": /healthz"), "{asked}");
}

/// Answers every request with 200, once per handshake, as long as the test runs.
fn healthy(config: Arc<rustls::ServerConfig>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            // A client that refuses the certificate ends the handshake.
            if stream.read(&mut [0; 1024]).is_ok() {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            }
        }
    });
    port
}

#[test]
fn doctor_asks_a_wss_server_with_the_profiles_ca_file_and_tells_why_it_is_not_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    authority.write(&dir.path().join("ca.pem"));
    let ca = dir.path().join("ca.pem").display().to_string().replace('\\', "/");
    let profile = |name: &str, port: u16, ca: &str| {
        format!("[[profile]]\nname = \"{name}\"\nkind = \"remote\"\nurl = \"wss://localhost:{port}\"\n{ca}\n")
    };
    let good = healthy(authority.server("localhost", Validity::Now));
    let past = healthy(authority.server("localhost", Validity::Past));
    Authority::new().write(&dir.path().join("other.pem"));
    let with_ca = format!("ca-file = \"{ca}\"");
    let with_other = with_ca.replace("ca.pem", "other.pem");
    let text =
        profile("good", good, &with_ca) + &profile("past", past, &with_ca) + &profile("unknown", good, &with_other);
    std::fs::write(dir.path().join("profiles.toml"), text).unwrap();
    let text = String::from_utf8(doctor(dir.path(), &["--connect"]).stdout).unwrap();
    for words in [
        "ok       Profile \"good\": /healthz says 200",
        "ok       Profile \"good\": /readyz says 200",
        "Profile \"past\": /healthz: TLS failed: the server's certificate has expired",
        "Profile \"unknown\": /readyz: TLS failed: the server's certificate comes from an unknown issuer",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
}
