//! Encryption, with as much checking of the server as was asked for.

use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use super::address::Trust;
use super::socket::Socket;
use crate::base::input;

/// A file of authorities needs no more: those of a whole system have half a megabyte.
const LARGEST: u64 = 16 << 20;

/// The settings of all encrypted connections to one database.
///
/// # Errors
/// What is wrong with the authorities, in words.
pub(super) fn settings(trust: Trust, authorities: Option<&Path>) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let check = match (trust, authorities) {
        // As PostgreSQL's own programs do: a file of authorities is there to be used.
        (Trust::Require, Some(_)) | (Trust::VerifyAuthority, _) => Check::Authority,
        (Trust::VerifyFull, _) => Check::Full,
        (Trust::Prefer | Trust::Disable | Trust::Require, _) => Check::Nothing,
    };
    let verifier: Arc<dyn ServerCertVerifier> = match check {
        Check::Nothing => Arc::new(AnyName { vouching: None, provider }),
        Check::Authority | Check::Full => {
            let roots = Arc::new(roots(authorities)?);
            let full = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider))
                .build()
                .map_err(|error| error.to_string())?;
            if check == Check::Full { full } else { Arc::new(AnyName { vouching: Some(full), provider }) }
        }
    };
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Nothing,
    Authority,
    Full,
}

fn roots(authorities: Option<&Path>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(path) => {
            let unreadable = |error: &dyn fmt::Display| format!("`sslrootcert` cannot be read: {error}");
            let pem = input::bytes(path, LARGEST).map_err(|error| unreadable(&error))?;
            for certificate in CertificateDer::pem_slice_iter(&pem) {
                let added = roots.add(certificate.map_err(|error| unreadable(&error))?);
                added.map_err(|error| {
                    format!("`sslrootcert` has a certificate that cannot be used: {error}")
                })?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        return Err("no certificate authorities were found; name a file of them as `sslrootcert`".into());
    }
    Ok(roots)
}

/// Takes certificates under whatever name.
#[derive(Debug)]
struct AnyName {
    /// Who has to vouch for them; where it is nobody, the connection is secret only to those who merely listen.
    vouching: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(vouching) = &self.vouching else { return Ok(ServerCertVerified::assertion()) };
        match vouching.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Encrypts one connection.
pub(super) struct Encryption {
    settings: Arc<ClientConfig>,
    name: String,
}

impl Encryption {
    pub(super) fn new(settings: Arc<ClientConfig>, name: &str) -> Self {
        Self { settings, name: name.to_owned() }
    }
}

impl TlsConnect<Socket> for Encryption {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.name)
                .map_err(|_| io::Error::other("the host's name is none that a certificate can have"))?;
            let stream = TlsConnector::from(self.settings).connect(name, socket).await?;
            Ok(Encrypted(Box::new(stream)))
        })
    }
}

/// An encrypted connection.
pub(super) struct Encrypted(Box<tokio_rustls::client::TlsStream<Socket>>);

impl fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encrypted")
    }
}

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
