// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import SourcePorting

/// The forms in which apps for CarPlay ask for versions, connect views and declare delegates.
@Suite struct CarPlaySourceTests {
  private static let head = "import CarPlay\n"

  /// The text of a source behind an import of CarPlay.
  private static func portedApp(_ source: String) -> String { String(ported(head + source).dropFirst(head.count)) }

  @Test(
    "A condition of a version of iOS becomes a call, in every place of a condition",
    arguments: [
      ("if #available(iOS 26.4, *) {}", "if iOSVersionIsAtLeast(26, 4) {}"),
      ("guard #available(iOS 14.0, *) else { return }", "guard iOSVersionIsAtLeast(14) else { return }"),
      ("while #available(iOS 15, *), a {}", "while iOSVersionIsAtLeast(15), a {}"),
      ("if let a, #available(iOS 15.4, *), b {}", "if let a, iOSVersionIsAtLeast(15, 4), b {}"),
      ("if #unavailable(iOS 13) {}", "if !iOSVersionIsAtLeast(13) {}"),
      ("if #available(macOS 12, iOS 15.2.1, *) {}", "if iOSVersionIsAtLeast(15, 2, 1) {}"),
      (
        "if #available(iOS 14, *), #available(iOS 15, *) {}",
        "if iOSVersionIsAtLeast(14), iOSVersionIsAtLeast(15) {}"
      ),
      ("if #available(\n  iOS 14, // first\n  *) {}", "if iOSVersionIsAtLeast(\n   14 // first\n  ) {}"),
      ("if #available(iOSApplicationExtension 9, iOS 10, *) {}", "if iOSVersionIsAtLeast(10) {}"),
    ])
  func versionsAreAsked(source: String, expected: String) {
    #expect(Self.portedApp(source) == expected)
    #expect(left(Self.head + source).isEmpty)
  }

  @Test(
    "A condition without iOS stays, as its value is the same on Linux, and so do attributes and texts",
    arguments: [
      "if #available(macOS 12, *) {}", "@available(iOS 14, *) func f() {}", "let a = \"#available(iOS 14, *)\"",
      "// #available(iOS 14, *)",
    ])
  func otherVersionsStay(source: String) {
    #expect(Self.portedApp(source) == source)
    #expect(left(Self.head + source).isEmpty)
  }

  @Test(
    "A condition that cannot be read is named",
    arguments: [
      ("if #available(MyRelease 2, *) {}", "2: #available(MyRelease 2, *)"),
      ("if #available(iOS next, *) {}", "2: #available(iOS next, *)"),
      ("if #available(iOS 1.2.3.4, *) {}", "2: #available(iOS 1.2.3.4, *)"),
      ("if #available(iOS 0x1A, *) {}", "2: #available(iOS 0x1A, *)"),
      ("if #available(iOS 99999999999999999999, *) {}", "2: #available(iOS 99999999999999999999, *)"),
    ])
  func unreadableVersionsAreNamed(source: String, expected: String) {
    #expect(Self.portedApp(source) == source)
    #expect(left(Self.head + source) == [expected])
  }

  @Test("Sources of apps without CarPlay keep their conditions and their reports")
  func otherAppsStay() {
    let source = "import UIKit\nif #available(iOS 14, *) {}\nclass A: UIViewController { @IBOutlet var b: UIView! }"
    #expect(ported(source) == source)
    #expect(left(source) == ["1: import UIKit", "3: UIViewController", "3: @IBOutlet", "3: UIView"])
  }

  @Test(
    "A source that needs names of Linux imports UIKit, where nothing gives them",
    arguments: [
      ("import CarPlay\nlet a = #selector(A.f)", "import CarPlay\nlet a = Selector(A.f)"),
      ("import Foundation\nlet a = #selector(A.f)", "import Foundation; import UIKit\nlet a = Selector(A.f)"),
      (
        "import CarPlay\nlet a = URLSession.shared\nvar b: XMLParser?",
        "import CarPlay; import FoundationNetworking; import FoundationXML\nlet a = URLSession.shared\nvar b: XMLParser?"
      ),
      (
        "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\nimport CarPlay\nvar a: URLRequest?",
        "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\nimport CarPlay\nvar a: URLRequest?"
      ),
      ("@objc class A { let a: NSInteger = 1 }", "import UIKit; class A { let a: NSInteger = 1 }"),
      ("// A\n\nif #available(iOS 14, *) {}", "// A\n\nimport UIKit; if iOSVersionIsAtLeast(14) {}"),
      ("if #available(macOS 14, *) {}", "if #available(macOS 14, *) {}"),
      (
        "#if canImport(UIKit)\nimport Foundation\n#endif\nlet a: NSInteger = 1",
        "#if canImport(UIKit)\nimport Foundation; import UIKit\n#endif\nlet a: NSInteger = 1"
      ),
    ])
  func uiKitIsImported(source: String, expected: String) {
    let text = SourceText(Array(source.utf8))
    let result = PortedSource(porting: text, in: PortContext([text], isCarPlay: true))
    #expect(result.text == expected)
    #expect(result.remainders.isEmpty)
  }

  @Test("Every module of the package for apps stays imported")
  func modulesOfThePackageStay() throws {
    let package = URL(filePath: #filePath).appending(path: "../../../../Package.swift").standardizedFileURL
    let text = try String(contentsOf: package, encoding: .utf8)
    let list = try #require(text.firstMatch(of: /let shapes = \[([^\]]*)\]/)).1
    let names = Set(list.matches(of: /"(\w+)"/).map { String($0.1) })
    #expect(names.count > 5 && AppleModule.shapes == names.union(["CarPlay"]))
  }

  @Test(
    "A part of a module, and a module whose names another one has, are imported with the whole module",
    arguments: [
      ("import CarPlay.CPSessionConfiguration", "import CarPlay"),
      ("import UIKit.UIGestureRecognizerSubclass", "import UIKit"),
      ("import class CarPlay.CPTemplate", "import class CarPlay.CPTemplate"),
      ("import AVFAudio", "import AVFoundation"), ("import AVFAudio.AVAudioSession", "import AVFoundation"),
      ("#if canImport(AVFAudio)\nlet a = 1\n#endif", "#if canImport(AVFoundation)\nlet a = 1\n#endif"),
      ("@preconcurrency import AVFAudio", "@preconcurrency import AVFoundation"),
    ])
  func partsOfModules(source: String, expected: String) {
    #expect(Self.portedApp(source) == expected)
    #expect(left(Self.head + source).isEmpty)
  }

  @Test("An import of one declaration of CarPlay makes a source that of an app for CarPlay")
  func oneDeclarationIsEnough() {
    #expect(PortContext([SourceText(Array("import class CarPlay.CPTemplate".utf8))]).isCarPlay)
    #expect(PortContext([SourceText(Array("import CarPlay.CPTemplate".utf8))]).isCarPlay)
  }

  @Test("Imports of the modules that this project has stay, and others are named")
  func importsStay() {
    let source = "import UIKit\nimport MapKit\nimport MediaPlayer\nimport CoreData\nlet a: UIColor = .red"
    #expect(Self.portedApp(source) == source)
    #expect(left(Self.head + source) == ["5: import CoreData"])
  }

  @Test("Code behind canImport of a module that this project has is ported, and other branches are not")
  func conditionsAreDecided() {
    let source = """
      #if canImport(CarPlay)
      @objc class A {}
      #else
      @objc class B {}
      #endif
      #if canImport(CoreData)
      @objc class C {}
      #endif
      #if canImport(Combine)
      @objc class D {}
      #endif
      """
    let expected = source.replacing("@objc class A", with: "class A").replacing("@objc class D", with: "class D")
    #expect(Self.portedApp(source) == expected.replacing("(Combine)", with: "(OpenCombineShim)"))
  }

  @Test(
    "Attributes of storyboards are removed, and an outlet is named, because nothing sets it",
    arguments: [
      ("@IBOutlet weak var a: UILabel!", "weak var a: UILabel!", ["2: @IBOutlet"]),
      ("@IBAction func f(_ sender: Any) {}", "func f(_ sender: Any) {}", []),
      ("@IBAction private func f() {}", "private func f() {}", []),
      ("@IBDesignable class A { @IBInspectable var b = 1 }", "class A { var b = 1 }", []),
      ("@NSManaged var a: Int", "@NSManaged var a: Int", ["2: @NSManaged"]),
      ("@objc dynamic var a = 1", "dynamic var a = 1", []),
    ])
  func storyboardsDoNotExist(source: String, expected: String, remainders: [String]) {
    #expect(Self.portedApp(source) == expected)
    #expect(left(Self.head + source) == remainders)
  }

  @Test("Selectors of observers and of targets become methods of their type")
  func selectorsGetTypes() {
    let source = """
      class A: UIViewController {
        func f() {
          NotificationCenter.default.addObserver(self, selector: #selector(changed(_:)), name: .a, object: nil)
          button.addTarget(self, action: #selector(self.tapped), for: .touchUpInside)
        }
        @objc private func tapped(_ sender: UIButton) {}
      }
      """
    let result = Self.portedApp(source)
    #expect(result.contains("selector: Selector(A.changed(_:)), name"))
    #expect(result.contains("action: Selector(A.tapped), for"))
    #expect(result.contains("  private func tapped"))
    #expect(left(Self.head + source).isEmpty)
  }

  @Test(
    "An attribute of the main type is removed from a delegate of the application only",
    arguments: [
      ("@UIApplicationMain\nclass A: UIResponder, UIApplicationDelegate {}", "@UIApplicationMain"),
      ("@main\nfinal class A: UIResponder, UIApplicationDelegate {}", "@main"),
      ("@main @MainActor public class A: NSObject {}\nextension A: UIApplicationDelegate {}", "@main "),
      ("@main\nclass A: Base {}\nclass Base: UIResponder, CPApplicationDelegate {}", "@main"),
      ("@main\nstruct A: App {}", ""), ("@main enum A { static func main() {} }", ""),
      ("@main\nclass A { static func main() {} }", ""),
      ("class B: NSObject { class func main() {} }\n@main final class A: B {}", ""),
      ("@main class A: P {}\nprotocol P {}\nextension P { static func main() {} }", ""),
    ])
  func mainIsOfTheHost(source: String, removed: String) {
    #expect(Self.portedApp(source) == String(source.dropFirst(removed.count)))
    #expect(left(Self.head + source).isEmpty)
  }

  @Test("An attribute of the main type is removed from a class of a library's superclass, and the class is named")
  func mainOfALibraryIsRemoved() {
    let source = "@main\nclass AppDelegate: RCTAppDelegate {}"
    #expect(Self.portedApp(source) == "\nclass AppDelegate: RCTAppDelegate {}")
    #expect(left(Self.head + source) == ["2: @main"])
  }

  @Test("Calls that mean something else on Linux are named")
  func otherMeaningsAreNamed() {
    #expect(
      left(
        Self.head
          + "UIApplicationMain(c, v, nil, nil)\nlet a = ProcessInfo.processInfo.isOperatingSystemAtLeast(b)")
        == ["2: UIApplicationMain", "3: isOperatingSystemAtLeast"])
  }
}

@Suite struct OptionalMemberTests {
  private static let head = "import CarPlay\n"

  @Test(
    "An optional function gets a default body behind its protocol",
    arguments: [
      (
        "@objc protocol A {\n  @objc optional func f(_ a: Int)\n}",
        "protocol A: AnyObject {\n  func f(_ a: Int)\n}; extension A { func f(_ a: Int) {} }"
      ),
      (
        "@objc public protocol A: NSObjectProtocol {\n  func g()\n  @objc optional func f() -> String?\n}",
        """
        public protocol A: NSObjectProtocol {\n  func g()\n  func f() -> String?\n}; extension A { \
        public func f() -> String? { nil } }
        """
      ),
      (
        "@objc protocol A { @objc optional func f(); @objc optional func g() -> Void }",
        "protocol A: AnyObject { func f(); func g() -> Void }; extension A { func f() {}; func g() -> Void {} }"
      ),
      (
        "@objc protocol A {\n  @objc(f:) optional func f(\n    _ a: Int, // one\n    b: @escaping () -> Void)\n    -> ()\n}",
        """
        protocol A: AnyObject {\n  func f(\n    _ a: Int, // one\n    b: @escaping () -> Void)\n    -> ()\n}; \
        extension A { func f( _ a: Int, b: @escaping () -> Void) -> () {} }
        """
      ),
    ])
  func functionsGetBodies(source: String, expected: String) {
    #expect(ported(Self.head + source) == Self.head + expected)
    #expect(left(Self.head + source).isEmpty)
  }

  @Test("A call of such a function loses its question mark, in every source of the run")
  func callsLoseTheirMark() {
    let declaring = SourceText(Array((Self.head + "@objc protocol A { @objc optional func f() }").utf8))
    let calling = SourceText(Array("delegate?.f?()\nb.g?()\nif delegate?.f != nil {}".utf8))
    let result = PortedSource(porting: calling, in: PortContext([declaring, calling]))
    #expect(result.text == "delegate?.f()\nb.g?()\nif delegate?.f != nil {}")
    #expect(result.remainders.map { "\($0.position.line): \($0.code)" } == ["3: f != nil"])
  }

  private static let optional =
    head + """
      @objc protocol P { @objc optional func m(_ a: Int); @objc optional func v() -> String? }

      """

  @Test(
    "A use that depends on the absence of a function stays and is named",
    arguments: [
      ("p?.m?(1) ?? fallback()", "m?"), ("a.b[0]?.m?(1) ?? fallback()", "m?"), ("if p?.m?(1) == nil {}", "m?"),
      ("guard p?.m?(1) != nil else { return }", "m?"), ("let done: Void? = p?.m?(1)", "m?"),
      ("if let done = f(c)[d]?.m?(1) {}", "m?"), ("g(p?.m?(1))", "m?"), ("return p?.m?(1)", "m?"),
      ("if p?.m == nil {}", "m == nil"), ("if p?.m != nil {}", "m != nil"), ("if let f = p?.m { f(1) }", "m"),
      ("guard let f = p?.v else { return }", "v"), ("p?.m!(1)", "m!"),
      ("if let _ = p?.m?(1) {}", "m?"), ("guard let _ = p?.m?(1) else { return }", "m?"),
      ("switch p?.m?(1) { case nil: break; default: break }", "m?"), ("if let _ = p?.m {}", "m"),
      ("if case let f? = p?.m { f(1) }", "m"), ("(p?.m ?? { _ in })(3)", "m"),
    ])
  func presenceIsKept(use: String, code: String) {
    #expect(ported(Self.optional + use).hasSuffix("\n" + use))
    #expect(left(Self.optional + use) == ["3: \(code)"])
  }

  @Test(
    "A use whose value is the same without the function loses its question mark",
    arguments: [
      ("p?.m?(1)", "p?.m(1)"), ("_ = p?.m?(1)", "_ = p?.m(1)"), ("if a { p?.m?(1) }", "if a { p?.m(1) }"),
      ("a.forEach { b in b.m?(1) }", "a.forEach { b in b.m(1) }"), ("p?.v?() ?? \"a\"", "p?.v() ?? \"a\""),
      ("if let f = p?.v?() {}", "if let f = p?.v() {}"), ("let a = b as? C; p?.m?(1)", "let a = b as? C; p?.m(1)"),
    ])
  func otherUsesChange(use: String, expected: String) {
    #expect(ported(Self.optional + use).hasSuffix("\n" + expected))
    #expect(left(Self.optional + use).isEmpty)
  }

  @Test(
    "A member without a value for a missing one is named",
    arguments: [
      "@objc optional func f() -> Int", "@objc optional var a: Int { get }", "@objc optional func f() -> [Int?]",
    ])
  func otherMembersAreNamed(member: String) {
    let source = Self.head + "@objc protocol A {\n  \(member)\n}"
    #expect(ported(source).contains(member))
    #expect(left(source) == ["3: @objc optional"])
  }
}
