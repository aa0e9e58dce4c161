//! Lists that a server gives page by page, and that may never end.
//!
//! Each page names the next one by a token. A server that names one twice, or gives one page without objects after the
//! other, would be asked for ever. One thread requests all pages of a list.

use std::{cell::RefCell, collections::HashSet};

use ureq::http;

use super::unreadable_keys;

/// The most consecutive pages without objects: a store may skip what was deleted, but not for so long.
const MOST_EMPTY: usize = 100;

/// The most pages of a list. Those of the stores have a thousand objects each.
const MOST_PAGES: usize = 20_000;

/// The page that a request asks for: its token, None for the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest(Option<String>);

impl PageRequest {
    /// Returns None where a request asks for no page of a list.
    pub fn for_request(request: &http::request::Parts) -> Option<Self> {
        let query = request.uri.query().unwrap_or_default();
        unreadable_keys::is_list(query).then(|| Self::in_query(query))
    }

    fn in_query(query: &str) -> Self {
        const TOKENS: [&str; 2] = ["continuation-token", "marker"];
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut tokens = pairs.filter(|(name, value)| TOKENS.contains(name) && !value.is_empty());
        Self(tokens.next().map(|(_, value)| value.to_owned()))
    }
}

/// The state of a list so far.
#[derive(Debug, Default)]
struct PagedListing {
    tokens: HashSet<String>,
    pages: usize,
    /// The number of pages without objects since the last one that had some.
    empty: usize,
}

thread_local! {
    static LISTING: RefCell<PagedListing> = RefCell::default();
}

/// Checks a page. The error is the reason why no further one is requested.
pub(crate) fn check_page(request: &PageRequest, page: &[u8]) -> Result<(), &'static str> {
    LISTING.with_borrow_mut(|listing| listing.take_page(request, page))
}

impl PagedListing {
    fn take_page(&mut self, request: &PageRequest, page: &[u8]) -> Result<(), &'static str> {
        let Some(token) = &request.0 else {
            *self = Self { pages: 1, empty: usize::from(is_empty(page)), ..Self::default() };
            return Ok(());
        };
        self.pages += 1;
        self.empty = if is_empty(page) { self.empty + 1 } else { 0 };
        if !self.tokens.insert(token.clone()) {
            return Err("returns an endless list: the same page twice");
        }
        if self.empty > MOST_EMPTY {
            return Err("returns a list with a hundred empty pages in a row");
        }
        if self.pages > MOST_PAGES {
            return Err("returns a list of more than 20,000 pages; name a deeper folder");
        }
        Ok(())
    }
}

/// Returns whether a page has neither objects nor folders.
fn is_empty(page: &[u8]) -> bool {
    let has = |tag: &[u8]| memchr::memmem::find(page, tag).is_some();
    ![&b"<Contents>"[..], b"<CommonPrefixes>", b"<Blob>", b"<BlobPrefix>"].into_iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &[u8] = b"<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>";
    const EMPTY: &[u8] = b"<ListBucketResult></ListBucketResult>";

    fn page_request(token: usize) -> PageRequest {
        PageRequest::in_query(&format!("list-type=2&prefix=a&continuation-token={token}"))
    }

    #[test]
    fn a_list_that_names_a_page_twice_has_no_end() {
        let mut listing = PagedListing::default();
        let first = PageRequest::in_query("list-type=2&prefix=a");
        assert_eq!(first, PageRequest(None));
        for request in
            [&first, &page_request(1), &page_request(2), &first, &page_request(1), &page_request(2)]
        {
            assert_eq!(listing.take_page(request, FULL), Ok(()), "a new list may name them again");
        }
        let why = listing.take_page(&page_request(1), FULL).unwrap_err();
        assert!(why.contains("the same page twice"), "{why}");
    }

    #[test]
    fn a_list_may_have_some_empty_pages_and_not_nothing_else() {
        let mut listing = PagedListing::default();
        for token in 0..5 * MOST_EMPTY {
            let words = if token % MOST_EMPTY == 0 { FULL } else { EMPTY };
            assert_eq!(listing.take_page(&page_request(token), words), Ok(()));
        }
        let outcomes = (1000..1200).map(|token| listing.take_page(&page_request(token), EMPTY));
        let why = outcomes.filter_map(Result::err).next().unwrap();
        assert!(why.contains("a hundred empty pages"), "{why}");
    }
}
