//! The aftermath of turns, which people made when they were over: writes and compactions that were undone, and branches. It is read with each turn
//! of a page. A window that missed updates asks for it alone (`Query::Aftermath`), for the turns that it knows already.

use std::collections::BTreeMap;

use orion_protocol::{Aftermath, RequestId};

use crate::error::{StoreError, reading};
use crate::store::Store;

/// What a row of `turns` has of [`Columns`].
macro_rules! aftermath_sql {
    (undone) => {
        "(SELECT group_concat(number ORDER BY number) FROM writes
          WHERE writes.request_id = turns.request_id AND stage = 'undone')"
    };
    (branches) => {
        "(SELECT group_concat(request_id ORDER BY ordinal) FROM turns AS branches
          WHERE branches.session_id = turns.session_id
          AND branches.parent_request_id IS turns.parent_request_id)"
    };
    (compaction_undone) => {
        "(EXISTS (SELECT 1 FROM former_contexts AS former WHERE former.request_id = turns.request_id)
          AND NOT EXISTS (SELECT 1 FROM contexts WHERE contexts.request_id = turns.request_id))"
    };
}
pub(crate) use aftermath_sql;

const OF_TURNS: &str = concat!(
    "SELECT turns.request_id, ",
    aftermath_sql!(undone),
    " AS undone, ",
    aftermath_sql!(branches),
    " AS branches, ",
    aftermath_sql!(compaction_undone),
    " AS compaction_undone
     FROM json_each(?) AS asked JOIN turns ON turns.request_id = asked.value"
);

#[derive(sqlx::FromRow)]
pub(crate) struct Columns {
    /// Numbers with commas between them.
    undone: Option<String>,
    /// Ids with commas between them.
    branches: Option<String>,
    compaction_undone: bool,
}

impl TryFrom<&Columns> for Aftermath {
    type Error = StoreError;

    fn try_from(columns: &Columns) -> Result<Self, StoreError> {
        let undone = columns.undone.iter().flat_map(|numbers| numbers.split(','));
        let branches = columns.branches.iter().flat_map(|ids| ids.split(','));
        Ok(Self {
            undone: undone
                .map(|number| number.parse().map_err(StoreError::value))
                .collect::<Result<_, _>>()?,
            branches: branches.map(|id| id.parse().map_err(StoreError::value)).collect::<Result<_, _>>()?,
            compaction_undone: columns.compaction_undone,
        })
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    #[sqlx(flatten)]
    columns: Columns,
}

impl Store {
    /// Of these turns, those that are still there.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn aftermath(&self, of: &[RequestId]) -> Result<BTreeMap<RequestId, Aftermath>, StoreError> {
        let asked = serde_json::to_string(of).map_err(StoreError::value)?;
        let rows: Vec<Row> = sqlx::query_as(OF_TURNS)
            .bind(asked)
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        rows.into_iter()
            .map(|row| Ok((row.request_id.parse().map_err(StoreError::value)?, (&row.columns).try_into()?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[tokio::test]
    async fn it_is_read_from_indexes_alone() {
        let folder = TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let plan: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {OF_TURNS}")))
                .fetch_all(&mut *store.reader().await.unwrap())
                .await
                .unwrap();
        let scanned: Vec<&str> =
            plan.iter().map(|(.., step)| step.as_str()).filter(|step| step.starts_with("SCAN")).collect();
        assert_eq!(scanned, ["SCAN asked VIRTUAL TABLE INDEX 1:"], "no table of the database");
    }
}
