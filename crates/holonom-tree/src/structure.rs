//! What the matrix looks like, before any number is known: nodes with sizes, links between them.

/// A block row of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

/// A dense block between a dual and a primal node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub u32);

impl Node {
    /// Position in the order of declaration.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which of the six rows of a masked dual are kept: bits 0-2 are the rows along the columns of `E` that act on the
/// first three entries of a node (with the lever arm), bits 3-5 those that act on the last three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(pub u8);

impl Mask {
    /// Rows 0, 1 and 2: the first three entries.
    pub const FIRST_THREE: Mask = Mask(0b000_111);
    /// All six rows.
    pub const ALL: Mask = Mask(0b111_111);

    /// Number of rows kept.
    pub fn count(self) -> usize {
        (self.0 & 0b111_111).count_ones() as usize
    }

    /// Is row `k` (0 to 5) kept?
    #[inline(always)]
    pub fn keeps(self, k: usize) -> bool {
        self.0 >> k & 1 == 1
    }

    /// The rows kept, in order.
    pub fn rows(self) -> impl Iterator<Item = usize> {
        (0..6).filter(move |&k| self.keeps(k))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Primal,
    /// Dense rows.
    Dual,
    /// Rows from a masked rigid transform; `transform` indexes those of `Blocks`. `aligned`: E is the identity.
    Masked {
        transform: u32,
        mask: Mask,
        aligned: bool,
    },
}

/// One edge of the graph, seen from its dual end. `value` says where the numbers are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub dual: Node,
    pub primal: Node,
    pub value: LinkValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkValue {
    /// Offset into the dense link values; `dual size x primal size`, row by row.
    Dense(u32),
    /// The near (sign -1) or far (sign +1) end of the dual's transform.
    Near,
    Far,
}

/// Sizes and links of a symmetric saddle-point matrix. Nodes keep the order in which they are declared; vectors are
/// laid out in that order.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    pub(crate) sizes: Vec<u32>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) links: Vec<Link>,
    pub(crate) roots: Vec<Node>,
    pub(crate) may_lose_rank: Vec<Node>,
    /// Promises of [`Structure::unit`].
    pub(crate) units: Vec<(Node, u32, f64)>,
    pub(crate) cyclic: Vec<Node>,
    /// Promises of [`Structure::central`].
    pub(crate) central: Vec<bool>,
    /// Where the values of each dense link stand.
    pub(crate) dense_links: Vec<(u32, u32)>,
    pub(crate) n_dense: usize,
    pub(crate) n_transforms: usize,
}

impl Structure {
    /// An empty matrix.
    pub fn new() -> Self {
        Self::default()
    }

    fn node(&mut self, size: usize, kind: Kind) -> Node {
        self.sizes.push(size as u32);
        self.kinds.push(kind);
        self.central.push(false);
        Node(self.sizes.len() as u32 - 1)
    }

    /// A node with a symmetric positive definite diagonal block of this size.
    ///
    /// # Panics
    /// When the size exceeds 65,535.
    pub fn primal(&mut self, size: usize) -> Node {
        assert!(size <= u16::MAX as usize, "primal: a node has at most 65,535 entries");
        self.node(size, Kind::Primal)
    }

    /// A node with `rows` dense rows and a zero diagonal block. Connect it with [`Structure::link`].
    pub fn dual(&mut self, rows: usize) -> Node {
        self.node(rows, Kind::Dual)
    }

    /// A dense block `J` between a dual and a primal node; it stands as `-J` in the matrix.
    ///
    /// # Panics
    /// When the two nodes are not a dense dual and a primal node, in this order: a mistake of the calling program.
    pub fn link(&mut self, dual: Node, primal: Node) -> LinkId {
        assert!(self.kinds[dual.index()] == Kind::Dual, "link: the first node must be a dense dual");
        assert!(self.kinds[primal.index()] == Kind::Primal, "link: the second node must be primal");
        let offset = self.n_dense;
        self.n_dense += (self.sizes[dual.index()] * self.sizes[primal.index()]) as usize;
        self.links.push(Link { dual, primal, value: LinkValue::Dense(offset as u32) });
        self.dense_links.push((offset as u32, self.n_dense as u32));
        LinkId(self.dense_links.len() as u32 - 1)
    }

    /// A dual whose rows are `mask^T E^T (X(far) - X(near))` with `X(r) = [1 -[r]; 0 1]`; both nodes of size 6. One of
    /// them may be missing, and its term with it. `aligned` promises that `E` is the identity.
    ///
    /// # Panics
    /// When a node is not primal of size 6, or both are missing: a mistake of the calling program.
    pub fn masked(&mut self, mask: Mask, aligned: bool, near: Option<Node>, far: Option<Node>) -> Node {
        assert!(near.is_some() || far.is_some(), "masked: one end at least must be given");
        let transform = self.n_transforms as u32;
        self.n_transforms += 1;
        let dual = self.node(mask.count(), Kind::Masked { transform, mask, aligned });
        let ends = [(near, LinkValue::Near), (far, LinkValue::Far)];
        for (primal, value) in ends.into_iter().filter_map(|(node, value)| Some((node?, value))) {
            let fits = self.kinds[primal.index()] == Kind::Primal && self.sizes[primal.index()] == 6;
            assert!(fits, "masked: both ends must be primal nodes of size 6");
            self.links.push(Link { dual, primal, value });
        }
        dual
    }

    /// Ask that the tree of this node be rooted at it. Without a wish a tree is rooted at a dual with a single link, if
    /// it has one, or at its most connected primal node. Where there are cycles, they take the place of the root, and
    /// the wish is not heard.
    pub fn prefer_root(&mut self, node: Node) {
        self.roots.push(node);
    }

    /// Promise that the diagonal block of this node of size 6 always has the form `[a 1, 0; 0, C]`: moving it to
    /// another point is then cheap.
    ///
    /// # Panics
    /// When the node is not primal of size 6: a mistake of the calling program.
    pub fn central(&mut self, node: Node) {
        let fits = self.kinds[node.index()] == Kind::Primal && self.sizes[node.index()] == 6;
        assert!(fits, "central: the node must be primal of size 6");
        self.central[node.index()] = true;
    }

    /// Say that the dense links of this primal node, of full rank in the sample, may lose it for other values. Its
    /// duals then wait until their other ends have been eliminated too.
    pub fn may_lose_rank(&mut self, node: Node) {
        self.may_lose_rank.push(node);
    }

    /// Say that the first `columns` coordinates of this primal node count in a unit of their own, of this size beside
    /// that of its others. The planner judges rows in these units; values stay as they are.
    pub fn unit(&mut self, node: Node, columns: usize, size: f64) {
        self.units.push((node, columns as u32, size));
    }

    /// Treat the whole component of this node as if it were on cycles. Some of its rows may depend on others although
    /// it is a tree, and only in cycles are there rules for that ([`PivotRule`](crate::PivotRule)).
    pub fn treat_as_cyclic(&mut self, node: Node) {
        self.cyclic.push(node);
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.sizes.len()
    }

    /// Size of a node's block.
    pub fn size(&self, node: Node) -> usize {
        self.sizes[node.index()] as usize
    }

    /// Is the node dual?
    pub fn is_dual(&self, node: Node) -> bool {
        self.kinds[node.index()] != Kind::Primal
    }

    /// Links as (dual, primal) pairs, in the order of declaration.
    pub fn links(&self) -> impl Iterator<Item = (Node, Node)> {
        self.links.iter().map(|l| (l.dual, l.primal))
    }

    /// Is the node promised to be [central](Structure::central)?
    pub fn is_central(&self, node: Node) -> bool {
        self.central[node.index()]
    }

    /// Index of the transform of a masked dual, `None` for other nodes.
    pub fn transform_index(&self, node: Node) -> Option<usize> {
        match self.kinds[node.index()] {
            Kind::Masked { transform, .. } => Some(transform as usize),
            _ => None,
        }
    }
}
