//! Rows of the journal that carry their own digest (T8). No event says most of what is in a setup or in the outcome of a tool, so replaying
//! would not notice that it was changed.

use orion_core::signature::digest;
use orion_store::StoreError;
use serde::Serialize;
use serde_json::Value;

const DIGEST: &str = "sha256";

/// A row with the digest of its RFC 8785 form: the order of its fields does not matter.
pub(super) fn seal(row: &impl Serialize) -> Result<Value, StoreError> {
    let no_json = |error: serde_json::Error| StoreError::Value { detail: error.to_string() };
    let mut row = serde_json::to_value(row).map_err(no_json)?;
    let sha256 = canonical(&row).map(|text| digest(&text).to_string()).map_err(no_json)?;
    if let Value::Object(fields) = &mut row {
        fields.insert(DIGEST.to_owned(), sha256.into());
    }
    Ok(row)
}

/// Whether a row is the one that was recorded. Rows of earlier versions have no digest, and neither have rows from which a secret was
/// taken out.
pub(super) fn is_whole(row: &str) -> bool {
    let Ok(mut row) = serde_json::from_str::<Value>(row) else { return false };
    let sealed = row.as_object_mut().and_then(|fields| fields.remove(DIGEST));
    sealed.is_none_or(|sealed| canonical(&row).is_ok_and(|text| sealed == digest(&text).to_string()))
}

/// A row whose content may be changed, because it leaves this computer without its secrets.
pub(crate) fn unseal(row: &mut Value) {
    if let Value::Object(fields) = row {
        fields.remove(DIGEST);
    }
}

fn canonical(row: &Value) -> Result<String, serde_json::Error> {
    serde_json_canonicalizer::to_string(row)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // T8
    #[test]
    fn a_row_is_only_what_was_sealed_whatever_the_order_of_its_fields() {
        let row = json!({"type": "tool", "outcome": {"cut": "the rest", "bytes": 12}, "at": 0.25});
        let sealed = seal(&row).unwrap();
        assert!(is_whole(&sealed.to_string()));
        let other_order = r#"{"at":0.25,"outcome":{"bytes":12,"cut":"the rest"},"sha256":SHA,"type":"tool"}"#;
        assert!(is_whole(&other_order.replace("SHA", &sealed[DIGEST].to_string())));
        assert!(is_whole(&row.to_string()), "of an earlier version");
        for (from, to) in
            [("the rest", "the best"), ("12", "13"), (r#","at":0.25"#, ""), (r#""at":0.25,"#, "")]
        {
            let text = sealed.to_string();
            let changed = text.replace(from, to);
            assert!(changed == text || !is_whole(&changed), "{changed}");
        }
        let mut open = sealed;
        unseal(&mut open);
        assert_eq!(open, row);
    }
}
