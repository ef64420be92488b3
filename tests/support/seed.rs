//! A session with a long history: copies of its one turn, made by the database itself in a second or two.
//!
//! Every table that belongs to a turn is copied row by row, whatever its columns are. So the copies are what Orion
//! wrote.

use std::path::Path;

use orion_protocol::RequestId;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};

/// Makes the newest session in a data folder one of `turns` turns, by copies of its newest turn before that one. The folder is
/// nobody's meanwhile. Returns the ids of its turns in order.
pub async fn long_session(data: &Path, turns: u32) -> Vec<RequestId> {
    let options = SqliteConnectOptions::new().filename(data.join("orion.db")).foreign_keys(true);
    let mut connection = options.connect().await.expect("the database");
    let (session, turn, had): (String, String, u32) = sqlx::query_as(
        "SELECT session_id, request_id, ordinal FROM turns JOIN sessions USING (session_id)
         ORDER BY updated_at_ms DESC, ordinal DESC LIMIT 1",
    )
    .fetch_one(&mut connection)
    .await
    .expect("a turn to copy");
    // What is random in a session's id tells its copies from those of another session.
    let salt = session[session.len() - 8..].to_owned();
    let copies = turns.checked_sub(had).expect("fewer turns than there are to be");
    let mut all = connection.begin().await.expect("a transaction");
    sqlx::query("PRAGMA defer_foreign_keys = ON").execute(&mut *all).await.expect("order to be free");
    for (table, columns) in tables(&mut all).await {
        let values: Vec<String> = columns.iter().map(|column| value(column, &salt)).collect();
        // Copies take the first places, and what was there the last ones: the newest turn is one that really ran.
        let sql = format!(
            "WITH RECURSIVE places (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM places WHERE i < {copies})
             INSERT INTO {table} ({}) SELECT {} FROM {table}, places WHERE request_id = ?1",
            columns.join(", "),
            values.join(", ")
        );
        if columns.iter().any(|column| column == "ordinal") {
            let moved = format!("UPDATE {table} SET ordinal = -(ordinal + {copies}) WHERE session_id = ?1");
            let there = format!(
                "UPDATE {table} SET ordinal = -ordinal, place = place + {copies} WHERE session_id = ?1"
            );
            for sql in [moved, there] {
                let update = sqlx::query(AssertSqlSafe(sql)).bind(&session);
                update.execute(&mut *all).await.expect("room for the copies");
            }
        }
        let copied = sqlx::query(AssertSqlSafe(sql)).bind(&turn);
        copied.execute(&mut *all).await.unwrap_or_else(|error| panic!("copies in {table}: {error}"));
    }
    // The first that was there follows the last copy.
    sqlx::query(
        "UPDATE turns SET parent_request_id = (SELECT request_id FROM turns WHERE session_id = ?1 AND ordinal = ?2)
         WHERE session_id = ?1 AND ordinal = ?2 + 1",
    )
    .bind(&session)
    .bind(copies)
    .execute(&mut *all)
    .await
    .expect("the turn that the copies lead to");
    sqlx::query("UPDATE sessions SET turns = ?2 WHERE session_id = ?1")
        .bind(&session)
        .bind(turns)
        .execute(&mut *all)
        .await
        .expect("the number of turns");
    all.commit().await.expect("a commit");
    let ids: Vec<String> =
        sqlx::query_scalar("SELECT request_id FROM turns WHERE session_id = ?1 ORDER BY ordinal")
            .bind(&session)
            .fetch_all(&mut connection)
            .await
            .expect("the turns");
    connection.close().await.expect("a database that can be closed");
    ids.iter().map(|id| id.parse().expect("an id")).collect()
}

/// Whether a turn is one of the copies, by its id.
pub(crate) fn is_copy(request_id: &str) -> bool {
    request_id.contains("-0000-7000-8000-")
}

/// The tables whose rows belong to a turn, that of the turns first, with the columns that a copy says itself.
async fn tables(connection: &mut SqliteConnection) -> Vec<(String, Vec<String>)> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT m.name, group_concat(c.name) FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
         WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'request_id')
         AND NOT (c.pk = 1 AND c.type = 'INTEGER') GROUP BY m.name ORDER BY m.name = 'turns' DESC",
    )
    .fetch_all(connection)
    .await
    .expect("the tables");
    rows.into_iter()
        .map(|(table, columns)| (table, columns.split(',').map(str::to_owned).collect()))
        .collect()
}

/// What a copy has in a column.
fn value(column: &str, salt: &str) -> String {
    let id = format!("printf('{salt}-0000-7000-8000-%012x', i)");
    match column {
        "request_id" => id,
        // T9: each follows the one before it.
        "parent_request_id" => format!("iif(i > 1, printf('{salt}-0000-7000-8000-%012x', i - 1), NULL)"),
        "ordinal" | "place" => "i".to_owned(),
        // An envelope names its turn; what else there is in it stays.
        "body" => format!("replace(body, ?1, {id})"),
        other => other.to_owned(),
    }
}
