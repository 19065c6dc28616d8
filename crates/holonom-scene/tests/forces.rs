//! Every kind of force from text pushes like the same force made in Rust, and every law of the engine has a kind.

use holonom::forces::{Force, SAMPLES};
use holonom::prelude::*;
use holonom_scene::Loader;
use holonom_scene::kinds::FORCES;
use holonom_tyre::{Grip, HeightField, PlaneTerrain, SlipCurve, Tyre, TyreLoad};
use std::collections::BTreeSet;

/// Two bodies in motion: `a` on a hinge, `b` free.
const STAGE: &str = r#"
[body.a]
mass = 2
inertia = [0.2, 0.3, 0.4]
at = [0.5, 0, 0]
points.tip = [0.5, 0.1, 0]
spin = [0, 2, 0]
velocity = [0, 0, -1]
[body.b]
mass = 3
inertia = [0.3, 0.2, 0.4]
at = [1.2, 0.3, 0.4]
rotation = { axis = [1, 2, 3], angle = 0.4 }
velocity = [1, 2, -3]
spin = [0.5, -0.4, 0.3]
points.eye = [0.1, 0.2, 0.3]
frames.hub = { at = [0, 0.1, 0], axis = [0, 1, 0] }
[joint.hinge]
kind = "revolute"
b = "a"
at = [0, 0, 0]
axis = [0, 1, 0]
[force.f]
"#;

/// The markers of forces that are placed like joints: `at` and `axis` of the world on both bodies as drawn.
struct Stage {
    a: BodyId,
    b: BodyId,
    hinge: Coordinate,
}

impl Stage {
    fn common(&self, at: Vec3, axis: Vec3) -> (Marker, Marker) {
        let (x, y) = holonom::math::perpendicular(axis);
        let world = Mat3::from_cols(x, y, axis);
        let turn = Mat3::from_quat(turn_of_b());
        let to_a = Marker { body: self.a, point: at - vec3(0.5, 0.0, 0.0), axes: world };
        let local = turn.transpose() * (at - vec3(1.2, 0.3, 0.4));
        (to_a, Marker { body: self.b, point: local, axes: turn.transpose() * world })
    }
}

fn turn_of_b() -> Quat {
    holonom::math::exp_quat(vec3(1.0, 2.0, 3.0).normalize() * 0.4)
}

fn in_rust(make: &dyn Fn(&Stage) -> Box<dyn Force>) -> Simulation {
    let mut m = ModelBuilder::new();
    let a = m.body(
        "a",
        Rigid::principal(2.0, [0.2, 0.3, 0.4])
            .position([0.5, 0.0, 0.0])
            .spin([0.0, 2.0, 0.0])
            .velocity([0.0, 0.0, -1.0]),
    );
    let b = Rigid::principal(3.0, [0.3, 0.2, 0.4]).position([1.2, 0.3, 0.4]).orientation(turn_of_b());
    let b = m.body("b", b.velocity([1.0, 2.0, -3.0]).spin([0.5, -0.4, 0.3]));
    let axis = [0.0, 1.0, 0.0];
    let hinge =
        m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(axis), a.at([-0.5, 0.0, 0.0]).along(axis)));
    let hinge = m.coordinate(hinge, 0);
    m.boxed_force("f", make(&Stage { a, b, hinge }));
    Simulation::build(m).expect("the stage")
}

type Case = (&'static str, &'static str, Box<dyn Fn(&Stage) -> Box<dyn Force>>);

fn case<F: Force + 'static>(kind: &'static str, fields: &'static str, make: impl Fn(&Stage) -> F + 'static) -> Case {
    (kind, fields, Box::new(move |s| Box::new(make(s))))
}

fn eye(s: &Stage) -> Marker {
    s.b.at([0.1, 0.2, 0.3])
}

fn tip(s: &Stage) -> Marker {
    s.a.at([0.5, 0.1, 0.0])
}

/// Any function as a force, for what the engine has no law for.
fn pushed(at: Marker, f: impl Fn(&[Vec3; 3], f64) -> Vec3 + Send + Sync + 'static) -> UserForce {
    UserForce::new([at.p(), at.x(), at.y(), at.z()], move |a, t, push| push.on(0, f(&[a.at(1), a.at(2), a.at(3)], t)))
}

const AXIS: &str = "a = \"a\"\nb = \"b\"\nat = [0.9, 0.2, 0.1]\naxis = [0, 0.6, 0.8]\n";

fn axis(s: &Stage) -> (Marker, Marker) {
    s.common(vec3(0.9, 0.2, 0.1), vec3(0.0, 0.6, 0.8))
}

fn hub(s: &Stage) -> Marker {
    let (x, y) = holonom::math::perpendicular(Vec3::Y);
    Marker { body: s.b, point: vec3(0.0, 0.1, 0.0), axes: Mat3::from_cols(x, y, Vec3::Y) }
}

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    vec![
        case("point-force", "on = \"b.eye\"\nforce = [1, 2, 3]", |s| PointForce::new(eye(s), [1.0, 2.0, 3.0])),
        case("point-force", "on = \"b.eye\"\nforce = [1, \"2*cos(3*t)\", \"${1 + 2}\"]", |s| {
            pushed(eye(s), |_, t| vec3(1.0, 2.0 * libm::cos(3.0 * t), 3.0))
        }),
        case("point-force", "on = \"b.hub\"\nforce = [1, \"t\", 3]\naxes = \"body\"", |s| {
            pushed(hub(s), |axes, t| axes[0] + axes[1] * t + axes[2] * 3.0)
        }),
        case("torque", "on = \"b\"\ntorque = [1, 2, 3]", |s| Torque::new(s.b, [1.0, 2.0, 3.0])),
        case("torque", "on = \"b\"\ntorque = [0, 0, \"5 + t\"]\naxes = \"body\"", |s| {
            let b = s.b.origin();
            UserForce::new([b.spin(), b.z()], |a, t, push| push.on(0, a.at(1) * (5.0 + t)))
        }),
        case("spring", "a = \"a.tip\"\nb = \"b.eye\"\nstiffness = 50\nlength = 0.3\ndamping = 2", |s| {
            Spring::new(tip(s), eye(s), 50.0, 0.3).damping(2.0)
        }),
        case("formula", "points = { a = \"a.tip\", b = \"b.eye\" }\nenergy = \"25*(distance(a, b) - 0.3)^2\"", |s| {
            Spring::new(tip(s), eye(s), 50.0, 0.3)
        }),
        // without a point: the origins of the bodies
        case("spring", "b = \"b\"\nstiffness = 50", |s| Spring::new(BodyId::GROUND.origin(), s.b.origin(), 50.0, 0.0)),
        case("spring-law", "a = \"a.tip\"\nb = \"b.eye\"\ntension = \"10*x + x^3\"\nlength = 0.2\ndamping = \"3*v + v^3\"", |s| {
            let law = SpringLaw::new(tip(s), eye(s), |x: f64| [10.0 * x + x * x * x, 10.0 + 3.0 * x * x, 6.0 * x], 0.2);
            law.damping(|v: f64| [3.0 * v + v * v * v, 3.0 + 3.0 * v * v, 6.0 * v])
        }),
        case("spring-law", "a = \"a\"\nb = \"b\"\ndamping = \"3*v\"", |s| SpringLaw::damper(s.a.origin(), s.b.origin(), |v: f64| [3.0 * v, 3.0, 0.0])),
        case("one-sided-spring", "a = \"a\"\nb = \"b\"\nstiffness = 40\nlength = 0.1", |s| {
            SpringLaw::new(s.a.origin(), s.b.origin(), OneSided::tension(40.0, 0.1), 0.1)
        }),
        case("one-sided-spring", "a = \"a\"\nb = \"b\"\nstiffness = 40\nlength = 3\nside = \"compression\"", |s| {
            SpringLaw::new(s.a.origin(), s.b.origin(), OneSided::compression(40.0, 3.0), 3.0)
        }),
        case("torsion-spring", "AXIS stiffness = 7\nrest = 0.4\ndamping = 0.6", |s| {
            let (a, b) = axis(s);
            TorsionSpring::new(a, b, 7.0, 0.4).damping(0.6)
        }),
        case("torsion-law", "AXIS torque = \"4*sin(x)\"\nrest = 0.1\ndamping = \"0.3*v\"\nmiddle = 0.2", |s| {
            let (a, b) = axis(s);
            let law = TorsionLaw::new(a, b, |x: f64| { let (s, c) = libm::sincos(x); [4.0 * s, 4.0 * c, -4.0 * s] }, 0.1);
            law.damping(|v: f64| [0.3 * v, 0.3, 0.0]).middle(0.2)
        }),
        case("bushing", "AXIS stiffness = [10, 20, 30]\ntorsional_stiffness = 2\ndamping = 3\ntorsional_damping = [0.1, 0.2, 0.3]\npreload_force = [1, 2, 3]\npreload_torque = [4, 5, 6]", |s| {
            let (a, b) = axis(s);
            let bushing = Bushing::new(a, b, [10.0, 20.0, 30.0], [2.0; 3]).damping([3.0; 3], [0.1, 0.2, 0.3]);
            bushing.preload([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
        }),
        case("bushing", "AXIS stiffness_matrix = [9,1,0,0,0,0, 1,8,0,0,0,0, 0,0,7,0,0,2, 0,0,0,6,0,0, 0,0,0,0,5,0, 0,0,2,0,0,4]", |s| {
            let (a, b) = axis(s);
            let mut k = [[0.0; 6]; 6];
            for (i, d) in [9.0, 8.0, 7.0, 6.0, 5.0, 4.0].into_iter().enumerate() { k[i][i] = d; }
            (k[0][1], k[1][0], k[2][5], k[5][2]) = (1.0, 1.0, 2.0, 2.0);
            Bushing::full(a, b, k)
        }),
        case("drag", "on = \"b.eye\"\nlinear = 0.7", |s| Drag::linear(eye(s), 0.7)),
        case("drag", "on = \"b.eye\"\ndensity = 1.2\ncoefficient = 0.9\narea = 0.5\nwind = [3, 0, 1]", |s| {
            Drag::quadratic(eye(s), 1.2, 0.9, 0.5).wind([3.0, 0.0, 1.0])
        }),
        case("angular-drag", "on = \"b\"\nlinear = 0.7\nquadratic = 0.2", |s| AngularDrag::new(s.b, 0.7, 0.2)),
        case("axis-motor", "AXIS stall_torque = 3\nno_load_speed = 20\nthrottle = \"0.5 + t\"", |s| {
            let (a, b) = axis(s);
            AxisMotor::new(a, b, TorqueCurve::stall_and_no_load(3.0, 20.0).throttle(|t: f64| [0.5 + t, 1.0, 0.0]))
        }),
        case("axis-motor", "AXIS constant = 0.05\nresistance = 0.8\nvoltage = 12", |s| {
            let (a, b) = axis(s);
            AxisMotor::new(a, b, TorqueCurve::dc(0.05, 0.8, 12.0))
        }),
        case("axis-motor", "AXIS torque = \"5 - w^2\"", |s| {
            let (a, b) = axis(s);
            AxisMotor::new(a, b, TorqueCurve::new(|w: f64| [5.0 - w * w, -2.0 * w, -2.0]))
        }),
        case("coordinate-force", "joint = \"hinge\"\nforce = \"2 + sin(t)\"", |s| {
            CoordinateForce::new(s.hinge.clone(), |_, _, t| 2.0 + libm::sin(t))
        }),
        case("coordinate-spring", "joint = \"hinge\"\nstiffness = 9\nrest = 0.3\ndamping = 0.4", |s| {
            CoordinateForce::spring(s.hinge.clone(), 9.0, 0.3).damping(0.4)
        }),
        case("coordinate-law", "joint = \"hinge\"\nspring = \"3 + x + x^3\"\nrest = 0.1\ndamping = 0.2", |s| {
            CoordinateForce::spring_law(s.hinge.clone(), |x: f64| [3.0 + x + x * x * x, 1.0 + 3.0 * x * x, 6.0 * x], 0.1).damping(0.2)
        }),
        case("coordinate-law", "joint = \"hinge\"\ndamper = \"v^3\"", |s| {
            CoordinateForce::damper_law(s.hinge.clone(), |v: f64| [v * v * v, 3.0 * v * v, 6.0 * v])
        }),
        case("spin-damper", "a = \"a\"\nb = \"b\"\ndamping = 0.7", |s| {
            UserForce::new([Attachment::spin(s.a), Attachment::spin(s.b)], |v, _, push| {
                let torque = (v.rate(1) - v.rate(0)) * 0.7;
                push.on(0, torque);
                push.on(1, -torque);
            })
        }),
        case("coordinate-spring", "terms = [{ joint = \"hinge\", factor = 3 }]\nstiffness = 2\nrest = 0.1\ndamping = 0.5", |s| {
            // a pulley three times as large: nine times as stiff, and a third of the way
            CoordinateForce::spring(s.hinge.clone(), 18.0, 0.1 / 3.0).damping(4.5)
        }),
        case("coordinate-servo", "joint = \"hinge\"\nforce = \"1 + t\"\nstiffness = 4\nrest = 0.2\ndamping = 0.3\nleast = -50\nmost = 50", |s| {
            CoordinateForce::new(s.hinge.clone(), |q, v, t| 1.0 + t - 4.0 * (q - 0.2) - 0.3 * v)
        }),
        case("coordinate-servo", "joint = \"hinge\"\nforce = 9\nstiffness = 4\nleast = -2\nmost = 1.5", |s| {
            CoordinateForce::new(s.hinge.clone(), |_, _, _| 1.5)
        }),
        case("coordinate-feedback", "joint = \"hinge\"\noffset = 0.4\nleast = -30\nmost = 30\nsensors = [{ joint = \"hinge\", gain = -4, rate_gain = -0.3 }]", |s| {
            CoordinateForce::new(s.hinge.clone(), |q, v, _| 0.4 - 4.0 * q - 0.3 * v)
        }),
        case("coordinate-feedback", "joint = \"hinge\"\nmost = 0.7\nsensors = [{ joint = \"hinge\", rate_gain = 5 }, { joint = \"hinge\", gain = 100 }]\noffset = 50", |s| {
            CoordinateForce::new(s.hinge.clone(), |_, _, _| 0.7)
        }),
        case("tyre", "on = \"b.hub\"\nradius = 0.5\ndeflection = 0.2\nstiffness = 4e4\nhardening = 10\nterrain = { at = [0, 0, 0.1], normal = [0.1, 0, 1] }\ndamping = 0.5\ngrip = \"asphalt-wet\"\nresolution = 0.005\ncreep_speed = 0.1", |s| {
            let plane = PlaneTerrain::new([0.0, 0.0, 0.1], [0.1, 0.0, 1.0]);
            let tyre = Tyre::new(hub(s), 0.5, TyreLoad::new(4e4, 10.0), 0.2, plane).damping(0.5).grip(Grip::ASPHALT_WET);
            tyre.resolution(0.005).creep_speed(0.1)
        }),
        case("tyre", "on = \"b\"\naxle = [0, 1, 0]\nradius = 0.4\ndeflection = 0.1\nload = \"2e4*x\"\nterrain = { kind = \"profile\", height = \"0.1*sin(x)\" }\nsticking = 0.9\nsliding = 0.7\npeak_slip = 0.2\nsection = { width = 0.2, crown = 0.3, rows = 3 }", |s| {
            let road = |x: f64, _: f64| { let (s, c) = libm::sincos(x); [0.1 * s, 0.1 * c, 0.0] };
            let curve = SlipCurve::new(Grip { sticking: 0.9, sliding: 0.7 }).peak(0.2);
            let tyre = Tyre::new(s.b.origin().along(Vec3::Y), 0.4, |x: f64| [2e4 * x, 2e4, 0.0], 0.1, road);
            tyre.friction(curve, curve).section(0.2, 0.3, 3)
        }),
        case("tyre", "on = \"b\"\naxle = [0, 1, 0]\nradius = 0.4\ndeflection = 0.1\ntyre = \"soft-bike\"\nterrain = { kind = \"heights\", at = [0, -1], spacing = 2, columns = 2, heights = [0.1, 0.2, 0.15, 0.05] }", |s| {
            let field = HeightField::new([0.0, -1.0], 2.0, 2, [0.1, 0.2, 0.15, 0.05]);
            Tyre::new(s.b.origin().along(Vec3::Y), 0.4, TyreLoad::SOFT_BIKE, 0.1, field)
        }),
    ]
}

fn from_text(kind: &str, fields: &str) -> Simulation {
    let text = format!("{STAGE}kind = \"{kind}\"\n{}\n", fields.replace("AXIS ", AXIS));
    let loaded = Loader::new().load_text("force.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
    Simulation::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())))
}

/// Accelerations without any force, at a time.
fn free(time: f64) -> Vec<f64> {
    let mut sim = in_rust(&|s| Box::new(PointForce::new(s.b.origin(), [0.0; 3])));
    sim.run_until(time).expect("free");
    sim.accelerations().expect("free")
}

#[test]
fn every_kind_pushes_as_in_rust() {
    let free = free(0.02);
    for (kind, fields, make) in cases() {
        let (mut a, mut b) = (from_text(kind, fields), in_rust(&*make));
        for time in [0.0, 0.02] {
            a.run_until(time).expect(kind);
            b.set_state(a.state().clone());
            let (x, y) = (a.accelerations().expect(kind).to_vec(), b.accelerations().expect(kind).to_vec());
            let size = y.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            let allowed = 1e-12 * size;
            for (x, y) in x.iter().zip(&y) {
                assert!((x - y).abs() <= allowed, "{kind} at {time} s: {x} instead of {y}\n{fields}");
            }
            if time > 0.0 {
                let acts = y.iter().zip(&free).any(|(y, f)| (y - f).abs() > 1e-3);
                assert!(acts, "{kind} does nothing here:\n{fields}");
            }
        }
    }
}

#[test]
fn every_law_of_the_engine_has_a_kind_and_every_kind_a_test() {
    let kinds: BTreeSet<&str> = FORCES.kinds().map(|k| k.name).collect();
    let tested: BTreeSet<&str> = cases().iter().map(|c| c.0).collect();
    assert_eq!(kinds, tested);
    for law in SAMPLES {
        // those are code, not scenes
        if law.name != "user force" {
            assert!(kinds.contains(law.name.replace(' ', "-").as_str()), "`{}` has no kind", law.name);
        }
    }
}

#[test]
fn mistakes_are_named_at_their_line() {
    let cases = [
        ("spring", "b = \"b\"\nstiffness = -1", "E0205", "-1 N/m, must not be negative"),
        ("spring", "a = \"b\"\nb = \"b.eye\"\nstiffness = 1", "E0225", "the same body"),
        ("spring", "b = \"b.ey\"\nstiffness = 1", "E0211", "did you mean `eye`?"),
        ("spring-law", "b = \"b\"", "E0202", "neither `tension` nor `damping`"),
        ("spring-law", "b = \"b\"\ntension = \"2*y\"", "E0220", "y"),
        ("point-force", "on = \"b\"\nforce = [1, 2]", "E0207", "2 elements"),
        ("point-force", "on = \"carriage\"\nforce = [1, 2, 3]", "E0210", "bodies: a, b"),
        ("bushing", "AXIS stiffness = [1, 2]", "E0207", "1 or 3 elements"),
        ("bushing", "AXIS stiffness = -3", "E0205", "-3, must not be negative"),
        ("bushing", "AXIS stiffness = 3\nstiffness_matrix = [1]", "E0215", "exclude each other"),
        ("drag", "on = \"b\"\narea = 2", "E0202", "`density` and `area`"),
        ("axis-motor", "AXIS stall_torque = 2", "E0215", "exactly one way"),
        ("coordinate-spring", "joint = \"hinge.1\"\nstiffness = 2", "E0213", "it has 1, numbered from 0"),
        ("coordinate-spring", "joint = \"hing\"\nstiffness = 2", "E0212", "did you mean `hinge`?"),
        ("coordinate-spring", "stiffness = 2", "E0202", "neither `joint` nor `terms`"),
        ("coordinate-spring", "joint = \"hinge\"\nterms = []\nstiffness = 2", "E0215", "exclude each other"),
        (
            "coordinate-servo",
            "joint = \"hinge\"\nforce = 1\nleast = 2\nmost = 1",
            "E0205",
            "must not be less than `least`",
        ),
        ("coordinate-law", "joint = \"hinge\"\nspring = \"x\"\ndamper = \"v\"", "E0215", "two forces"),
        ("tyre", "on = \"b\"\nradius = 0.3\ndeflection = 0.2", "E0301", "at most half the radius"),
        ("tyre", "on = \"b\"\nradius = 0.3\ndeflection = 0.1\nterrain = { normal = [0, 0, -1] }", "E0205", "upwards"),
        (
            "tyre",
            "on = \"b\"\nradius = 0.3\ndeflection = 0.1\ngrip = \"asphalt-clen\"",
            "E0228",
            "did you mean `asphalt-clean`?",
        ),
        ("tyre", "on = \"b\"\nradius = 0.3\ndeflection = 0.1\nsticking = 1", "E0202", "without `sliding`"),
        ("sprung", "b = \"b\"", "E0204", "did you mean `spring`?"),
    ];
    for (kind, fields, code, says) in cases {
        let text = format!("{STAGE}kind = \"{kind}\"\n{}\n", fields.replace("AXIS ", AXIS));
        let failed = match Loader::new().load_text("bad.toml", text) {
            Err(failed) => failed,
            Ok(loaded) => loaded.build().err().unwrap_or_else(|| panic!("was built: {kind} {fields}")),
        };
        let rendered = failed.render();
        let first = &failed.report.to_data(&failed.sources)[0];
        assert_eq!(first.code, code, "{rendered}");
        assert!(first.line > Some(22), "{rendered}");
        assert!(rendered.contains(says), "{says}\n{rendered}");
        assert!(rendered.contains("in: force/f"), "{rendered}");
    }
}
