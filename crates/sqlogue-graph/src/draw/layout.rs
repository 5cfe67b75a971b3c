//! Places the boxes and lines of one level of a picture: a layered layout from top to bottom.
//!
//! The steps are the usual ones: turn loops round, give every item a rank, cut long edges into pieces of one
//! layer each, order the layers so that few edges cross, and move items next to what they are joined to. A
//! label is an item of its own in a layer between two ranks, so nothing is drawn over it.

use super::straighten::straighten;

/// A box to be placed, with room kept to its right for loops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Kept free beyond the right border.
    pub(super) right: f64,
}

/// A line between two items, with the size of its label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: (f64, f64),
}

/// The bends of a line, and the centre of its label.
pub(super) type Bends = (Vec<(f64, f64)>, (f64, f64));

/// Where everything is. Points are centres.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) items: Vec<(f64, f64)>,
    /// Every line from its `from` to its `to`.
    pub(super) lines: Vec<Bends>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Between two layers.
const LAYER_GAP: f64 = 19.0;
/// Between two items of one layer.
const ITEM_GAP: f64 = 26.0;
/// Between two lines that pass one layer side by side.
const LINE_GAP: f64 = 16.0;

/// How often the layers are gone through to move items; a long chain takes many to come to rest.
const SWEEPS: usize = 400;

/// A place in a layer: an item, a label, or where a long line passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    layer: usize,
    pub(super) left: f64,
    pub(super) right: f64,
    height: f64,
    is_item: bool,
    pub(super) x: f64,
}

/// How much room stays free between two neighbours in a layer.
pub(super) fn gap(left: &Cell, right: &Cell) -> f64 {
    if left.is_item || right.is_item { ITEM_GAP } else { LINE_GAP }
}

/// Places items and lines; the first item is the start.
pub(super) fn lay_out(items: &[Item], lines: &[Line]) -> Layout {
    let turned = turned_lines(items.len(), lines);
    let down: Vec<(usize, usize)> = lines
        .iter()
        .zip(&turned)
        .map(|(line, turned)| if *turned { (line.to, line.from) } else { (line.from, line.to) })
        .collect();
    let ranks = ranks(items.len(), &down);

    let mut cells: Vec<Cell> = items
        .iter()
        .zip(&ranks)
        .map(|(item, rank)| Cell {
            layer: rank * 2,
            left: item.width / 2.0,
            right: item.width / 2.0 + item.right,
            height: item.height,
            is_item: true,
            x: 0.0,
        })
        .collect();
    // For every line the cells it passes, from above to below.
    let mut chains: Vec<Vec<usize>> = vec![];
    for ((above, below), line) in down.iter().zip(lines) {
        let (first, last) = (rank_of(&ranks, *above) * 2, rank_of(&ranks, *below) * 2);
        let mut chain = vec![*above];
        for layer in first + 1..last {
            let (width, height) = if layer == first + 1 { line.label } else { (0.0, 0.0) };
            chain.push(cells.len());
            cells.push(Cell { layer, left: width / 2.0, right: width / 2.0, height, is_item: false, x: 0.0 });
        }
        chain.push(*below);
        chains.push(if above == below { vec![] } else { chain });
    }

    let neighbours = neighbours(cells.len(), &chains);
    let layers = order(&cells, &neighbours);
    place_across(&mut cells, &layers, &neighbours);
    straighten(&mut cells, &layers, &neighbours);
    let (tops, height) = place_down(&cells, &layers);

    let left = cells.iter().map(|cell| cell.x - cell.left).fold(f64::INFINITY, f64::min);
    let right = cells.iter().map(|cell| cell.x + cell.right).fold(f64::NEG_INFINITY, f64::max);
    let (left, right) = if left.is_finite() { (left, right) } else { (0.0, 0.0) };
    let centre = |cell: &Cell| {
        let (top, height) = tops.get(cell.layer).copied().unwrap_or_default();
        (cell.x - left, top + height / 2.0)
    };

    let mut layout = Layout { width: right - left, height, ..Layout::default() };
    layout.items = cells.iter().take(items.len()).map(&centre).collect();
    for (index, chain) in chains.iter().enumerate() {
        let mut points = vec![];
        let mut label = (0.0, 0.0);
        for (place, cell) in chain.iter().enumerate() {
            let Some(cell_at) = cells.get(*cell) else { continue };
            let (x, y) = centre(cell_at);
            if place == 1 {
                label = (x, y);
            }
            if cell_at.is_item {
                let port = port(&cells, &chains, *cell, index, place == 0);
                let edge = cell_at.height / 2.0;
                points.push((x + port, if place == 0 { y + edge } else { y - edge }));
            } else {
                // Straight through the whole layer, so that a line does not cut the corner of a box in it.
                let (top, height) = tops.get(cell_at.layer).copied().unwrap_or_default();
                points.push((x, top));
                if height > 0.0 {
                    points.push((x, top + height));
                }
            }
        }
        if turned.get(index).copied().unwrap_or_default() {
            points.reverse();
        }
        layout.lines.push((points, label));
    }
    layout
}

fn rank_of(ranks: &[usize], item: usize) -> usize {
    ranks.get(item).copied().unwrap_or_default()
}

/// Which lines lead back to an item on the way to them; they are laid out the other way round.
fn turned_lines(count: usize, lines: &[Line]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnTheWay,
        Done,
    }
    let mut seen = vec![Seen::Not; count];
    let mut turned = vec![false; lines.len()];
    for root in 0..count {
        // A stack of items with the next line to look at, rather than recursion: graphs may be long.
        let mut stack = vec![(root, 0)];
        if seen.get(root) != Some(&Seen::Not) {
            continue;
        }
        seen.iter_mut().skip(root).take(1).for_each(|seen| *seen = Seen::OnTheWay);
        while let Some((item, next)) = stack.pop() {
            let found =
                lines.iter().enumerate().skip(next).find(|(_, line)| line.from == item && line.to != item);
            let Some((index, line)) = found else {
                seen.iter_mut().skip(item).take(1).for_each(|seen| *seen = Seen::Done);
                continue;
            };
            stack.push((item, index + 1));
            match seen.get(line.to) {
                Some(Seen::OnTheWay) => {
                    turned.iter_mut().skip(index).take(1).for_each(|turned| *turned = true)
                }
                Some(Seen::Not) => {
                    seen.iter_mut().skip(line.to).take(1).for_each(|seen| *seen = Seen::OnTheWay);
                    stack.push((line.to, 0));
                }
                _ => {}
            }
        }
    }
    turned
}

/// The longest way down to every item.
fn ranks(count: usize, down: &[(usize, usize)]) -> Vec<usize> {
    let mut ranks = vec![0; count];
    for _ in 0..count {
        let mut settled = true;
        for (above, below) in down.iter().filter(|(above, below)| above != below) {
            let least = rank_of(&ranks, *above) + 1;
            if let Some(rank) = ranks.get_mut(*below)
                && *rank < least
            {
                *rank = least;
                settled = false;
            }
        }
        if settled {
            break;
        }
    }
    ranks
}

/// For every cell the cells above and below it that it is joined to.
pub(super) type Neighbours = Vec<[Vec<usize>; 2]>;

fn neighbours(count: usize, chains: &[Vec<usize>]) -> Neighbours {
    let mut neighbours: Neighbours = vec![[vec![], vec![]]; count];
    for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
        let [above, below] = pair else { continue };
        if let Some([_, downward]) = neighbours.get_mut(*above) {
            downward.push(*below);
        }
        if let Some([upward, _]) = neighbours.get_mut(*below) {
            upward.push(*above);
        }
    }
    neighbours
}

/// The cells of every layer in an order with few crossings.
fn order(cells: &[Cell], neighbours: &Neighbours) -> Vec<Vec<usize>> {
    let count = cells.iter().map(|cell| cell.layer + 1).max().unwrap_or(0);
    let mut layers: Vec<Vec<usize>> = vec![vec![]; count];
    for (index, cell) in cells.iter().enumerate() {
        if let Some(layer) = layers.get_mut(cell.layer) {
            layer.push(index);
        }
    }
    let mut best = layers.clone();
    let mut fewest = crossings(&layers, neighbours, cells.len());
    for sweep in 0..24 {
        let upward = sweep % 2 == 1;
        let side = usize::from(upward);
        for step in 0..count {
            let index = if upward { count - 1 - step } else { step };
            let places = places(&layers, cells.len());
            let Some(layer) = layers.get_mut(index) else { continue };
            let mean = |cell: &usize| {
                let joined =
                    neighbours.get(*cell).and_then(|sides| sides.get(side)).map_or(&[][..], Vec::as_slice);
                let own = places.get(*cell).copied().unwrap_or_default();
                if joined.is_empty() {
                    return own;
                }
                let sum: f64 = joined.iter().filter_map(|cell| places.get(*cell)).sum();
                sum / number(joined.len())
            };
            let mut keyed: Vec<(f64, usize)> = layer.iter().map(|cell| (mean(cell), *cell)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            *layer = keyed.into_iter().map(|(_, cell)| cell).collect();
        }
        let now = crossings(&layers, neighbours, cells.len());
        if now < fewest {
            fewest = now;
            best.clone_from(&layers);
        }
    }
    best
}

/// The place of every cell within its layer, between 0 and 1 so that layers of different lengths compare.
fn places(layers: &[Vec<usize>], count: usize) -> Vec<f64> {
    let mut places = vec![0.0; count];
    for layer in layers {
        for (index, cell) in layer.iter().enumerate() {
            if let Some(place) = places.get_mut(*cell) {
                *place = (number(index) + 0.5) / number(layer.len());
            }
        }
    }
    places
}

fn crossings(layers: &[Vec<usize>], neighbours: &Neighbours, count: usize) -> usize {
    let places = places(layers, count);
    let place = |cell: &usize| places.get(*cell).copied().unwrap_or_default();
    let mut crossings = 0;
    for layer in layers {
        let joined: Vec<(f64, f64)> = layer
            .iter()
            .flat_map(|cell| {
                let below = neighbours.get(*cell).map_or(&[][..], |[_, below]| below.as_slice());
                below.iter().map(move |other| (place(cell), place(other)))
            })
            .collect();
        for (index, (above, below)) in joined.iter().enumerate() {
            let crossed = |other: &&(f64, f64)| (other.0 - above) * (other.1 - below) < 0.0;
            crossings += joined.iter().skip(index + 1).filter(crossed).count();
        }
    }
    crossings
}

/// Moves every cell towards the cells it is joined to, as far as its neighbours in the layer allow.
fn place_across(cells: &mut [Cell], layers: &[Vec<usize>], neighbours: &Neighbours) {
    for layer in layers {
        let mut x = 0.0;
        for index in layer {
            if let Some(cell) = cells.get_mut(*index) {
                cell.x = x + cell.left;
                x = cell.x + cell.right + ITEM_GAP;
            }
        }
    }
    for sweep in 0..SWEEPS {
        for step in 0..layers.len() {
            let upward = sweep % 2 == 1;
            let index = if upward { layers.len() - 1 - step } else { step };
            let Some(layer) = layers.get(index) else { continue };
            let wanted: Vec<(f64, f64)> = layer
                .iter()
                .map(|cell| {
                    let Some(([above, below], own)) = neighbours.get(*cell).zip(cells.get(*cell)) else {
                        return (0.0, 1.0);
                    };
                    // The first sweeps spread the layout from one side, the last ones balance both.
                    let joined: Vec<&usize> = match (sweep < SWEEPS / 8, upward) {
                        (true, true) if !below.is_empty() => below.iter().collect(),
                        (true, false) if !above.is_empty() => above.iter().collect(),
                        _ => above.iter().chain(below).collect(),
                    };
                    // Long lines want to be straight more than boxes want to be in the middle.
                    let weigh = |other: &Cell| match (own.is_item, other.is_item) {
                        (false, false) => 8.0,
                        (true, true) => 1.0,
                        _ => 2.0,
                    };
                    let others = joined.iter().filter_map(|other| cells.get(**other));
                    let (sum, weight) = others.fold((0.0, 0.0), |(sum, weight), other| {
                        (sum + weigh(other) * other.x, weight + weigh(other))
                    });
                    if weight > 0.0 { (sum / weight, weight) } else { (own.x, 0.1) }
                })
                .collect();
            let mut offset = 0.0;
            let mut last: Option<Cell> = None;
            let offsets: Vec<f64> = layer
                .iter()
                .filter_map(|cell| cells.get(*cell))
                .map(|cell| {
                    if let Some(last) = last {
                        offset += last.right + gap(&last, cell) + cell.left;
                    }
                    last = Some(*cell);
                    offset
                })
                .collect();
            for ((cell, offset), x) in layer.iter().zip(&offsets).zip(in_order(&wanted, &offsets)) {
                if let Some(cell) = cells.get_mut(*cell) {
                    cell.x = x + offset;
                }
            }
        }
    }
}

/// The positions nearest to the wanted ones, by weighted least squares, that keep the order: neighbours that
/// would overlap are pooled and share their mean.
fn in_order(wanted: &[(f64, f64)], offsets: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = vec![];
    for ((x, weight), offset) in wanted.iter().zip(offsets) {
        let mut pool = (x - offset, *weight, 1);
        while let Some((mean, weight, count)) = pools.last().copied().filter(|last| last.0 > pool.0) {
            pools.pop();
            let total = weight + pool.1;
            pool = ((mean * weight + pool.0 * pool.1) / total, total, count + pool.2);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, _, count)| std::iter::repeat_n(mean, count)).collect()
}

/// The top and height of every layer, and the height of all.
fn place_down(cells: &[Cell], layers: &[Vec<usize>]) -> (Vec<(f64, f64)>, f64) {
    let mut top = 0.0;
    let mut tops = vec![];
    for layer in layers {
        let heights = layer.iter().filter_map(|cell| cells.get(*cell)).map(|cell| cell.height);
        let height = heights.fold(0.0, f64::max);
        tops.push((top, height));
        top += height + LAYER_GAP;
    }
    (tops, (top - LAYER_GAP).max(0.0))
}

/// How far from the middle of an item a line leaves or enters it, so that several do not share one point.
fn port(cells: &[Cell], chains: &[Vec<usize>], item: usize, line: usize, below: bool) -> f64 {
    let far = |chain: &[usize]| {
        let end = if below { chain.first() } else { chain.last() };
        let next = if below { chain.get(1) } else { chain.iter().rev().nth(1) };
        let x = next.and_then(|next| cells.get(*next)).map(|cell| cell.x);
        if end == Some(&item) { x } else { None }
    };
    let mut joined: Vec<(f64, usize)> =
        chains.iter().enumerate().filter_map(|(index, chain)| Some((far(chain)?, index))).collect();
    joined.sort_by(|a, b| a.0.total_cmp(&b.0));
    let place = joined.iter().position(|(_, index)| *index == line).unwrap_or_default();
    let width = cells.get(item).map_or(0.0, |cell| cell.left * 2.0);
    let step = (width * 0.7 / number(joined.len().max(1))).min(24.0);
    (number(place) - number(joined.len().saturating_sub(1)) / 2.0) * step
}

#[expect(clippy::cast_precision_loss, reason = "counts of drawn things are small")]
fn number(count: usize) -> f64 {
    count as f64
}
