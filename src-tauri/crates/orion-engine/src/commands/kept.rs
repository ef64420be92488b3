//! The output of commands on the disk: the first 2 MiB and the last 6 MiB of each, so that a person and the model can read it afterwards, also after
//! a crash (C4, A5).
//!
//! A file is a head of 24 bytes, the beginning of the output, and a ring with its end. The head is written after the bytes that it tells of. Deliberately
//! not here: reading it as text ([`super::lines`]), and how long outputs are kept ([`super::retention`]).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;

use orion_protocol::{CallId, RequestId, SessionId, Sha256};
use sha2::Digest;

/// Bytes of the beginning that are kept: 2 MiB, where a build says what it was asked to do.
const START: u64 = 2 << 20;

/// Bytes of the end that are kept: 6 MiB, where it says what went wrong.
const END: u64 = 6 << 20;

/// Pieces that wait to be written: 64 of at most 64 KiB.
const WAITING: usize = 64;

/// The first bytes of a file: the form, in case that there will be another.
const FORM: [u8; 8] = *b"ORIONO01";

/// The form, the bytes of all output, and the line ends in it.
const HEAD: usize = 24;

/// The place of a call's output.
pub(crate) fn place(outputs: &Path, session_id: SessionId, request_id: RequestId, call: &CallId) -> PathBuf {
    of_session(outputs, session_id).join(request_id.to_string()).join(name(call))
}

/// The name of the file of a call's output: the id is the model's own text.
fn name(call: &CallId) -> String {
    let mut name = orion_core::signature::digest(&call.0).to_string();
    name.truncate(32);
    name
}

/// The folder of a session's outputs.
pub(crate) fn of_session(outputs: &Path, session_id: SessionId) -> PathBuf {
    outputs.join(session_id.to_string())
}

/// The place of the latest output of a call of this id in a session.
pub(crate) fn latest(outputs: &Path, session_id: SessionId, call: &CallId) -> Option<PathBuf> {
    let name = name(call);
    let turns = fs::read_dir(of_session(outputs, session_id)).ok()?.flatten();
    let places = turns.map(|turn| turn.path().join(&name));
    places
        .filter_map(|place| Some((fs::metadata(&place).ok()?.modified().ok()?, place)))
        .max()
        .map(|(_, place)| place)
}

/// The output of a command while it runs.
#[derive(Debug)]
pub(crate) struct Keeping {
    file: File,
    bytes: u64,
    lines: u64,
    sha256: sha2::Sha256,
    /// It cannot be kept any more: the disk is full, or gone.
    failed: bool,
}

impl Keeping {
    /// An output of nothing yet, in the place of an earlier one.
    pub(crate) fn begin(place: &Path) -> io::Result<Self> {
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(place)?;
        file.write_all(&head(0, 0))?;
        Ok(Self { file, bytes: 0, lines: 0, sha256: sha2::Sha256::new(), failed: false })
    }

    /// Takes the next piece. Where it cannot be written it is counted all the same.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.sha256.update(piece);
        let lines = line_ends(piece);
        if !self.failed {
            let written = self.write(piece, self.lines + lines);
            self.failed = written.inspect_err(|error| tracing::warn!(%error, "output is not kept")).is_err();
        }
        self.bytes += piece.len() as u64;
        self.lines += lines;
    }

    fn write(&mut self, piece: &[u8], lines: u64) -> io::Result<()> {
        let (mut at, mut rest) = (self.bytes, piece);
        while !rest.is_empty() {
            let (offset, room) = match at.checked_sub(START) {
                None => (at, START - at),
                Some(after) => (START + after % END, END - after % END),
            };
            let (now, later) = rest.split_at(rest.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
            self.file.seek(SeekFrom::Start(HEAD as u64 + offset))?;
            self.file.write_all(now)?;
            (at, rest) = (at + now.len() as u64, later);
        }
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&head(self.bytes + piece.len() as u64, lines))
    }

    /// Bytes of output so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of it that are kept.
    pub(crate) fn kept_bytes(&self) -> u64 {
        if self.failed { 0 } else { self.bytes.min(START + END) }
    }

    /// SHA-256 of all output so far.
    pub(crate) fn sha256(&self) -> Sha256 {
        Sha256::from(<[u8; 32]>::from(self.sha256.clone().finalize()))
    }
}

fn head(bytes: u64, lines: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&FORM);
    head[8..16].copy_from_slice(&bytes.to_le_bytes());
    head[16..].copy_from_slice(&lines.to_le_bytes());
    head
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Keeps an output on a thread of its own, so that a slow disk does not hold up what else the turn does.
#[derive(Debug)]
pub(crate) struct Keeper {
    pieces: mpsc::SyncSender<Vec<u8>>,
    thread: JoinHandle<Keeping>,
}

impl Keeper {
    pub(crate) fn of(mut keeping: Keeping) -> io::Result<Self> {
        let (pieces, taken) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let keep = move || {
            taken.into_iter().for_each(|piece| keeping.push(&piece));
            keeping
        };
        let thread = std::thread::Builder::new().name("keeping".to_owned()).spawn(keep)?;
        Ok(Self { pieces, thread })
    }

    /// Takes the next piece. It waits only where the disk is far behind.
    pub(crate) fn push(&self, piece: &[u8]) {
        // The thread ends with the last piece alone.
        let _ = self.pieces.send(piece.to_vec());
    }

    /// Ends, with everything on its way to the disk. None where the thread broke. It blocks.
    pub(crate) fn end(self) -> Option<Keeping> {
        drop(self.pieces);
        self.thread.join().ok()
    }
}

/// An output that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Kept {
    /// The beginning; all of it where nothing was left out.
    pub(crate) start: Vec<u8>,
    /// Bytes after it that are not kept.
    pub(crate) left_out: u64,
    /// The end, after the bytes that are not kept.
    pub(crate) end: Vec<u8>,
    /// Line ends in the bytes that are not kept.
    pub(crate) lines_left_out: u64,
}

impl Kept {
    /// Reads an output; none where it is not kept any more.
    pub(crate) fn read(place: &Path) -> io::Result<Option<Self>> {
        let mut file = match File::open(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut head = [0; HEAD];
        file.read_exact(&mut head)?;
        let number = |at: usize| head[at..at + 8].try_into().map(u64::from_le_bytes).unwrap_or(0);
        if head[..8] != FORM {
            return Ok(None);
        }
        let (bytes, lines) = (number(8), number(16));
        let (mut start, mut ring) = (Vec::new(), Vec::new());
        (&file).take(START).read_to_end(&mut start)?;
        (&file).take(END).read_to_end(&mut ring)?;
        start.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        let after = bytes.saturating_sub(START);
        let left_out = after.saturating_sub(END);
        if left_out == 0 {
            ring.truncate(usize::try_from(after).unwrap_or(usize::MAX));
            start.append(&mut ring);
            return Ok(Some(Self { start, ..Self::default() }));
        }
        let turn = usize::try_from(after % END).unwrap_or(0).min(ring.len());
        ring.rotate_left(turn);
        let lines_left_out = lines.saturating_sub(line_ends(&start) + line_ends(&ring));
        Ok(Some(Self { start, left_out, end: ring, lines_left_out }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(pieces: &[Vec<u8>]) -> (Kept, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a/b");
        let mut keeping = Keeping::begin(&place).unwrap();
        pieces.iter().for_each(|piece| keeping.push(piece));
        let all = pieces.concat();
        let most = (START + END).min(all.len() as u64);
        assert_eq!((keeping.bytes(), keeping.kept_bytes()), (all.len() as u64, most));
        let whole = <[u8; 32]>::from(sha2::Sha256::digest(&all));
        assert_eq!(keeping.sha256(), Sha256::from(whole));
        (Kept::read(&place).unwrap().unwrap(), all)
    }

    /// A piece of output in which no two stretches are alike.
    fn piece(letter: &mut u32, size: usize) -> Vec<u8> {
        let mut next = || {
            *letter = letter.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if *letter >> 28 == 0 { b'\n' } else { (*letter >> 24) as u8 }
        };
        (0..size).map(|_| next()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        // C4
        #[test]
        fn the_first_and_the_last_bytes_are_kept_however_they_came(
            sizes in prop::collection::vec(prop_oneof![0..200usize, 60_000..70_000usize, 1_000_000..7_000_000usize], 0..6),
        ) {
            let mut letter = 1;
            let pieces: Vec<Vec<u8>> = sizes.into_iter().map(|size| piece(&mut letter, size)).collect();
            let (kept, all) = kept(&pieces);
            let (start, end) = (usize::try_from(START).unwrap(), usize::try_from(END).unwrap());
            if all.len() <= start + end {
                let whole = Kept { start: all, ..Kept::default() };
                prop_assert!(kept == whole);
            } else {
                prop_assert!(kept.start == all[..start]);
                prop_assert!(kept.end == all[all.len() - end..]);
                let gap = &all[start..all.len() - end];
                prop_assert_eq!((kept.left_out, kept.lines_left_out), (gap.len() as u64, line_ends(gap)));
            }
        }
    }

    #[test]
    fn an_output_that_is_gone_is_none_and_one_of_another_form_too() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Kept::read(&folder.path().join("a")).unwrap(), None);
        fs::write(folder.path().join("b"), [0; 100]).unwrap();
        assert_eq!(Kept::read(&folder.path().join("b")).unwrap(), None);
    }
}
