//! Pictures as files: whoever looks at the path sees the old file or the whole new one.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::driver::Shot;

/// Writes a PNG beside `path` and puts it there in one step.
///
/// # Errors
/// When the folder cannot be written to, or when something other than a file is at `path`. Then nothing changed.
pub(super) fn save(shot: &Shot, path: &Path) -> io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if target.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("it is not a file"));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As any new file; the umask takes away from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    let mut output = BufWriter::new(file.as_file_mut());
    shot.write_png(&mut output)?;
    output.flush()?;
    drop(output);
    file.persist(&target).map_err(|failed| failed.error)?;
    Ok(())
}
