// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import SourcePorting

@Suite struct DelegateRegistrationTests {
  private static func registration(_ sources: String...) -> DelegateRegistration {
    PortContext(sources.map { SourceText(Array($0.utf8)) }, isCarPlay: true).registration
  }

  /// The lines of the source that register.
  private static func lines(_ sources: String...) -> [String] {
    PortContext(sources.map { SourceText(Array($0.utf8)) }, isCarPlay: true).registration.text
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.hasPrefix("SceneDelegateRegistry") }
  }

  @Test(
    "A class that adopts a delegate protocol is registered, whatever way it adopts it",
    arguments: [
      "class A: UIResponder, CPTemplateApplicationSceneDelegate {}",
      "class A: UIResponder {}\nextension A: CarPlay.CPTemplateApplicationSceneDelegate {}",
      "class A: B {}\nclass B<T>: NSObject {}\nextension B: P {}\nprotocol P: UIWindowSceneDelegate {}",
      "@available(iOS 14, *)\nfinal class A: NSObject, CPTemplateApplicationDashboardSceneDelegate, X {}",
      "class A: UIResponder, X & CPTemplateApplicationInstrumentClusterSceneDelegate {}",
      "class A: UIResponder, @unchecked Sendable, UISceneDelegate { init() {} }",
      "class A: UIResponder, UISceneDelegate { convenience init(a: Int) { self.init() } }",
      "class A: UIResponder, UISceneDelegate { init(a: Int = f(1, 2), b: [Int] = [1, 2]) {} }",
      "class A: UIResponder, UISceneDelegate { init(a: Int) {}; override init() {} }",
      "#if canImport(CarPlay)\nclass A: UIResponder, UISceneDelegate {}\n#endif",
    ])
  func classesAreRegistered(source: String) {
    #expect(Self.lines(source) == ["SceneDelegateRegistry.register(A.self) { A() }"])
    // A generic base class is named.
    #expect(Self.registration(source).problems.count == (source.contains("<T>") ? 1 : 0))
  }

  @Test(
    "A class that no other file can create is named with the reason",
    arguments: [
      ("private class A: NSObject, UISceneDelegate {}", "private"),
      ("fileprivate enum B { class A: NSObject, UISceneDelegate {} }", "private"),
      ("func f() { class A: NSObject, UISceneDelegate {} }", "private"),
      ("class A<T>: NSObject, UISceneDelegate {}", "generic"),
      ("class A: NSObject, UISceneDelegate { init(a: Int) {} }", "init()"),
      ("class A: NSObject, UISceneDelegate { required init?(coder: NSCoder) {} }", "init()"),
      ("class A: NSObject, UISceneDelegate { private override init() {} }", "init()"),
      ("class A: NSObject, UISceneDelegate { init() throws {} }", "init()"),
      ("#if DEBUG\nclass A: NSObject, UISceneDelegate {}\n#endif", "#if"),
    ])
  func otherClassesAreNamed(source: String, word: String) {
    let result = Self.registration(source)
    #expect(result.registered.isEmpty)
    #expect(result.problems.count == 1 && result.problems.allSatisfy { $0.reason.contains(word) })
  }

  @Test(
    "Other declarations are no delegates",
    arguments: [
      "class A: CPInterfaceControllerDelegate {}", "struct A: UISceneDelegate {}",
      "let a = \"class A: UISceneDelegate {}\"", "class A { var b: UISceneDelegate? }",
      "protocol A: UISceneDelegate {}", "class A {}\nfunc f(a: UISceneDelegate) {}",
      "import class UIKit.UISceneDelegate",
    ])
  func otherDeclarationsStay(source: String) {
    #expect(Self.lines(source).isEmpty)
    #expect(Self.registration(source).problems.isEmpty)
  }

  @Test("Names of @objc and of outer types are registered, and the class with @main is the application's delegate")
  func namesAreRegistered() {
    #expect(
      Self.lines(
        "@UIApplicationMain @objc(Old) class A: UIResponder, UIApplicationDelegate {}",
        "class B: NSObject, UIApplicationDelegate {}\nenum C { class D: NSObject, UISceneDelegate {} }")
        == [
          "SceneDelegateRegistry.register(A.self, objectiveCName: \"Old\", isApplicationDelegate: true) { A() }",
          "SceneDelegateRegistry.register(B.self) { B() }", "SceneDelegateRegistry.register(C.D.self) { C.D() }",
        ])
    #expect(
      Self.lines("class A: NSObject, CPApplicationDelegate {}")
        == ["SceneDelegateRegistry.register(A.self, isApplicationDelegate: true) { A() }"])
  }

  @Test("Several delegates of the application without @main are named")
  func severalAreNamed() {
    let source = "class A: NSObject, UIApplicationDelegate {}\nclass B: NSObject, UIApplicationDelegate {}"
    #expect(Self.registration(source).problems.map(\.reason).filter { $0.contains("@main") }.count == 2)
    #expect(!Self.registration(source).registered.contains { $0.isApplicationDelegate })
  }

  @Test("Inheritance in a circle ends")
  func circlesEnd() {
    #expect(Self.lines("class A: B {}\nclass B: A, UISceneDelegate {}").count == 2)
  }
}
