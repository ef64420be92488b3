//! The certificate and the key of a server that listens beyond this computer (H1).

use std::path::Path;
use std::sync::Arc;

use orion_protocol::{Code, ErrorInfo};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// TLS with the certificates and the key of two PEM files.
///
/// # Errors
/// `usage` where one of them cannot be read, or the key is not that of the certificate.
pub(crate) fn acceptor(certificates: &Path, key: &Path) -> Result<TlsAcceptor, ErrorInfo> {
    let chain = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable("--tls-cert", certificates, &error))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable("--tls-key", key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| unusable("--tls-cert", certificates, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unusable(flag: &str, file: &Path, error: &dyn std::error::Error) -> ErrorInfo {
    let message = format!("{flag}: {} cannot be used.", file.display());
    ErrorInfo::new(Code::Usage, message, "Give PEM files: a certificate with its chain, and its key.")
        .with_detail(error.to_string())
}
