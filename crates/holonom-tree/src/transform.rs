//! Rows from a masked rigid transform, and the pivot that goes through the directions they leave free.
//!
//! A masked dual ties two nodes of size 6, `x_near` and `x_far`, by the rows
//!
//! ```text
//!     J = mask^T Ê^T ( X(r_far)  for the far node,  - X(r_near) for the near one )
//!     X(r) = [ 1 -[r] ; 0 1 ],   Ê = diag(E, E),   [r] y = r × y
//! ```
//!
//! Pivot of the pair (child, dual) in the tree. Let `s = +1` when the child is the far node, else -1, so that the
//! child's block is `s mask^T Ê^T X(r)`. Substitute `x_child = X(r)^-1 t`; the child's diagonal block becomes
//!
//! ```text
//!     D' = X^-T D X^-1:     A' = A,   B' = B + A [r],   C' = C + [r]^T B' + B^T [r]        with  D = [A B; B^T C]
//! ```
//!
//! and the rows say: the kept components of `t` equal those of `p = X(r_parent) x_parent`, less `ĝ = s Ê mask g`, where
//! `g` is the dual's right-hand side. What is left free, spanned by the columns `σ_k` of Ê that are not kept, is
//! eliminated one direction at a time:
//!
//! ```text
//!     U = D' σ,   d = σ^T D' σ,   D' <- D' - U U^T / d           (afterwards D' σ = 0: no row remains in that direction)
//! ```
//!
//! What remains, `S`, is the Schur complement of the pair, and the parent receives `X(r_parent)^T S X(r_parent)`; where
//! the parent's block is itself kept at the point of the parent's own pair, the lever arm from that point takes the
//! place of `r_parent`. Right-hand side, child's part `f' = X^-T f`:
//!
//! ```text
//!     forward    u_k = σ_k . f',   f' <- f' - U_k u_k / d_k          parent gets X^T (f' + S ĝ)
//!     backward   t = p - ĝ,  then in reverse order  t <- t + σ_k (u_k - U_k . t) / d_k,      x_child = X^-1 t
//!     the dual   s mask^T Ê^T (S (p - ĝ) - f')
//! ```
//!
//! The last line is the child's own balance, so the dual comes out exactly although its block was never inverted. When
//! the first three rows are kept and `E = 1` the three free directions go at once through one 3 x 3 inverse
//! (`S = A - B' C'^-1 B'^T`), without square roots and with a single division.
//!
//! Every symmetric matrix here is computed and stored as one triangle.

use crate::structure::Mask;
use crate::vec3::{IDENTITY, Sym3, V3, add, column, cross, dot, invert, rows_of, scale, sub, sym3_mul};

/// Packed symmetric 6 x 6.
type Sym6 = [f64; 21];

/// Numbers of a masked dual: the columns of `E`, and the lever arms of its two nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaskedTransform {
    /// `axes[k]` is column k of `E`; the columns must be orthonormal. Not read for an aligned dual.
    pub axes: [[f64; 3]; 3],
    /// Lever arms of the near node (sign -1) and of the far node (sign +1). That of a missing node is not read.
    pub near: [f64; 3],
    /// See `near`.
    pub far: [f64; 3],
}

impl MaskedTransform {
    /// The columns of `E`. An aligned dual has the identity, whatever stands in `axes`.
    #[inline(always)]
    pub(crate) fn axes(&self, aligned: bool) -> &[V3; 3] {
        if aligned { &IDENTITY } else { &self.axes }
    }

    /// The kept rows as a dense block, `mask.count() x 6`.
    pub(crate) fn write_rows(&self, mask: Mask, aligned: bool, far: bool, out: &mut [f64]) {
        let (sign, r) = if far { (1.0, self.far) } else { (-1.0, self.near) };
        let axes = self.axes(aligned);
        for (row, k) in mask.rows().enumerate() {
            let e = axes[k % 3];
            // e^T (-[r] w) = (r x e) . w
            let (first, last) = if k < 3 { (e, cross(r, e)) } else { ([0.0; 3], e) };
            for i in 0..3 {
                out[6 * row + i] = sign * first[i];
                out[6 * row + 3 + i] = sign * last[i];
            }
        }
    }
}

/// A packed 6 x 6 taken apart: A and C symmetric, B by rows.
#[inline(always)]
fn split(d: &Sym6) -> (Sym3, [V3; 3], Sym3) {
    (
        [d[0], d[1], d[2], d[6], d[7], d[11]],
        [[d[3], d[4], d[5]], [d[8], d[9], d[10]], [d[12], d[13], d[14]]],
        [d[15], d[16], d[17], d[18], d[19], d[20]],
    )
}

#[inline(always)]
fn join(a: &Sym3, b: &[V3; 3], c: &Sym3) -> Sym6 {
    [
        a[0], a[1], a[2], b[0][0], b[0][1], b[0][2], a[3], a[4], b[1][0], b[1][1], b[1][2], a[5], b[2][0], b[2][1],
        b[2][2], c[0], c[1], c[2], c[3], c[4], c[5],
    ]
}

/// B' and C' of `X(r)^-T D X(r)^-1`: B' = B + A [r], C' = C + [r]^T B' + B^T [r].
#[inline(always)]
fn moved_parts(a: &Sym3, b: &[V3; 3], c: &Sym3, r: V3) -> ([V3; 3], Sym3) {
    let rows = rows_of(a);
    // row i of A [r] is A_i x r
    let b2 = [add(b[0], cross(rows[0], r)), add(b[1], cross(rows[1], r)), add(b[2], cross(rows[2], r))];
    // column j of [r]^T B' is -r x B'_j = B'_j x r;  row i of B^T [r] is B_i x r (B_i: column i of B)
    let left = [cross(column(&b2, 0), r), cross(column(&b2, 1), r), cross(column(&b2, 2), r)];
    let right = [cross(column(b, 0), r), cross(column(b, 1), r), cross(column(b, 2), r)];
    let c2 = [
        c[0] + left[0][0] + right[0][0],
        c[1] + left[1][0] + right[0][1],
        c[2] + left[2][0] + right[0][2],
        c[3] + left[1][1] + right[1][1],
        c[4] + left[2][1] + right[1][2],
        c[5] + left[2][2] + right[2][2],
    ];
    (b2, c2)
}

/// A symmetric 6 x 6 taken apart, moved to the point of a pair.
pub(crate) struct Parts {
    a: Sym3,
    b: [V3; 3],
    c: Sym3,
}

impl Parts {
    /// The block of a pair's child at the pair's point: its own block and what came from below, which `shifted` says is
    /// at the point already.
    #[inline(always)]
    pub fn at_point(own: &Sym6, below: &Sym6, r: V3, shifted: bool) -> Parts {
        if shifted {
            let Parts { a, b, c } = Parts::moved(own, r);
            let mut d = join(&a, &b, &c);
            (0..21).for_each(|i| d[i] += below[i]);
            let (a, b, c) = split(&d);
            Parts { a, b, c }
        } else {
            let mut d = *own;
            (0..21).for_each(|i| d[i] += below[i]);
            Parts::moved(&d, r)
        }
    }

    /// A block `[a 1, 0; 0, C]` and what came from below, not yet at the point.
    pub fn central_moved(own: &[f64; 7], below: &Sym6, r: V3) -> Parts {
        let mut d = *below;
        for (k, o) in [0, 6, 11].into_iter().zip([0; 3]).chain((15..21).zip(1..7)) {
            d[k] += own[o];
        }
        Parts::moved(&d, r)
    }

    #[inline(always)]
    fn moved(d: &Sym6, r: V3) -> Parts {
        let (a, b, c) = split(d);
        let (b, c) = moved_parts(&a, &b, &c, r);
        Parts { a, b, c }
    }

    /// The same for a block `[a 1, 0; 0, C]` and what is at the point already:  B' = a [r].
    #[inline(always)]
    pub fn central_with(own: &[f64; 7], below: &Sym6, r: V3) -> Parts {
        let m = own[0];
        let s = scale(r, m);
        let (a, b, c) = split(below);
        let k = central_c(own, r, s);
        Parts {
            a: [a[0] + m, a[1], a[2], a[3] + m, a[4], a[5] + m],
            b: [
                [b[0][0], b[0][1] - s[2], b[0][2] + s[1]],
                [b[1][0] + s[2], b[1][1], b[1][2] - s[0]],
                [b[2][0] - s[1], b[2][1] + s[0], b[2][2]],
            ],
            c: [c[0] + k[0], c[1] + k[1], c[2] + k[2], c[3] + k[3], c[4] + k[4], c[5] + k[5]],
        }
    }
}

/// C' = C + a (|r|^2 1 - r r^T) of a block `[a 1, 0; 0, C]`, with `s = a r`.
#[inline(always)]
fn central_c(d: &[f64; 7], r: V3, s: V3) -> Sym3 {
    let (xx, yy, zz) = (s[0] * r[0], s[1] * r[1], s[2] * r[2]);
    [d[1] + (yy + zz), d[2] - s[0] * r[1], d[3] - s[0] * r[2], d[4] + (xx + zz), d[5] - s[1] * r[2], d[6] + (xx + yy)]
}

/// parent += X^T [S 0; 0 0] X: moved by -lever.
#[inline(always)]
fn add_moved(s: &Sym3, lever: V3, p: &mut Sym6) {
    let rows = rows_of(s);
    // row i of -S [lever] is lever × S_i
    let q = [cross(lever, rows[0]), cross(lever, rows[1]), cross(lever, rows[2])];
    let w = [cross(lever, column(&q, 0)), cross(lever, column(&q, 1)), cross(lever, column(&q, 2))];
    let gain = join(s, &q, &[w[0][0], w[1][0], w[2][0], w[1][1], w[2][1], w[2][2]]);
    for i in 0..21 {
        p[i] += gain[i];
    }
}

/// Pivot of a pair whose dual keeps the first three rows with `E = 1`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AlignedPivot {
    /// G = B' C'^-1, by rows.
    g: [V3; 3],
    c_inverse: Sym3,
    s: Sym3,
    r_child: V3,
    r_parent: V3,
}

impl AlignedPivot {
    /// Eliminate the pair with the child's block `d` at the pair's point, and add to the parent's block, which stands
    /// at the point that `lever` leads away from. False when C' is not positive definite; a NaN anywhere in the child's
    /// block or arm gets into C' and ends here too.
    #[inline(always)]
    pub fn factor(&mut self, d: &Parts, r_child: V3, r_parent: V3, lever: V3, parent: &mut Sym6) -> bool {
        let Parts { a, b, c } = d;
        let Some(c_inverse) = invert(c) else { return false };
        let g = [sym3_mul(&c_inverse, b[0]), sym3_mul(&c_inverse, b[1]), sym3_mul(&c_inverse, b[2])];
        // S = A - G B'^T, one triangle
        let s = [
            a[0] - dot(g[0], b[0]),
            a[1] - dot(g[0], b[1]),
            a[2] - dot(g[0], b[2]),
            a[3] - dot(g[1], b[1]),
            a[4] - dot(g[1], b[2]),
            a[5] - dot(g[2], b[2]),
        ];
        *self = AlignedPivot { g, c_inverse, s, r_child, r_parent };
        add_moved(&s, lever, parent);
        true
    }

    /// The same for a child `[a 1, 0; 0, C]` that receives nothing from below: B' = [v] with v = a r, so that G = [v]
    /// C'^-1 has the columns v × (column of C'^-1), and row i of G B'^T is v × G_i.
    #[inline(always)]
    pub fn factor_leaf(&mut self, own: &[f64; 7], r_child: V3, r_parent: V3, lever: V3, parent: &mut Sym6) -> bool {
        let m = own[0];
        let v = scale(r_child, m);
        let Some(c_inverse) = invert(&central_c(own, r_child, v)) else { return false };
        let k = rows_of(&c_inverse);
        let (g0, g1, g2) = (cross(v, k[0]), cross(v, k[1]), cross(v, k[2]));
        let g = [[g0[0], g1[0], g2[0]], [g0[1], g1[1], g2[1]], [g0[2], g1[2], g2[2]]];
        // [v] y = v × y, so G_i . (row j of [v]) = (v × G_i)_j
        let (t0, t1, t2) = (cross(v, g[0]), cross(v, g[1]), cross(v, g[2]));
        let s = [m - t0[0], -t0[1], -t0[2], m - t1[1], -t1[2], m - t2[2]];
        *self = AlignedPivot { g, c_inverse, s, r_child, r_parent };
        add_moved(&s, lever, parent);
        true
    }

    /// Last three entries of `X^-T f`.
    pub fn last_at_point(&self, f: &[f64; 6]) -> V3 {
        let (lin, ang) = halves(f);
        sub(ang, cross(self.r_child, lin))
    }

    /// `C'^-1 b`.
    pub fn last_scaled(&self, b: V3) -> V3 {
        sym3_mul(&self.c_inverse, b)
    }

    /// `a^T C'^-1 b`.
    pub fn last_product(&self, a: V3, b: V3) -> f64 {
        dot(a, sym3_mul(&self.c_inverse, b))
    }

    /// `x`: the child's right-hand side, replaced by what `backward` needs; returns what the parent receives.
    #[inline(always)]
    pub fn forward(&self, x: &mut [f64; 6], g: V3) -> [f64; 6] {
        let (lin, ang) = halves(x);
        let ang = sub(ang, cross(self.r_child, lin));
        let reduced = [lin[0] - dot(self.g[0], ang), lin[1] - dot(self.g[1], ang), lin[2] - dot(self.g[2], ang)];
        let y = sym3_mul(&self.c_inverse, ang);
        *x = whole(reduced, y);
        let w = add(reduced, sym3_mul(&self.s, g));
        whole(w, cross(self.r_parent, w))
    }

    /// `x`: in, what `forward` left; out, the solution. Returns the dual (before its sign).
    #[inline(always)]
    pub fn backward(&self, x: &mut [f64; 6], parent: &[f64; 6], g: V3) -> V3 {
        let (reduced, y) = halves(x);
        let (lin, ang) = halves(parent);
        let t = sub(add(lin, cross(ang, self.r_parent)), g);
        let dual = sub(sym3_mul(&self.s, t), reduced);
        let gt = add(add(scale(self.g[0], t[0]), scale(self.g[1], t[1])), scale(self.g[2], t[2]));
        let w = sub(y, gt);
        *x = whole(add(t, cross(self.r_child, w)), w);
        dual
    }
}

/// Is there a NaN in the matrix? It survives any sum; three sums side by side, because a single one would wait for
/// itself.
#[inline(always)]
fn has_nan(values: &Sym6) -> bool {
    let mut sums = [0.0; 3];
    for three in values.chunks_exact(3) {
        for i in 0..3 {
            sums[i] += three[i];
        }
    }
    (sums[0] + sums[1] + sums[2]).is_nan()
}

/// Pivot of a pair whose dual keeps at least three rows.
///
/// In the order of use, so that a pivot with one free direction leaves the memory of the other two alone.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct FreePivot {
    s: Sym6,
    axes: [V3; 3],
    r_child: V3,
    r_parent: V3,
    /// 1 / d_k.
    inverse: [f64; 3],
    /// U_k of the free directions, in the order of their elimination.
    u: [[f64; 6]; 3],
}

impl FreePivot {
    /// Eliminate the pair, as in [`AlignedPivot::factor`]. False when a pivot is not positive, or on a NaN. `mask` is a
    /// constant in every hot call, so the loops unroll.
    #[inline(always)]
    pub fn factor(
        &mut self,
        mask: Mask,
        d: &Parts,
        axes: &[V3; 3],
        r_child: V3,
        r_parent: V3,
        lever: V3,
        parent: &mut Sym6,
    ) -> bool {
        let mut s = join(&d.a, &d.b, &d.c);
        let mut n = 0;
        for k in 0..6 {
            if mask.keeps(k) {
                continue;
            }
            let (a, b, c) = split(&s);
            let e = axes[k % 3];
            let u = if k < 3 {
                let lin = sym3_mul(&a, e);
                let ang = [dot(column(&b, 0), e), dot(column(&b, 1), e), dot(column(&b, 2), e)];
                whole(lin, ang)
            } else {
                whole([dot(b[0], e), dot(b[1], e), dot(b[2], e)], sym3_mul(&c, e))
            };
            let half = if k < 3 { [u[0], u[1], u[2]] } else { [u[3], u[4], u[5]] };
            let d = dot(e, half);
            let positive = d > 0.0; // false for NaN
            if !positive {
                return false;
            }
            let inverse = 1.0 / d;
            let mut at = 0;
            for i in 0..6 {
                let l = u[i] * inverse;
                for j in i..6 {
                    s[at] -= l * u[j];
                    at += 1;
                }
            }
            self.u[n] = u;
            self.inverse[n] = inverse;
            n += 1;
        }
        // the directions kept meet no comparison on their way up: a NaN in them would pass unnoticed
        if has_nan(&s) {
            return false;
        }
        self.s = s;
        self.axes = *axes;
        self.r_child = r_child;
        self.r_parent = r_parent;
        let (a, b, c) = split(&s);
        let (b, c) = moved_parts(&a, &b, &c, scale(lever, -1.0));
        let gain = join(&a, &b, &c);
        for i in 0..21 {
            parent[i] += gain[i];
        }
        true
    }

    /// 1 / d_k of the free directions.
    pub fn inverses(&self, mask: Mask) -> &[f64] {
        &self.inverse[..6 - mask.count()]
    }

    /// Spread the dual's entries over the six directions: `Ê mask g`.
    #[inline(always)]
    pub fn spread(&self, mask: Mask, sign: f64, g: &[f64]) -> [f64; 6] {
        let mut out = [0.0; 6];
        let mut row = 0;
        for k in 0..6 {
            if mask.keeps(k) {
                let half = 3 * (k / 3);
                for i in 0..3 {
                    out[half + i] += sign * g[row] * self.axes[k % 3][i];
                }
                row += 1;
            }
        }
        out
    }

    /// `x`: the child's right-hand side, replaced by what `backward` needs, with `u`; returns what the parent receives.
    #[inline(always)]
    pub fn forward(&self, mask: Mask, x: &mut [f64; 6], u: &mut [f64; 3], g: &[f64; 6]) -> [f64; 6] {
        let (lin, ang) = halves(x);
        let mut f = whole(lin, sub(ang, cross(self.r_child, lin)));
        let mut n = 0;
        for k in 0..6 {
            if mask.keeps(k) {
                continue;
            }
            let (lin, ang) = halves(&f);
            u[n] = dot(self.axes[k % 3], if k < 3 { lin } else { ang });
            let q = u[n] * self.inverse[n];
            for i in 0..6 {
                f[i] -= self.u[n][i] * q;
            }
            n += 1;
        }
        *x = f;
        let sg = sym6_mul(&self.s, g);
        let (lin, ang) = ([f[0] + sg[0], f[1] + sg[1], f[2] + sg[2]], [f[3] + sg[3], f[4] + sg[4], f[5] + sg[5]]);
        whole(lin, add(ang, cross(self.r_parent, lin)))
    }

    /// `x`: in, what `forward` left; out, the solution. Writes the dual, with its sign.
    #[inline(always)]
    pub fn backward(
        &self,
        mask: Mask,
        x: &mut [f64; 6],
        u: &[f64; 3],
        parent: &[f64; 6],
        g: &[f64; 6],
        sign: f64,
        dual: &mut [f64; 6],
    ) {
        let (lin, ang) = halves(parent);
        let p = whole(add(lin, cross(ang, self.r_parent)), ang);
        let mut t: [f64; 6] = std::array::from_fn(|i| p[i] - g[i]);
        let mut w = sym6_mul(&self.s, &t);
        for i in 0..6 {
            w[i] -= x[i];
        }
        let mut row = 0;
        for k in 0..6 {
            if mask.keeps(k) {
                let (lin, ang) = halves(&w);
                dual[row] = sign * dot(self.axes[k % 3], if k < 3 { lin } else { ang });
                row += 1;
            }
        }
        let mut n = 6 - row;
        for k in (0..6).rev() {
            if mask.keeps(k) {
                continue;
            }
            n -= 1;
            let mut sum = u[n];
            for i in 0..6 {
                sum -= self.u[n][i] * t[i];
            }
            let q = sum * self.inverse[n];
            let half = 3 * (k / 3);
            for i in 0..3 {
                t[half + i] += self.axes[k % 3][i] * q;
            }
        }
        let (lin, ang) = halves(&t);
        *x = whole(add(lin, cross(self.r_child, ang)), ang);
    }
}

#[inline(always)]
fn sym6_mul(m: &Sym6, x: &[f64; 6]) -> [f64; 6] {
    let (a, b, c) = split(m);
    let (lin, ang) = halves(x);
    let al = sym3_mul(&a, lin);
    let ba = [dot(b[0], ang), dot(b[1], ang), dot(b[2], ang)];
    let bl = [dot(column(&b, 0), lin), dot(column(&b, 1), lin), dot(column(&b, 2), lin)];
    whole(add(al, ba), add(bl, sym3_mul(&c, ang)))
}

#[inline(always)]
fn halves(x: &[f64; 6]) -> (V3, V3) {
    ([x[0], x[1], x[2]], [x[3], x[4], x[5]])
}

#[inline(always)]
fn whole(a: V3, b: V3) -> [f64; 6] {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}
