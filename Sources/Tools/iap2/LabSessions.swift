// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CarPlaySession
import CommandSupport
import IAP2
import IAP2Authentication
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import Lab
import Synchronization

/// The CarPlay sessions of the lab's head unit with a live phone, which starts them.
struct LabHeadUnitSession: LabCarPlay {
  let run: CarPlayHeadUnitRun

  /// Listens for phones.
  ///
  /// - Parameters:
  ///   - listen: The address for phones.
  ///   - car: The car of `iap2 car`; nil for the standard screen.
  ///   - log: The record of the lab.
  init(listen: HostPort?, car: String?, log: SessionLog, clock: WallClock) async throws {
    let arguments = (listen.map { ["--listen", "\($0)"] } ?? []) + (car.map { ["--car", $0] } ?? [])
    run = try CarPlayHeadUnitRun(
      try CarPlayHeadUnitOptions.parse(arguments), authenticator: SoftwareAuthenticator.test, json: false,
      isLinked: true,
      viewer: SessionViewer(show: { log.show($0.bytes, of: $0.type, isKeyFrame: $0.isKeyFrame) }), clock: clock
    ) { event, cause in log.add(event, of: .headUnit, at: clock.now, linkCause: cause) }
    try await run.open()
  }

  var screenSize: (width: Int, height: Int)? { run.screenSize }
  var takesTouch: Bool { true }

  func take(_ event: RoleEvent, from phone: Phone?) async { await run.take(event) }
  func perform(_ step: CarPlayStep) async -> String? { await run.step(step) }

  func touch(x: Int, y: Int, isDown: Bool) async {
    let (width, height) = run.screenSize
    await run.perform(.finger(x: max(0, min(x, width - 1)), y: max(0, min(y, height - 1)), isDown: isDown))
  }

  func requestKeyFrame() async { await run.requestKeyFrame() }

  func close() async { do { _ = try await run.close() } catch { Output.note("\(error)") } }
}

/// The CarPlay sessions of the lab's phone with a live head unit, which starts them. The phone shows an app, or its own
/// screens.
final class LabPhoneSession: LabCarPlay {
  private let link: CarPlayLink
  private let size = ScreenSize()

  /// - Parameters:
  ///   - app: The app that the phone shows; nil for its own screens.
  ///   - phone: The phone, whose state has what the app reports.
  ///   - log: The record of the lab.
  init(app: String?, product: String?, phone: Phone, log: SessionLog, clock: WallClock) throws {
    let arguments = (app.map { ["--app", $0] } ?? []) + (product.map { ["--product", $0] } ?? [])
    let options = try CarPlayPhoneOptions.parse(arguments)
    try CarPlayPhoneRun.pairings(options)
    let content = try PhoneContent(options, isOpen: true)
    let size = size
    let count = Atomic(0)
    let viewer = SessionViewer(
      show: { log.show($0.bytes, of: $0.type, isKeyFrame: $0.isKeyFrame) }, showLine: { log.add($0, at: clock.now) })
    link = CarPlayLink(fixed: nil, end: LiveEnd(), ends: .never) { places, expected in
      try CarPlayPhoneRun(
        options, content: content, places: places, verifier: .any, expected: expected, name: nil, json: false,
        isBrief: false, duration: nil, isLinked: true,
        number: count.wrappingAdd(1, ordering: .relaxed).oldValue, viewer: viewer, clock: clock,
        onReport: { await phone.show($0, after: $1) },
        onEvent: { event, cause in
          if case .info(let info) = event, let display = info.displays?.first, let width = display.width,
            let height = display.height
          {
            size.set(width, height)
          }
          log.add(event, of: .phone, at: clock.now, linkCause: cause)
        })
    }
  }

  var screenSize: (width: Int, height: Int)? { size.value }
  var takesTouch: Bool { false }

  func take(_ event: RoleEvent, from phone: Phone?) async {
    await link.take(event)
    if let phone { await link.pass(event, from: phone) }
  }

  func perform(_ step: CarPlayStep) async -> String? { await link.step(step) }
  func touch(x: Int, y: Int, isDown: Bool) async {}
  func requestKeyFrame() async { link.requestKeyFrame() }
  func close() async {}
}

/// The size of a screen, which becomes known in a session.
private final class ScreenSize: Sendable {
  private let size = Mutex<(width: Int, height: Int)?>(nil)

  var value: (width: Int, height: Int)? { size.withLock { $0 } }

  func set(_ width: Int, _ height: Int) { size.withLock { $0 = (width, height) } }
}
