//! The checks that a person set or accepted for a project, with the script behind each as it was accepted (V1).
//!
//! They belong to the project's folder as it is on its disk, as kept approvals do: another folder at the same path has none of them. Deliberately not
//! here: what a check may be, and reading its script (`orion-engine`).

use orion_protocol::{Check, CheckScript, CheckStatus, ProjectId, Sha256};
use sqlx::SqliteConnection;

use crate::column::{from_word, to_word};
use crate::error::{StoreError, reading, writing};
use crate::readable::readable;
use crate::store::Store;
use crate::writer::Transaction;

/// A project, and what its folder is on its disk.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CheckPlace {
    pub project_id: ProjectId,
    pub folder: String,
}

/// A check that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheck {
    pub check: Check,
    pub script: CheckScript,
    /// The end of its last run with this script.
    pub last: Option<CheckStatus>,
    pub last_at_ms: Option<i64>,
}

impl Store {
    /// The checks of a project in the person's order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn checks(&self, of: &CheckPlace) -> Result<Vec<StoredCheck>, StoreError> {
        let sql = "SELECT body, script, last, last_at_ms FROM checks WHERE project_id = ? AND folder = ?
                   ORDER BY place, name";
        let rows = sqlx::query(sql)
            .bind(of.project_id.to_string())
            .bind(of.folder.clone())
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let check = |(body, script, last, last_at_ms): (String, String, Option<String>, Option<i64>)| {
            Ok(StoredCheck {
                check: serde_json::from_str(&body).map_err(StoreError::value)?,
                script: serde_json::from_str(&script).map_err(StoreError::value)?,
                last: last.map(from_word).transpose()?,
                last_at_ms,
            })
        };
        // One that is left out does not run.
        Ok(readable("checks", rows, check))
    }

    /// Adds a check, or puts it in the place of the one of this name. The last result stays where line and script do.
    ///
    /// # Errors
    /// [`StoreError::CheckExists`], [`StoreError::CheckUnknown`] where the one to replace is gone, [`StoreError::ChecksFull`],
    /// [`StoreError::ProjectUnknown`].
    pub async fn save_check(
        &self,
        of: CheckPlace,
        was: Option<String>,
        check: Check,
        script: CheckScript,
    ) -> Result<(), StoreError> {
        self.transact(Save { of, was, check, script }).await
    }

    /// Removes a check.
    ///
    /// # Errors
    /// [`StoreError::CheckUnknown`].
    pub async fn remove_check(&self, of: CheckPlace, name: String) -> Result<(), StoreError> {
        self.transact(Remove { of, name }).await
    }

    /// Keeps the end of a run, as long as the script that ran is still the one that is accepted.
    ///
    /// # Errors
    /// The database refused.
    pub async fn check_ran(
        &self,
        of: CheckPlace,
        name: String,
        script_sha256: Sha256,
        status: CheckStatus,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        self.transact(Ran { of, name, script_sha256, status, at_ms }).await
    }

    /// True once the proposals of a project have been offered.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn checks_offered(&self, of: &CheckPlace) -> Result<bool, StoreError> {
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM checks_offered WHERE project_id = ? AND folder = ?)")
            .bind(of.project_id.to_string())
            .bind(of.folder.clone())
            .fetch_one(&mut *self.reader().await?)
            .await
            .map_err(reading)
    }

    /// Notes that the proposals of a project have been offered.
    ///
    /// # Errors
    /// [`StoreError::ProjectUnknown`].
    pub async fn offer_checks(&self, of: CheckPlace) -> Result<(), StoreError> {
        self.transact(Offer { of }).await
    }
}

struct Save {
    of: CheckPlace,
    was: Option<String>,
    check: Check,
    script: CheckScript,
}

impl Transaction for Save {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let Self { of, was, check, script } = self;
        let (project_id, folder) = (of.project_id.to_string(), of.folder.clone());
        let body = serde_json::to_string(check).map_err(StoreError::value)?;
        let text = serde_json::to_string(script).map_err(StoreError::value)?;
        let saved = match was {
            Some(was) => {
                let sql = "UPDATE checks SET name = ?4, body = ?5, script = ?6, script_sha256 = ?7,
                               last = CASE WHEN script_sha256 = ?7 THEN last END,
                               last_at_ms = CASE WHEN script_sha256 = ?7 THEN last_at_ms END
                           WHERE project_id = ?1 AND folder = ?2 AND name = ?3";
                sqlx::query(sql).bind(project_id).bind(folder).bind(was.clone())
            }
            None => {
                let count: i64 =
                    sqlx::query_scalar("SELECT count(*) FROM checks WHERE project_id = ? AND folder = ?")
                        .bind(project_id.clone())
                        .bind(folder.clone())
                        .fetch_one(&mut *connection)
                        .await
                        .map_err(writing)?;
                if usize::try_from(count).unwrap_or(usize::MAX) >= Check::MOST {
                    return Err(StoreError::ChecksFull);
                }
                let sql = "INSERT INTO checks (project_id, folder, place, name, body, script, script_sha256)
                           SELECT ?1, ?2, ?3 + coalesce(max(place), 0), ?4, ?5, ?6, ?7 FROM checks
                           WHERE project_id = ?1 AND folder = ?2";
                sqlx::query(sql).bind(project_id).bind(folder).bind(1)
            }
        };
        let saved = saved
            .bind(check.name.clone())
            .bind(body)
            .bind(text)
            .bind(script.sha256.to_string())
            .execute(&mut *connection)
            .await
            .map_err(writing);
        match (saved, was) {
            (Ok(done), Some(was)) if done.rows_affected() == 0 => Err(StoreError::CheckUnknown(was.clone())),
            (Ok(_), _) => Ok(()),
            // Of its two rules, the name is looked at first: the project is the other one.
            (Err(error), _) if error.is_constraint() => Err(match has(connection, of, &check.name).await? {
                true => StoreError::CheckExists(check.name.clone()),
                false => StoreError::ProjectUnknown(of.project_id),
            }),
            (Err(error), _) => Err(error),
        }
    }
}

async fn has(connection: &mut SqliteConnection, of: &CheckPlace, name: &str) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM checks WHERE project_id = ? AND folder = ? AND name = ?)";
    sqlx::query_scalar(sql)
        .bind(of.project_id.to_string())
        .bind(of.folder.clone())
        .bind(name.to_owned())
        .fetch_one(connection)
        .await
        .map_err(writing)
}

struct Remove {
    of: CheckPlace,
    name: String,
}

impl Transaction for Remove {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let removed = sqlx::query("DELETE FROM checks WHERE project_id = ? AND folder = ? AND name = ?")
            .bind(self.of.project_id.to_string())
            .bind(self.of.folder.clone())
            .bind(self.name.clone())
            .execute(connection)
            .await
            .map_err(writing)?;
        match removed.rows_affected() {
            0 => Err(StoreError::CheckUnknown(self.name.clone())),
            _ => Ok(()),
        }
    }
}

struct Ran {
    of: CheckPlace,
    name: String,
    script_sha256: Sha256,
    status: CheckStatus,
    at_ms: i64,
}

impl Transaction for Ran {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let sql = "UPDATE checks SET last = ?, last_at_ms = ?
                   WHERE project_id = ? AND folder = ? AND name = ? AND script_sha256 = ?";
        sqlx::query(sql)
            .bind(to_word(&self.status)?)
            .bind(self.at_ms)
            .bind(self.of.project_id.to_string())
            .bind(self.of.folder.clone())
            .bind(self.name.clone())
            .bind(self.script_sha256.to_string())
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}

struct Offer {
    of: CheckPlace,
}

impl Transaction for Offer {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let offered = sqlx::query("INSERT OR IGNORE INTO checks_offered (project_id, folder) VALUES (?, ?)")
            .bind(self.of.project_id.to_string())
            .bind(self.of.folder.clone())
            .execute(connection)
            .await
            .map_err(writing);
        match offered {
            // The foreign key is the only rule that this row can break.
            Err(error) if error.is_constraint() => Err(StoreError::ProjectUnknown(self.of.project_id)),
            offered => offered.map(|_| ()),
        }
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{CheckCommand, ScriptPart};

    use super::*;

    fn check(name: &str) -> Check {
        let command = CheckCommand::Line("npm test".to_owned());
        Check { name: name.to_owned(), command, timeout_s: 9, paths: vec!["src/**".to_owned()], on: true }
    }

    fn script(byte: u8) -> CheckScript {
        let part = ScriptPart { from: "a".to_owned(), text: byte.to_string(), cut: false };
        CheckScript { sha256: Sha256::from([byte; 32]), parts: vec![part] }
    }

    async fn opened() -> (tempfile::TempDir, Store, CheckPlace) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project_id = store.open_project("/a", "a", 1).await.unwrap().project_id;
        (folder, store, CheckPlace { project_id, folder: "disk 1".to_owned() })
    }

    // V1
    #[tokio::test]
    async fn checks_keep_their_order_and_their_last_result_as_long_as_their_script() {
        let (_folder, store, of) = opened().await;
        for name in ["b", "a"] {
            store.save_check(of.clone(), None, check(name), script(1)).await.unwrap();
        }
        let stored = |name: &str, script, last: Option<CheckStatus>| StoredCheck {
            check: check(name),
            script,
            last,
            last_at_ms: last.map(|_| 7),
        };
        let failed = Some(CheckStatus::Failed);
        // A run of another script is not its last one.
        for (byte, status) in [(1, CheckStatus::Failed), (2, CheckStatus::Passed)] {
            let sha256 = script(byte).sha256;
            store.check_ran(of.clone(), "b".to_owned(), sha256, status, 7).await.unwrap();
        }
        let expected = [stored("b", script(1), failed), stored("a", script(1), None)];
        assert_eq!(store.checks(&of).await.unwrap(), expected);
        store.save_check(of.clone(), Some("b".to_owned()), check("c"), script(1)).await.unwrap();
        assert_eq!(store.checks(&of).await.unwrap()[0], stored("c", script(1), failed));
        store.save_check(of.clone(), Some("c".to_owned()), check("c"), script(2)).await.unwrap();
        assert_eq!(store.checks(&of).await.unwrap()[0], stored("c", script(2), None));
        let elsewhere = CheckPlace { folder: "disk 2".to_owned(), ..of.clone() };
        assert_eq!(store.checks(&elsewhere).await.unwrap(), []);
        store.remove_check(of.clone(), "c".to_owned()).await.unwrap();
        assert_eq!(store.checks(&of).await.unwrap(), [stored("a", script(1), None)]);
    }

    #[tokio::test]
    async fn a_name_is_there_once_and_the_ninth_check_is_refused() {
        let (_folder, store, of) = opened().await;
        for name in ["1", "2", "3", "4", "5", "6", "7", "8"] {
            store.save_check(of.clone(), None, check(name), script(1)).await.unwrap();
        }
        let save = async |was: Option<&str>, name: &str| {
            store.save_check(of.clone(), was.map(str::to_owned), check(name), script(1)).await
        };
        assert_eq!(save(None, "9").await, Err(StoreError::ChecksFull));
        assert_eq!(save(Some("1"), "2").await, Err(StoreError::CheckExists("2".to_owned())));
        assert_eq!(save(Some("9"), "9").await, Err(StoreError::CheckUnknown("9".to_owned())));
        assert_eq!(store.remove_check(of.clone(), "8".to_owned()).await, Ok(()));
        assert_eq!(save(None, "1").await, Err(StoreError::CheckExists("1".to_owned())));
        assert_eq!(
            store.remove_check(of.clone(), "8".to_owned()).await,
            Err(StoreError::CheckUnknown("8".to_owned()))
        );
        let unknown = CheckPlace { project_id: ProjectId(crate::new_id()), ..of };
        assert_eq!(
            store.save_check(unknown.clone(), None, check("1"), script(1)).await,
            Err(StoreError::ProjectUnknown(unknown.project_id))
        );
    }

    #[tokio::test]
    async fn proposals_are_offered_once_for_a_folder_on_its_disk() {
        let (_folder, store, of) = opened().await;
        assert_eq!(store.checks_offered(&of).await, Ok(false));
        for _ in 0..2 {
            store.offer_checks(of.clone()).await.unwrap();
        }
        assert_eq!(store.checks_offered(&of).await, Ok(true));
        let elsewhere = CheckPlace { folder: "disk 2".to_owned(), ..of };
        assert_eq!(store.checks_offered(&elsewhere).await, Ok(false));
    }
}
