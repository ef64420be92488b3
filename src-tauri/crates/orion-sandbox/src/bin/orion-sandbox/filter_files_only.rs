//! The system calls that a command without a box may not use, besides those of a box (C2): all by which it would reach what namespaces keep from one.
//!
//! There is no socket of any family, only a pair within the command. The helper is named by its number, since here the command shares it with everybody.
//! Deliberately not here: the calls that no command may use (`filter`).

use std::io;

use rustix::process::Pid;
use seccompiler::{BackendError, BpfProgram, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use crate::filter::{Rules, bits, filter, masked};

/// Other processes' memory, files and scheduling, and objects that every process of a user shares.
#[rustfmt::skip]
const REFUSED: &[i64] = &[
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_process_madvise,
    libc::SYS_process_mrelease, libc::SYS_pidfd_getfd, libc::SYS_kcmp, libc::SYS_move_pages, libc::SYS_migrate_pages,
    // Sockets, but for a pair.
    libc::SYS_connect, libc::SYS_bind, libc::SYS_listen,
    // Segments, semaphores and queues are nobody's own here.
    libc::SYS_shmget, libc::SYS_shmat, libc::SYS_shmctl, libc::SYS_semget, libc::SYS_semop, libc::SYS_semtimedop,
    libc::SYS_semctl, libc::SYS_msgget, libc::SYS_msgsnd, libc::SYS_msgrcv, libc::SYS_msgctl,
    libc::SYS_mq_open, libc::SYS_mq_unlink,
    // A signal by these has no number of a process that could be looked at.
    libc::SYS_tkill,
];

/// A program has `kill` for the same purpose.
const ABSENT: &[i64] = &[libc::SYS_pidfd_send_signal];

/// Calls that end or halt a process, by its number in the first argument. A negative one is a group or everybody.
const SIGNALS: [i64; 4] =
    [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo];

/// Calls that change how a process is scheduled, and the argument that is its number; zero is the caller.
const SCHEDULES: [(i64, u8); 6] = [
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

/// `F_SETOWN` and `F_SETOWN_EX` of fcntl(2): a file could have a signal sent to any process.
const OWNERS: [u64; 2] = [8, 15];

/// The same of a socket by ioctl(2): `FIOSETOWN` and `SIOCSPGRP`.
const OWNERS_OF_SOCKETS: [u64; 2] = [0x8901, 0x8902];

/// The bits of a socket's type that are its kind (socket(2)).
const KIND: u64 = 0xf;

/// Puts the filters on this thread and on all that it starts.
pub(crate) fn apply(helper: Pid) -> io::Result<()> {
    for filter in filters(helper, &threads()?).map_err(io::Error::other)? {
        seccompiler::apply_filter(&filter).map_err(io::Error::other)?;
    }
    Ok(())
}

/// The numbers of the helper's threads: a signal to one of them ends all of it (kill(2)).
fn threads() -> io::Result<Vec<i32>> {
    let all = std::fs::read_dir("/proc/self/task")?;
    let numbers = all.map(|thread| Ok(thread?.file_name().to_str().and_then(|number| number.parse().ok())));
    Ok(numbers.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn filters(helper: Pid, threads: &[i32]) -> Result<Vec<BpfProgram>, BackendError> {
    let absent = ABSENT.iter().map(|number| (*number, Vec::new())).collect();
    [(refused(helper, threads)?, libc::EPERM), (absent, libc::ENOSYS), (sockets()?, libc::EAFNOSUPPORT)]
        .into_iter()
        .map(|(rules, error)| filter(rules, error))
        .collect()
}

fn refused(helper: Pid, threads: &[i32]) -> Result<Rules, BackendError> {
    let helper = bits(helper.as_raw_nonzero().get());
    let threads: Vec<u64> =
        threads.iter().map(|thread| bits(*thread)).filter(|thread| *thread != helper).collect();
    let mut rules: Rules = REFUSED.iter().map(|number| (*number, Vec::new())).collect();
    let mut add = |number: i64, conditions: Vec<SeccompCondition>| {
        rules.entry(number).or_default().push(SeccompRule::new(conditions)?);
        Ok::<(), BackendError>(())
    };
    let is =
        |argument, value| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
    for number in SIGNALS {
        // The helper, its group, everybody, and the helper by one of its threads.
        for whom in [helper, negative(helper), negative(1)].iter().chain(&threads) {
            add(number, vec![is(0, *whom)?])?;
        }
    }
    for (number, argument) in SCHEDULES {
        let other = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
        add(number, vec![other])?;
    }
    for owner in OWNERS {
        add(libc::SYS_fcntl, vec![is(1, owner)?])?;
    }
    for owner in OWNERS_OF_SOCKETS {
        add(libc::SYS_ioctl, vec![is(1, owner)?])?;
    }
    Ok(rules)
}

/// A pair of sockets of one program is a pipe in both directions, unless it can be turned to somebody else (unix(7)).
fn sockets() -> Result<Rules, BackendError> {
    let other_family =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, bits(libc::AF_UNIX))?;
    let mut pairs = vec![SeccompRule::new(vec![other_family])?];
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        pairs.push(SeccompRule::new(vec![masked(1, KIND, bits(kind))?])?);
    }
    Ok([(libc::SYS_socket, Vec::new()), (libc::SYS_socketpair, pairs)].into())
}

/// A negative number as the kernel has it in 32 bits.
fn negative(number: u64) -> u64 {
    u64::from(u32::MAX) - number + 1
}
