//! Enums whose values have words: the choices of a user, as settings and the command line write them.

/// An enum whose values have a word each, with the list [`NamedValue::ALL`].
pub trait NamedValue: Sized + Copy + PartialEq + 'static {
    const ALL: &'static [Self];

    /// Returns the word in the settings file.
    fn word(self) -> &'static str;

    fn by_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }
}

/// Makes such an enum from its values and their words.
#[macro_export]
macro_rules! named {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $value:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$note])* $value),* }

        impl NamedValue for $name {
            const ALL: &'static [Self] = &[$(Self::$value),*];

            fn word(self) -> &'static str {
                match self { $(Self::$value => $word),* }
            }
        }
    };
}

pub use named;

/// Makes an enum whose values are written as one word each, with the list of all of them; a name before it is that of
/// the method that gives the word.
#[macro_export]
macro_rules! worded {
    ($(#[$about:meta])* pub $($rest:tt)*) => {
        $crate::worded_enum::worded! { word; $(#[$about])* pub $($rest)* }
    };
    ($method:ident; $(#[$about:meta])* pub enum $name:ident { $($(#[$note:meta])* $value:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        pub enum $name { $($(#[$note])* $value),* }

        impl $name {
            pub const ALL: [Self; [$(stringify!($value)),*].len()] = [$(Self::$value),*];

            /// Returns the word of the value in documents, in settings and on screen.
            pub const fn $method(self) -> &'static str {
                match self { $(Self::$value => $word),* }
            }

            /// Returns the value of that word; None where there is none.
            pub fn by_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.$method() == word)
            }
        }
    };
}

pub use worded;
