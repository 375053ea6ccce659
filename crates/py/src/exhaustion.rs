//! What an allocation that fails ends: one call, not the process.
//!
//! By itself Rust aborts the process then, finished results of others and all; the hook to decide otherwise
//! (`std::alloc::set_alloc_error_hook`) is unstable, and an allocator must not unwind. So the thread whose call
//! somebody watches stops for good, with what it holds, and the watcher is notified.

#![expect(unsafe_code, reason = "the trait of allocators is unsafe, and nothing else sees every allocation")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

struct Allocator;

thread_local! {
    /// Where this thread's watcher looks; null if it has none.
    static WATCHER: Cell<*const AtomicBool> = const { Cell::new(null()) };
}

/// What is given back when memory fails, so that the watcher can still say so. Nobody writes to it, so it costs
/// addresses, not memory.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// More than 32 MiB, below which glibc may keep what is given back for the thread that gave it (`mallopt(3)`,
/// `M_MMAP_THRESHOLD`).
const RESERVED: Layout = match Layout::from_size_align(40 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("it is a legal layout"),
};

/// Carries out `work`. If memory fails in it, `exhausted` becomes true and this never returns.
pub fn watched<T>(exhausted: &AtomicBool, work: impl FnOnce() -> T) -> T {
    reserve();
    let _unwatch = Unwatch(WATCHER.replace(exhausted));
    work()
}

/// Gives the system what the allocator holds free. The GNU C library keeps for each thread what lies between blocks in
/// use; after a run nobody may need it again (`malloc_trim(3)`).
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        malloc_trim(0);
    }
}

/// Carries out `work` that holds the interpreter's lock: nobody could be notified if it stopped for good, so memory
/// that fails ends the process, as it does by itself.
pub fn unwatched<T>(work: impl FnOnce() -> T) -> T {
    let _watch = Unwatch(WATCHER.replace(null()));
    work()
}

/// Puts back the watcher that was there before.
struct Unwatch(*const AtomicBool);

impl Drop for Unwatch {
    fn drop(&mut self) {
        WATCHER.set(self.0);
    }
}

fn reserve() {
    if RESERVE.load(Ordering::Relaxed).is_null() {
        // SAFETY: the layout has a size.
        let block = unsafe { System.alloc(RESERVED) };
        if RESERVE.compare_exchange(null_mut(), block, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            release(block);
        }
    }
}

fn release(block: *mut u8) {
    if !block.is_null() {
        // SAFETY: it came from `System` with this layout, and the caller has taken it from where it stood.
        unsafe { System.dealloc(block, RESERVED) }
    }
}

/// Hands on `block`; a null one ends a call that is watched.
fn unless_exhausted(block: *mut u8) -> *mut u8 {
    let watcher = WATCHER.try_with(Cell::get).unwrap_or(null());
    if block.is_null() && !watcher.is_null() {
        release(RESERVE.swap(null_mut(), Ordering::Relaxed));
        // SAFETY: `watched` borrows it until its end, and that is not before this returns.
        unsafe { &*watcher }.store(true, Ordering::Relaxed);
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    block
}

// SAFETY: all of it is that of `System`, which hands out null or a block of the layout; nothing unwinds.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: what the caller promises.
        unless_exhausted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: what the caller promises.
        unless_exhausted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: what the caller promises.
        unless_exhausted(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: what the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}
