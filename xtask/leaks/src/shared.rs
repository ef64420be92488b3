//! Work that all cores share.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does this for each number below `all`. Each thread has a sum of its own.
pub(crate) fn fold<T: Default + Send>(all: usize, step: impl Fn(&mut T, usize) + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        let work = || {
            let mut sum = T::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= all {
                    return sum;
                }
                step(&mut sum, number);
            }
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
