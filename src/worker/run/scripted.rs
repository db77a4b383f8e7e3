//! What by virtual time stands for every target but the demo: nothing outside is looked for or contacted, and each
//! kind of target fails in the one way that pictures are made of. The tests of the transports make these failures for
//! real.

use crate::contract::{Failure, FailureKind, Target};

/// A missing program; a token that is refused; without a token, a certificate that nobody vouches for.
pub(super) fn failure(target: &Target) -> Failure {
    let kind = match target {
        Target::Stdio { program, .. } => FailureKind::ProgramMissing { program: program.display().to_string() },
        Target::WebSocket { token_file: Some(_), .. } => FailureKind::HttpStatus { status: 401 },
        Target::WebSocket { token_file: None, .. } => {
            FailureKind::Tls { why: "the server's certificate comes from an unknown issuer".to_owned() }
        }
        Target::Demo { scenario } => {
            FailureKind::NotAnAppServer { why: format!("the scenario {scenario} is played elsewhere") }
        }
    };
    Failure { kind, detail: String::new(), stderr: Vec::new() }
}
