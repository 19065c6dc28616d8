//! `holonom mass MESH`: mass, centre and inertia of a mesh, for those who have a part and no numbers.

use crate::Exit;
use crate::error::{CliError, warn};
use crate::output::StandardOutput;
use crate::text::plural;
use holonom::math::{Mat3, Vec3};
use holonom::{MassProperties, MeshError};
use holonom_scene::Limits;
use holonom_scene::mesh::{self, Budget, Mesh};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Larger than this, m, a part was more likely drawn in millimetres.
const LARGE: f64 = 20.0;

/// Mass, centre of mass and inertia of a mesh (.obj, .stl, .dae), from a density.
///
/// The surface must be closed. Where all its triangles look inwards, they are turned over, and it is said.
#[derive(Debug, clap::Args)]
pub(crate) struct MassArgs {
    /// The mesh: .obj, .stl or .dae
    mesh: PathBuf,
    /// Density, kg/m^3: steel 7850, aluminium 2700, ABS 1050
    #[arg(long, value_name = "D", default_value_t = 1000.0)]
    density: f64,
    /// What lengths of the file are multiplied by: 0.001 for millimetres
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    scale: f64,
    /// Say it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MassArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    for (name, unit, x) in [("density", " kg/m^3", args.density), ("scale", "", args.scale)] {
        if !(x > 0.0 && x.is_finite()) {
            return Err(CliError::usage(format!("--{name} is {x}{unit}, must be finite and greater than 0")));
        }
    }
    let mesh = read(args)?.scaled(Vec3::splat(args.scale));
    let (mesh, turned, properties) = properties(args, mesh)?;
    let size = extent(&mesh);
    if size.max_element() > LARGE && args.scale == 1.0 {
        let longest = size.max_element();
        warn(&format!("the part is {longest:.4} m long: lengths are read as metres; of millimetres, --scale 0.001"));
    }
    if args.json {
        out.json(&as_json(args, &mesh, turned, &properties, size))?;
    } else {
        out.write(&text(args, &mesh, &properties, size))?;
    }
    Ok(Exit::Ok)
}

fn read(args: &MassArgs) -> Result<Mesh, CliError> {
    let (path, shown) = (&args.mesh, args.mesh.display());
    if !mesh::is_readable(&path.to_string_lossy()) {
        let error = CliError::usage(format!("`{shown}` is not a mesh: they end in .obj, .stl or .dae"));
        return Err(error.help("a STEP or IGES file is exported as STL by the CAD program that made it"));
    }
    let bytes = std::fs::read(path).map_err(|e| CliError::io(format!("`{shown}` cannot be read: {e}")))?;
    let mut budget = Budget { used: 0, limit: Limits::default().triangles };
    mesh::parse(&path.to_string_lossy(), &bytes, &mut budget)
        .map_err(|e| CliError::usage(format!("the mesh file `{shown}` cannot be read: {}", e.why)))
}

/// Of the mesh, or of the mesh turned over.
fn properties(args: &MassArgs, mut mesh: Mesh) -> Result<(Mesh, bool, MassProperties), CliError> {
    let of = |mesh: &Mesh| MassProperties::from_mesh(&mesh.vertices, &mesh.triangles, args.density);
    let shown = args.mesh.display();
    let refused = |e: &MeshError| CliError::usage(format!("`{shown}` encloses no volume: {e}"));
    match of(&mesh) {
        Ok(found) => Ok((mesh, false, found)),
        Err(MeshError::Volume(volume)) if volume < 0.0 => {
            for t in &mut mesh.triangles {
                t.swap(1, 2);
            }
            let found = of(&mesh).map_err(|e| refused(&e))?;
            warn(&format!("`{shown}` is inside out: all its triangles look inwards, and were turned over"));
            Ok((mesh, true, found))
        }
        Err(e @ MeshError::Open { from, to, .. }) => {
            let open = open_edges(&mesh);
            let at =
                |k: usize| format!("({:.6}, {:.6}, {:.6})", mesh.vertices[k].x, mesh.vertices[k].y, mesh.vertices[k].z);
            Err(refused(&e)
                .note("where", format!("from {} to {} m", at(from), at(to)))
                .note(
                    "note",
                    format!("{} on one side only", plural(open, "edge has a triangle", "edges have triangles")),
                )
                .help(
                    "close the surface in a modelling program (merge vertices, fill holes), or give the body a `mass`",
                ))
        }
        Err(e) => Err(refused(&e).help("let a modelling program make the normals agree")),
    }
}

/// Edges that a single triangle has.
fn open_edges(mesh: &Mesh) -> usize {
    let edges = || mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let there: HashSet<(usize, usize)> = edges().collect();
    edges().filter(|&(a, b)| !there.contains(&(b, a))).count()
}

/// How many separate surfaces there are.
fn surfaces(mesh: &Mesh) -> usize {
    let mut root: Vec<usize> = (0..mesh.vertices.len()).collect();
    fn find(root: &mut [usize], mut k: usize) -> usize {
        while root[k] != k {
            root[k] = root[root[k]];
            k = root[k];
        }
        k
    }
    for t in &mesh.triangles {
        for k in 1..3 {
            let (a, b) = (find(&mut root, t[0]), find(&mut root, t[k]));
            root[a] = b;
        }
    }
    let used: HashMap<usize, ()> = mesh.triangles.iter().map(|t| (find(&mut root, t[0]), ())).collect();
    used.len()
}

fn extent(mesh: &Mesh) -> Vec3 {
    let corners = || mesh.vertices.iter().copied();
    let (low, high) = (corners().reduce(Vec3::min), corners().reduce(Vec3::max));
    low.zip(high).map_or(Vec3::ZERO, |(low, high)| high - low)
}

fn area(mesh: &Mesh) -> f64 {
    let of = |t: &[usize; 3]| {
        let [a, b, c] = t.map(|k| mesh.vertices[k]);
        0.5 * (b - a).cross(c - a).length()
    };
    mesh.triangles.iter().map(of).sum()
}

fn rows(m: &Mat3) -> [[f64; 3]; 3] {
    m.transpose().to_cols_array_2d()
}

fn text(args: &MassArgs, mesh: &Mesh, p: &MassProperties, size: Vec3) -> String {
    let (c, [x, y, z]) = (p.centre(), rows(&p.inertia()));
    let (moments, _) = p.principal();
    let parts = surfaces(mesh);
    let parts = if parts > 1 { format!(", {parts} separate surfaces") } else { String::new() };
    let triple = |v: [f64; 3]| format!("{:.9e}  {:.9e}  {:.9e}", v[0], v[1], v[2]);
    let scale = if args.scale == 1.0 { String::new() } else { format!("scale = {}, ", args.scale) };
    format!(
        "{}: {}{parts}\n\n\
         size       {:.6} x {:.6} x {:.6} m\n\
         area       {:.9e} m^2\n\
         volume     {:.9e} m^3\n\
         mass       {:.9e} kg at {} kg/m^3\n\
         centre     {} m\n\
         inertia    {} kg m^2, about the centre, axes of the file\n           {}\n           {}\n\
         principal  {} kg m^2\n\n\
         In a scene:  shape = {{ kind = \"mesh\", {scale}file = \"{}\" }},  density = {}\n",
        args.mesh.display(),
        plural(mesh.triangles.len(), "triangle", "triangles"),
        size.x,
        size.y,
        size.z,
        area(mesh),
        p.volume(),
        p.mass(),
        args.density,
        triple(c.to_array()),
        triple(x),
        triple(y),
        triple(z),
        triple(moments.to_array()),
        args.mesh.display(),
        args.density,
    )
}

fn as_json(args: &MassArgs, mesh: &Mesh, turned: bool, p: &MassProperties, size: Vec3) -> serde_json::Value {
    let (moments, axes) = p.principal();
    json!({
        "mesh": args.mesh.display().to_string(),
        "density": args.density,
        "scale": args.scale,
        "triangles": mesh.triangles.len(),
        "surfaces": surfaces(mesh),
        "turned_over": turned,
        "size": size.to_array(),
        "area": area(mesh),
        "volume": p.volume(),
        "mass": p.mass(),
        "centre": p.centre().to_array(),
        "inertia": rows(&p.inertia()),
        "principal": moments.to_array(),
        "principal_axes": rows(&axes.transpose()),
    })
}
