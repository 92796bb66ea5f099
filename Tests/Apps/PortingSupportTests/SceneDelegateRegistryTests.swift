// swift-iap2 · Apache-2.0

import CarSupport
import Foundation
import Testing

@testable import PortingSupport

private final class Plain: NSObject {}

private final class WithArguments: NSObject {
  let text: String
  init(text: String) { self.text = text }
}

private enum Outer {
  final class Scene: NSObject {}
}

private enum Other {
  final class Scene: NSObject {}
}

/// The registry belongs to the process, and a car launches what is in it: the tests run one after another with those of
/// a car, and leave the registry empty.
@Suite(.serialized, .onlyCar) @MainActor struct SceneDelegateRegistryTests {
  init() { SceneDelegateRegistry.removeAll() }

  private static func found(_ name: String) -> SceneDelegateRegistry.Entry? {
    if case .found(let entry) = SceneDelegateRegistry.find(name) { return entry }
    return nil
  }

  @Test("A class without an initializer of its own and one with arguments are created by their names")
  func classesAreCreated() throws {
    defer { SceneDelegateRegistry.removeAll() }
    SceneDelegateRegistry.register(Plain.self) { Plain() }
    SceneDelegateRegistry.register(WithArguments.self) { WithArguments(text: "made") }
    let name = try #require(SceneDelegateRegistry.entries.first?.name)
    #expect(name.hasPrefix("PortingSupportTests.") && name.hasSuffix("Plain"))
    #expect(Self.found(name)?.make() is Plain)
    let other = try #require(SceneDelegateRegistry.entries.last).make() as? WithArguments
    #expect(other?.text == "made")
  }

  @Test("A name with a variable finds the class of any module, and the name of @objc finds it, too")
  func namesAreFound() throws {
    defer { SceneDelegateRegistry.removeAll() }
    SceneDelegateRegistry.register(Plain.self, objectiveCName: "OldName") { Plain() }
    let name = try #require(SceneDelegateRegistry.entries.first?.name)
    let path = name.drop { $0 != "." }
    #expect(Self.found("$(PRODUCT_MODULE_NAME)\(path)") != nil)
    #expect(Self.found("${PRODUCT_MODULE_NAME}\(path)") != nil)
    #expect(Self.found("OldName") != nil)
  }

  @Test("A wrong module is unknown, and the class with the right one is named")
  func wrongModulesAreNamed() throws {
    defer { SceneDelegateRegistry.removeAll() }
    SceneDelegateRegistry.register(Plain.self) { Plain() }
    let name = try #require(SceneDelegateRegistry.entries.first?.name)
    guard case .unknown(let similar) = SceneDelegateRegistry.find("App\(name.drop { $0 != "." })") else {
      Issue.record("the class was found by the name of another module")
      return
    }
    #expect(similar == [name])
    guard case .unknown(let none) = SceneDelegateRegistry.find("") else {
      Issue.record("a class has an empty name")
      return
    }
    #expect(none.isEmpty)
  }

  @Test("A class that is registered again replaces the first one, and the last application delegate counts")
  func registrationsReplace() {
    defer { SceneDelegateRegistry.removeAll() }
    for _ in 1...2 { SceneDelegateRegistry.register(Plain.self, isApplicationDelegate: true) { Plain() } }
    #expect(SceneDelegateRegistry.entries.count == 1)
    SceneDelegateRegistry.register(Outer.Scene.self) { Outer.Scene() }
    SceneDelegateRegistry.register(Other.Scene.self) { Other.Scene() }
    #expect(SceneDelegateRegistry.entries.count == 3)
    #expect(SceneDelegateRegistry.applicationDelegate?.make() is Plain)
  }
}
