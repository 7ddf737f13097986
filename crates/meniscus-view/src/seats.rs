//! How many requests are answered at a time: whoever finds no seat waits at the door, where the system keeps a queue.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A number of seats.
#[derive(Debug)]
pub(super) struct Seats {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A seat that is taken until this is dropped.
#[derive(Debug)]
pub(super) struct Seat(Arc<Seats>);

impl Seats {
    pub fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { free: Mutex::new(count), freed: Condvar::new() })
    }

    /// Waits for a free seat and takes it.
    pub fn take(self: &Arc<Self>) -> Seat {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Seat(Arc::clone(self))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn there_are_never_more_guests_than_seats() {
        let (seats, guests, most) = (Seats::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    let _seat = seats.take();
                    most.fetch_max(guests.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(5));
                    guests.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(most.into_inner(), 3);
    }
}
