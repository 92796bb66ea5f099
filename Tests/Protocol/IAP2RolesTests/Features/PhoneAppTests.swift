// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Apps and the EA protocols of an accessory (ExternalAccessory.md#app-launch, ExternalAccessory.md#protocol-match).
@Suite struct PhoneAppTests {
  private static let boyaProtocol = "BOYA.DeviceLink.com"

  private static func app(running: Bool = false, protocols: [String] = [boyaProtocol]) -> PhoneApp {
    PhoneApp(name: "Link", bundleIdentifier: "com.example.link", protocols: protocols, isRunning: running)
  }

  /// The identification of a BOYA mini 2 has protocol 0xB1, and its capture opens session 1 of it.
  private static func open(_ session: UInt8) -> [UInt8] {
    controlMessage(0xEA00, parameter(0, [0xB1]) + parameter(1, [0, session]))
  }

  @Test func aRunningAppOpensItsProtocolOfARealAccessory() throws {
    var phone = try PhoneBench(MessageVectors.boya) { $0.apps = [Self.app(running: true)] }
    #expect(phone.ready.sent == [Self.open(1)])
    // BOYA lists no 0xEA03 in parameter 6, so the session is open at once; its capture sends one all the same.
    #expect(phone.policy.openSessions == [1: Self.boyaProtocol])
    #expect(
      phone.receive(0xEA03, parameter(0, [0, 1]) + parameter(1, [0])).violations == [.undeclaredMessage(0xEA03)])
    #expect(phone.policy.openSessions == [1: Self.boyaProtocol])
    // The end of the app ends its session, and the next start opens another.
    let end = phone.change { $0.apps[0].isRunning = false }
    #expect(end.sent == [controlMessage(0xEA01, parameter(0, [0, 1]))] && phone.policy.openSessions.isEmpty)
    #expect(phone.change { $0.apps[0].isRunning = true }.sent == [Self.open(2)])
  }

  @Test func anAppOfAnotherProtocolOpensNothing() throws {
    let phone = try PhoneBench(MessageVectors.boya) {
      $0.apps = [Self.app(running: true, protocols: ["com.example.x"])]
    }
    #expect(phone.ready.sent.isEmpty && phone.policy.openSessions.isEmpty)
  }

  @Test func aLaunchStartsTheAppOfItsBundle() throws {
    var phone = try PhoneBench(.appLaunch, protocols: [Self.boyaProtocol]) { $0.apps = [Self.app()] }
    let other = phone.receive(0xEA02, parameter(0, text("com.example.other")))
    #expect(other.sent.isEmpty && other.features.count == 1 && !phone.policy.state.apps[0].isRunning)
    let launch = phone.receive(0xEA02, parameter(0, text("com.example.link")) + parameter(1, [0]))
    #expect(launch.sent == [controlMessage(0xEA00, parameter(0, [1]) + parameter(1, [0, 1]))])
    #expect(phone.policy.state.apps[0].isRunning)
    // A second launch of an app that runs opens nothing more.
    #expect(phone.receive(0xEA02, parameter(0, text("com.example.link"))).sent.isEmpty)
  }

  @Test func aSessionOpensWithItsStatus() throws {
    var phone = try PhoneBench([], protocols: ["com.example.echo"]) {
      $0.apps = [Self.app(running: true, protocols: ["com.example.echo"])]
    }
    #expect(phone.policy.openSessions.isEmpty)
    // The status of a session that was not asked for opens nothing.
    #expect(phone.receive(0xEA03, parameter(0, [0, 9]) + parameter(1, [0])).actions.isEmpty)
    #expect(
      phone.receive(0xEA03, parameter(0, [0, 1]) + parameter(1, [0])).actions
        == [.openExternalAccessory(session: 1, protocol: "com.example.echo", answer: nil)])
    #expect(phone.policy.openSessions == [1: "com.example.echo"])
    #expect(
      phone.receive(0xEA03, parameter(0, [0, 1]) + parameter(1, [1])).actions == [.closeExternalAccessory(session: 1)])
    #expect(phone.policy.openSessions.isEmpty)
  }

  @Test func carPlayShowsAnAppWithAProtocolOfTheCar() {
    var app = Self.app(protocols: ["b"])
    app.carPlayProtocols = ["c", "a"]
    #expect(app.shownProtocols(in: ["a", "b", "c"]) == ["a", "c"] && app.usableProtocols(of: ["a", "b"]) == ["b"])
    #expect(app.shownProtocols(in: ["b"]).isEmpty)
  }

  @Test func anAppIsShownAndHiddenOnce() throws {
    var app = Self.app()
    app.carPlayProtocols = ["com.example.car"]
    var phone = try PhoneBench([], protocols: ["com.example.car"]) { $0.apps = [app] }
    #expect(phone.ready.features == [.appShown(app: "Link", protocols: ["com.example.car"])])
    #expect(phone.change { $0.language = "de" }.features.isEmpty)
    #expect(phone.change { $0.apps = [] }.features == [.appHidden(app: "Link", protocols: [])])
    #expect(phone.change { $0.language = "en" }.features.isEmpty)
  }

  /// Identification.md#match-action: BOYA's action 0 asks for nothing.
  @Test(arguments: [(UInt8(0), nil), (1, true), (2, false)] as [(UInt8, Bool?)])
  func theMatchActionDecidesWhetherAnAppIsOffered(action: UInt8, byAlert: Bool?) throws {
    let phone = try PhoneBench(
      [], protocols: ["com.example.echo"],
      change: {
        $0.supportedExternalAccessoryProtocol[0].externalAccessoryProtocolMatchAction = .init(rawValue: action)
      })
    let wanted = byAlert.map { [FeatureEvent.appWanted(protocol: "com.example.echo", byAlert: $0)] } ?? []
    #expect(phone.ready.features == wanted)
  }
}
