#![allow(unsafe_code)]
use holonom::prelude::*;
use std::alloc::*;
use std::sync::atomic::*;
static ON: AtomicBool = AtomicBool::new(false);
struct A;
unsafe impl GlobalAlloc for A {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        if ON.swap(false, Ordering::SeqCst) {
            println!("{}", std::backtrace::Backtrace::force_capture());
            ON.store(false, Ordering::SeqCst);
        }
        unsafe { System.alloc(l) }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        unsafe { System.dealloc(p, l) }
    }
}
#[global_allocator]
static G: A = A;
include!("no_allocation.rs_part");
#[test]
fn x() {
    let mut sim = Simulation::build(machine()).expect("valid");
    sim.set_integrator(IntegratorKind::SemiImplicitEuler);
    for _ in 0..3 {
        sim.step(1e-3).unwrap();
    }
    ON.store(true, Ordering::SeqCst);
    sim.step(1e-3).unwrap();
}
