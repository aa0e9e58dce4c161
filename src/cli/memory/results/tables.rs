//! Tables of a Markdown report, as PaperGuru publishes its comparisons: rows named *average* are stated means, a column of
//! differences (Δ, lift, gain) is checked against the two columns before it.

use super::{
    forms::{Read, ends_as_mean, is_mean},
    grid::{Figure, Gain, Grid, Stated},
};

/// None for a text that is of neither benchmark, or has no table of numbers.
pub fn of(text: &str) -> Option<Read> {
    let is_ours = ["PaperBench", "SurveyBench"].iter().any(|name| text.contains(name));
    if !is_ours {
        return None;
    }
    let mut grids: Vec<Grid> = vec![];
    let (mut heading, mut under_it) = ("", 0);
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            (heading, under_it) = (line.trim_start_matches('#').trim(), 0);
        }
        if line.starts_with('|') && lines.peek().is_some_and(|next| is_rule(next)) {
            let body = std::iter::from_fn(|| lines.next_if(|line| line.starts_with('|')));
            let rows: Vec<Vec<&str>> = body.skip(1).map(cells).collect();
            under_it += 1;
            let name = match under_it {
                1 => heading.to_owned(),
                number => format!("{heading} ({number})"),
            };
            grids.extend(grid(&name, &cells(line), &rows));
        }
    }
    (!grids.is_empty()).then(|| Read { grids, trouble: vec![] })
}

fn is_rule(line: &str) -> bool {
    line.starts_with('|') && line.chars().all(|it| "|-: ".contains(it))
}

fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| cell.trim().trim_matches('*')).collect()
}

/// None where fewer than half of the cells of every column are numbers.
fn grid(heading: &str, heads: &[&str], rows: &[Vec<&str>]) -> Option<Grid> {
    let cell = |row: &[&str], column: usize| Figure::read(row.get(column)?);
    let is_number = |column: &usize| {
        let head = heads[*column].to_lowercase();
        let numbers = rows.iter().filter(|row| cell(row, *column).is_some()).count();
        !matches!(head.as_str(), "#" | "rank") && numbers * 2 >= rows.len().max(1)
    };
    let numbers: Vec<usize> = (0..heads.len()).filter(is_number).collect();
    let (gains, systems): (Vec<usize>, Vec<usize>) =
        numbers.into_iter().partition(|column| is_difference(heads[*column]));
    let first = systems.first()?;
    let names: Vec<usize> = (0..*first)
        .filter(|column| !matches!(heads[*column].to_lowercase().as_str(), "#" | "rank"))
        .collect();
    let mut grid = Grid::new(heading, names.last().map_or("row", |column| heads[*column]));
    for column in &systems {
        grid.system(heads[*column]);
    }
    (grid.has_means, grid.is_whole) = (false, true);
    let name_of = |row: &[&str]| {
        let name = names.iter().filter_map(|column| row.get(*column)).filter(|it| !it.is_empty());
        name.copied().collect::<Vec<_>>().join(", ")
    };
    // Means stand below what they are of; a row so called among the others is one of them.
    let states_means = |row: &&Vec<&str>| {
        let name = name_of(row);
        is_mean(&name) || ends_as_mean(&name)
    };
    let below = rows.iter().rev().take_while(states_means).count();
    for (at, row) in rows.iter().enumerate() {
        let name = name_of(row);
        let figures: Vec<_> = systems.iter().map(|column| cell(row, *column)).collect();
        if at + below >= rows.len() {
            grid.has_means = true;
            grid.stated.extend(stated(&name, &figures));
            continue;
        }
        for (column, figure) in systems.iter().zip(&figures) {
            if let Some(figure) = figure {
                let _ = grid.put(&name, heads[*column], *figure); // a row that is there twice counts as the later
            }
        }
        let gain = gains.first().and_then(|column| cell(row, *column));
        if let (Some(figure), [Some(of), Some(over)]) = (gain, figures.as_slice()) {
            grid.gains.push(Gain { row: name, figure, of: *of, over: *over });
        }
    }
    Some(grid).filter(|grid| !grid.rows.is_empty())
}

fn is_difference(head: &str) -> bool {
    let head = head.to_lowercase();
    ["Δ", "δ", "delta", "lift", "gain", "difference"].iter().any(|word| head.contains(word))
}

/// Means of a row such as `Average (20 papers)`.
fn stated(name: &str, figures: &[Option<Figure>]) -> Vec<Stated> {
    let mut counts = name.split(|it: char| !it.is_ascii_digit()).filter_map(|it| it.parse().ok());
    let over = counts.next();
    let of = |(system, figure): (usize, &Option<Figure>)| {
        Some(Stated { system, figure: (*figure)?, over, called: name.to_owned() })
    };
    figures.iter().enumerate().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_the_tables_they_are_read_and_checked(text in "[|ab0-9 .*%\n#-]{0,120}", rule in "[|-]{1,9}") {
            let text = format!("PaperBench\n|a|b|Lift|\n|{rule}\n{text}");
            for grid in of(&text).into_iter().flat_map(|it| it.grids) {
                grid.trouble();
                grid.table();
            }
        }
    }
}
