//! Settings and profiles on a real disk: nothing is lost, mixed or overwritten.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rejoin::settings::{Connection, Loaded, Motion, Notice, Profile, Profiles, SendKey, Settings, Store, Theme};

fn store(dir: &Path) -> Store {
    Store::open(Some(dir.into())).unwrap()
}

fn write(dir: &Path, file: &str, text: impl AsRef<[u8]>) {
    fs::write(dir.join(file), text).unwrap();
}

fn read(dir: &Path, file: &str) -> String {
    fs::read_to_string(dir.join(file)).unwrap()
}

fn remote(name: &str) -> Profile {
    let url = format!("wss://{name}.example/");
    Profile::new(name, Connection::Remote { url, token_file: Some("token".into()), ca_file: None })
}

#[test]
fn without_files_there_are_defaults_and_reading_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let settings = dir.path().join("none");
    let loaded: Loaded<Settings> = store(&settings).load().unwrap();
    assert_eq!(loaded, Loaded::default());
    assert!(!settings.exists());
}

#[test]
fn what_is_saved_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir.path().join("a b/ü"));
    let saved = store
        .edit(|settings: &mut Settings| {
            settings.theme = Theme::HighContrast;
            settings.zoom = 150;
            settings.codex = Some("/opt/my codex/ü".into());
        })
        .unwrap();
    assert_eq!(saved.revision, 1);
    assert_eq!(store.load::<Settings>().unwrap(), saved);
    store.edit(|settings: &mut Settings| settings.codex = None).unwrap();
    assert_eq!(store.load::<Settings>().unwrap().value.codex, None);

    let local = Connection::Local { codex: None, cwd: Some("/src".into()) };
    let saved = store
        .edit(|profiles: &mut Profiles| {
            profiles.put(remote("box"));
            profiles.put(Profile::new("here", local));
            profiles.selected = Some("box".into());
        })
        .unwrap();
    assert_eq!(store.load::<Profiles>().unwrap(), saved);
}

#[test]
fn a_profile_gets_a_new_revision_when_it_changes_and_only_then() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    store.edit(|profiles: &mut Profiles| profiles.put(remote("a"))).unwrap();
    store.edit(|profiles: &mut Profiles| profiles.put(remote("b"))).unwrap();
    let edited = store.edit(|profiles: &mut Profiles| profiles.list[0].enabled = false).unwrap();
    let revisions: Vec<_> = edited.value.list.iter().map(|profile| profile.revision).collect();
    assert_eq!(revisions, [3, 2]);
    let same = store.edit(|profiles: &mut Profiles| profiles.put(remote("b"))).unwrap();
    assert_eq!(same.revision, 3, "the same content is no edit");
    // Removed and made again it is another one, even with the same content.
    store.edit(|profiles: &mut Profiles| profiles.remove("b")).unwrap();
    let again = store.edit(|profiles: &mut Profiles| profiles.put(remote("b"))).unwrap();
    assert_eq!(again.value.get("b").map(|profile| profile.revision), Some(5));
}

#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path()).edit(|settings: &mut Settings| settings.zoom = 100).unwrap();
    assert!(!dir.path().join("settings.toml").exists());
}

#[test]
fn words_and_keys_of_a_newer_version_are_said_and_survive_an_edit() {
    let dir = tempfile::tempdir().unwrap();
    let newer = "version = 7\ntheme = \"sepia\"\nzoom = 120\nhover = true\n[panes]\nleft = 3\n";
    write(dir.path(), "settings.toml", newer);
    let loaded = store(dir.path()).edit(|settings: &mut Settings| settings.send_key = SendKey::Enter).unwrap();
    assert_eq!((loaded.value.theme, loaded.value.zoom), (Theme::System, 120));
    assert!(loaded.notices.contains(&Notice::Newer { file: "settings.toml" }));
    assert!(loaded.notices.contains(&Notice::Field { file: "settings.toml", key: "theme".into() }));
    let text = read(dir.path(), "settings.toml");
    for kept in ["version = 7", "theme = \"sepia\"", "hover = true", "left = 3", "send-key = \"enter\""] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
}

#[test]
fn profiles_of_a_newer_version_survive_an_edit() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "profiles.toml",
        "[[profile]]\nname = \"cloud\"\nkind = \"hologram\"\nbeam = 4\n\
         [[profile]]\nname = \"box\"\nkind = \"remote\"\nurl = \"wss://box.example\"\ncolour = \"red\"\n",
    );
    let loaded = store(dir.path()).edit(|profiles: &mut Profiles| profiles.put(remote("box"))).unwrap();
    assert_eq!(loaded.notices, [Notice::Profile { name: "cloud".into() }]);
    let text = read(dir.path(), "profiles.toml");
    for kept in ["hologram", "beam = 4", "colour = \"red\"", "wss://box.example/"] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
}

#[test]
fn a_broken_file_is_kept_aside_under_a_free_name_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let broken: [&[u8]; 3] = [b"theme = \"da", b"\xff\xfe", b"a = 1\na = 2"];
    for (n, text) in broken.iter().enumerate() {
        write(dir.path(), "settings.toml", text);
        let loaded: Loaded<Settings> = store(dir.path()).load().unwrap();
        assert_eq!(loaded.value, Settings::default());
        let kept = dir.path().join(format!("settings.toml.broken-{}", n + 1));
        assert_eq!(fs::read(&kept).unwrap(), *text);
        let words = loaded.notices[0].to_string();
        assert!(words.contains(&kept.display().to_string()), "{words}");
    }
    write(dir.path(), "settings.toml", "zoom =");
    store(dir.path()).edit(|settings: &mut Settings| settings.zoom = 90).unwrap();
    assert_eq!(read(dir.path(), "settings.toml.broken-4"), "zoom =");
}

#[test]
fn an_unwritable_place_is_an_error_in_words_and_the_file_stays() {
    let dir = tempfile::tempdir().unwrap();
    // A file where the folder should be: refused on every system and also for root.
    let file = dir.path().join("settings");
    fs::write(&file, "mine").unwrap();
    let error = store(&file).edit(|settings: &mut Settings| settings.zoom = 90).unwrap_err().to_string();
    assert!(error.contains("cannot be written") && error.contains("unchanged"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_lock_that_is_not_released_is_said_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let lock = fs::File::create(dir.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    let error = store(dir.path()).edit(|settings: &mut Settings| settings.zoom = 90).unwrap_err().to_string();
    assert!(error.contains("another Rejoin is busy"), "{error}");
    assert!(!dir.path().join("settings.toml").exists());
}

const EDITS: u16 = 40;

/// One process' edits of one field; the other fields belong to the others.
fn edit_one_field(dir: &Path, which: &str) {
    for n in 1..=EDITS {
        store(dir)
            .edit(|settings: &mut Settings| match which {
                "zoom" => settings.zoom = 100 + n,
                "transcript" => settings.transcript_zoom = 100 + n,
                _ => settings.reduced_motion = if n % 2 == 0 { Motion::On } else { Motion::Off },
            })
            .unwrap();
        store(dir).edit(|profiles: &mut Profiles| profiles.put(remote(&format!("{which}-{n}")))).unwrap();
        assert_eq!(store(dir).load::<Settings>().unwrap().notices, [], "a reader never sees half a file");
    }
}

#[test]
fn edits_of_several_processes_are_all_there_afterwards() {
    const CHILD: &str = "REJOIN_TEST_SETTINGS_CHILD";
    if let Ok(task) = std::env::var(CHILD) {
        let (which, dir) = task.split_once(' ').expect("the parent wrote it");
        return edit_one_field(Path::new(dir), which);
    }
    let dir = tempfile::tempdir().unwrap();
    let fields = ["zoom", "transcript", "motion"];
    let children = fields.map(|field| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "settings::edits_of_several_processes_are_all_there_afterwards"])
            .env(CHILD, format!("{field} {}", dir.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let settings: Loaded<Settings> = store(dir.path()).load().unwrap();
    assert_eq!(settings.revision, u64::from(EDITS) * 3);
    assert_eq!(settings.value.zoom, 100 + EDITS);
    assert_eq!(settings.value.transcript_zoom, 100 + EDITS);
    assert_eq!(settings.value.reduced_motion, Motion::On);
    let profiles: Loaded<Profiles> = store(dir.path()).load().unwrap();
    assert_eq!(profiles.value.list.len(), usize::from(EDITS) * 3);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "only the two files and the lock: {left:?}");
}
