// swift-iap2 · Apache-2.0

import Basics
import Testing

@testable import SourcePorting

@Suite struct HostileSourceTests {
  /// Sources that a recursive reader or one that searches again would not survive.
  @Test(
    "A hostile source is read once, without recursion",
    arguments: [
      "\"\\(", "/*", "\"", "\"\"\"", "#\"\"\"\\#(", "##\"\"\"\\##(", "#", "`", "@", "@objc ", "@objc protocol A: ",
      "#selector(",
      "#selector(getter: ", "#if !", "#if os(iOS)\n", "#if (", "(/\\", "(/a", "#/", "import UIKit\n",
      "import Foundation\n",
      "class A { ", "extension A.", "Selector((", "{", "}", "\\", "((", "))", "#keyPath(", "é", "\u{0}",
      "#if A\nimport Foundation\n#endif\n",
    ])
  func hostileSourcesEnd(piece: String) {
    let source = String(repeating: piece, count: 20_000 / piece.utf8.count)
    let result = PortedSource(porting: source)
    #expect(result.text.utf8.count <= 3 * source.utf8.count)
    #expect(result.text.filter(\.isNewline) == source.filter(\.isNewline))
  }

  @Test(
    "A hostile source of an app for CarPlay is read once, without recursion",
    arguments: [
      "#available(", "#available(iOS 1, *)", "class A: ", "class A: B {", "class A { init(", "init(", "init(a: ",
      "@objc protocol A {}", "@objc protocol A { @objc optional func f() }", "@objc optional func f(",
      "protocol A { @objc optional func f() -> ", "class A: UISceneDelegate {}\n", "@main ", "@IBOutlet ", "a.f?() ",
      "extension A: A, UISceneDelegate {}", "import CarPlay\n", "#if A\nclass A: UISceneDelegate {",
    ])
  func hostileAppsEnd(piece: String) {
    let source = "import CarPlay\n" + String(repeating: piece, count: 20_000 / piece.utf8.count)
    let result = PortedSource(porting: source)
    #expect(result.text.utf8.count <= 4 * source.utf8.count)
    #expect(result.text.filter(\.isNewline) == source.filter(\.isNewline))
  }

  /// Initializers in the arguments of initializers.
  @Test("Nested parentheses of an app for CarPlay are read in one pass")
  func nestedInitializers() {
    let depth = 10_000
    let source =
      "import CarPlay\nclass A: NSObject, UISceneDelegate { " + String(repeating: "init(", count: depth)
      + String(repeating: ")", count: depth) + "}"
    #expect(ported(source) == source)
  }

  /// The name of a type has those of the types around it.
  @Test("Types nested 20,000 deep have no names of megabytes")
  func nestedTypes() {
    let source = String(repeating: "class A: UISceneDelegate {", count: 20_000)
    let declarations = SourceDeclarations(SourceText(Array(source.utf8)))
    #expect(declarations.types.count == 100)
    #expect(declarations.types.allSatisfy { $0.name.utf8.count < 200 })
  }

  @Test("Comments nested 100,000 deep end where the compiler ends them")
  func nestedComments() {
    let depth = 100_000
    let open = String(repeating: "/* @objc ", count: depth)
    let source = open + String(repeating: "*/", count: depth) + " @objc class A {}"
    #expect(ported(source).hasSuffix("*/ class A {}"))
    #expect(left(open).first?.hasPrefix("1: /* @objc") == true)
  }

  /// Random sources of pieces that matter, and random bytes. Whatever they are, a port ends, keeps every line, and
  /// changes nothing when it is done again.
  @Test("Random sources keep their lines, and a second port changes nothing", arguments: 0..<400 as Range<UInt64>)
  func randomSources(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "@objc", "@objcMembers", " ", " ", "\n", "(", ")", "{", "}", "\"", "\"\"\"", "#", "\\(", "\\#(", "/", "/*", "*/",
      "//", "#selector(", "a", "A", ".", "self.", "class ", "protocol ", ":", "import ", "UIKit", "Foundation",
      "#if ", "os(iOS)", "#else", "#endif", "optional ", "`", "as", "Selector(", "NSInteger", "?", "stream", "\r\n",
      "é",
    ]
    // Every second source is that of an app for CarPlay.
    let isApp = seed % 2 == 1
    let all =
      isApp
      ? pieces + [
        "#available(iOS 14, *)", "#unavailable(iOS ", "@IBOutlet ", "@main ", "optional func f()", "-> Int?", "f?(",
        "class A: UISceneDelegate", "init(", "canImport(UIKit)",
      ] : pieces
    var source = isApp ? "import CarPlay\n" : ""
    for _ in 0..<random.next() % 300 {
      source +=
        random.next() % 10 > 0
        ? all[Int(random.next() % UInt64(all.count))] : String(UnicodeScalar(UInt8(random.next() % 256)))
    }
    let once = PortedSource(porting: source)
    let isEnd: (Character) -> Bool = \.isNewline
    #expect(once.text.filter(isEnd) == source.filter(isEnd), "seed \(seed): \(source.debugDescription)")
    // A slash after a removed attribute may be a division before and begin a regular expression after it.
    guard !source.contains("/") else { return }
    let twice = PortedSource(porting: once.text)
    #expect(twice.text == once.text, "seed \(seed): \(source.debugDescription)")
  }
}
