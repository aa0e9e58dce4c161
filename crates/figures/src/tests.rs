use super::*;

/// Two groups over checkpoints: a band, a gap, a place that was measured alone.
fn curves() -> Figure {
    let (a, b) = (Style(0), Style(1));
    let marks = vec![
        Mark::Band {
            style: a,
            points: vec![
                (1.0, Some((0.1, 0.3))),
                (2.0, Some((0.2, 0.5))),
                (3.0, None),
                (4.0, Some((0.4, 0.6))),
            ],
            is_step: false,
        },
        Mark::Curve {
            style: a,
            points: vec![(1.0, Some(0.2)), (2.0, Some(0.35)), (3.0, None), (4.0, Some(0.5))],
            is_step: false,
        },
        Mark::Curve {
            style: b,
            points: vec![(1.0, Some(0.15)), (2.0, Some(0.1)), (3.0, Some(0.2)), (4.0, Some(0.25))],
            is_step: false,
        },
    ];
    let entry = |label: &str, style| LegendEntry {
        label: label.into(),
        style,
        shape: None,
        has_marks: true,
    };
    Figure {
        title: "Erosion by condition".into(),
        caption: "Means over runs; bands: 95 % intervals & <gaps>.".into(),
        columns: PageColumns::One,
        panels: vec![Panel {
            title: String::new(),
            x: Axis::with_counts("checkpoint", 1.0, 4.0),
            y: Axis::with_numbers("erosion", 0.0, 0.6),
            marks,
        }],
        legend: vec![entry("emergent (n=5)", a), entry("single-shot_50% (n=4)", b)],
    }
}

/// Steps with a band and marks of their own, two panels over two columns, one of bars.
fn steps() -> Figure {
    let style = Style(2);
    let survival = vec![
        Mark::Band {
            style,
            points: vec![(0.0, None), (3.0, Some((0.5, 0.95))), (9.0, Some((0.4, 0.9)))],
            is_step: true,
        },
        Mark::Curve {
            style,
            points: vec![(0.0, Some(1.0)), (3.0, Some(0.8)), (7.0, Some(0.7)), (9.0, Some(0.7))],
            is_step: true,
        },
        Mark::Points { style, shape: MarkShape::Tick, points: vec![(5.0, 0.8), (9.0, 0.7)] },
    ];
    let bars = vec![
        Mark::Bar { style: Style(0), y: 0.0, from: 2.0, to: 9.0 },
        Mark::Bar { style: Style(0), y: 1.0, from: 1.0, to: 5.0 },
        Mark::Points { style: Style(1), shape: MarkShape::Cross, points: vec![(5.0, 1.0)] },
        Mark::Interval { style: Style(3), y: 1.0, value: 7.0, ends: Some((6.0, 8.5)) },
        Mark::Interval { style: Style(4), y: 0.0, value: 4.0, ends: None },
    ];
    let names = vec!["C1 Loader".into(), "C2 A component with a name that is far too long".into()];
    Figure {
        title: "Survival".into(),
        caption: "Kaplan and Meier".into(),
        columns: PageColumns::Two,
        panels: vec![
            Panel {
                title: "all runs".into(),
                x: Axis::with_counts("turn", 0.0, 10.0),
                y: Axis::with_numbers("share not lost", 0.0, 1.0),
                marks: survival,
            },
            Panel {
                title: "one run".into(),
                x: Axis::with_counts("turn", 0.0, 10.0),
                y: Axis::with_names("", names),
                marks: bars,
            },
        ],
        legend: vec![
            LegendEntry { label: "all".into(), style, shape: None, has_marks: false },
            LegendEntry {
                label: "lost".into(),
                style: Style(1),
                shape: Some(MarkShape::Cross),
                has_marks: false,
            },
        ],
    }
}

fn heat_map() -> Figure {
    let levels: Vec<String> = (0..=4).map(|level: i32| level.to_string()).collect();
    let cell = |at: i32| {
        let (x, y) = (f64::from(at % 5), f64::from(at / 5));
        Mark::Cell(HeatCell { x, y, shade: f64::from(at) / 24.0, text: at.to_string() })
    };
    Figure {
        title: "Transitions".into(),
        panels: vec![Panel {
            title: String::new(),
            x: Axis::with_names("level under emergent", levels.clone()),
            y: Axis::with_names("level under single-shot", levels),
            marks: (0..25).map(cell).collect(),
        }],
        ..Figure::default()
    }
}

fn text(figure: &Figure, format: FigureFormat) -> String {
    String::from_utf8(figure.render(format)).unwrap()
}

#[test]
fn curves_have_bands_gaps_and_a_legend_with_dashes_and_marks() {
    insta::assert_snapshot!("curves.svg", text(&curves(), FigureFormat::Svg));
    insta::assert_snapshot!("curves.pgf", text(&curves(), FigureFormat::Pgf));
}

#[test]
fn steps_keep_their_value_and_marks_bars_and_intervals_are_at_their_places() {
    insta::assert_snapshot!("steps.svg", text(&steps(), FigureFormat::Svg));
    insta::assert_snapshot!("steps.pgf", text(&steps(), FigureFormat::Pgf));
}

#[test]
fn a_heat_map_has_a_number_in_each_cell() {
    insta::assert_snapshot!("heat_map.svg", text(&heat_map(), FigureFormat::Svg));
    insta::assert_snapshot!("heat_map.pgf", text(&heat_map(), FigureFormat::Pgf));
}

fn contains(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|part| part == words.as_bytes())
}

#[test]
fn a_pdf_embeds_the_glyphs_that_it_needs_and_no_others() {
    for figure in [curves(), steps(), heat_map()] {
        let bytes = figure.render(FigureFormat::Pdf);

        assert!(bytes.starts_with(b"%PDF-"));
        for part in ["/FontFile2", "+LiberationSans", "/ToUnicode", "/CIDFontType2"] {
            assert!(contains(&bytes, part), "{part}");
        }
        // The whole font has 410,712 bytes.
        assert!((5_000..60_000).contains(&bytes.len()), "{}", bytes.len());
        assert_eq!(bytes, figure.render(FigureFormat::Pdf));
    }
}

#[test]
fn a_figure_is_as_wide_as_its_columns_and_its_legend_is_in_the_middle() {
    for (figure, millimetres) in [(curves(), 84.0), (steps(), 174.0)] {
        let layout = layout::Layout::new(&figure);
        let width = millimetres / 25.4 * 72.0;
        assert!((layout.width - width).abs() < 1e-9);
        for panel in &layout.panels {
            assert!(panel.area.left > 0.0 && panel.area.right() < width);
        }
        let entries = &layout.legend.entries;
        let last = entries.last().unwrap();
        let end = last.left
            + layout::SAMPLE_LENGTH
            + layout::SAMPLE_GAP
            + font::text_width(&last.label, layout::SMALL_TEXT);
        assert!((entries[0].left - (width - end)).abs() < 1e-9, "{entries:?}");
    }
}

#[test]
fn a_legend_that_is_too_wide_has_several_rows() {
    let entry = |at: usize| LegendEntry {
        label: format!("a condition with a long name {at} (n=12)"),
        style: Style(at),
        shape: None,
        has_marks: true,
    };
    let figure = Figure { legend: (0..5).map(entry).collect(), ..curves() };

    let layout = layout::Layout::new(&figure);

    assert_eq!(layout.legend.columns, 1);
    assert!(layout.height > layout::Layout::new(&curves()).height + 30.0);
}

#[test]
fn what_is_outside_of_a_group_of_points_is_a_gap() {
    let points = [(1.0, Some(0.1)), (2.0, None), (3.0, Some(0.3)), (4.0, Some(0.4))];

    let parts = description::measured_parts(&points);

    assert_eq!(parts, [vec![(1.0, 0.1)], vec![(3.0, 0.3), (4.0, 0.4)]]);
}

#[test]
fn thirty_five_groups_differ() {
    let look = |at: usize| (Style(at).rgb(), Style(at).dashes());
    let looks: Vec<_> = (0..35).map(look).collect();
    for (at, one) in looks.iter().enumerate() {
        assert!(!looks[..at].contains(one), "{at}");
    }
}
