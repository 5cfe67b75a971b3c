//! Work on two threads.
#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use tokio::runtime::Runtime;

/// Does each piece of work on one of two threads, each with a runtime of its own and a stack as deep as a program's
/// first thread needs for long questions; what came of all, in no order.
pub(crate) fn on_two_threads<W: Send, R: Send>(
    work: Vec<W>,
    each: impl Fn(W, &Runtime) -> Vec<R> + Sync,
) -> Vec<R> {
    let queue = Mutex::new(work);
    let one_after_another = || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let mut results = Vec::new();
        loop {
            // The lock is let go before the work is done.
            let Some(piece) = queue.lock().unwrap().pop() else { return results };
            results.extend(each(piece, &runtime));
        }
    };
    std::thread::scope(|scope| {
        let thread = || std::thread::Builder::new().stack_size(16 << 20);
        let threads = [(); 2].map(|()| thread().spawn_scoped(scope, one_after_another).unwrap());
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}
