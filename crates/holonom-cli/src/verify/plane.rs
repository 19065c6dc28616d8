//! Plane mechanisms, made of plane bodies or of bodies in space. In space every pin is a hinge with its axis along z; around a closed loop
//! such hinges hold the plane more than once, so some of their rows are redundant.

use holonom::math::exp_quat;
use holonom::prelude::*;

/// What the bodies of a plane mechanism are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// Of plane bodies.
    Plane,
    /// Of rigid bodies in space.
    Space,
}

/// A body in the x-y plane, and how it starts.
pub(super) struct Plate {
    pub mass: f64,
    /// About the centre of mass, kg m^2.
    pub inertia: f64,
    /// Centre of mass, from the body's origin in its own axes, m.
    pub centre: [f64; 2],
    /// The body's origin.
    pub at: [f64; 2],
    pub angle: f64,
    pub velocity: [f64; 2],
    pub spin: f64,
}

impl Plate {
    /// At rest with its origin at `at`, centre of mass there too.
    pub fn new(mass: f64, inertia: f64, at: [f64; 2], angle: f64) -> Self {
        Plate { mass, inertia, centre: [0.0; 2], at, angle, velocity: [0.0; 2], spin: 0.0 }
    }

    pub fn centre(self, x: f64, y: f64) -> Self {
        Plate { centre: [x, y], ..self }
    }

    /// Velocity of the origin and angular velocity at the start.
    pub fn moving(self, velocity: [f64; 2], spin: f64) -> Self {
        Plate { velocity, spin, ..self }
    }

    pub fn add(&self, made: Made, m: &mut ModelBuilder, name: &str) -> BodyId {
        let ([x, y], [cx, cy], [vx, vy]) = (self.at, self.centre, self.velocity);
        match made {
            Made::Plane => {
                let body = Planar::new(self.mass, self.inertia).centre(cx, cy);
                m.body(name, body.pose(x, y, self.angle).velocity(vx, vy, self.spin))
            }
            // only the moment about z matters while the motion stays in the plane; the others are those of a flat plate
            Made::Space => m.body(
                name,
                Rigid::principal(self.mass, vec3(0.5, 0.5, 1.0) * self.inertia)
                    .centre([cx, cy, 0.0])
                    .position([x, y, 0.0])
                    .orientation(exp_quat(vec3(0.0, 0.0, self.angle)))
                    .velocity([vx, vy, 0.0])
                    .spin([0.0, 0.0, self.spin]),
            ),
        }
    }
}

/// A uniform slender rod between two points of the plane, its origin at the first, its x axis towards the second.
#[derive(Clone, Copy)]
pub(super) struct Bar {
    pub body: BodyId,
    length: f64,
}

impl Bar {
    /// At rest.
    pub fn new(made: Made, m: &mut ModelBuilder, name: &str, mass: f64, from: [f64; 2], to: [f64; 2]) -> Bar {
        Bar::moving(made, m, name, mass, from, to, [0.0; 2], 0.0)
    }

    /// With the velocity of its first end and its angular velocity.
    pub fn moving(
        made: Made,
        m: &mut ModelBuilder,
        name: &str,
        mass: f64,
        from: [f64; 2],
        to: [f64; 2],
        velocity: [f64; 2],
        spin: f64,
    ) -> Bar {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = dx.hypot(dy);
        let rod = Plate::new(mass, mass * length * length / 12.0, from, dy.atan2(dx)).centre(0.5 * length, 0.0);
        Bar { body: rod.moving(velocity, spin).add(made, m, name), length }
    }

    /// The first end.
    pub fn from(&self) -> Marker {
        self.body.origin()
    }

    /// The second end.
    pub fn to(&self) -> Marker {
        self.body.at([self.length, 0.0, 0.0])
    }
}

/// A pin: a hinge with its axis along z.
pub(super) fn pin(m: &mut ModelBuilder, name: &str, a: Marker, b: Marker) -> holonom::JointId {
    m.joint(name, Revolute::new(a, b))
}

/// A point of the ground.
pub(super) fn ground(at: [f64; 2]) -> Marker {
    BodyId::GROUND.at([at[0], at[1], 0.0])
}
