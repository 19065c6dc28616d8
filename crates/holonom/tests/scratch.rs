mod common;
use common::grow::*;
use common::spec::*;
#[test]
fn scales() {
    for k in [-24, -20, -16, -13, -10, -6, 6, 10, 13, 16, 20] {
        let l = libm::ldexp(1.0, k);
        let mut bad = std::collections::BTreeMap::new();
        let mut n = 0;
        for seed in 0..200u64 {
            let st: Vec<Step> = (0..4)
                .map(|i| Step {
                    kind: [Kind::Rigid, Kind::Rigid, Kind::Particle, Kind::Affine][(seed as usize / 10 + i) % 4],
                    link: if i == 0 { Link::Ground } else { Link::Body(i - 1) },
                    joint: (seed as usize + 3 * i) % 10,
                    reversed: false,
                })
                .collect();
            let g = grow(&st, seed, Wish { forces: false, ..Wish::ANY });
            if !g.refused.is_empty() {
                continue;
            }
            n += 1;
            // time scaled so that gravity stays
            let s = g.spec.scaled(l, l * l * l, libm::ldexp(1.0, k / 2));
            let e = match s.build() {
                Err(e) => format!("{e}").chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect::<String>(),
                Ok(m) => {
                    let mut a = g.spec.simulation();
                    let mut b = holonom::Simulation::new(m);
                    let v = (a.violation(), b.violation());
                    let r = b.residual().map(|r| r.largest()).unwrap_or(f64::NAN);
                    let _ = v;
                    if r < 1e-10 { "ok".to_string() } else { format!("residual {r}") }
                }
            };
            *bad.entry(e).or_insert(0) += 1;
        }
        println!("2^{k} of {n}: {bad:?}");
    }
}
