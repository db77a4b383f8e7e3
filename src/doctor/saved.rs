//! The settings folder, its files, and what the profiles name.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::Finding;
use crate::base::limit;
use crate::settings::{self, Connection, Profile, Store};

/// Whether settings can be saved.
pub(super) fn folder(store: &Store, findings: &mut Vec<Finding>) {
    let dir = store.dir();
    if !dir.exists() {
        findings.push(Finding::ok("Settings", format!("none yet; they will be in {}", dir.display())));
        return;
    }
    match tempfile::NamedTempFile::new_in(dir) {
        Ok(_removed) => findings.push(Finding::ok("Settings", format!("in {}", dir.display()))),
        Err(error) => findings.push(Finding::problem(
            "Settings",
            format!("{} cannot be written ({error})", dir.display()),
            "Correct the folder's permissions, or give another one with --settings.",
        )),
    }
}

/// What is to be said about one of the two files; broken ones are reported, not moved.
pub(super) fn file<D: settings::Document>(store: &Store, about: &str, findings: &mut Vec<Finding>) -> D {
    match store.inspect::<D>() {
        Ok(loaded) => {
            let advice = "Correct the file, or set it again in Rejoin.";
            findings.extend(loaded.notices.iter().map(|notice| Finding::warning(about, notice, advice)));
            loaded.value
        }
        Err(error) => {
            findings.push(Finding::problem(about, error, "Correct the file's permissions."));
            D::default()
        }
    }
}

/// What a profile names: endpoint, token file, CA file, program, directory.
pub(super) fn profile(profile: &Profile) -> Vec<Finding> {
    let about = format!("Profile \"{}\"", profile.name);
    let mut findings = Vec::new();
    match &profile.connection {
        Connection::Local { codex, cwd } => {
            if let Some(program) = codex.as_deref().filter(|program| !program.is_file()) {
                let found = format!("there is no {}", program.display());
                findings.push(Finding::problem(&about, found, "Choose the Codex program again."));
            }
            if let Some(dir) = cwd.as_deref().filter(|dir| !dir.is_dir()) {
                let found = format!("there is no folder {}", dir.display());
                findings.push(Finding::problem(&about, found, "Choose the directory again."));
            }
        }
        Connection::Remote { url, token_file, ca_file } => {
            if let Err(why) = settings::endpoint(url) {
                findings.push(Finding::problem(&about, why, "Correct the address."));
            }
            findings.extend(token_file.as_deref().and_then(|path| token(&about, path)));
            findings.extend(ca_file.as_deref().and_then(|path| ca(&about, path)));
        }
    }
    if findings.is_empty() {
        let found = if profile.enabled { "complete" } else { "complete, disabled" };
        findings.push(Finding::ok(about, found));
    }
    findings
}

/// Readable and of a sensible size. The content stays where it is.
fn token(about: &str, path: &Path) -> Option<Finding> {
    let size = File::open(path).and_then(|file| file.metadata()).map(|data| (data.is_file(), data.len()));
    let (found, advice) = match size {
        Err(error) => (format!("the token file {} cannot be read ({error})", path.display()), "Choose the file again."),
        Ok((false, _)) => (format!("{} is not a file", path.display()), "Choose the token file again."),
        Ok((true, 0)) => (format!("the token file {} is empty", path.display()), "Write the token into it."),
        Ok((true, size)) if size > limit::TOKEN_FILE => (
            format!("{} has {size} bytes, too many for a token", path.display()),
            "A token file has at most 16 KiB. Choose the file again.",
        ),
        Ok((true, _)) => return None,
    };
    Some(Finding::problem(about, found, advice))
}

/// Holds certificates in PEM form.
fn ca(about: &str, path: &Path) -> Option<Finding> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit::SETTINGS_FILE).read_to_end(&mut bytes));
    if let Err(error) = read {
        let found = format!("the CA file {} cannot be read ({error})", path.display());
        return Some(Finding::problem(about, found, "Choose the file again."));
    }
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match certificates {
        Ok(list) if !list.is_empty() => None,
        Ok(_) | Err(_) => Some(Finding::problem(
            about,
            format!("the CA file {} holds no readable certificate", path.display()),
            "It must be PEM text (-----BEGIN CERTIFICATE-----). Choose the file again.",
        )),
    }
}
