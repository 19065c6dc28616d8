//! Disjoint sets of numbers.

/// Disjoint sets.
#[derive(Default)]
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(n: usize) -> Self {
        let mut sets = Sets::default();
        sets.reset(n);
        sets
    }

    /// Each on its own again; memory is kept.
    pub fn reset(&mut self, n: usize) {
        self.0.clear();
        self.0.extend(0..n as u32);
    }

    /// The lowest number in the set of `i`.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            self.0[i as usize] = self.0[self.0[i as usize] as usize];
            i = self.0[i as usize];
        }
        i
    }

    pub fn joined(&mut self, a: u32, b: u32) -> bool {
        self.find(a) == self.find(b)
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
