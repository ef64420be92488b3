//! The system calls that a command may not use (C2), as filters of seccomp.
//!
//! A filter of `seccompiler` has one action for what it matches, so there is one filter for each error. On x86-64 each number stands twice: with the
//! bit of the x32 interface, too. A call of another interface, such as `int 0x80`, ends its process. Deliberately not here: what the kernel refuses by
//! itself to a process without capabilities.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// `__X32_SYSCALL_BIT` of asm/unistd.h.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// `fchmodat2` and `open_tree_attr`: the same number everywhere (Linux 6.6 and 6.15; asm-generic/unistd.h).
const FCHMODAT2: i64 = 452;
const OPEN_TREE_ATTR: i64 = 467;

/// Families of sockets that stay within the namespaces of the box. Others, as of virtual machines (vsock), do not.
const FAMILIES: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Calls that are refused with whatever arguments.
#[rustfmt::skip]
const REFUSED: &[i64] = &[
    // Code in the kernel, and rings past this filter.
    libc::SYS_bpf, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register,
    libc::SYS_perf_event_open, libc::SYS_userfaultfd,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module,
    libc::SYS_kexec_load, libc::SYS_kexec_file_load,
    // Keys are not in a namespace.
    libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
    // Mounts.
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_move_mount,
    libc::SYS_open_tree, OPEN_TREE_ATTR, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick,
    libc::SYS_mount_setattr, libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at,
    // Namespaces.
    libc::SYS_unshare, libc::SYS_setns,
    // The computer as a whole.
    libc::SYS_reboot, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct, libc::SYS_quotactl, libc::SYS_quotactl_fd,
    libc::SYS_syslog, libc::SYS_settimeofday, libc::SYS_clock_settime, libc::SYS_sethostname, libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")] libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")] libc::SYS_ioperm,
];

/// Calls that are not there: programs have another one for the same purpose, whose arguments a filter can see.
const ABSENT: &[i64] = &[libc::SYS_clone3, libc::SYS_openat2];

/// Calls with the mode of a file, by the argument that it is.
const MODES: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mkdirat, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// Calls that have a mode if their flags say that they make a file: the argument of the flags; the mode is the next.
const OPENS: &[(i64, u8)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// Calls that make a node of the kind that is in their mode, by its argument.
const NODES: &[(i64, u8)] = &[
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// The namespaces that `clone` can make. The one of time is only for `clone3`.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// The calls that change how a process is scheduled, by its number.
const SCHEDULES: [i64; 4] = [
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setaffinity,
];

/// The requests that put signs into the input of a terminal.
const TERMINAL: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Puts the filters on this thread and on all that it starts.
pub(crate) fn apply() -> io::Result<()> {
    for filter in filters().map_err(io::Error::other)? {
        seccompiler::apply_filter(&filter).map_err(io::Error::other)?;
    }
    Ok(())
}

pub(crate) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn filters() -> Result<Vec<BpfProgram>, BackendError> {
    let absent = ABSENT.iter().map(|number| (*number, Vec::new())).collect();
    let sockets = [libc::SYS_socket, libc::SYS_socketpair];
    let sockets =
        sockets.iter().map(|number| Ok((*number, vec![other_family()?]))).collect::<Result<_, _>>()?;
    [(refused()?, libc::EPERM), (absent, libc::ENOSYS), (sockets, libc::EAFNOSUPPORT)]
        .into_iter()
        .map(|(rules, error)| filter(rules, error))
        .collect()
}

pub(crate) fn filter(rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    #[cfg(target_arch = "x86_64")]
    let rules: Rules = rules
        .into_iter()
        .flat_map(|(number, rules)| [(number | X32, rules.clone()), (number, rules)])
        .collect();
    let architecture: TargetArch = std::env::consts::ARCH.try_into()?;
    let error = SeccompAction::Errno(error.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, error, architecture)?.try_into()
}

fn refused() -> Result<Rules, BackendError> {
    let mut rules: Rules = REFUSED.iter().map(|number| (*number, Vec::new())).collect();
    let mut add = |number: i64, conditions: Vec<SeccompCondition>| {
        rules.entry(number).or_default().push(SeccompRule::new(conditions)?);
        Ok::<(), BackendError>(())
    };
    let set_id = [libc::S_ISUID, libc::S_ISGID].map(u64::from);
    for &(number, mode) in MODES {
        for bit in set_id {
            add(number, vec![has(mode, bit)?])?;
        }
    }
    for &(number, flags) in OPENS {
        for made in [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY].map(bits) {
            for bit in set_id {
                add(number, vec![has(flags, made)?, has(flags + 1, bit)?])?;
            }
        }
    }
    for &(number, mode) in NODES {
        for device in [libc::S_IFCHR, libc::S_IFBLK].map(u64::from) {
            add(number, vec![masked(mode, libc::S_IFMT.into(), device)?])?;
        }
    }
    for namespace in NAMESPACES.map(bits) {
        add(libc::SYS_clone, vec![has(0, namespace)?])?;
    }
    // The limits of another process: the helper could not look at /proc any more. Its own are its own.
    let not_zero = |argument, length| SeccompCondition::new(argument, length, SeccompCmpOp::Ne, 0);
    let of_another = not_zero(0, SeccompCmpArgLen::Dword)?;
    add(libc::SYS_prlimit64, vec![of_another, not_zero(2, SeccompCmpArgLen::Qword)?])?;
    // The scheduling of the helper: it could not look in time any more.
    let helper = |argument| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 1);
    for number in SCHEDULES {
        add(number, vec![helper(0)?])?;
    }
    for number in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
        add(number, vec![helper(1)?])?;
        // All processes of a user: the helper is one of them.
        for whose in [2, 3] {
            let is_user = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, whose)?;
            add(number, vec![is_user])?;
        }
    }
    for request in TERMINAL {
        let is_it = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request)?;
        add(libc::SYS_ioctl, vec![is_it])?;
    }
    Ok(rules)
}

fn other_family() -> Result<SeccompRule, BackendError> {
    let is_not =
        |family: &i32| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, bits(*family));
    SeccompRule::new(FAMILIES.iter().map(is_not).collect::<Result<_, _>>()?)
}

/// An argument has this bit.
fn has(argument: u8, bit: u64) -> Result<SeccompCondition, BackendError> {
    masked(argument, bit, bit)
}

pub(crate) fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
}

/// The bits of a constant of C, which is signed there.
pub(crate) fn bits(constant: i32) -> u64 {
    constant.cast_unsigned().into()
}
