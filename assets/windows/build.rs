//! Puts icon, version and manifest into the Windows program; does nothing for other targets.

use std::env;
use std::io;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=assets/windows");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("windows") {
        return Ok(());
    }
    let mut resource = winresource::WindowsResource::new();
    resource
        .set_icon("assets/windows/rejoin.ico")
        .set_manifest_file("assets/windows/rejoin.manifest")
        .set("ProductName", "Rejoin")
        .set("FileDescription", "Rejoin")
        .set("OriginalFilename", "rejoin.exe")
        .set("LegalCopyright", "MIT OR Apache-2.0");
    // From another system the tools carry the target's name.
    if env::var("HOST").is_ok_and(|host| !host.contains("windows")) {
        resource.set_windres_path("x86_64-w64-mingw32-windres").set_ar_path("x86_64-w64-mingw32-ar");
    }
    resource.compile()
}
