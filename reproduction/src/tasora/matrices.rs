//! What the matrices look like: the rows of the joints, the whole matrix in the order of elimination, and its factor.

use crate::Failed;
use crate::page::Page;
use crate::program::Program;

/// His two larger problems.
const SCENES: [&str; 2] = ["ring-40", "bike-rider"];
const MATRICES: [(&str, &str); 3] = [
    ("J", "J: joints and bodies in the order of the model"),
    ("H", "H: masses and joints, in the order of elimination"),
    ("L", "L: the factor; what was filled in"),
];

pub fn write(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.heading(3, "What the matrices look like");
    page.text(
        "The rows of the joints as the model has them, the whole matrix H = [M -Jᵀ; -J 0] once bodies and joints stand in the order of elimination, and its factor, with the entries that elimination has filled in \
         (`holonom plot SCENE --matrix H`). The order is chosen once, when the model is built; the factors have fewer entries than the matrices, of which one triangle is enough.",
    );
    for scene in SCENES {
        let mut pictures = Vec::new();
        for (matrix, title) in MATRICES {
            let file = format!("matrix-{scene}-{}.svg", matrix.to_lowercase());
            program.matrix(scene, matrix, &page.picture_file(&file)?)?;
            pictures.push((file, format!("{scene}, {title}")));
        }
        page.pictures(&pictures);
    }
    Ok(())
}
