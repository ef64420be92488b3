//! One file is changed by a process that is killed, stopped or given errors at each of its system calls, on disks that are
//! full or read-only: the file is the old or the new one, whole, and no temporary file stays (W6).

mod disks;
mod instant;
mod killed;
mod refused;
mod scene;
mod strace;
