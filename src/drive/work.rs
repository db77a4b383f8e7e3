//! Counts what the program's own futures still have to do, so that "nothing is left" is a fact and not a pause.
//!
//! A future has something to do from the moment it is spawned or woken until it was polled and waits again. While the
//! count is zero, no message can come but from outside: a pipe, a timer, a person.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use iced_program::futures::Executor;

/// The number of futures that have something to do; the driver's thread is woken when it becomes zero.
#[derive(Debug)]
pub(super) struct Work {
    count: AtomicUsize,
    driver: Thread,
}

impl Work {
    /// None yet. The calling thread is the one that is woken.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { count: AtomicUsize::new(0), driver: std::thread::current() })
    }

    /// True when every future waits for something outside.
    pub(super) fn is_done(&self) -> bool {
        self.count.load(Ordering::SeqCst) == 0
    }

    fn begin(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    fn end(&self) {
        if self.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.driver.unpark();
        }
    }
}

/// An executor whose futures are counted.
pub(super) struct Counting<E> {
    pub(super) inner: E,
    pub(super) work: Arc<Work>,
}

impl<E: Executor> Executor for Counting<E> {
    fn new() -> Result<Self, std::io::Error> {
        Ok(Self { inner: E::new()?, work: Work::new() })
    }

    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.work.begin();
        let watch = Arc::new(Watch { work: Arc::clone(&self.work), state: Mutex::new(State::default()) });
        self.inner.spawn(Watched { future: Box::pin(future), watch });
    }

    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.inner.block_on(future)
    }

    fn enter<R>(&self, f: impl FnOnce() -> R) -> R {
        self.inner.enter(f)
    }
}

/// One spawned future. It holds one count while it is `woken` and one while it is polled.
struct Watch {
    work: Arc<Work>,
    state: Mutex<State>,
}

struct State {
    woken: bool,
    over: bool,
    waker: Option<Waker>,
}

impl Default for State {
    fn default() -> Self {
        Self { woken: true, over: false, waker: None }
    }
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the state whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Watch {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.lock();
        if !state.over && !state.woken {
            state.woken = true;
            self.work.begin();
        }
        let waker = state.waker.clone();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

struct Watched {
    future: Pin<Box<dyn Future<Output = ()> + Send>>,
    watch: Arc<Watch>,
}

impl Future for Watched {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.watch.lock();
        state.waker = Some(context.waker().clone());
        // A poll without a wake is counted too, and given back below.
        if !std::mem::take(&mut state.woken) {
            self.watch.work.begin();
        }
        drop(state);
        let waker = Waker::from(Arc::clone(&self.watch));
        let polled = self.future.as_mut().poll(&mut Context::from_waker(&waker));
        self.watch.work.end();
        polled
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut state = self.watch.lock();
        state.over = true;
        if std::mem::take(&mut state.woken) {
            self.watch.work.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_program::futures::futures::StreamExt as _;
    use iced_program::futures::futures::channel::mpsc;

    type Counted = Counting<iced_program::futures::backend::default::Executor>;

    fn wait_until_done(work: &Work) {
        while !work.is_done() {
            std::thread::park_timeout(std::time::Duration::from_secs(30));
        }
    }

    #[test]
    fn work_is_done_exactly_when_everything_that_was_sent_has_been_handled() {
        let executor = Counted::new().unwrap();
        let (into, mut from) = mpsc::unbounded::<u32>();
        let (out, mut results) = mpsc::unbounded::<u32>();
        executor.spawn(async move {
            while let Some(number) = from.next().await {
                // Something in between that other threads may interrupt.
                for _ in 0..number % 7 {
                    std::thread::yield_now();
                }
                out.unbounded_send(number).unwrap();
            }
        });
        for number in 0..2_000 {
            into.unbounded_send(number).unwrap();
            wait_until_done(&executor.work);
            assert_eq!(results.try_recv().ok(), Some(number), "it was said to be done before");
        }
        drop(into);
        wait_until_done(&executor.work);
        assert!(results.try_recv().is_err(), "the future is over");
    }

    #[test]
    fn a_future_that_is_dropped_while_it_waits_leaves_nothing_counted() {
        let work = Work::new();
        let watch = Arc::new(Watch { work: Arc::clone(&work), state: Mutex::default() });
        work.begin();
        let mut watched = Watched { future: Box::pin(std::future::pending()), watch: Arc::clone(&watch) };
        let polled = Pin::new(&mut watched).poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending() && work.is_done());
        watch.wake_by_ref();
        assert!(!work.is_done());
        drop(watched);
        assert!(work.is_done());
        watch.wake_by_ref();
        assert!(work.is_done(), "nobody is left to have work");
    }
}
