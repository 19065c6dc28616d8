//! Streams that were cut, flipped, or made to hurt: never a panic, never a wrong number, rows are a prefix of what was recorded.

mod common;

use common::{Folder, bits, bits_of, rows, schema, write_stream};
use holonom_record::{Ending, RecordError, RecordingReader, Snapshot, describe};
use std::fs;

/// CRC-32C bit by bit: hostile streams must have right checks, and a second implementation is a test of the first.
fn crc32c(bytes: &[u8]) -> u32 {
    let mut state = !0u32;
    for byte in bytes {
        state ^= u32::from(*byte);
        for _ in 0..8 {
            state = if state & 1 == 1 { state >> 1 ^ 0x82f6_3b78 } else { state >> 1 };
        }
    }
    !state
}

fn header(body: &[u8], version: u32, announced: Option<u32>) -> Vec<u8> {
    let mut out = b"\x89HREC\r\n\x1a".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(announced.unwrap_or(body.len() as u32).to_le_bytes());
    out.extend(body);
    out.extend(crc32c(&out).to_le_bytes());
    out
}

fn text(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

fn body(columns: u32, names: &[&[u8]]) -> Vec<u8> {
    let mut out = [text(b"{}"), columns.to_le_bytes().to_vec()].concat();
    for (i, name) in names.iter().enumerate() {
        out.extend([text(name), text(if i == 0 { b"s" } else { b"m" }), text(b"")].concat());
    }
    out
}

fn chunk(kind: &[u8; 4], number: u32, announced: Option<u64>, payload: &[u8]) -> Vec<u8> {
    let mut out = kind.to_vec();
    out.extend(number.to_le_bytes());
    out.extend(announced.unwrap_or(payload.len() as u64).to_le_bytes());
    out.extend(crc32c(&out).to_le_bytes());
    out.extend(payload);
    out.extend(crc32c(payload).to_le_bytes());
    out
}

fn rows_payload(first: u64, rows: u32, columns: u32, values: &[f64]) -> Vec<u8> {
    let mut out = first.to_le_bytes().to_vec();
    out.extend(rows.to_le_bytes());
    out.extend(columns.to_le_bytes());
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    out
}

/// Written down from the documentation alone: the writer's bytes are these.
#[test]
fn the_layout_is_the_documented_one() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let columns = vec![holonom_record::RecordingColumn::time(), holonom_record::RecordingColumn::new("x", "m")];
    let schema = holonom_record::Schema::new(columns, "{}").expect("valid");
    let mut writer = holonom_record::StreamWriter::create(&path, &schema).expect("created");
    writer.push(&[0.0, 1.5]).expect("pushed");
    writer.push(&[0.1, -2.5]).expect("pushed");
    writer.blob("snapshot", 0.1, b"state").expect("blob");
    writer.finish("end").expect("finished");

    let first = rows_payload(0, 2, 2, &[0.0, 0.1, 1.5, -2.5]);
    let second = [&0.1f64.to_le_bytes()[..], &text(b"snapshot"), b"state"].concat();
    let checks = [crc32c(&first).to_le_bytes(), crc32c(&second).to_le_bytes()].concat();
    let third = [&2u64.to_le_bytes()[..], &1u64.to_le_bytes(), &crc32c(&checks).to_le_bytes(), &text(b"end")].concat();
    let expected = [
        header(&body(2, &[b"time", b"x"]), 1, None),
        chunk(b"ROWS", 0, None, &first),
        chunk(b"BLOB", 1, None, &second),
        chunk(b"DONE", 2, None, &third),
    ]
    .concat();
    assert_eq!(fs::read(&path).expect("read"), expected);
}

#[test]
fn cut_at_every_byte() {
    let folder = Folder::new();
    let (whole, cut) = (folder.file("whole.hrec"), folder.file("cut.hrec"));
    let rows = rows(45, 3);
    write_stream(&whole, &schema(3), &rows, Some("done"));
    let bytes = fs::read(&whole).expect("read");
    let expected = bits(&rows);
    let (mut readable, mut most) = (0, 0);
    for n in 0..bytes.len() {
        fs::write(&cut, &bytes[..n]).expect("written");
        match RecordingReader::open(&cut) {
            Ok(found) => {
                let got = bits_of(&found);
                assert_eq!(got, expected[..got.len()], "cut at {n}");
                assert!(got.len() >= most, "cut at {n}: fewer rows than in a shorter file");
                most = got.len();
                assert!(!found.complete(), "cut at {n}");
                assert_eq!(found.ending(), &Ending::Torn, "cut at {n}");
                assert!(found.lost_bytes() <= n as u64);
                readable += 1;
            }
            Err(RecordError::Damaged { .. } | RecordError::Foreign { .. }) => assert_eq!(readable, 0, "cut at {n}"),
            Err(e) => panic!("cut at {n}: {e}"),
        }
    }
    assert_eq!(most, rows.len(), "only the closing chunk is missing at the end");
}

#[test]
fn every_flipped_bit_is_noticed() {
    let folder = Folder::new();
    let (whole, flipped) = (folder.file("whole.hrec"), folder.file("flipped.hrec"));
    let rows = rows(24, 3);
    write_stream(&whole, &schema(3), &rows, Some("done"));
    let mut bytes = fs::read(&whole).expect("read");
    let expected = bits(&rows);
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&flipped, &bytes).expect("written");
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(found) = RecordingReader::open(&flipped) {
            assert!(!found.complete(), "bit {bit}");
            assert!(found.lost_bytes() > 0, "bit {bit}");
            let got = bits_of(&found);
            assert_eq!(got, expected[..got.len()], "bit {bit}");
        }
    }
}

/// Two files put together, a chunk left out, one doubled, two exchanged, something at the end.
#[test]
fn chunks_out_of_place() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let head = header(&body(1, &[b"time"]), 1, None);
    let rows = |number, first| chunk(b"ROWS", number, None, &rows_payload(first, 1, 1, &[first as f64]));
    let (a, b, c) = (rows(0, 0), rows(1, 1), rows(2, 2));
    let open = |parts: &[&[u8]]| {
        fs::write(&path, parts.concat()).expect("written");
        RecordingReader::open(&path).expect("opened")
    };
    assert_eq!(open(&[&head, &a, &b, &c]).rows(), 3);
    for (parts, good) in [
        (vec![&head, &a, &c], 1),
        (vec![&head, &a, &a, &b], 1),
        (vec![&head, &b, &a, &c], 0),
        (vec![&head, &a, &b, &head, &a, &b], 2),
    ] {
        let parts: Vec<&[u8]> = parts.iter().map(|p| p.as_slice()).collect();
        let found = open(&parts);
        assert_eq!(found.rows(), good);
        assert!(matches!(found.ending(), Ending::Damaged { .. }), "{:?}", found.ending());
        assert!(found.lost_bytes() > 0);
    }
    // Zeros at the end are what some file systems leave after a power cut.
    let found = open(&[&head, &a, &[0; 4096]]);
    assert_eq!((found.rows(), found.lost_bytes()), (1, 4096));
}

#[test]
fn hostile_headers() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let many: Vec<Vec<u8>> = (0..1000).map(|i| format!("c{i}").into_bytes()).collect();
    let mut many: Vec<&[u8]> = many.iter().map(Vec::as_slice).collect();
    many[0] = b"time";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("nothing", vec![], "cut off"),
        ("a text", b"time,x\n0.0,1.0\n".to_vec(), "does not begin as one"),
        ("another version", header(&body(1, &[b"time"]), 2, None), "format version 2; this program reads version 1"),
        ("a huge header", header(&[], 1, Some(u32::MAX)), "at most 268435456"),
        ("a header longer than the file", header(&[], 1, Some(1 << 20)), "cut off"),
        ("no columns", header(&body(0, &[]), 1, None), "there are none"),
        ("2^32 - 1 columns", header(&body(u32::MAX, &[b"time"]), 1, None), "at most 1048576"),
        ("a million columns that are not there", header(&body(1_000_000, &many), 1, None), "1000000 columns announced"),
        ("bytes left over", header(&body(1, &[b"time", b"x"]), 1, None), "after the last column"),
        ("not a text", header(&body(2, &[b"time", b"\xff\xfe"]), 1, None), "not UTF-8"),
        ("one name twice", header(&body(3, &[b"time", b"x", b"x"]), 1, None), "two are called `x`"),
        ("no time", header(&body(1, &[b"x"]), 1, None), "must be `time`"),
        ("a long text", header(&[0xff; 8], 1, None), "bytes announced"),
    ];
    for (what, bytes, message) in cases {
        fs::write(&path, bytes).expect("written");
        let e = RecordingReader::open(&path).expect_err(what).to_string();
        assert!(e.contains(message), "{what}: {e}");
        assert!(describe(&path).is_err());
    }
}

#[test]
fn hostile_chunks() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let head = header(&body(2, &[b"time", b"x"]), 1, None);
    let good = chunk(b"ROWS", 0, None, &rows_payload(0, 1, 2, &[0.5, 7.0]));
    let huge_rows = rows_payload(1, u32::MAX, 2, &[]);
    let huge_columns = rows_payload(1, u32::MAX, u32::MAX, &[]);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("a chunk of 2^64 - 1 bytes", chunk(b"ROWS", 1, Some(u64::MAX), &[])),
        ("a blob of 2^63 bytes", chunk(b"BLOB", 1, Some(1 << 63), &[0; 100])),
        ("2^32 - 1 rows in no bytes", chunk(b"ROWS", 1, None, &huge_rows)),
        ("2^64 values", chunk(b"ROWS", 1, None, &huge_columns)),
        ("no rows", chunk(b"ROWS", 1, None, &rows_payload(1, 0, 2, &[]))),
        ("other columns", chunk(b"ROWS", 1, None, &rows_payload(1, 2, 1, &[0.0, 1.0]))),
        ("rows left out", chunk(b"ROWS", 1, None, &rows_payload(5, 1, 2, &[0.0, 1.0]))),
        ("an empty chunk", chunk(b"ROWS", 1, None, &[])),
        ("an unknown kind", chunk(b"WHAT", 1, None, &[1, 2, 3])),
        ("a blob without a kind", chunk(b"BLOB", 1, None, &[0; 8])),
        (
            "a blob with a kind that is too long",
            chunk(b"BLOB", 1, None, &[&[0; 8][..], &[0xff; 4], &[65; 50]].concat()),
        ),
        ("a blob whose kind is no text", chunk(b"BLOB", 1, None, &[&[0; 8][..], &text(b"\xff")].concat())),
        ("closed with other counts", chunk(b"DONE", 1, None, &[0; 24])),
    ];
    for (what, bytes) in cases {
        fs::write(&path, [&head[..], &good, &bytes].concat()).expect("written");
        let found = RecordingReader::open(&path).expect(what);
        assert_eq!(bits_of(&found), bits(&[vec![0.5, 7.0]]), "{what}");
        assert!(!found.complete(), "{what}");
        assert_eq!(found.lost_bytes(), bytes.len() as u64, "{what}");
        assert!(found.blobs().is_empty(), "{what}");
    }
}

/// A sound header with as many columns as there may be is read, and quickly.
#[test]
fn a_million_columns() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let names: Vec<Vec<u8>> = (0..1 << 20).map(|i| format!("c{i}").into_bytes()).collect();
    let mut names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    names[0] = b"time";
    fs::write(&path, header(&body(1 << 20, &names), 1, None)).expect("written");
    let found = describe(&path).expect("sound");
    assert_eq!((found.columns.len(), found.rows, found.complete), (1 << 20, 0, false));
}

#[test]
fn snapshots_cut_and_flipped() {
    let folder = Folder::new();
    let path = folder.file("a.snap");
    let snapshot = Snapshot {
        scene: "crane".into(),
        fingerprint: 0x0123_4567_89ab_cdef,
        time: -0.0,
        names: Some(vec!["boom".into(), "größe".into()]),
        settings: "{}".into(),
        state: (0..=255).collect(),
    };
    snapshot.write(&path).expect("written");
    let bytes = fs::read(&path).expect("read");
    assert_eq!(Snapshot::read(&path).expect("read"), snapshot);
    for n in 0..bytes.len() {
        let e = Snapshot::from_bytes(&bytes[..n], &path).expect_err("cut");
        assert!(e.to_string().contains(if n == 0 { "not a snapshot" } else { "cut off" }), "{n}: {e}");
    }
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Snapshot::from_bytes(&flipped, &path).is_err(), "bit {bit}");
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(Snapshot::from_bytes(&longer, &path).expect_err("longer").to_string().contains("something follows"));

    // From another version, with right checks.
    let mut newer = bytes.clone();
    newer[8] = 2;
    let check = crc32c(&newer[..20]).to_le_bytes();
    newer[20..24].copy_from_slice(&check);
    fs::write(&path, &newer).expect("written");
    assert!(matches!(Snapshot::read(&path), Err(RecordError::Version { found: 2, known: 1, .. })));

    // Counts that lie, with right checks.
    for (at, count) in [(24 + 16, u32::MAX), (24 + 16 + 4 + 5, 1 << 30)] {
        let mut hostile = bytes.clone();
        hostile[at..at + 4].copy_from_slice(&count.to_le_bytes());
        let end = hostile.len() - 4;
        let check = crc32c(&hostile[24..end]).to_le_bytes();
        hostile[end..].copy_from_slice(&check);
        let e = Snapshot::from_bytes(&hostile, &path).expect_err("hostile");
        assert!(e.to_string().contains("bytes announced"), "{e}");
    }
    fs::write(&path, b"\x89PNG....").expect("written");
    assert!(matches!(Snapshot::read(&path), Err(RecordError::Foreign { .. })));
}
