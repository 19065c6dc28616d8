//! The rays of a tyre: how they are laid out, and which of them take a load. Symbols as in `tyre.rs`.
//!
//! Rays cover the lower half of every row, from a quarter turn behind to a quarter turn ahead. Most of them end above
//! the terrain. Spans of rays are halved until they are short, and left out as soon as the terrain is known to lie
//! below all of their ends; the rays left out have no load, so forces are the same bit by bit.

use crate::carcass::Carcass;
use crate::terrain::Terrain;
use holonom::declaration::Invalid;
use holonom::functions::Function;
use holonom::math::Vec3;
use std::f64::consts::PI;

/// Spans of at most this many elements of tread are not halved.
const SHORT_SPAN: usize = 4;

/// A rounded cross-section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    /// Of the tread (m).
    pub width: f64,
    /// Radius of its arc (m).
    pub crown: f64,
    /// Circles over the width.
    pub rows: usize,
}

/// Rows of radial springs.
#[derive(Clone, Debug)]
pub(crate) struct Tread {
    rows: Vec<Row>,
    /// Cosine and sine of phi of every ray.
    rays: Vec<(f64, f64)>,
}

/// One circle of tread.
#[derive(Clone, Debug)]
struct Row {
    /// Along the axle (m).
    offset: f64,
    /// Of the tread, and h^2/12 R more (m).
    radius: f64,
    /// Length of tread between two rays (m).
    length: f64,
    carcass: Carcass,
}

/// Axes from which the rays are directed.
pub(crate) struct RayFrame {
    /// e.
    axle: Vec3,
    /// u_1.
    down: Vec3,
    /// u_2.
    across: Vec3,
    /// d.e / s.
    lean: f64,
}

impl RayFrame {
    /// `None` for a wheel that lies on its side: it has no lower half.
    pub fn new(axle: Vec3) -> Option<RayFrame> {
        let tilt = -axle.z;
        let level = (1.0 - tilt * tilt).max(0.0).sqrt();
        if level < 1e-3 {
            return None;
        }
        let down = (-Vec3::Z - axle * tilt) / level;
        Some(RayFrame { axle, down, across: axle.cross(down), lean: tilt / level })
    }

    /// T - e (e.T) + u_1 (d.e / s) (e.T): the torque of the springs on the wheel, whose spin does not turn the rays.
    pub fn spring_torque(&self, torque: Vec3) -> Vec3 {
        torque + (self.down * self.lean - self.axle) * self.axle.dot(torque)
    }

    fn direction(&self, (cos, sin): (f64, f64)) -> Vec3 {
        self.down * cos + self.across * sin
    }
}

/// A ray that takes a load.
pub(crate) struct LoadedRay {
    /// From the hub to where it meets the terrain (m), world axes.
    pub arm: Vec3,
    /// Of the terrain.
    pub normal: Vec3,
    /// 1/l.
    pub steepness: f64,
    /// Radial load (N) and its slope (N/m).
    pub load: f64,
    pub slope: f64,
}

/// A distance to the terrain (m), and the terrain's normal there.
type Ground = (f64, Vec3);

/// What is known of a ray while its row is visited.
struct Ray {
    index: usize,
    direction: Vec3,
    /// Clearance of the undeformed tread, and the normal below it.
    tread: Ground,
    /// Where it meets the terrain, if that was asked for.
    met: Option<Ground>,
    /// From the elements of tread on both sides.
    load: f64,
    slope: f64,
}

impl Tread {
    /// A ray every `resolution` (m) of tread; one row, or those of a section. `load` (N) is a function of the
    /// deflection (m) up to `max_deflection`.
    pub fn fit(
        load: &dyn Function,
        max_deflection: f64,
        radius: f64,
        resolution: f64,
        section: Option<Section>,
    ) -> Result<Tread, Invalid> {
        let quarter = (0.5 * PI * radius / resolution).ceil() as usize;
        let step = 0.5 * PI / quarter as f64;
        let ray = |k: usize| {
            let (sin, cos) = libm::sincos(step * (k as f64 - quarter as f64));
            (cos, sin)
        };
        let Section { width, crown, rows: n } = section.unwrap_or(Section { width: 0.0, crown: 1.0, rows: 1 });
        let offset = |j: usize| if n == 1 { 0.0 } else { width * (j as f64 / (n - 1) as f64 - 0.5) };
        let drop = |y: f64| y * y / (crown + (crown * crown - y * y).max(0.0).sqrt());
        // an even number of rows has none in the middle: the highest is at the radius
        let highest = drop(offset(n / 2));
        let drops: Vec<f64> = (0..n).map(|j| drop(offset(j)) - highest).collect();
        let mut rows = Vec::with_capacity(n);
        for (j, d) in drops.iter().enumerate() {
            let radius = radius - d;
            if let Some(carcass) = Carcass::fit(load, max_deflection, radius, &drops, j)? {
                let length = radius * step;
                // the sagitta's mean
                let radius = radius + length * length / (12.0 * radius);
                rows.push(Row { offset: offset(j), radius, length, carcass });
            }
        }
        Ok(Tread { rows, rays: (0..=2 * quarter).map(ray).collect() })
    }

    /// Number of rays around the whole circumference, in each row.
    pub fn rays_around(&self) -> usize {
        2 * (self.rays.len() - 1)
    }

    /// Visit every ray that takes a load; the energy of the springs is returned (J).
    pub fn visit_loaded(
        &self,
        terrain: &dyn Terrain,
        hub: Vec3,
        frame: &RayFrame,
        mut visit: impl FnMut(LoadedRay),
    ) -> f64 {
        let mut energy = 0.0;
        for row in &self.rows {
            energy += self.visit_row(row, terrain, hub, frame, &mut visit);
        }
        energy
    }

    fn visit_row(
        &self,
        row: &Row,
        terrain: &dyn Terrain,
        hub: Vec3,
        frame: &RayFrame,
        visit: &mut impl FnMut(LoadedRay),
    ) -> f64 {
        let offset = frame.axle * row.offset;
        let centre = hub + offset;
        // the last ray that was looked at
        let mut last: Option<Ray> = None;
        let mut energy = 0.0;
        let mut spans = [(0, 0); 2 * usize::BITS as usize];
        spans[0] = (0, self.rays.len() - 1);
        let mut n = 1;
        while n > 0 {
            n -= 1;
            let (from, to) = spans[n];
            if self.above_terrain(terrain, centre, frame, row.radius, from, to) {
                continue;
            }
            if to - from > SHORT_SPAN {
                let middle = from.midpoint(to);
                (spans[n], spans[n + 1]) = ((middle, to), (from, middle));
                n += 2;
                continue;
            }
            for k in from..=to {
                if last.as_ref().is_some_and(|ray| ray.index == k) {
                    continue;
                }
                let direction = frame.direction(self.rays[k]);
                let tread = clearance(terrain, centre + direction * row.radius);
                let mut now = Ray { index: k, direction, tread, met: None, load: 0.0, slope: 0.0 };
                if let Some(before) = last.as_mut().filter(|ray| ray.index + 1 == k) {
                    energy += row.load_element(terrain, centre, before, &mut now);
                }
                if let Some(ray) = last.replace(now).and_then(|ray| ray.loaded(offset)) {
                    visit(ray);
                }
            }
        }
        if let Some(ray) = last.and_then(|ray| ray.loaded(offset)) {
            visit(ray);
        }
        energy
    }

    /// Is the tread of the rays `from..=to` known to lie above the terrain?
    fn above_terrain(
        &self,
        terrain: &dyn Terrain,
        centre: Vec3,
        frame: &RayFrame,
        radius: f64,
        from: usize,
        to: usize,
    ) -> bool {
        // from a quarter turn behind to a quarter turn ahead: sines rise, cosines have their largest in the middle
        let (first, last, middle) = (self.rays[from], self.rays[to], self.rays.len() / 2);
        let highest = if (from..=to).contains(&middle) { 1.0 } else { first.0.max(last.0) };
        let (cos, sin) = ((first.0.min(last.0), highest), (first.1, last.1));
        let span = |down: f64, across: f64| {
            let a = (down * cos.0, down * cos.1, across * sin.0, across * sin.1);
            (radius * (a.0.min(a.1) + a.2.min(a.3)), radius * (a.0.max(a.1) + a.2.max(a.3)))
        };
        let (x, y) = (span(frame.down.x, frame.across.x), span(frame.down.y, frame.across.y));
        // more than rounding can be
        let margin = 1e-9 * radius;
        let low = [centre.x + x.0 - margin, centre.y + y.0 - margin];
        let high = [centre.x + x.1 + margin, centre.y + y.1 + margin];
        centre.z + span(frame.down.z, frame.across.z).0 - margin > terrain.highest(low, high)
    }
}

impl Row {
    /// Load two neighbouring rays by the element of tread between them; its energy is returned (J).
    fn load_element(&self, terrain: &dyn Terrain, centre: Vec3, a: &mut Ray, b: &mut Ray) -> f64 {
        if !(a.tread.0 < 0.0 || b.tread.0 < 0.0) {
            return 0.0;
        }
        let deflection = |ray: &mut Ray| {
            let meet = || reach(terrain, centre, ray.direction, self.radius, ray.tread);
            self.radius - ray.met.get_or_insert_with(meet).0
        };
        let element = self.carcass.element(deflection(a), deflection(b));
        for (ray, load, slope) in [(a, element.load[0], element.slope[0]), (b, element.load[1], element.slope[1])] {
            ray.load += self.length * load;
            ray.slope += self.length * slope;
        }
        self.length * element.energy
    }
}

impl Ray {
    /// Once its elements on both sides are done.
    fn loaded(self, offset: Vec3) -> Option<LoadedRay> {
        let (rho, normal) = self.met?;
        (normal != Vec3::ZERO && self.load > 0.0).then(|| LoadedRay {
            arm: offset + self.direction * rho,
            normal,
            steepness: 1.0 / (-normal.dot(self.direction)).max(0.05),
            load: self.load,
            slope: self.slope,
        })
    }
}

/// How far a ray reaches until it meets the terrain, and the normal there; 1.5 radii and no normal where it is further.
fn reach(terrain: &dyn Terrain, from: Vec3, ray: Vec3, radius: f64, first: Ground) -> Ground {
    let (mut rho, (mut clear, mut normal)) = (radius, first);
    let (mut low, mut high) = if clear > 0.0 { (radius, 1.5 * radius) } else { (0.0, radius) };
    for _ in 0..60 {
        if clear.abs() <= 1e-15 * radius {
            break;
        }
        let slope = normal.dot(ray) / normal.z;
        let newton = rho - clear / slope;
        let next = if slope < 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let last = rho;
        rho = next;
        (clear, normal) = clearance(terrain, from + ray * rho);
        *if clear > 0.0 { &mut low } else { &mut high } = rho;
        if (rho - last).abs() <= 1e-16 * radius {
            break;
        }
    }
    if rho < 1.4999 * radius { (rho, normal) } else { (1.5 * radius, Vec3::ZERO) }
}

/// Height of a point above the terrain, and the terrain's normal below it.
fn clearance(terrain: &dyn Terrain, x: Vec3) -> Ground {
    let (height, normal) = terrain.height_and_normal(x.x, x.y);
    (x.z - height, normal)
}
