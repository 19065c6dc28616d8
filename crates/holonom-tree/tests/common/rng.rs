//! Random numbers that are the same on every machine.

use holonom_tree::packed;

/// The splitmix64 generator.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Uniform in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn vector<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.unit())
    }

    pub fn list(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }

    /// A packed symmetric positive definite matrix, `1/2 + G G^T / n`.
    pub fn definite(&mut self, n: usize, out: &mut [f64]) {
        let g = self.list(n * n);
        for i in 0..n {
            for j in i..n {
                let sum: f64 = (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum();
                out[packed::at(n, i, j)] = sum / n as f64 + if i == j { 0.5 } else { 0.0 };
            }
        }
    }

    /// A unit vector at right angles to orthonormal `others`; `None` when they leave no room.
    pub fn direction(&mut self, n: usize, others: &[Vec<f64>]) -> Option<Vec<f64>> {
        if others.len() >= n {
            return None;
        }
        loop {
            let mut v = self.list(n);
            let length = norm(&v);
            remove(&mut v, others);
            let left = norm(&v);
            // a small rest would be mostly rounding errors
            if left > 0.01 * length {
                v.iter_mut().for_each(|v| *v /= left);
                return Some(v);
            }
        }
    }

    /// Size3 orthonormal axes.
    pub fn axes(&mut self) -> [[f64; 3]; 3] {
        let mut axes: Vec<Vec<f64>> = Vec::new();
        while let Some(axis) = self.direction(3, &axes) {
            axes.push(axis);
        }
        std::array::from_fn(|k| std::array::from_fn(|i| axes[k][i]))
    }
}

pub fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Take the parts along orthonormal `others` out of `v`. Twice, so that rounding leaves nothing of them.
pub fn remove(v: &mut [f64], others: &[Vec<f64>]) {
    for _ in 0..2 {
        for other in others {
            let along: f64 = v.iter().zip(other).map(|(a, b)| a * b).sum();
            v.iter_mut().zip(other).for_each(|(v, o)| *v -= along * o);
        }
    }
}
