//! Tables of a Markdown report, as PaperGuru publishes its comparisons: rows named *average* are stated means, a column of
//! differences (Δ, lift, gain) is checked against the two columns before it.

use super::{
    json_results::{ReadGrids, ends_as_mean, is_mean},
    result_grid::{ResultGrid, RoundedNumber, StatedGain, StatedMean},
};

/// Reads the tables of a report; None for a text about neither benchmark, or without a table of numbers.
pub(crate) fn grids_of_markdown(text: &str) -> Option<ReadGrids> {
    let is_ours = ["PaperBench", "SurveyBench"].iter().any(|name| text.contains(name));
    if !is_ours {
        return None;
    }
    let mut grids: Vec<ResultGrid> = vec![];
    let (mut heading, mut under_it) = ("", 0);
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            (heading, under_it) = (line.trim_start_matches('#').trim(), 0);
        }
        if line.starts_with('|') && lines.peek().is_some_and(|next| is_separator_line(next)) {
            let body = std::iter::from_fn(|| lines.next_if(|line| line.starts_with('|')));
            let rows: Vec<Vec<&str>> = body.skip(1).map(cells_of_line).collect();
            under_it += 1;
            let name = match under_it {
                1 => heading.to_owned(),
                number => format!("{heading} ({number})"),
            };
            grids.extend(grid_of_table(&name, &cells_of_line(line), &rows));
        }
    }
    (!grids.is_empty()).then(|| ReadGrids { grids, trouble: vec![] })
}

fn is_separator_line(line: &str) -> bool {
    line.starts_with('|') && line.chars().all(|it| "|-: ".contains(it))
}

fn cells_of_line(line: &str) -> Vec<&str> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| cell.trim().trim_matches('*')).collect()
}

/// Returns the grid of a table. None if less than half of the cells of every column are numbers.
fn grid_of_table(heading: &str, heads: &[&str], rows: &[Vec<&str>]) -> Option<ResultGrid> {
    let cell = |row: &[&str], column: usize| RoundedNumber::from_text(row.get(column)?);
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
    let mut grid = ResultGrid::new(heading, names.last().map_or("row", |column| heads[*column]));
    for column in &systems {
        grid.column_of_system(heads[*column]);
    }
    (grid.has_means, grid.is_whole) = (false, true);
    let name_of = |row: &[&str]| {
        let name = names.iter().filter_map(|column| row.get(*column)).filter(|it| !it.is_empty());
        name.copied().collect::<Vec<_>>().join(", ")
    };
    // Means are below the rows they are computed from; a row of such a name among the others is an ordinary one.
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
            grid.stated.extend(stated_means(&name, &figures));
            continue;
        }
        for (column, figure) in systems.iter().zip(&figures) {
            if let Some(figure) = figure {
                let _ = grid.put_value(&name, heads[*column], *figure); // a row that is there twice counts as the later
            }
        }
        let gain = gains.first().and_then(|column| cell(row, *column));
        if let (Some(figure), [Some(of), Some(over)]) = (gain, figures.as_slice()) {
            grid.gains.push(StatedGain { row: name, figure, value: *of, baseline: *over });
        }
    }
    Some(grid).filter(|grid| !grid.rows.is_empty())
}

fn is_difference(head: &str) -> bool {
    let head = head.to_lowercase();
    ["Δ", "δ", "delta", "lift", "gain", "difference"].iter().any(|word| head.contains(word))
}

/// Returns the means of a row such as `Average (20 papers)`.
fn stated_means(name: &str, figures: &[Option<RoundedNumber>]) -> Vec<StatedMean> {
    let mut counts = name.split(|it: char| !it.is_ascii_digit()).filter_map(|it| it.parse().ok());
    let over = counts.next();
    let stated_mean = |(system, figure): (usize, &Option<RoundedNumber>)| {
        Some(StatedMean { system, figure: (*figure)?, over, called: name.to_owned() })
    };
    figures.iter().enumerate().filter_map(stated_mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_the_tables_they_are_read_and_checked(text in "[|ab0-9 .*%\n#-]{0,120}", rule in "[|-]{1,9}") {
            let text = format!("PaperBench\n|a|b|Lift|\n|{rule}\n{text}");
            for grid in grids_of_markdown(&text).into_iter().flat_map(|it| it.grids) {
                grid.inconsistencies();
                grid.to_table();
            }
        }
    }
}
