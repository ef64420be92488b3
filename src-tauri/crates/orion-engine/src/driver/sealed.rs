//! Rows of the journal that carry their own digest (T8). No event says most of what is in a setup or in the outcome of a tool, so replaying
//! would not notice that it was changed.

use orion_core::signature::digest;
use orion_protocol::Sha256;
use orion_store::StoreError;
use serde::Serialize;
use serde_json::Value;

const DIGEST: &str = "sha256";

/// A row, its fields in their own order, with the digest of its RFC 8785 form, for which the order does not matter.
#[derive(Serialize)]
pub(super) struct Sealed<'a, R> {
    #[serde(flatten)]
    row: &'a R,
    sha256: Sha256,
}

pub(super) fn seal<R: Serialize>(row: &R) -> Result<Sealed<'_, R>, StoreError> {
    let text = serde_json::to_value(row).and_then(|value| canonical(&value));
    let sha256 = digest(&text.map_err(|error| StoreError::Value { detail: error.to_string() })?);
    Ok(Sealed { row, sha256 })
}

/// True for a row as it was recorded. Rows from which a secret was taken out have no digest.
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
        let sealed = serde_json::to_value(seal(&row).unwrap()).unwrap();
        assert!(is_whole(&sealed.to_string()));
        let other_order = r#"{"at":0.25,"outcome":{"bytes":12,"cut":"the rest"},"sha256":SHA,"type":"tool"}"#;
        assert!(is_whole(&other_order.replace("SHA", &sealed[DIGEST].to_string())));
        assert!(is_whole(&row.to_string()), "a secret was taken out");
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
