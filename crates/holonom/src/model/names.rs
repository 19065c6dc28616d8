//! Names of bodies, joints and forces.

/// Names in the order of creation, end to end in one string, with an index to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    text: String,
    ends: Vec<u32>,
    sorted: Vec<u32>,
}

impl Names {
    pub fn new(names: Vec<Box<str>>) -> Self {
        let text: String = names.concat();
        let mut end = 0;
        let ends = names.iter().map(|n| {
            end += n.len() as u32;
            end
        });
        let mut all = Names { text, ends: ends.collect(), sorted: (0..names.len() as u32).collect() };
        all.text.shrink_to_fit();
        let mut sorted = std::mem::take(&mut all.sorted);
        sorted.sort_by(|&a, &b| all.get(a as usize).cmp(all.get(b as usize)).then(a.cmp(&b)));
        Names { sorted, ..all }
    }

    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start as usize..self.ends[i] as usize]
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        let at = self.sorted.binary_search_by(|&i| self.get(i as usize).cmp(name)).ok()?;
        Some(self.sorted[at])
    }

    pub fn duplicate(&self) -> Option<&str> {
        let twice = self.sorted.windows(2).find(|w| self.get(w[0] as usize) == self.get(w[1] as usize))?;
        Some(self.get(twice[0] as usize))
    }
}
