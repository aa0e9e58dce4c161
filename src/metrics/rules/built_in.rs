//! The rules of this house, compiled in: one file a category, each rule with the code it is about, before and after.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../assets/rules/", $name)))),*]
    };
}

/// The files of `assets/rules`: name and text. A test holds the list against the folder.
pub static BUILT_IN: &[(&str, &str)] = files![
    "python/annotations.yml",
    "python/booleans.yml",
    "python/builtins.yml",
    "python/conditionals.yml",
    "python/conversions.yml",
    "python/defensive.yml",
    "python/dicts.yml",
    "python/files.yml",
    "python/functions.yml",
    "python/intermediates.yml",
    "python/loops.yml",
    "python/strings.yml",
    "python/types.yml",
];
