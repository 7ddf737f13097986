use proptest::prelude::*;

use super::*;
use crate::test_mesh::cube;

fn base64(bytes: &[u8]) -> String {
    let digit = |bits: u32| {
        let table = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        char::from(table[(bits & 63) as usize])
    };
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, b| bits << 8 | u32::from(*b)) << (8 * (3 - group.len()));
        (0..=group.len()).for_each(|k| text.push(digit(bits >> (18 - 6 * k))));
        text.push_str(&"=".repeat(3 - group.len()));
    }
    text
}

/// Positions and indices of a cube of edge 2: 96 and 72 bytes.
fn cube_bytes() -> Vec<u8> {
    let mesh = cube(2.0);
    let mut bytes: Vec<u8> =
        mesh.vertex.iter().flat_map(DVec3::to_array).flat_map(|x| (x as f32).to_le_bytes()).collect();
    bytes.extend(mesh.triangle.iter().flatten().flat_map(|i| (*i as u16).to_le_bytes()));
    bytes
}

fn json(nodes: &str, uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"NORMAL":7}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":96}},{{"buffer":0,"byteOffset":96,"byteLength":72}}],
        "buffers":[{{{uri}"byteLength":168}}]}}"#
    )
}

fn embedded(nodes: &str) -> String {
    json(nodes, &format!(r#""uri":"data:application/octet-stream;base64,{}","#, base64(&cube_bytes())))
}

fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + text.len() as u32 + binary.len() as u32).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

fn problem(text: &str) -> String {
    read(text.as_bytes(), None).unwrap_err().to_string()
}

#[test]
fn embedded_binary_and_separate_buffers_give_the_same_cube() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cube.bin"), cube_bytes()).unwrap();
    let files = [
        embedded(r#"{"mesh":0}"#).into_bytes(),
        glb(&json(r#"{"mesh":0}"#, ""), &cube_bytes()),
        json(r#"{"mesh":0}"#, r#""uri":"cube.bin","#).into_bytes(),
    ];
    for bytes in files {
        assert_eq!(read(&bytes, Some(folder.path())).unwrap(), cube(2.0));
    }
    let path = folder.path().join("cube.gltf");
    std::fs::write(&path, json(r#"{"mesh":0}"#, r#""uri":"cube.bin","#)).unwrap();
    assert_eq!(TriangleMesh::read(&path).unwrap(), cube(2.0));
}

#[test]
fn nodes_move_turn_scale_and_mirror() {
    let nodes = r#"{"mesh":0,"translation":[10,0,0],"children":[1]},
        {"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[-1,2,3],"translation":[0,5,0],"children":[2]},
        {"mesh":0,"matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 4,0,0,1]}"#;
    let mesh = read(embedded(nodes).as_bytes(), None).unwrap();
    assert_eq!(mesh.triangle.len(), 36);
    // 8 + 6·8 + 6·8: every cube counts positive, the mirrored ones too.
    assert!((mesh.volume() - 104.0).abs() < 1e-9);
    // The last one: 4 along the mirrored x axis of node 1, which is turned to −y.
    let centre = mesh.vertex[16..].iter().sum::<DVec3>() / 8.0;
    assert!(centre.abs_diff_eq(DVec3::new(10.0, 1.0, 0.0), 1e-12), "{centre}");
}

#[test]
fn strips_fans_unindexed_quantised_and_sparse_positions_are_read() {
    // A square in unsigned bytes, normalised; its last corner replaced by a sparse one.
    let bytes = base64(&[0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 9, 9, 9, 0, 3, 255, 255, 0]);
    let file = |mode: u32| {
        format!(
            r#"{{"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":{mode}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5121,"normalized":true,"count":4,"type":"VEC3",
            "sparse":{{"count":1,"indices":{{"bufferView":1,"componentType":5121}},"values":{{"bufferView":1,"byteOffset":1}}}}}}],
            "bufferViews":[{{"buffer":0,"byteLength":16,"byteStride":4}},{{"buffer":0,"byteOffset":16,"byteLength":4}}],
            "buffers":[{{"byteLength":20,"uri":"data:;base64,{bytes}"}}]}}"#
        )
    };
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
    for (mode, triangles) in
        [(5, vec![[0, 1, 2], [2, 1, 3]]), (6, vec![[0, 1, 2], [0, 2, 3]]), (4, vec![[0, 1, 2]])]
    {
        let mesh = read(file(mode).as_bytes(), None).unwrap();
        assert_eq!((mesh.vertex, mesh.triangle), (corners.to_vec(), triangles));
    }
    assert!(read(file(1).as_bytes(), None).unwrap().triangle.is_empty());
    assert!(problem(&file(7)).contains("unknown mode 7"));
}

#[test]
fn what_cannot_be_read_is_named() {
    let good = embedded(r#"{"mesh":0}"#);
    for (from, to, expected) in [
        (r#""scene":0"#, r#""scene":3"#, "there is no scene 3"),
        (r#""mesh":0"#, r#""mesh":1"#, "there is no mesh 1"),
        (r#""nodes":[0]"#, r#""nodes":[1]"#, "there is no node 1"),
        (r#""count":8"#, r#""count":4000000000"#, "accessor 0: 4000000000 elements are announced"),
        (r#""count":8"#, r#""count":18446744073709551615"#, "elements are announced"),
        (r#""count":8"#, r#""count":7"#, "there is no vertex 7"),
        (r#""count":8"#, r#""count":-1"#, "line 3, column"),
        ("5126", "5125", "these are no positions"),
        ("5126", "1", "unknown component type"),
        ("5123", "5126", "these are no indices"),
        (r#""byteLength":96"#, r#""byteLength":9600"#, "exceeds the buffer"),
        (r#""byteLength":96"#, r#""byteStride":4,"byteLength":96"#, "stride is too small"),
        (
            r#""byteLength":168"#,
            r#""byteLength":169"#,
            "buffer 0: 169 bytes are announced, but there are 168",
        ),
        (";base64,", ";base64,!", "data URI cannot be decoded"),
        (";base64,", ",", "data URI cannot be decoded"),
        (r#""bufferView":0,"#, "", "accessor 0: it has no buffer view"),
        (r#""asset""#, r#""extensionsRequired":["KHR_draco_mesh_compression"],"asset""#, "KHR_draco"),
        (r#""asset""#, r#""extensionsRequired":["EXT_meshopt_compression"],"asset""#, "EXT_meshopt"),
        ("]}", "", "this is not glTF"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        assert!(problem(&bad).contains(expected), "{from} {to}: {}", problem(&bad));
    }
    assert!(problem(&json(r#"{"mesh":0}"#, "")).contains("buffer 0: it has no bytes"));
}

#[test]
fn nodes_in_circles_and_shared_nodes_are_refused() {
    for nodes in [
        r#"{"mesh":0,"children":[0]}"#,
        r#"{"children":[1]},{"mesh":0,"children":[0]}"#,
        r#"{"children":[1,1]},{"mesh":0}"#,
        r#"{"children":[1,2]},{"children":[3]},{"children":[3]},{"mesh":0}"#,
    ] {
        assert!(problem(&embedded(nodes)).contains("is its own ancestor or has two parents"), "{nodes}");
    }
    let deep: Vec<String> = (1..100_000).map(|k| format!(r#"{{"children":[{k}]}}"#)).collect();
    let mesh = read(embedded(&(deep.join(",") + r#",{"mesh":0}"#)).as_bytes(), None).unwrap();
    assert_eq!(mesh.triangle.len(), 12);
    let arrays = "[".repeat(100_000);
    assert!(problem(&arrays).contains("this is not glTF"));
}

#[test]
fn a_mesh_is_not_repeated_without_end() {
    // Hundred thousand nodes of a mesh of 100 times 100 thousand triangles each.
    let file = format!(
        r#"{{"nodes":[{}],"meshes":[{{"primitives":[{}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},
        {{"bufferView":0,"componentType":5121,"count":300000,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":300000}}],
        "buffers":[{{"byteLength":300000,"uri":"data:;base64,{}"}}]}}"#,
        vec![r#"{"mesh":0}"#; 100_000].join(","),
        vec![r#"{"attributes":{"POSITION":0},"indices":1}"#; 100].join(","),
        "A".repeat(400_000)
    );
    assert!(problem(&file).contains("the scene is too large"));
}

#[test]
fn repeats_are_counted_before_anything_is_built() {
    // Built, the first triangle would be found to have a vertex that is not there.
    let wrong = embedded(r#"{"mesh":0}"#).replacen(r#""count":8"#, r#""count":7"#, 1);
    assert!(problem(&wrong).contains("there is no vertex 7"));
    let primitive = r#"{"attributes":{"POSITION":0,"NORMAL":7},"indices":1}"#;
    let many = wrong
        .replacen(primitive, &vec![primitive; 100].join(","), 1)
        .replacen(r#"{"mesh":0}"#, &vec![r#"{"mesh":0}"#; 100_000].join(","), 1)
        .replacen(r#""scene":0,"scenes":[{"nodes":[0]}],"#, "", 1);
    assert!(problem(&many).contains("the scene is too large"), "{}", problem(&many));
}

#[test]
fn every_truncation_is_an_error() {
    let whole = glb(&json(r#"{"mesh":0}"#, ""), &cube_bytes());
    assert!((0..whole.len()).all(|length| read(&whole[..length], None).is_err()));
    let text = embedded(r#"{"mesh":0}"#);
    assert!((0..text.len()).all(|length| read(&text.as_bytes()[..length], None).is_err()));
}

proptest! {
    #[test]
    fn mutated_files_never_panic(
        edits in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..12),
        binary: bool,
    ) {
        let nodes = r#"{"mesh":0,"children":[1]},{"scale":[1,2,3]}"#;
        let mut bytes =
            if binary { glb(&json(nodes, ""), &cube_bytes()) } else { embedded(nodes).into_bytes() };
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(mesh) = read(&bytes, None) {
            prop_assert!(mesh.triangle.iter().flatten().all(|i| (*i as usize) < mesh.vertex.len()));
            let _ = crate::MeshShape::new(mesh);
        }
    }
}
