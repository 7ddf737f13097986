//! Groups of bodies that touch, each with its own copies, so that they can be solved side by side.

use std::cmp::Reverse;

use crate::rigid::body::InverseMass;
use crate::rigid::contact::ContactPair;
use crate::rigid::contact::sweep::Island;
use crate::rigid::mechanism::velocity::VelocitySystem;
use meniscus_core::Twist;

/// What islands see of all bodies, and copy.
pub(crate) struct IslandView<'a> {
    pub twist: &'a [Twist],
    pub mobility: &'a [InverseMass],
    pub level: &'a [u32],
}

/// Groups pairs and mechanisms into islands, the largest first. In all of them bodies are numbered as in `view`.
pub(crate) fn islands(
    view: &IslandView,
    pairs: Vec<ContactPair>,
    mechanisms: Vec<VelocitySystem>,
) -> Vec<Island> {
    let count = view.twist.len();
    let mut parent: Vec<u32> = (0..count as u32).collect();
    let movable = |b: usize| !view.mobility[b].is_none();
    let linked = |m: &VelocitySystem| {
        let body = &m.mechanism.body;
        body.iter().skip(1).map(|b| [body[0] as usize, *b as usize]).collect::<Vec<_>>()
    };
    let links = pairs.iter().map(|p| p.body.map(|b| b as usize)).chain(mechanisms.iter().flat_map(linked));
    for [a, b] in links.filter(|l| movable(l[0]) && movable(l[1])) {
        let (a, b) = (root(&mut parent, a as u32), root(&mut parent, b as u32));
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut islands: Vec<Island> = Vec::new();
    let mut of_root = vec![u32::MAX; count];
    let mut home = |body: [usize; 2], islands: &mut Vec<Island>| {
        let own = if movable(body[0]) { body[0] } else { body[1] };
        let slot = &mut of_root[root(&mut parent, own as u32) as usize];
        if *slot == u32::MAX {
            *slot = islands.len() as u32;
            islands.push(Island::default());
        }
        *slot as usize
    };
    for pair in pairs {
        let k = home(pair.body.map(|b| b as usize), &mut islands);
        islands[k].pair.push(pair);
    }
    for (index, system) in mechanisms.into_iter().enumerate() {
        let Some(&first) = system.mechanism.body.first() else { continue };
        let k = home([first as usize; 2], &mut islands);
        islands[k].mechanism.push((index, system));
    }
    let mut place = vec![u32::MAX; count];
    for island in &mut islands {
        fill(island, view, &mut place);
    }
    islands.sort_by_key(|i| Reverse(i.pair.len()));
    islands
}

/// Copies the bodies of an island and renumbers its pairs and mechanisms. `place` is scratch, filled with the largest number.
fn fill(island: &mut Island, view: &IslandView, place: &mut [u32]) {
    island.pair.sort_by_key(|p| (p.level, p.body));
    island.mechanism.sort_by_key(|(index, system)| (system.level, *index));
    let Island { body, twist, mobility, level, pair, mechanism, .. } = island;
    let mut local = |b: usize| {
        if place[b] == u32::MAX {
            place[b] = body.len() as u32;
            body.push(b as u32);
            twist.push(view.twist[b]);
            mobility.push(view.mobility[b]);
            level.push(view.level[b]);
        }
        place[b]
    };
    for pair in pair {
        pair.body = pair.body.map(|b| local(b as usize));
    }
    for (_, system) in mechanism {
        system.renumber(|b| local(b) as usize);
    }
    for b in body {
        place[*b as usize] = u32::MAX;
    }
}

fn root(parent: &mut [u32], mut b: u32) -> u32 {
    while parent[b as usize] != b {
        parent[b as usize] = parent[parent[b as usize] as usize];
        b = parent[b as usize];
    }
    b
}
