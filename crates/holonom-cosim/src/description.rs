//! The `modelDescription.xml` of a unit, in either version of the standard.
//!
//! Outputs may depend on all inputs and parameters, so dependencies are left out, which says exactly that. There is no
//! date in it: the same scene gives the same text.

use crate::plan::{UnitPlan, UnitVariable};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FmiVersion {
    /// 2.0
    Two,
    /// 3.0
    Three,
}

/// Units by their names, with the exponents of kg, m, s and rad. What a quantity of the scene has beyond these (`m or
/// rad`) is no unit of one variable, and is left out.
const UNITS: &[(&str, [i8; 4])] = &[
    ("1", [0, 0, 0, 0]),
    ("s", [0, 0, 1, 0]),
    ("m", [0, 1, 0, 0]),
    ("m/s", [0, 1, -1, 0]),
    ("m/s^2", [0, 1, -2, 0]),
    ("rad", [0, 0, 0, 1]),
    ("rad/s", [0, 0, -1, 1]),
    ("rad/s^2", [0, 0, -2, 1]),
    ("N", [1, 1, -2, 0]),
    ("N m", [1, 2, -2, 0]),
    ("J", [1, 2, -2, 0]),
    ("W", [1, 2, -3, 0]),
    ("kg", [1, 0, 0, 0]),
    ("kg m/s", [1, 1, -1, 0]),
    ("kg m^2/s", [1, 2, -1, 0]),
];

/// What is written to the log of the importing tool, and when.
pub const CATEGORIES: [(&str, &str); 3] = [
    ("logStatusError", "what was refused or went wrong"),
    ("logStatusWarning", "numbers that could not be computed and are NaN"),
    ("logEvents", "what the unit does: instances, resets, starts, ends"),
];

/// Text as the value of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // characters that no XML may hold
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A number as XML reads it back to the same bits.
fn number(x: f64) -> String {
    format!("{x:?}")
}

/// The units that variables use.
fn unit_definitions(plan: &UnitPlan) -> String {
    let used: BTreeSet<&str> = plan.variables().map(|v| v.unit.as_str()).chain(["s"]).collect();
    let mut out = String::from("  <UnitDefinitions>\n");
    for (name, exponents) in UNITS.iter().filter(|u| used.contains(u.0)) {
        let of = |(unit, n): (&&str, &i8)| if *n == 0 { String::new() } else { format!(" {unit}=\"{n}\"") };
        let base: String = ["kg", "m", "s", "rad"].iter().zip(exponents).map(of).collect();
        let _ = writeln!(out, "    <Unit name=\"{name}\"><BaseUnit{base}/></Unit>");
    }
    out + "  </UnitDefinitions>\n"
}

fn unit_of(variable: &UnitVariable) -> String {
    let known = UNITS.iter().any(|u| u.0 == variable.unit);
    if known { format!(" unit=\"{}\"", variable.unit) } else { String::new() }
}

fn description_of(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" description=\"{}\"", escaped(text)) }
}

/// What differs from variable to variable.
struct Role<'a> {
    variable: &'a UnitVariable,
    causality: &'static str,
    variability: &'static str,
    /// Not said of inputs, whose start is exact in any case.
    initial: Option<&'static str>,
    start: Option<f64>,
}

/// All variables in the order of the file; time is the first.
fn roles(plan: &UnitPlan) -> Vec<Role<'_>> {
    let parameters = plan.parameters.iter().map(|p| Role {
        variable: &p.variable,
        causality: if p.calculated { "calculatedParameter" } else { "parameter" },
        variability: "fixed",
        initial: Some(if p.calculated { "calculated" } else { "exact" }),
        start: (!p.calculated).then_some(p.start),
    });
    let inputs = plan.inputs.iter().map(|i| Role {
        variable: &i.variable,
        causality: "input",
        variability: "continuous",
        initial: None,
        start: Some(i.start),
    });
    let outputs = plan.outputs.iter().map(|o| Role {
        variable: o,
        causality: "output",
        variability: "continuous",
        initial: Some("calculated"),
        start: None,
    });
    parameters.chain(inputs).chain(outputs).collect()
}

impl Role<'_> {
    fn attributes(&self) -> String {
        let v = self.variable;
        let mut out = format!("name=\"{}\" valueReference=\"{}\"", escaped(&v.name), v.reference);
        out += &description_of(&v.description);
        let _ = write!(out, " causality=\"{}\" variability=\"{}\"", self.causality, self.variability);
        if let Some(initial) = self.initial {
            let _ = write!(out, " initial=\"{initial}\"");
        }
        out
    }

    /// `unit` and `start`, which belong to the type.
    fn of_type(&self) -> String {
        let start = self.start.map_or(String::new(), |x| format!(" start=\"{}\"", number(x)));
        unit_of(self.variable) + &start
    }
}

/// The file `modelDescription.xml`.
pub fn xml(plan: &UnitPlan, version: FmiVersion) -> String {
    match version {
        FmiVersion::Three => three(plan),
        FmiVersion::Two => two(plan),
    }
}

fn head(plan: &UnitPlan, number: &str, token: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"{number}\" modelName=\"{}\" \
         {token}=\"{}\"{} generationTool=\"{}\" variableNamingConvention=\"flat\"",
        escaped(&plan.model),
        escaped(&plan.token),
        description_of(&plan.description),
        escaped(&plan.program),
    )
}

fn experiment(plan: &UnitPlan) -> String {
    let tolerance = plan.tolerance.map_or(String::new(), |x| format!(" tolerance=\"{}\"", number(x)));
    format!(
        "  <DefaultExperiment startTime=\"0.0\" stopTime=\"{}\"{tolerance} stepSize=\"{}\"/>\n",
        number(plan.stop_time),
        number(plan.step)
    )
}

fn categories() -> String {
    let lines: String = CATEGORIES
        .iter()
        .map(|(name, what)| format!("    <Category name=\"{name}\" description=\"{what}\"/>\n"))
        .collect();
    format!("  <LogCategories>\n{lines}  </LogCategories>\n")
}

fn three(plan: &UnitPlan) -> String {
    let mut out = head(plan, "3.0", "instantiationToken");
    let _ = write!(
        out,
        ">\n  <CoSimulation modelIdentifier=\"{}\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" \
         canHandleVariableCommunicationStepSize=\"true\"/>\n",
        plan.identifier
    );
    out += &unit_definitions(plan);
    out += &categories();
    out += &experiment(plan);
    out += "  <ModelVariables>\n    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" \
            variability=\"continuous\" unit=\"s\"/>\n";
    let roles = roles(plan);
    for role in &roles {
        let _ = writeln!(out, "    <Float64 {}{}/>", role.attributes(), role.of_type());
    }
    out += "  </ModelVariables>\n  <ModelStructure>\n";
    for role in roles.iter().filter(|r| r.causality == "output") {
        let _ = writeln!(out, "    <Output valueReference=\"{}\"/>", role.variable.reference);
    }
    for role in roles.iter().filter(|r| r.initial == Some("calculated")) {
        let _ = writeln!(out, "    <InitialUnknown valueReference=\"{}\"/>", role.variable.reference);
    }
    out + "  </ModelStructure>\n</fmiModelDescription>\n"
}

fn two(plan: &UnitPlan) -> String {
    let mut out = head(plan, "2.0", "guid");
    let _ = write!(
        out,
        ">\n  <CoSimulation modelIdentifier=\"{}\" canHandleVariableCommunicationStepSize=\"true\" \
         canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n",
        plan.identifier
    );
    out += &unit_definitions(plan);
    out += &categories();
    out += &experiment(plan);
    out += "  <ModelVariables>\n    <ScalarVariable name=\"time\" valueReference=\"0\" causality=\"independent\" \
            variability=\"continuous\"><Real unit=\"s\"/></ScalarVariable>\n";
    let roles = roles(plan);
    for role in &roles {
        let _ = writeln!(out, "    <ScalarVariable {}><Real{}/></ScalarVariable>", role.attributes(), role.of_type());
    }
    out += "  </ModelVariables>\n  <ModelStructure>\n";
    // by place in the list, from 1; time is the first
    let list = |name: &str, wanted: &dyn Fn(&Role) -> bool| {
        let places = roles.iter().enumerate().filter(|(_, r)| wanted(r)).map(|(k, _)| k + 2);
        let lines: String = places.map(|k| format!("      <Unknown index=\"{k}\"/>\n")).collect();
        if lines.is_empty() { String::new() } else { format!("    <{name}>\n{lines}    </{name}>\n") }
    };
    out += &list("Outputs", &|r| r.causality == "output");
    out += &list("InitialUnknowns", &|r| r.initial == Some("calculated"));
    out + "  </ModelStructure>\n</fmiModelDescription>\n"
}
