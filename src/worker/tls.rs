//! TLS for `wss`: the platform's roots, an optional file of further ones, no bypass, failures in words.

use std::io::Read;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{AlertDescription, CertificateError, ClientConfig, InvalidMessage, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::base::limit;
use crate::contract::{Failure, FailureKind};

use super::transport::failure;

/// Reads the roots that certificates are checked against. Blocks on files.
pub fn config(ca_file: Option<&Path>) -> Result<Arc<ClientConfig>, Failure> {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    // A platform's store may hold certificates that cannot be read; the others still count.
    roots.add_parsable_certificates(native.certs);
    if let Some(path) = ca_file {
        add_file(&mut roots, path)?;
    }
    if roots.is_empty() {
        let why = "this system has no root certificates; name a CA file".to_owned();
        let errors: Vec<_> = native.errors.iter().map(ToString::to_string).collect();
        return Err(failure(FailureKind::Tls { why }, &errors.join("\n")));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failure(FailureKind::Tls { why: "it cannot be set up".to_owned() }, &error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), Failure> {
    let refuse = |why: &str, detail: &str| {
        failure(FailureKind::CaFile { path: path.display().to_string(), why: why.to_owned() }, detail)
    };
    let mut pem = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(limit::CA_FILE + 1).read_to_end(&mut pem))
        .map_err(|error| refuse(read_error_words(&error), &error.to_string()))?;
    if pem.len() as u64 > limit::CA_FILE {
        return Err(refuse("is larger than 4 MiB", ""));
    }
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| refuse("is no valid PEM file", &error.to_string()))?;
        roots.add(certificate).map_err(|error| refuse("holds an unreadable certificate", &error.to_string()))?;
        count += 1;
    }
    if count == 0 { Err(refuse("holds no PEM certificate", "")) } else { Ok(()) }
}

/// Why a file could not be read, to follow its name.
pub(super) fn read_error_words(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "does not exist",
        std::io::ErrorKind::PermissionDenied => "may not be read",
        std::io::ErrorKind::IsADirectory => "is a directory",
        _ => "cannot be read",
    }
}

/// What the server has to prove to be: a name or an address.
pub fn server_name(host: &str) -> Result<ServerName<'static>, Failure> {
    match host.parse::<IpAddr>() {
        Ok(address) => Ok(ServerName::IpAddress(address.into())),
        Err(_) => ServerName::try_from(host.to_owned()).map_err(|error| {
            failure(FailureKind::BadUrl { why: "its host is no valid name".to_owned() }, &error.to_string())
        }),
    }
}

/// Shakes hands with the server that must prove to be `host`.
pub(super) async fn connect(
    config: Arc<ClientConfig>,
    host: &str,
    stream: TcpStream,
) -> Result<TlsStream<TcpStream>, Failure> {
    let name = server_name(host)?;
    TlsConnector::from(config).connect(name, stream).await.map_err(|error| failed(&error, host))
}

/// An error of a TLS stream: TLS itself, or the connection below.
pub fn failed(error: &std::io::Error, host: &str) -> Failure {
    let kind = match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(error) => FailureKind::Tls { why: words(error, host) },
        None => FailureKind::ConnectionLost,
    };
    failure(kind, &error.to_string())
}

fn words(error: &rustls::Error, host: &str) -> String {
    match error {
        rustls::Error::InvalidCertificate(certificate) => certificate_words(certificate, host),
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the server does not speak TLS there".into()
        }
        rustls::Error::NoCertificatesPresented => "the server shows no certificate".into(),
        rustls::Error::PeerIncompatible(_) => "the server offers no TLS version or cipher that is safe".into(),
        rustls::Error::AlertReceived(alert) => match alert {
            AlertDescription::CertificateRequired => "the server asks for a client certificate".into(),
            AlertDescription::UnrecognisedName => format!("the server does not know the name {host}"),
            AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure => {
                "the server offers no TLS version or cipher that is safe".into()
            }
            other => format!("the server refused ({other:?})"),
        },
        _ => "the handshake failed".into(),
    }
}

fn certificate_words(error: &CertificateError, host: &str) -> String {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired".into()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet; check this computer's clock".into()
        }
        CertificateError::UnknownIssuer => "the server's certificate comes from an unknown issuer".into(),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("the server's certificate is not for {host}")
        }
        CertificateError::Revoked => "the server's certificate was revoked".into(),
        CertificateError::BadSignature => "the server's certificate is forged or damaged".into(),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the server's certificate is not for a server".into()
        }
        _ => "the server's certificate is not valid".into(),
    }
}
