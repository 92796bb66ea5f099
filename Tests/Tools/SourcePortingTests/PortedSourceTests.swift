// swift-iap2 · Apache-2.0

import Testing

@testable import SourcePorting

/// The text of a source after its changes.
func ported(_ source: String) -> String { PortedSource(porting: source).text }

/// The code that stays behind, with the line of each piece.
func left(_ source: String) -> [String] {
  PortedSource(porting: source).remainders.map { "\($0.position.line): \($0.code)" }
}

@Suite struct PortedSourceTests {
  @Test(
    "The loggers of os and OSLog come from LogSupport",
    arguments: [
      ("import os", "import LogSupport"), ("import os.log", "import LogSupport"),
      ("@preconcurrency private import OSLog", "@preconcurrency private import LogSupport"),
      ("import struct os.Logger", "import struct LogSupport.Logger"),
      ("import class os.log.OSLog", "import class LogSupport.OSLog"),
      ("import OSLog\nlet a = OSLog.default", "import LogSupport\nlet a = OSLog.default"),
      ("import CarPlay\nimport OSLog\nlet a = Logger()", "import CarPlay\nimport LogSupport\nlet a = Logger()"),
    ])
  func loggers(source: String, expected: String) {
    #expect(ported(source) == expected)
    #expect(left(source).isEmpty)
    #expect(ported(expected) == expected)
  }

  @Test(
    "The names of Combine come from OpenCombine",
    arguments: [
      ("import Combine\nlet a = Just(1)", "import OpenCombineShim\nlet a = Just(1)"),
      ("@preconcurrency import Combine", "@preconcurrency import OpenCombineShim"),
      ("import class Combine.AnyCancellable", "import class OpenCombine.AnyCancellable"),
      ("import Combine\nvar a: Combine.Publishers?", "import OpenCombineShim\nvar a: OpenCombine.Publishers?"),
      (
        "import Combine\nlet a = NotificationCenter.default.publisher(for: b)\nlet c = Timer.publish(every: 1, on: .main, in: .common)",
        "import OpenCombineShim\nlet a = NotificationCenter.default.publisher(for: b)\nlet c = Timer.publish(every: 1, on: .main, in: .common)"
      ),
      ("import Combine\nlet a = [1: 2].merge(b) { $1 }", "import OpenCombineShim\nlet a = [1: 2].merge(b) { $1 }"),
    ])
  func combine(source: String, expected: String) {
    #expect(ported(source) == expected)
    #expect(left(source).isEmpty)
    #expect(ported(expected) == expected)
  }

  @Test(
    "Attributes that export to Objective-C are removed",
    arguments: [
      ("@objc func f() {}", "func f() {}"),
      ("  @objc private func f() {}", "  private func f() {}"),
      ("@objc(run:with:) func f() {}", "func f() {}"),
      ("@objc(Name)\npublic final class A {}", "\npublic final class A {}"),
      ("@objcMembers class A {}", "class A {}"),
      ("@objc dynamic var a = 1", "dynamic var a = 1"),
      ("@objc\tenum A: Int { case b }", "enum A: Int { case b }"),
      ("@MainActor @objc class A {}", "@MainActor class A {}"),
      ("@objc @IBDesignable class A {}", "@IBDesignable class A {}"),
      ("@nonobjc func f() {}", "func f() {}"),
    ])
  func attributesAreRemoved(source: String, expected: String) {
    #expect(ported(source) == expected)
  }

  @Test(
    "A protocol of Objective-C stays one of classes",
    arguments: [
      ("@objc protocol A { func f() }", "protocol A: AnyObject { func f() }"),
      ("@objc\npublic protocol A {", "\npublic protocol A: AnyObject {"),
      ("@objc protocol A: B {", "protocol A: AnyObject, B {"),
      ("@objc protocol A: NSObjectProtocol {", "protocol A: NSObjectProtocol {"),
      ("@objc protocol A : class {", "protocol A : class {"),
      ("protocol A {", "protocol A {"),
    ])
  func protocolsStayOfClasses(source: String, expected: String) {
    #expect(ported(source) == expected)
  }

  @Test(
    "A selector becomes a method of its type",
    arguments: [
      ("#selector(tick)", "Selector(A.tick)"),
      ("#selector(tick(_:))", "Selector(A.tick(_:))"),
      ("#selector(self.tick(_:))", "Selector(A.tick(_:))"),
      ("#selector(Self.tick)", "Selector(Self.tick)"),
      ("#selector(B.tick(_:))", "Selector(B.tick(_:))"),
      ("#selector(B.C.tick(_:))", "Selector(B.C.tick(_:))"),
      ("#selector(`default`)", "Selector(A.`default`)"),
      ("#selector(tick as (Timer) -> Void)", "Selector(A.tick as (A) -> (Timer) -> Void)"),
      ("#selector(A.tick as (A) -> (Timer) -> Void)", "Selector(A.tick as (A) -> (Timer) -> Void)"),
      ("#selector( tick )", "Selector( A.tick )"),
    ])
  func selectorsGetTypes(source: String, expected: String) {
    let head = "import ExternalAccessory\nclass A { func f() { add(self, selector: "
    #expect(ported(head + source + ") } }") == head + expected + ") } }")
    #expect(left(head + source + ") } }").isEmpty)
  }

  @Test(
    "The type of a selector is the innermost one around it",
    arguments: [
      ("class A { class B { let s = #selector(f) } }", "B"),
      ("class A { class B {}; let s = #selector(f) }", "A"),
      ("extension A.B { func g() { if true { _ = #selector(f) } } }", "A.B"),
      ("final class A<T>: NSObject where T: P { class func g() { _ = #selector(f) } }", "A"),
      ("class A { var x: Int { get { 1 } }\n  lazy var s = { #selector(f) }() }", "A"),
      ("class `Type` { let s = #selector(f) }", "`Type`"),
      ("let s = \"\\(A.class)\"; let t = #selector(f)", "Self"),
    ])
  func selectorsFindTheirType(source: String, type: String) {
    #expect(ported("import ExternalAccessory\n" + source).contains("Selector(\(type).f)"))
  }

  @Test("Comments and strings stay as they are")
  func onlyCodeChanges() {
    let source = """
      // @objc and #selector(a)
      /* @objc /* nested @objc */ #selector(a) */
      /// `@objc`
      let a = "@objc #selector(a)"
      let b = #"@objc \\(not @objc) "quoted" #selector(a)"#
      let c = \"\"\"
        @objc "quoted" \\" #selector(a)
        \"\"\"
      let d = #\"\"\"
        @objc \"\"\" \\(not @objc)
        \"\"\"#
      let e = /@objc "#selector(a)/
      let f = #/@objc " \\/ #selector(a)/#
      let g = `@objc`
      let h = x / y + "/ @objc"
      let i = #\"\"\"#; let j = "@objc"
      """
    #expect(ported(source) == source)
    #expect(PortedSource(porting: source).remainders.isEmpty)
  }

  @Test("Code in an interpolation is code")
  func interpolationsChange() {
    let head = "import ExternalAccessory\nclass A { "
    #expect(
      ported(head + #"let a = "\(b(#selector(c), "@objc \(#selector(d))")) @objc" }"#)
        == head + #"let a = "\(b(Selector(A.c), "@objc \(Selector(A.d))")) @objc" }"#)
    #expect(
      ported(head + ##"let a = #"\(#selector(c)) \#(#selector(d))"# }"##)
        == head + ##"let a = #"\(#selector(c)) \#(Selector(A.d))"# }"##)
  }

  @Test("Every line keeps its number, whatever its end")
  func linesStay() {
    let source = "import UIKit\r\n@objc\r\nclass A {\r\n  @objc\n  func f() { g(#selector(\n    f)) }\r}\n"
    let ends: (Character) -> Bool = \.isNewline
    #expect(ported(source).filter(ends) == source.filter(ends))
    #expect(PortedSource(porting: source).changes.map(\.position.line) == [1, 2, 4, 5])
  }

  @Test("A change names its place in bytes, as compilers do")
  func placesAreExact() throws {
    let change = try #require(PortedSource(porting: "let a = \"é\"; @objc func f() {}").changes.first)
    #expect(change.position == SourcePosition(line: 1, column: 15))
    #expect(change.was == "@objc" && change.becomes.isEmpty)
  }
}

@Suite struct RemainderTests {
  @Test(
    "Code that Linux cannot have is named with its line",
    arguments: [
      ("@objc protocol A {\n  @objc optional func f()\n}", "2: @objc optional"),
      ("\nimport CoreData", "2: import CoreData"),
      ("import Combine\nlet a = b.combineLatest(c)", "2: combineLatest("),
      ("import Combine\nlet a = Publishers.Merge(b, c)", "2: Merge"),
      ("import Combine\nlet a = b.publisher(for: \\.c)", "2: publisher(for: \\"),
      ("let a = b.publisher(for: c)", "1: publisher(for"),
      ("import os.log\nlet a = OSSignposter()", "1: import os"),
      ("import OSLog\nlet a = OSAllocatedUnfairLock()", "1: import OSLog"),
      ("import os.signpost", "1: import os"), ("import os\nlet a = os.Logger()", "1: import os"),
      ("import os\nlet a = os_proc_available_memory()", "1: import os"),
      ("import class UIKit.UIView", "1: import class UIKit"),
      ("class A {\n  @IBOutlet weak var b: B!\n}", "2: @IBOutlet"),
      ("  @IBAction func f() {}", "1: @IBAction"),
      ("let a = Selector(\"tick:\")", "1: Selector(\""),
      ("let a = Selector((\"tick:\"))", "1: Selector((\""),
      ("a = #keyPath(A.b)", "1: #keyPath(A.b)"),
      ("a = #selector(getter: A.b)", "1: #selector(getter: A.b)"),
      ("a = #selector(other.tick(_:))", "1: #selector(other.tick(_:))"),
      ("a = #selector(super.tick)", "1: #selector(super.tick)"),
      ("a.perform(#selector(A.f), with: nil, afterDelay: 1)", "1: perform(#selector"),
      ("perform(Selector(A.f), with: nil)", "1: perform(Selector"),
      ("let port = NSMachPort()", "1: NSMachPort"),
      ("NotificationCenter.default.publisher(for: .a)", "1: publisher(for"),
      ("for await a in center.notifications(named: .a) {}", "1: notifications(named"),
      ("NSPredicate(format: \"a\")", "1: NSPredicate(format"),
      ("let token = a.observe(\\.b) { _, _ in }", "1: observe(\\"),
      ("override func observeValue(forKeyPath: String?) {}", "1: observeValue(forKeyPath"),
      ("token = observe(\\.level) { _, _ in }", "1: observe(\\"),
      ("a.addObserver(self, forKeyPath: \"b\", context: nil)", "1: forKeyPath:"),
      ("let b = a.value(forKeyPath: \"b\")", "1: forKeyPath:"),
      ("if responds(to: #selector(f)) {}", "1: responds(to:"),
      ("class Fake: EAAccessory {}", "1: class Fake: EAAccessory"),
      ("#if os(iOS)\nlet a = 1\n#endif", "1: #if os(iOS)"),
      ("#if os(iOS) || os(macOS)\nlet a = 1\n#endif", "1: #if os(iOS) || os(macOS)"),
      ("a = \"open", "1: \"open"),
      ("/* open", "1: /* open"),
      ("@objc protocol A { @objc optional func f() }\na?.f?()", "2: f?"),
      ("let a = UIApplication.shared", "1: UIApplication"),
      (
        "add(self, #selector(EAAccessoryDelegate.accessoryDidDisconnect(_:)))",
        "1: #selector(EAAccessoryDelegate.accessoryDidDisconnect(_:))"
      ),
      ("protocol P: AnyObject { func f() }\na = #selector(P.f)", "2: #selector(P.f)"),
      ("public actor Session: NSObject, StreamDelegate {}", "1: actor Session: NSObject"),
      ("#if os(iOS)\n#else\n#error(\"no\")\n#endif", "3: #error(\"no\")"),
      ("#error(\"no\")", "1: #error(\"no\")"),
      ("let a = MeasurementFormatter()", "1: MeasurementFormatter"),
      ("func f(_ a: NSUserActivity) {}", "1: NSUserActivity"),
      ("let a = d?.accessoryDidDisconnect?(b) ?? c", "1: accessoryDidDisconnect?"),
    ])
  func remaindersAreNamed(source: String, expected: String) {
    #expect(left("import ExternalAccessory; " + source).contains(expected) || left(source).contains(expected))
  }

  @Test(
    "Code that works on Linux is not named",
    arguments: [
      "weak var delegate: EAAccessoryDelegate?", "unowned let a: A", "if #available(iOS 13, *) {}",
      "@available(iOS 13, *) func f() {}", "RunLoop.main.perform { a() }", "func perform(_ a: Int) {}; perform(1)",
      "func notifications(named name: String) {}", "#if canImport(UIKit)\nimport UIKit\n@objc class A {}\n#endif",
      "#if os(Linux)\nlet a = 1\n#else\nimport UIKit\n#endif",
      "#if !os(Linux)\nimport Combine\n#endif", "#if os(iOS)\nimport UIKit\n#else\nlet a = 1\n#endif",
      "#if targetEnvironment(simulator)\nimport UIKit\n#endif", "Thread { a() }", "subject.observe(1)",
      "completion?(1)", "enum UIState {}; let a: UIState", "a?.f?()", "NSPredicate(block: { _, _ in true })",
      "#if DEBUG\n#else\n#error(\"no\")\n#endif", "actor A: Sendable {}", "let actor = b; actor.run()",
      "struct ListFormatter {}; let a = ListFormatter()", "let a = String(describing: b)",
    ])
  func whatWorksStays(source: String) {
    let result = PortedSource(porting: source)
    #expect(result.text == source)
    #expect(result.changes.isEmpty && result.remainders.isEmpty, "\(result.remainders)")
  }

  @Test("An unused import of UIKit becomes one of Foundation, a used one stays with each name that it gives")
  func importsOfUIKit() {
    #expect(ported("import UIKit\nlet a = Data()") == "import Foundation\nlet a = Data()")
    #expect(ported("import UIKit\nlet a: NSInteger = 1") == "import ExternalAccessory\nlet a: NSInteger = 1")
    #expect(
      left("import UIKit\nclass A: UIViewController {\n  let a: UIView\n  let b: UIView\n}")
        == ["1: import UIKit", "2: UIViewController", "3: UIView", "4: UIView"])
    #expect(
      left("import UIKit\nimport class UIKit.UIView\nlet a = UIView(), b = UIView()")
        == ["1: import UIKit", "2: import class UIKit", "3: UIView"])
  }

  @Test("A source that uses names of the module imports it")
  func theModuleIsImported() {
    #expect(
      ported("import Foundation\nlet a: NSInteger = 1")
        == "import Foundation; import ExternalAccessory\nlet a: NSInteger = 1")
    #expect(
      ported("import Foundation\nlet a = String(localized: \"a\")")
        == "import Foundation; import ExternalAccessory\nlet a = String(localized: \"a\")")
    #expect(
      ported("@preconcurrency import Foundation\nclass A { let s = #selector(f) }")
        == "@preconcurrency import Foundation; import ExternalAccessory\nclass A { let s = Selector(A.f) }")
    #expect(
      ported("#if DEBUG\nimport A\n#endif\nimport Foundation\nlet a = CFRunLoopGetCurrent()")
        == "#if DEBUG\nimport A\n#endif\nimport Foundation; import ExternalAccessory\nlet a = CFRunLoopGetCurrent()")
    #expect(left("let a: NSInteger = 1") == ["1: "])
  }

  @Test("Calls of optional members of Apple's protocols lose their question mark")
  func optionalCalls() {
    #expect(ported("delegate?.stream?(a, handle: b)") == "delegate?.stream(a, handle: b)")
  }

  @Test(
    "An import of a part of a module becomes one of the module, as Linux has no submodules",
    arguments: [
      ("import Foundation.NSURL", "import Foundation"),
      ("@preconcurrency import ExternalAccessory.EASession", "@preconcurrency import ExternalAccessory"),
      ("import struct Foundation.Data", "import struct Foundation.Data"),
    ])
  func submodulesAreImportedWhole(source: String, expected: String) {
    #expect(ported(source) == expected)
    #expect(left(source).isEmpty)
  }

  @Test("A module that this project has for CarPlay is named with the option that takes it")
  func modulesOfCarPlayAreNamed() throws {
    for name in ["CoreLocation", "AVFAudio", "UIKit"] {
      let remainder = try #require(PortedSource(porting: "import \(name)\nlet a = UIView()").remainders.first)
      #expect(remainder.reason.contains("--carplay"), "\(name)")
    }
    #expect(PortedSource(porting: "import WebKit").remainders.map { $0.reason.contains("--carplay") } == [false])
  }

  @Test("A ported source does not change again")
  func portingTwiceChangesNothing() {
    let source = """
      import UIKit
      @objc protocol A { func f() }
      @objcMembers class B: NSObject { @objc func t(_ n: Notification) { c(#selector(self.t(_:))) } }
      """
    let once = PortedSource(porting: source)
    let twice = PortedSource(porting: once.text)
    #expect(!once.changes.isEmpty && twice.changes.isEmpty)
    #expect(twice.text == once.text)
  }
}
