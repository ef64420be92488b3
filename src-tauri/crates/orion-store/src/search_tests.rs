//! What is found.

use orion_protocol::{FoundIn, ProjectId, RequestId, SessionId, TurnIds};
use serde_json::json;
use sqlx::{ConnectOptions, Connection};

use uuid::Uuid;

use super::*;
use crate::{Begin, NewTurn, Past, Reclaimed, Record, TextKind, connection};

struct Says(Vec<Record>);

impl Begin for Says {
    type Out = ();

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((self.0.clone(), ()))
    }
}

fn item(item: &serde_json::Value) -> Record {
    Record::Text { kind: TextKind::Said, body: item.to_string() }
}

pub(super) fn asked(text: &str) -> Record {
    item(&json!({ "role": "user", "text": text }))
}

pub(super) fn answered(text: &str) -> Record {
    item(&json!({ "role": "assistant", "text": text, "reasoning": null, "toolCalls": [] }))
}

pub(super) async fn store() -> (tempfile::TempDir, Store, ProjectId) {
    let folder = tempfile::TempDir::new().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let project = store.open_project("/a/project", "project", 1).await.unwrap();
    (folder, store, project.project_id)
}

pub(super) async fn session(store: &Store, project_id: ProjectId) -> SessionId {
    store.new_session(project_id, 1).await.unwrap().session_id
}

pub(super) async fn turn(
    store: &Store,
    project_id: ProjectId,
    session_id: SessionId,
    at_ms: i64,
    said: Vec<Record>,
) -> RequestId {
    let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
    let turn = NewTurn { ids, at_ms, title: format!("Title of {at_ms}") };
    let (journal, ()) = store.begin_turn(turn, Says(said)).await.unwrap();
    journal.finish(Vec::new(), at_ms).await.unwrap();
    ids.request_id
}

pub(super) async fn filled(store: &Store) {
    while store.fill_search().await.unwrap() > 0 {}
}

pub(super) async fn texts(store: &Store, text: &str) -> Vec<String> {
    let page = store.search(text, None, 100).await.unwrap();
    page.found.into_iter().map(|found| found.text).collect()
}

fn marked(found: &Found) -> Vec<&str> {
    found.marks.iter().map(|mark| &found.text[mark.from as usize..mark.to as usize]).collect()
}

#[tokio::test]
async fn messages_answers_and_titles_are_found_and_results_and_words_of_orion_are_not() {
    let (_folder, store, project_id) = store().await;
    let session_id = session(&store, project_id).await;
    let about = json!({ "of": "word" });
    let said = vec![
        asked("Where do the foxes sleep?"),
        item(&json!({ "role": "system", "text": "foxes in a result", "about": about })),
        item(&json!({ "role": "user", "text": "foxes that Orion lowered", "about": about })),
        item(&json!({ "role": "tool", "callId": "c", "name": "read_file", "text": "foxes in a file" })),
        answered("The foxes sleep\nunder the *old* oak."),
    ];
    let request_id = turn(&store, project_id, session_id, 7, said).await;
    filled(&store).await;
    assert_eq!(texts(&store, "title").await, ["Title of 7"]);
    store.rename_session(session_id, "On foxes").await.unwrap();
    assert_eq!(texts(&store, "title").await, [""; 0], "the title of before is gone at once");
    filled(&store).await;
    let page = store.search("FOXES", None, 100).await.unwrap();
    let seen: Vec<_> =
        page.found.iter().map(|it| (it.found_in, it.text.as_str(), it.request_id, marked(it))).collect();
    assert_eq!(
        seen,
        [
            (FoundIn::Title, "On foxes", None, vec!["foxes"]),
            (FoundIn::Answer, "The foxes sleep under the *old* oak.", Some(request_id), vec!["foxes"]),
            (FoundIn::Message, "Where do the foxes sleep?", Some(request_id), vec!["foxes"]),
        ]
    );
    assert!(
        page.found
            .iter()
            .all(|it| it.session.title == "On foxes" && it.session.session_id == session_id && it.on_path)
    );
    assert_eq!(page.found[1].at_ms, 7);
    assert_eq!((page.next, page.filling), (None, false));
}

#[tokio::test]
async fn all_words_must_be_there_and_the_last_one_may_be_a_beginning() {
    let (_folder, store, project_id) = store().await;
    let session_id = session(&store, project_id).await;
    turn(
        &store,
        project_id,
        session_id,
        1,
        vec![asked("the config loader reads read_file"), answered("Größe of a Café")],
    )
    .await;
    filled(&store).await;
    let hits = async |text: &str| texts(&store, text).await.len();
    assert_eq!(hits("config load").await, 1);
    assert_eq!(hits("conf loader").await, 0, "only the last word may be a beginning");
    assert_eq!(hits("loader missing").await, 0);
    assert_eq!(hits("read_fi").await, 1);
    // A single letter is no beginning: it is a word, or waits for its next letter.
    assert_eq!(
        (hits("c").await, hits("a").await, hits("config z").await, hits("config z ").await),
        (0, 1, 1, 0)
    );
    assert_eq!((hits("grosse").await, hits("GRÖße").await, hits("cafe").await), (0, 1, 1));
}

#[tokio::test]
async fn no_text_of_a_person_is_an_error() {
    let (_folder, store, project_id) = store().await;
    let session_id = session(&store, project_id).await;
    turn(&store, project_id, session_id, 1, vec![asked("plain words: text AND more, NEAR(it)")]).await;
    filled(&store).await;
    let hostile = [
        "",
        " ",
        "\"",
        "\"\"",
        "'",
        "*",
        "a*",
        "^a",
        "(",
        ")",
        "a AND",
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "NEAR(a b, 2)",
        "text:",
        "text : a",
        "{text role} : a",
        "-text",
        "+text",
        "a\0b",
        "\0",
        "\u{202e}a",
        "--",
        "; DROP TABLE search",
        "é\u{301}",
        "🦊",
        "\"a",
        "a\"b\"c",
        "rank:1",
        "search",
        "1e9",
        "%",
        "_",
        "\u{fffd}",
        "\u{feff}",
        "\\",
        "a\\",
        "col-name",
        "a:b:c",
        "...",
        "“a”",
    ];
    for text in hostile {
        store.search(text, None, 10).await.unwrap_or_else(|error| panic!("{text:?}: {error}"));
        store
            .search(&format!("{text} plain"), None, 10)
            .await
            .unwrap_or_else(|error| panic!("{text:?}: {error}"));
    }
    store.search(&"word ".repeat(100_000), None, 10).await.unwrap();
    store.search(&"x".repeat(1_000_000), None, 10).await.unwrap();
    assert_eq!(texts(&store, "AND").await.len(), 1, "a word like any other");
    assert_eq!(texts(&store, "\"plain").await.len(), 1);
}

#[tokio::test]
async fn pages_follow_one_another_from_the_newest_on_and_miss_nothing() {
    let (_folder, store, project_id) = store().await;
    let mut expected = Vec::new();
    for number in 0..7 {
        let session_id = session(&store, project_id).await;
        turn(&store, project_id, session_id, number, vec![asked(&format!("fox {number}"))]).await;
        store.rename_session(session_id, &format!("fox title {number}")).await.unwrap();
        expected.insert(0, format!("fox {number}"));
    }
    filled(&store).await;
    let titles: Vec<String> = (0..7).rev().map(|number| format!("fox title {number}")).collect();
    for size in [1, 2, 3, 5, 14, 100] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = store.search("fox", after, size).await.unwrap();
            assert!(page.found.len() <= size as usize);
            seen.extend(page.found.into_iter().map(|found| found.text));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, [titles.clone(), expected.clone()].concat(), "pages of {size}");
    }
}

#[test]
fn an_excerpt_is_one_short_line_and_its_marks_are_where_the_words_are() {
    let of = |text: &str| excerpt(text, "<", ">");
    assert_eq!(of("a <fox>\n\n\tran"), ("a fox ran".into(), vec![ByteRange { from: 2, to: 5 }]));
    assert_eq!(of("ö<ä>"), ("öä".into(), vec![ByteRange { from: 2, to: 4 }]));
    assert_eq!(
        of("<a> <b"),
        ("a b".into(), vec![ByteRange { from: 0, to: 1 }, ByteRange { from: 2, to: 3 }])
    );
    let (text, marks) = of(&format!("{}<fox>{}", "é ".repeat(5_000), "-".repeat(1_000_000)));
    assert!(text.len() <= BYTES_OF_AN_EXCERPT + 6, "{}", text.len());
    assert_eq!(&text[marks[0].from as usize..marks[0].to as usize], "fox");
    let (text, marks) = of(&format!("<{}>", "ü".repeat(100_000)));
    assert!(text.len() <= BYTES_OF_AN_EXCERPT + 6 && text.ends_with('…'));
    assert!(text.is_char_boundary(marks[0].to as usize));
}

#[tokio::test]
async fn a_text_of_megabytes_is_found_by_its_last_word() {
    let (_folder, store, project_id) = store().await;
    let session_id = session(&store, project_id).await;
    let long = format!("{} ünicorn", "größe ".repeat(400_000));
    turn(&store, project_id, session_id, 1, vec![answered(&long)]).await;
    filled(&store).await;
    assert_eq!(texts(&store, "ünicorn").await.len(), 1);
}

// 0067
#[tokio::test]
async fn a_text_is_entered_in_a_step_of_its_own_and_one_that_is_gone_before_never() {
    let (_folder, store, project_id) = store().await;
    let [session_id, other] = [session(&store, project_id).await, session(&store, project_id).await];
    turn(&store, project_id, other, 1, vec![asked("a fox")]).await;
    turn(&store, project_id, session_id, 2, vec![answered("fox")]).await;
    let page = store.search("fox", None, 10).await.unwrap();
    assert_eq!((page.found.len(), page.filling), (0, true));

    assert_eq!(store.search_to_come().await.unwrap(), 4, "two texts and two titles");
    store.delete_session(session_id).await.unwrap();
    assert_eq!(store.search_to_come().await.unwrap(), 2);
    assert_eq!(store.fill_search().await.unwrap(), 0);
    let page = store.search("fox", None, 10).await.unwrap();
    assert_eq!((page.found.len(), page.filling), (1, false));
    assert_eq!(store.reclaim().await.unwrap(), Reclaimed::All);
    sound(&store).await;
}

// 0067
#[tokio::test]
async fn a_deleted_text_is_not_found_under_the_id_that_another_one_has_now() {
    for comes_again in [false, true] {
        let (folder, store, project_id) = store().await;
        let [session_id, other] = [session(&store, project_id).await, session(&store, project_id).await];
        turn(&store, project_id, session_id, 1, vec![answered("a secret fox")]).await;
        filled(&store).await;
        store.delete_session(session_id).await.unwrap();
        turn(&store, project_id, other, 2, vec![asked("fox anew")]).await;
        if comes_again {
            // The id comes again.
            let mut other_one = connection::options(folder.path()).connect().await.unwrap();
            let sql = "INSERT INTO turn_texts (id, request_id, kind, sha256, bytes)
                       SELECT (SELECT max(id) FROM search_to_drop), request_id, kind, sha256, bytes FROM turn_texts";
            sqlx::query(sql).execute(&mut other_one).await.unwrap();
            other_one.close().await.unwrap();
        }
        assert_eq!(texts(&store, "fox").await, [""; 0], "one is gone, and the other is to come");
        filled(&store).await;
        let anew = vec!["fox anew"; 1 + usize::from(comes_again)];
        assert_eq!(texts(&store, "fox").await, anew);
        assert_eq!(store.reclaim().await.unwrap(), Reclaimed::All);
        assert_eq!(texts(&store, "fox").await, anew);
        assert_eq!(texts(&store, "secret").await, [""; 0]);
        for file in ["orion.db", "orion.db-wal"] {
            let bytes = std::fs::read(folder.path().join(file)).unwrap_or_default();
            assert!(!bytes.windows(6).any(|part| part == b"secret"), "{file}");
        }
        sound(&store).await;
    }
}

#[tokio::test]
async fn many_texts_are_entered_in_steps_the_newest_first() {
    let (_folder, store, project_id) = store().await;
    let mut sessions = Vec::new();
    for number in 0..300 {
        let session_id = session(&store, project_id).await;
        turn(
            &store,
            project_id,
            session_id,
            number,
            vec![asked(&format!("fox {number}")), answered("a bird")],
        )
        .await;
        sessions.push(session_id);
    }
    let page = store.search("fox", None, 10).await.unwrap();
    assert_eq!((page.found.len(), page.filling), (0, true));
    let first = store.fill_search().await.unwrap();
    assert!(first > 0);
    assert_eq!(texts(&store, "fox").await.len(), 64, "a step is bounded");
    assert_eq!(texts(&store, "fox").await[0], "fox 299");
    // A turn that comes meanwhile is entered next, and one that goes is not.
    turn(&store, project_id, sessions[0], 900, vec![asked("fox anew")]).await;
    store.fill_search().await.unwrap();
    assert_eq!(texts(&store, "fox").await[0], "fox anew");
    store.delete_session(sessions[1]).await.unwrap();
    store.reclaim().await.unwrap();
    while store.fill_search().await.unwrap() > 0 {}
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = store.search("fox", after, 100).await.unwrap();
        seen.extend(page.found.into_iter().map(|found| found.text));
        after = page.next;
        if after.is_none() {
            assert!(!page.filling);
            break;
        }
    }
    let mut expected = vec!["fox anew".to_owned()];
    expected.extend((0..300).rev().filter(|number| *number != 1).map(|number| format!("fox {number}")));
    assert_eq!(seen, expected);
    sound(&store).await;
}

/// FTS5 compares the index with the texts.
pub(super) async fn sound(store: &Store) {
    let mut connection = connection::options(store.folder()).connect().await.unwrap();
    sqlx::query("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}
