//! JavaScript and TypeScript.

use super::*;

#[test]
fn an_application_in_modules_has_its_exports_and_their_users() {
    let project: ProjectFiles<'_> = &[
        (
            "src/main.ts",
            "import { App } from './app';\nimport start, * as util from './util.js';\nstart(App);\nutil.log('x');\n",
        ),
        (
            "src/app.tsx",
            "import { log } from './util';\nimport type { Model } from './model';\nexport class App {}\nexport const view = (m: Model) => <Row on={log} />;\nfunction Row() { return null }\n",
        ),
        (
            "src/model.ts",
            "export class Model {}\nexport interface Shape {}\nexport type Id = string;\nexport const LIMIT = 3;\n",
        ),
        (
            "src/util.ts",
            "export default function start(x: any) {}\nexport function log(s: string) {}\nexport const unused = function () {};\nexport let later = async () => 1;\n",
        ),
        ("src/util.test.ts", "import { unused } from './util';\nunused();\n"),
    ];

    let expected = [
        "src/app App: src/main",
        "src/app view:",
        "src/model Model: src/app",
        "src/util start: src/main",
        "src/util log: src/app src/main",
        "src/util unused:",
        "src/util later:",
    ];
    assert_eq!(symbol_lines(project), expected);
    assert_eq!(file_roles(project)[1], ("src/main.ts".to_owned(), FileRole::Entry));
}

#[test]
fn a_module_is_named_in_every_way_that_the_languages_know() {
    let b = "export function f() {}\nexport function g() {}\nexport default class D {}\n";
    for (text, expected) in [
        ("import { f } from './b'; f()", "f"),
        ("import { f as h } from './b.js'; new h.Inner()", "f"),
        ("import * as b from './b'; b.f()", "f"),
        ("import * as b from './b'; b?.f!.call()", "f"),
        ("import * as b from './b'; let x: typeof b.f;", "f"),
        ("import D from './b'; D.make()", "D"),
        ("import D, { f } from './b'; D(f)", "f D"),
        ("import { default as E } from './b'; E()", "D"),
        ("import { type D } from './b'; import E from './b'; let x: E;", "D"),
        ("import b = require('./b'); b.f()", "f"),
        ("const b = require('./b'); b.f()", "f"),
        ("const { f, g: h } = require('./b'); h(f)", "f g"),
        ("const { f = 1 } = require('./b'); f()", "f"),
        ("const f = require('./b').f; f()", "f"),
        ("require('./b').f()", "f"),
        ("const { f } = await import('./b'); f()", "f"),
        ("const b = await import('./b'); b.default()", "D"),
        ("(await import('./b')).f()", "f"),
        ("function late() { const b = require('./b'); return b.f }", "f"),
        ("import { f } from './b'; let x = { f }", "f"),
        ("import { f } from './b'; let x = <f.Row />", "f"),
        ("import { f } from './b'; class X extends f {}", "f"),
        ("import { f } from './b'; class X { @f m = 1 }", "f"),
        ("import { f } from './b'; let x = `${f}`", "f"),
        ("import { f } from './b'; export default f()", "f"),
        ("import { f } from './b'; function own(x = f) {}", "f"),
        ("import D from './b'; type X = D | null", "D"),
        ("import D from './b'; function own<T extends D>(x: T): T {}", "D"),
        ("import { f } from './b'", ""),
        ("import './b'; import('./b'); require('./b')", ""),
        ("import { f } from './b'; export { f }", ""),
        ("import { f } from './b'; export default f", ""),
        ("export { f } from './b'", ""),
        ("export * from './b'", ""),
        ("const { f } = require('./b'); module.exports = { f, h: f }", ""),
        ("import * as b from './b'; b['f']; x.f()", ""),
        ("import { f } from './b'; function own(f) { f() }", ""),
        ("import { f } from './b'; (f => f)(1)", ""),
        ("import { f } from './b'; { const f = 1; f }", ""),
        ("import { f } from './b'; function own() { if (1) { var f = 1 } return f }", ""),
        ("import { f } from './b'; for (const f of x) { f }", ""),
        ("import { f } from './b'; for (let f = 0; f < 1; f++) { f }", ""),
        ("import { f } from './b'; try {} catch (f) { f }", ""),
        ("import { f } from './b'; function own({ a: [f], ...g }) { f }", ""),
        ("import { f } from './b'; let x = function f() { f() }", ""),
        ("import { f } from './b'; let x = { f: 1 }; x.f; class C { f() {} }", ""),
        ("import { f } from './b'; f: for (;;) { break f }", ""),
        ("import D from './b'; function own<D>(x: D) {}", ""),
        ("import { f } from './b'; type X = (f: string) => void", ""),
        ("import { f } from './other'; f()", ""),
        ("import { f } from 'b'; f()", ""),
    ] {
        let project: ProjectFiles<'_> = &[("a.tsx", text), ("b.ts", b)];
        let all = reuse_of(project);
        let reused = all.symbols.iter().filter(|symbol| !symbol.reused_by.is_empty());
        let reused: Vec<&str> = reused.map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(reused.join(" "), expected, "{text}");
        assert_eq!(
            all.exported_count(),
            if text.contains("'b'") || text.contains("other") { 0 } else { 3 },
            "{text}"
        );
    }
}

#[test]
fn what_a_file_of_commonjs_exports_is_public() {
    for (text, expected) in [
        (
            "module.exports = { f, g: own, h() {}, i: () => 1, j: 3, K: class {} };\nfunction f() {}\nfunction own() {}",
            "f own h i K",
        ),
        ("exports.f = function () {};\nmodule.exports.g = own;\nfunction own() {}", "f own"),
        ("module.exports = f;\nfunction f() {}\nfunction own() {}", "f"),
        ("exports = module.exports = class Big {};", "Big"),
        ("module.exports = () => 1;", "module.exports"),
        ("function own(exports) { exports.f = () => 1 }", ""),
    ] {
        let project: ProjectFiles<'_> =
            &[("a.js", "require('./b');"), ("b.cjs", text), ("c.js", "require('./b.cjs')")];
        let mut names: Vec<String> =
            reuse_of(project).symbols.into_iter().map(|symbol| symbol.name).collect();
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        names.sort();
        expected.sort_unstable();
        assert_eq!(names, expected, "{text}");
    }
}

#[test]
fn a_name_is_followed_through_files_that_pass_it_on() {
    let project: ProjectFiles<'_> = &[
        (
            "app.mjs",
            "import { one, two, Three, four as five } from './lib/index.js';\nimport def from './lib/deep/def';\none(two, Three, five, def);\n",
        ),
        ("lib/deep/cjs.js", "module.exports = { ...require('./more') };\n"),
        ("lib/deep/def.js", "export { default } from './real';\n"),
        (
            "lib/deep/index.ts",
            "export * from './two';\nexport * as space from './three';\nimport { four } from './four';\nexport { four };\n",
        ),
        ("lib/deep/four.ts", "export const four = () => 4, hidden = () => 5;\n"),
        ("lib/deep/more.js", "exports.more = () => 1;\n"),
        ("lib/deep/real.js", "export default () => 1;\n"),
        ("lib/deep/three.ts", "export class Three {}\n"),
        ("lib/deep/two.ts", "export function two() {}\n"),
        (
            "lib/index.ts",
            "export { one } from './one';\nexport * from './deep';\nexport { Three } from './deep/three';\n",
        ),
        ("lib/one.ts", "export function one() {}\n"),
        ("run.cjs", "#!/usr/bin/env node\nrequire('./lib/deep/cjs').more();\n"),
    ];

    let expected = [
        "lib/deep/four four: app",
        "lib/deep/four hidden:",
        "lib/deep/more more: run",
        "lib/deep/real default: app",
        "lib/deep/three Three: app",
        "lib/deep/two two: app",
        "lib/one one: app",
    ];
    assert_eq!(symbol_lines(project), expected);
}

#[test]
fn the_whole_of_an_export_is_used_by_whoever_calls_it_or_reads_of_it() {
    for text in [
        "const B = require('./b'); new B()",
        "const B = require('./b'); B.make()",
        "import B from './b'; B()",
        "const { make } = require('./b'); make()",
        "require('./b')()",
    ] {
        let project: ProjectFiles<'_> =
            &[("a.js", text), ("b.js", "module.exports = class B {};\n")];
        assert_eq!(symbol_lines(project), ["b B: a"], "{text}");
    }
}

#[test]
fn a_file_that_is_run_is_an_entry_and_types_alone_are_no_module() {
    let project: ProjectFiles<'_> = &[
        ("a.js", "export function f() {}\nif (require.main === module) f();\n"),
        (
            "b.mjs",
            "export function f() {}\nif (import.meta.url === `file://${process.argv[1]}`) f();\n",
        ),
        (
            "c.js",
            "#!/usr/bin/env node\nimport { f } from './a.js';\nimport { f as g } from './b.mjs';\n",
        ),
        ("e2e/d.js", "f()\n"),
        ("node_modules/x/index.js", "export function f() {}\n"),
        ("t.d.ts", "export declare function f(): void;\n"),
        ("u.spec.tsx", "f()\n"),
        ("vite.config.ts", "export default {}\n"),
    ];

    let expected = [
        ("a.js", FileRole::Entry),
        ("b.mjs", FileRole::Entry),
        ("c.js", FileRole::Entry),
        ("e2e/d.js", FileRole::Test),
        ("t.d.ts", FileRole::Other),
        ("u.spec.tsx", FileRole::Test),
        ("vite.config.ts", FileRole::Entry),
    ];
    assert_eq!(file_roles(project), expected.map(|(path, role)| (path.to_owned(), role)));
}

#[test]
fn modules_that_import_each_other_are_followed_all_the_same() {
    let project: ProjectFiles<'_> = &[
        ("a.ts", "export * from './b';\nimport { x, y } from './b';\nx(y);\n"),
        ("b.ts", "export * from './a';\nexport * from './c';\nexport { x } from './b';\n"),
        ("c.ts", "export * from './b';\nexport function y() {}\n"),
    ];

    assert_eq!(symbol_lines(project), ["c y: a"]);
}
