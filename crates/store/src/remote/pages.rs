//! Lists that a server gives page by page, and that may never end.
//!
//! Each page names the next one by a token. A server that names one twice, or gives one page without objects after the
//! other, would be asked for ever. All pages of a list are asked for by one thread.

use std::{cell::RefCell, collections::HashSet};

use ureq::http;

use super::keys;

/// So many pages without objects one after the other are no list: a store may skip what was deleted, but not for so long.
const MOST_EMPTY: usize = 100;

/// A list has not more pages. Those of the stores have a thousand objects each.
const MOST_PAGES: usize = 20_000;

/// The page that a request asks for: its token, None for the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked(Option<String>);

impl Asked {
    /// None where a request asks for no page of a list.
    pub fn of(request: &http::request::Parts) -> Option<Self> {
        let query = request.uri.query().unwrap_or_default();
        keys::is_list(query).then(|| Self::in_query(query))
    }

    fn in_query(query: &str) -> Self {
        const TOKENS: [&str; 2] = ["continuation-token", "marker"];
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut tokens = pairs.filter(|(name, value)| TOKENS.contains(name) && !value.is_empty());
        Self(tokens.next().map(|(_, value)| value.to_owned()))
    }
}

/// What came of a list so far.
#[derive(Debug, Default)]
struct Listing {
    tokens: HashSet<String>,
    pages: usize,
    /// Pages without objects since the last one that had some.
    empty: usize,
}

thread_local! {
    static LISTING: RefCell<Listing> = RefCell::default();
}

/// Takes a page that came. The error says why no further one is to be asked for.
pub fn check(asked: &Asked, page: &[u8]) -> Result<(), &'static str> {
    LISTING.with_borrow_mut(|listing| listing.check(asked, page))
}

impl Listing {
    fn check(&mut self, asked: &Asked, page: &[u8]) -> Result<(), &'static str> {
        let Some(token) = &asked.0 else {
            *self = Self { pages: 1, empty: usize::from(is_empty(page)), ..Self::default() };
            return Ok(());
        };
        self.pages += 1;
        self.empty = if is_empty(page) { self.empty + 1 } else { 0 };
        if !self.tokens.insert(token.clone()) {
            return Err("gives a list that never ends: it names the same page twice");
        }
        if self.empty > MOST_EMPTY {
            return Err(
                "gives a list that does not go on: a hundred pages one after the other have no objects",
            );
        }
        if self.pages > MOST_PAGES {
            return Err("gives a list of more than 20,000 pages; name a folder further down");
        }
        Ok(())
    }
}

/// Whether a page has neither objects nor folders.
fn is_empty(page: &[u8]) -> bool {
    let has = |tag: &[u8]| memchr::memmem::find(page, tag).is_some();
    ![&b"<Contents>"[..], b"<CommonPrefixes>", b"<Blob>", b"<BlobPrefix>"].into_iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &[u8] = b"<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>";
    const EMPTY: &[u8] = b"<ListBucketResult></ListBucketResult>";

    fn page(token: usize) -> Asked {
        Asked::in_query(&format!("list-type=2&prefix=a&continuation-token={token}"))
    }

    #[test]
    fn a_list_that_names_a_page_twice_has_no_end() {
        let mut listing = Listing::default();
        let first = Asked::in_query("list-type=2&prefix=a");
        assert_eq!(first, Asked(None));
        for asked in [&first, &page(1), &page(2), &first, &page(1), &page(2)] {
            assert_eq!(listing.check(asked, FULL), Ok(()), "a new list may name them again");
        }
        let why = listing.check(&page(1), FULL).unwrap_err();
        assert!(why.contains("the same page twice"), "{why}");
    }

    #[test]
    fn a_list_may_have_some_empty_pages_and_not_nothing_else() {
        let mut listing = Listing::default();
        for token in 0..5 * MOST_EMPTY {
            let words = if token % MOST_EMPTY == 0 { FULL } else { EMPTY };
            assert_eq!(listing.check(&page(token), words), Ok(()));
        }
        let outcomes = (1000..1200).map(|token| listing.check(&page(token), EMPTY));
        let why = outcomes.filter_map(Result::err).next().unwrap();
        assert!(why.contains("have no objects"), "{why}");
    }
}
