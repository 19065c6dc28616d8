//! MCAP: a log of messages, for Foxglove and other players of logs.
//!
//! Two topics, both in JSON: `/quantities`, one object with all columns of a row (NaN is null), and `/tf`, where every
//! body is, as `foxglove.FrameTransforms`. Times are those of the motion, in nanoseconds from 0. The messages stand one
//! after the other without chunks and compression; the summary at the end has schemas, channels and counts.
//!
//! ```text
//! magic | header | schemas | channels | messages | end of data | schemas | channels | statistics | footer | magic
//! record: 1 byte opcode, 8 bytes length, content; little endian; a text is 4 bytes length and UTF-8
//! ```

use crate::motion::{MotionTable, SampledMotion};
use holonom_view::picture::Picture;
use serde_json::{Map, Value, json};

const MAGIC: &[u8; 8] = b"\x89MCAP0\r\n";
const QUANTITIES: u16 = 1;
const TRANSFORMS: u16 = 2;

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn record(out: &mut Vec<u8>, opcode: u8, content: &[u8]) {
    out.push(opcode);
    out.extend_from_slice(&(content.len() as u64).to_le_bytes());
    out.extend_from_slice(content);
}

fn schema(out: &mut Vec<u8>, id: u16, name: &str, data: &Value) {
    let mut content = id.to_le_bytes().to_vec();
    text(&mut content, name);
    text(&mut content, "jsonschema");
    text(&mut content, &data.to_string());
    record(out, 0x03, &content);
}

fn channel(out: &mut Vec<u8>, id: u16, topic: &str) {
    // its schema has the same number
    let mut content = [id.to_le_bytes(), id.to_le_bytes()].concat();
    text(&mut content, topic);
    text(&mut content, "json");
    content.extend_from_slice(&[0; 4]);
    record(out, 0x04, &content);
}

fn message(out: &mut Vec<u8>, channel: u16, sequence: usize, time: u64, data: &Value) {
    let mut content = channel.to_le_bytes().to_vec();
    content.extend_from_slice(&(sequence as u32).to_le_bytes());
    content.extend_from_slice(&time.to_le_bytes());
    content.extend_from_slice(&time.to_le_bytes());
    content.extend_from_slice(data.to_string().as_bytes());
    record(out, 0x05, &content);
}

/// What the messages are like.
fn describe(out: &mut Vec<u8>, table: &MotionTable) {
    let columns = table.columns.iter();
    let properties: Map<String, Value> = columns
        .map(|c| {
            (
                c.name.clone(),
                json!({"type": ["number", "null"], "description": format!("{} {}", c.unit, c.note).trim()}),
            )
        })
        .collect();
    schema(out, QUANTITIES, "holonom.Quantities", &json!({"type": "object", "properties": properties}));
    let numbers = |names: &[&str], kind: &str| -> Value {
        let all: Map<String, Value> = names.iter().map(|n| (n.to_string(), json!({"type": kind}))).collect();
        json!({"type": "object", "properties": all})
    };
    let transform = json!({"type": "object", "properties": {
        "timestamp": numbers(&["sec", "nsec"], "integer"),
        "parent_frame_id": {"type": "string"},
        "child_frame_id": {"type": "string"},
        "translation": numbers(&["x", "y", "z"], "number"),
        "rotation": numbers(&["x", "y", "z", "w"], "number"),
    }});
    let transforms = json!({"type": "object", "properties": {"transforms": {"type": "array", "items": transform}}});
    schema(out, TRANSFORMS, "foxglove.FrameTransforms", &transforms);
    channel(out, QUANTITIES, "/quantities");
    channel(out, TRANSFORMS, "/tf");
}

/// A time in nanoseconds; before 0 there is none.
fn nanoseconds(t: f64) -> u64 {
    (t * 1e9).round().max(0.0) as u64
}

/// A table and the motion that it tells of.
pub fn mcap(picture: &Picture, table: &MotionTable, motion: &SampledMotion, generator: &str) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let mut header = Vec::new();
    text(&mut header, "");
    text(&mut header, generator);
    record(&mut out, 0x01, &header);
    describe(&mut out, table);
    let times = &table.columns.first().map_or(&[][..], |c| &c.values[..]);
    let mut poses = 0;
    for (k, t) in times.iter().enumerate() {
        let time = nanoseconds(*t);
        let row: Map<String, Value> = table.columns.iter().map(|c| (c.name.clone(), json!(c.values[k]))).collect();
        message(&mut out, QUANTITIES, k, time, &Value::Object(row));
        // rows in which a place is not known have no pose
        if motion.times.get(poses) != Some(t) {
            continue;
        }
        let stamp = json!({"sec": time / 1_000_000_000, "nsec": time % 1_000_000_000});
        let transform = |(body, places): (&holonom_view::picture::BodyPicture, &Vec<crate::BodyPlace>)| {
            let (at, turn) = (places[poses].at, places[poses].turn);
            json!({
                "timestamp": stamp,
                "parent_frame_id": "world",
                "child_frame_id": body.name,
                "translation": {"x": at.x, "y": at.y, "z": at.z},
                "rotation": {"x": turn.x, "y": turn.y, "z": turn.z, "w": turn.w},
            })
        };
        let transforms: Vec<Value> = picture.bodies.iter().zip(&motion.bodies).map(transform).collect();
        message(&mut out, TRANSFORMS, poses, time, &json!({"transforms": transforms}));
        poses += 1;
    }
    // no checksum of the data
    record(&mut out, 0x0f, &[0; 4]);
    let summary = out.len() as u64;
    describe(&mut out, table);
    let counts = [(QUANTITIES, times.len() as u64), (TRANSFORMS, poses as u64)];
    let mut statistics = counts.iter().map(|c| c.1).sum::<u64>().to_le_bytes().to_vec();
    statistics.extend_from_slice(&2u16.to_le_bytes());
    // channels, attachments, metadata, chunks
    for n in [2u32, 0, 0, 0] {
        statistics.extend_from_slice(&n.to_le_bytes());
    }
    for t in [times.first(), times.last()] {
        statistics.extend_from_slice(&t.map_or(0, |t| nanoseconds(*t)).to_le_bytes());
    }
    statistics.extend_from_slice(&20u32.to_le_bytes());
    for (channel, n) in counts {
        statistics.extend_from_slice(&channel.to_le_bytes());
        statistics.extend_from_slice(&n.to_le_bytes());
    }
    record(&mut out, 0x0b, &statistics);
    let mut footer = summary.to_le_bytes().to_vec();
    footer.extend_from_slice(&[0; 12]);
    record(&mut out, 0x02, &footer);
    out.extend_from_slice(MAGIC);
    out
}
