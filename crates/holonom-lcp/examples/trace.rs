//! trace
#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
use holonom_lcp::*;
fn main() {
    let arg: Vec<f64> = std::env::args().skip(1).map(|v| v.parse().unwrap()).collect();
    let owned = if arg.len() == 3 {
        heap(&mut Random(1000 + arg[0] as u64), 1 + arg[0] as usize % 10, arg[1], arg[2])
    } else {
        tower(arg[0] as usize, arg[1], 0.3, 1.0, 0.2)
    };
    let mut x = vec![0.0; owned.len()];
    println!("{:?}", Cone::new().solve(&owned.problem(), &mut x));
    println!("{:?}", certificate(&owned.problem(), &x));
}
