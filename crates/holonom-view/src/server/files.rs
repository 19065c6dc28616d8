//! Files to keep: the scene, the inputs, the recorded numbers. Reading them changes nothing.

use super::{Shared, answer};
use crate::hub::Download;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{Response, StatusCode};

/// Most quantities in one table.
const MOST_NAMES: usize = 1000;

/// `GET /files/NAME`.
pub(super) async fn download(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response<Body> {
    let (file, kind, what) = match name.as_str() {
        "scene.toml" => ("scene.toml", "application/toml", Download::Scene),
        "inputs.jsonl" => ("inputs.jsonl", "application/jsonl", Download::Inputs),
        "recording.csv" => match names(query.as_deref().unwrap_or("")) {
            Ok(names) => ("recording.csv", "text/csv; charset=utf-8", Download::Csv { names }),
            Err(wrong) => return answer::sentence(StatusCode::BAD_REQUEST, &wrong),
        },
        _ => return answer::sentence(StatusCode::NOT_FOUND, "Files are scene.toml, inputs.jsonl and recording.csv."),
    };
    match shared.hub.fetch(what).await {
        Ok(bytes) => answer::file(file, kind, bytes),
        Err(why) => answer::sentence(StatusCode::BAD_REQUEST, &why),
    }
}

/// `names=A,B`, each name percent-encoded; none for the usual ones.
fn names(query: &str) -> Result<Vec<String>, String> {
    let list = query.split('&').find_map(|pair| pair.strip_prefix("names=")).unwrap_or("");
    // an encoded comma belongs to a name
    let names: Option<Vec<String>> = list.split(',').filter(|n| !n.is_empty()).map(decode).collect();
    match names {
        None => Err("The names are not percent-encoded UTF-8.".into()),
        Some(names) if names.len() > MOST_NAMES => {
            Err(format!("{} names are too many: at most {MOST_NAMES}.", names.len()))
        }
        Some(names) => Ok(names),
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        bytes.push(match b {
            b'%' => {
                let mut digit = || (rest.next()? as char).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            b'+' => b' ',
            b => b,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_as_they_are() {
        let good = |q: &str| names(q).expect(q);
        assert_eq!(good("names=rod.pos.x,energy.kinetic"), ["rod.pos.x", "energy.kinetic"]);
        assert_eq!(good("x=1&names=my%20rod.pos.x"), ["my rod.pos.x"]);
        assert_eq!(good("names=a%2Cb,%E2%88%9E"), ["a,b", "\u{221e}"]);
        assert_eq!((good(""), good("names=,,")), (vec![], vec![]));
        for bad in ["names=%", "names=%2", "names=%zz", "names=%ff"] {
            assert!(names(bad).is_err(), "{bad}");
        }
        assert!(names(&format!("names={}", "a,".repeat(1001))).is_err());
    }
}
