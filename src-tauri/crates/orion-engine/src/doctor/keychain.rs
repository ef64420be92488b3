//! The keychain of the system.

use orion_protocol::{Finding, Subject, TroubleKind};

use crate::secrets::KeyStore;

pub(super) async fn look(keys: &KeyStore) -> [Finding; 1] {
    [if keys.has_keychain().await {
        Finding::fine(Subject::Keychain, "answers")
    } else {
        Finding::troubled(Subject::Keychain, "none answers", TroubleKind::NoKeychain, ACTION)
    }]
}

const ACTION: &str = if cfg!(target_os = "linux") {
    "Keys are kept only while Orion runs. Install and unlock a keychain service (gnome-keyring or kwalletmanager), or keep the key in an \
     environment variable and name it in the endpoint's settings."
} else {
    "Keys are kept only while Orion runs. Unlock the system's keychain, or keep the key in an environment variable and name it in the \
     endpoint's settings."
};
