//! Makes lines straight: cells that follow one another alone share one x.

use super::layout::{Cell, Neighbours, gap};

/// How often every block moves towards its place.
const PASSES: usize = 40;

/// Cells that share one x.
struct Block {
    cells: Vec<usize>,
    /// Where it would be without neighbours.
    wanted: f64,
    x: f64,
}

/// Aligns chains of cells, as far as the order of the layers allows. Where two chains cross, nothing moves.
pub(super) fn straighten(cells: &mut [Cell], layers: &[Vec<usize>], neighbours: &Neighbours) {
    let blocks = blocks(cells, neighbours);
    let mut block_of = vec![0; cells.len()];
    for (index, block) in blocks.iter().enumerate() {
        for cell in &block.cells {
            if let Some(place) = block_of.get_mut(*cell) {
                *place = index;
            }
        }
    }
    let of = |cell: usize| block_of.get(cell).copied().unwrap_or_default();
    // Which block stands left of which, and how far apart their middles must be.
    let mut apart: Vec<(usize, usize, f64)> = vec![];
    for pair in layers.iter().flat_map(|layer| layer.windows(2)) {
        let [left, right] = pair else { continue };
        if let (Some(left_cell), Some(right_cell)) = (cells.get(*left), cells.get(*right)) {
            apart.push((
                of(*left),
                of(*right),
                left_cell.right + gap(left_cell, right_cell) + right_cell.left,
            ));
        }
    }
    let Some(xs) = place(blocks.iter().map(|block| block.x).collect(), &blocks, &apart) else { return };
    for (block, x) in blocks.iter().zip(xs) {
        for cell in &block.cells {
            if let Some(cell) = cells.get_mut(*cell) {
                cell.x = x;
            }
        }
    }
}

fn blocks(cells: &[Cell], neighbours: &Neighbours) -> Vec<Block> {
    let side = |cell: usize, side: usize| {
        neighbours.get(cell).and_then(|sides| sides.get(side)).map_or(&[][..], Vec::as_slice)
    };
    // The cell below that goes on alone from here.
    let next = |cell: usize| match side(cell, 1) {
        [below] if side(*below, 0).len() == 1 => Some(*below),
        _ => None,
    };
    let mut blocks = vec![];
    for first in 0..cells.len() {
        let begins = match side(first, 0) {
            [above] => next(*above) != Some(first),
            _ => true,
        };
        if !begins {
            continue;
        }
        let mut chain = vec![first];
        let mut last = first;
        while let Some(below) = next(last) {
            chain.push(below);
            last = below;
        }
        // Where it begins and ends matters more than what lies between.
        let ends = [chain.first(), chain.last()].into_iter().flatten().filter_map(|cell| cells.get(*cell));
        let x = ends.map(|cell| cell.x / 2.0).sum();
        blocks.push(Block { cells: chain, wanted: x, x });
    }
    blocks
}

/// Moves blocks apart from the left, then each as near to its place as its neighbours let it. `None` when blocks
/// stand left of one another in a circle.
fn place(mut xs: Vec<f64>, blocks: &[Block], apart: &[(usize, usize, f64)]) -> Option<Vec<f64>> {
    let at = |xs: &[f64], block: usize| xs.get(block).copied().unwrap_or_default();
    let mut settled = false;
    for _ in 0..=blocks.len() {
        settled = true;
        for (left, right, distance) in apart {
            let least = at(&xs, *left) + distance;
            if let Some(x) = xs.get_mut(*right)
                && *x < least - 1e-6
            {
                *x = least;
                settled = false;
            }
        }
        if settled {
            break;
        }
    }
    if !settled {
        return None;
    }
    for pass in 0..PASSES {
        for step in 0..blocks.len() {
            let index = if pass % 2 == 0 { step } else { blocks.len() - 1 - step };
            let least = apart.iter().filter(|(_, right, _)| *right == index);
            let least =
                least.map(|(left, _, distance)| at(&xs, *left) + distance).fold(f64::NEG_INFINITY, f64::max);
            let most = apart.iter().filter(|(left, _, _)| *left == index);
            let most =
                most.map(|(_, right, distance)| at(&xs, *right) - distance).fold(f64::INFINITY, f64::min);
            if let (Some(x), Some(block)) = (xs.get_mut(index), blocks.get(index))
                && least <= most
            {
                *x = block.wanted.clamp(least, most);
            }
        }
    }
    Some(xs)
}
