//! A process that holds a read transaction on Orion's database until its standard input ends, as a backup or a look into it would.

use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let data = PathBuf::from(std::env::args_os().nth(1).context("the data folder")?);
    let mut connection = SqliteConnectOptions::new().filename(data.join("orion.db")).connect().await?;
    let mut reading = connection.begin().await?;
    sqlx::query("SELECT count(*) FROM journal").execute(&mut *reading).await?;
    let mut out = std::io::stdout();
    out.write_all(b"reading\n")?;
    out.flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    reading.rollback().await?;
    connection.close().await?;
    Ok(())
}
