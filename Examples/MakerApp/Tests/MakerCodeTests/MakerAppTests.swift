// swift-iap2 · Apache-2.0

import CarPlayTesting
import ExternalAccessoryTesting
import Synchronization
import Testing

@testable import MakerCode

/// The climate of an emulated car.
private final class CarClimate: Sendable {
  private let degrees = Mutex(21)

  var temperature: Int { degrees.withLock { $0 } }

  /// Answers `TEMP?` and `TEMP 23`.
  @Sendable func serve(_ session: ExternalAccessoryStream) async {
    var text = ""
    while let bytes = await session.read() {
      text += String(decoding: bytes, as: UTF8.self)
      while let end = text.firstIndex(of: "\n") {
        let words = text[..<end].split(separator: " ")
        text = String(text[text.index(after: end)...])
        if words.count == 2, let wanted = Int(words[1]) { degrees.withLock { $0 = wanted } }
        do { try await session.write(Array("TEMP \(temperature)\n".utf8)) } catch { return }
      }
    }
  }
}

/// There is one phone in a process, so its tests run one after another.
@MainActor @Suite(.serialized, .timeLimit(.minutes(1))) struct MakerAppTests {
  private func launch(_ protocols: [String]) async -> (Car, AppDelegate) {
    var settings = CarSettings.standard
    settings.accessoryProtocols = protocols
    let car = Car(settings)
    let delegate = AppDelegate()
    var app = CarApp(
      name: "My Car", entitlements: ["com.apple.developer.carplay-protocols"], appDelegate: { delegate })
    app.accessoryProtocols = [Climate.name]
    await car.launch(app)
    return (car, delegate)
  }

  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func theAppAsksItsCarForTheTemperatureAndSetsIt() async throws {
    let climate = CarClimate()
    await AccessoryBench.reset()
    AccessoryBench.declare(protocols: [Climate.name])
    let attached = try await AccessoryBench.attach(
      name: "Example Car", protocols: [Climate.name], services: [Climate.name: climate.serve])
    let (car, delegate) = await launch([Climate.name])
    #expect(car.screen.line == "content \"Climate\" own window")
    try await until { delegate.climate.temperature == 21 }
    delegate.climate.set(23)
    try await until { delegate.climate.temperature == 23 }
    #expect(climate.temperature == 23)
    await attached.unplug()
    try await until { delegate.climate.temperature == nil }
    #expect(car.end == nil)
    delegate.stop()
  }

  @Test func aCarWithoutTheFunctionShowsNoClimate() async {
    await AccessoryBench.reset()
    AccessoryBench.declare(protocols: [Climate.name])
    let (car, delegate) = await launch([Climate.name])
    #expect(car.screen.shows("No functions in this car"))
    delegate.stop()
  }

  @Test func anotherMakersCarDoesNotShowTheApp() async {
    let (car, delegate) = await launch(["com.example.other"])
    #expect(car.screen.kind == .home && !car.screen.shows("My Car") && delegate.carWindow == nil)
    delegate.stop()
  }
}
