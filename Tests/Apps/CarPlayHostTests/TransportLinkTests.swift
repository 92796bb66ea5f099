// swift-iap2 · Apache-2.0

import Basics
import CallKit
import CarPlayTesting
import IAP2
import IAP2Roles
import MediaPlayer
import Testing
import UIKit

@testable import CarPlayHost
@testable import CarPlayTesting

/// A head unit outside of the host: a session of this project's accessory role, on bytes, in the car's virtual time.
@MainActor
private final class OutsideHeadUnit {
  private let host: CarHost
  private var side = VehicleLinkSide<HeadUnitPolicy>(Lifecycle())
  private(set) var memory = HeadUnitMemory()
  private(set) var events: [VehicleLink.Event] = []
  /// The requested work, without the bytes.
  private(set) var asked: [TransportLink.Work] = []
  /// Whether the transport accepts bytes.
  var takesBytes = true
  var accepts = true
  private var waiting: [[UInt8]] = []
  private var isOpen = false

  private static let delay = 0.001

  init(_ car: Car) {
    host = car.host
    host.useTransport { [weak self] in self?.take($0) }
  }

  private var now: MonotonicTime { host.linkTime }

  /// Opens a transport, such as a socket on which the head unit listens.
  func open() {
    isOpen = true
    let profile = HeadUnitProfile.standard(
      name: "Sedan", features: HeadUnitFeatures.standard.union([.nowPlaying, .routeGuidance, .calls, .hid]))
    side.begin(
      {
        Session(
          endpoint: Endpoint(side: .accessory, firstSequence: Endpoint.firstSequence(of: .accessory)), lifecycle: $0,
          options: SessionOptions { _ in HeadUnitPolicy(profile: profile) })
      }, at: now)
    host.take(.opened("tcp:head-unit", identifyTimeout: .seconds(60)))
    pump()
  }

  /// Ends the transport without an end of the link, as a pulled cable does.
  func pull() {
    isOpen = false
    side.submit(.transportClosed, at: now)
    pump()
    host.take(.ended)
  }

  func press(_ button: MediaButton) -> Bool {
    defer { pump() }
    return side.act(at: now) { policy in
      do { return (true, try policy.press(button)) } catch { return (false, []) }
    } ?? false
  }

  func request(_ message: some ControlMessage) -> Bool {
    defer { pump() }
    return side.act(at: now) { policy in
      let actions = policy.request(message)
      return (actions != nil, actions ?? [])
    } ?? false
  }

  private func later(_ body: @escaping @MainActor () -> Void) { _ = host.events.after(Self.delay, .timer, body) }

  private func take(_ work: TransportLink.Work) {
    switch work {
    case .send(let bytes):
      guard takesBytes else { return }
      later { [self] in
        guard isOpen else { return }
        side.receive(bytes, at: now)
        host.take(.sent)
        pump()
      }
    case .check:
      asked.append(.check(certificate: []))
      later { [self] in
        let reason = accepts ? nil : "the certificate is not trusted"
        host.take(.answer(.certificateChecked(challenge: accepts ? [1, 2, 3] : nil, reason: reason)))
      }
    case .verify(_, let challenge, _):
      asked.append(.verify(response: [], challenge: challenge, certificate: []))
      later { [self] in host.take(.answer(.responseChecked(isValid: true, reason: nil))) }
    case .close:
      asked.append(.close)
      later { [self] in if isOpen { pull() } }
    }
  }

  private func pump() {
    side.pump(at: now) { bytes in later { [self] in if isOpen { host.take(.received(bytes)) } } }
    for event in side.takeEvents() {
      events.append(event)
      if event == .connected { memory.setConnected(true) }
    }
    for feature in side.takeFeatures() { _ = memory.take(feature) }
    guard let due = side.nextDeadline else { return }
    _ = host.events.after(max(0, now.duration(to: due) / .seconds(1)), .timer) { [self] in
      side.handleDeadline(at: now)
      pump()
    }
  }
}

extension CarTests {
  /// Tests of a phone whose head unit is outside of the process.
  @Suite @MainActor
  struct TransportLinkTests {
    private func start(
      _ category: AppCategory = .audio,
      _ scene: @escaping @MainActor () -> any UISceneDelegate = {
        PlainScene { $0.setRootTemplate(CPListTemplate(title: "Home", sections: []), animated: false, completion: nil) }
      }
    ) async -> (Car, OutsideHeadUnit) {
      UIDevice.current.isBatteryMonitoringEnabled = true
      let car = Car(.standard)
      let headUnit = OutsideHeadUnit(car)
      await car.start(CarApp([category], carScene: scene))
      return (car, headUnit)
    }

    private func play(_ title: String, rate: Double = 1) {
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [
        MPMediaItemPropertyTitle: title, MPMediaItemPropertyPlaybackDuration: 200.0,
        MPNowPlayingInfoPropertyPlaybackRate: rate,
      ]
    }

    private func notes(_ car: Car) -> [String] {
      car.log.filter { $0.direction == .car }.map { "\($0.object) \($0.text)".trimmingPrefix(" ").description }
    }

    @Test func aHeadUnitConnectsTheCarShowsTheSongAndItsKeysReachTheApp() async {
      let (car, headUnit) = await start()
      var got: [String] = []
      MPRemoteCommandCenter.shared().nextTrackCommand.addTarget { _ in
        got.append("next")
        self.play("Green")
        return .success
      }
      play("Blue")
      #expect(!car.host.isConnected)
      headUnit.open()
      await car.wait(.seconds(2))
      #expect(car.host.isConnected && car.host.front == .home && headUnit.events.contains(.connected))
      #expect(UIDevice.current.batteryState == .charging)
      #expect(headUnit.memory.display.song?.title == "Blue")
      let notes = notes(car)
      for event in ["detected", "linkUp version 1, 3 sessions", "authenticated", "identified Sedan"] {
        #expect(notes.contains("head unit \(event)"), "\(event): \(notes)")
      }
      await car.open()
      #expect(car.calls.contains("templateApplicationScene(_:didConnect:)"))
      #expect(headUnit.press(.next))
      await car.wait(.seconds(2))
      #expect(got == ["next"] && headUnit.memory.display.song?.title == "Green")
      // The phone advances the position by the car's clock.
      await car.wait(.seconds(20))
      #expect(abs((headUnit.memory.display.song?.elapsed ?? 0) - 22) <= 2)
    }

    @Test func aCallRingsOnTheHeadUnitAndIsAcceptedThere() async {
      final class Caller: NSObject, CXProviderDelegate {
        var actions: [String] = []
        func providerDidReset(_ provider: CXProvider) {}
        func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
          actions.append("answer")
          action.fulfill()
        }
      }
      let (car, headUnit) = await start(.communication)
      let caller = Caller()
      let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Talk"))
      provider.setDelegate(caller, queue: nil)
      headUnit.open()
      await car.wait(.seconds(2))
      let update = CXCallUpdate()
      update.localizedCallerName = "Ann"
      provider.reportNewIncomingCall(with: UUID(), update: update) { _ in }
      await car.wait(.seconds(1))
      let calls = headUnit.memory.display.calls
      #expect(calls.map(\.state) == ["Ringing"] && calls.first?.name == "Ann")
      var accept = AcceptCall()
      accept.callUUID = calls.first?.id
      #expect(headUnit.request(accept))
      await car.wait(.seconds(1))
      #expect(caller.actions == ["answer"] && headUnit.memory.display.calls.map(\.state) == ["Active"])
    }

    @Test func theNextTurnReachesTheHeadUnit() async {
      final class Metadata: NSObject, CPMapTemplateDelegate {
        func mapTemplateShouldProvideNavigationMetadata(_ mapTemplate: CPMapTemplate) -> Bool { true }
      }
      let scene = MapScene()
      let delegate = Metadata()
      let (car, headUnit) = await start(.navigation) { scene }
      scene.map.mapDelegate = delegate
      headUnit.open()
      await car.wait(.seconds(2))
      await car.open()
      let place = MKMapItem(placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2)))
      place.name = "Harbour"
      let session = scene.map.startNavigationSession(for: CPTrip(origin: place, destination: place, routeChoices: []))
      let maneuver = CPManeuver()
      maneuver.instructionVariants = ["Turn left"]
      session.add([maneuver])
      session.upcomingManeuvers = [maneuver]
      await car.wait(.seconds(2))
      let guidance = headUnit.memory.display.guidance
      #expect(guidance?.maneuver == "Turn left" && guidance?.destination == "Harbour")
    }

    @Test func theEndOfTheTransportIsAnUnplugAndTheNextOneAPlug() async {
      let (car, headUnit) = await start()
      headUnit.open()
      await car.wait(.seconds(2))
      await car.open()
      headUnit.pull()
      await car.host.settle()
      #expect(!car.host.isConnected && car.host.front == .off && UIDevice.current.batteryState == .unplugged)
      #expect(car.calls.contains("templateApplicationScene(_:didDisconnectInterfaceController:)"))
      #expect(notes(car).contains("phone regards the car as disconnected transportClosed"))
      play("Red")
      headUnit.open()
      await car.wait(.seconds(2))
      // The app that was in front opens again, and the phone sends everything to the head unit again.
      #expect(car.host.isConnected && car.host.front == .app && headUnit.memory.display.song?.title == "Red")
      #expect(car.calls.count { $0 == "templateApplicationScene(_:didConnect:)" } == 2)
    }

    @Test func anAppIsNotToldOfALostDisconnectUntilItsNoticeComes() async {
      let (car, headUnit) = await start()
      headUnit.open()
      await car.wait(.seconds(2))
      await car.open()
      car.faults.loseDisconnect = 1
      headUnit.pull()
      await car.host.settle()
      #expect(car.host.hasGhostConnection && !car.calls.contains { $0.contains("didDisconnect") })
      await car.host.settle()
      car.host.disconnect()
      #expect(!car.host.hasGhostConnection && car.calls.contains { $0.contains("didDisconnect") })
    }

    @Test func aHeadUnitThatIsNotTrustedIsRefusedAndTheTransportClosed() async {
      let (car, headUnit) = await start()
      headUnit.accepts = false
      headUnit.open()
      await car.wait(.seconds(5))
      #expect(headUnit.asked == [.check(certificate: []), .close])
      #expect(!car.host.isConnected && notes(car).last == "transport ended")
      #expect(notes(car).contains("head unit authenticationFailed the certificate is not trusted"))
    }

    @Test func theUserEndsAConnectionInOrder() async {
      let (car, headUnit) = await start()
      headUnit.open()
      await car.wait(.seconds(2))
      car.host.take(.disconnect)
      await car.wait(.seconds(5))
      #expect(!car.host.isConnected && headUnit.asked.last == .close)
      #expect(notes(car).contains("phone regards the car as disconnected requested"))
      #expect(headUnit.events.contains(.disconnected(.linkReset)))
    }

    @Test func aTransportThatTakesNoBytesIsClosed() async {
      let (car, headUnit) = await start()
      headUnit.takesBytes = false
      headUnit.open()
      await car.wait(.seconds(70))
      #expect(headUnit.asked == [.close] && !car.host.isConnected)
      #expect(notes(car).last == "transport ended")
    }

    @Test func noiseOnTheTransportChangesNothing() async {
      let (car, headUnit) = await start()
      // No transport is open yet.
      car.host.take(.received([1, 2, 3]))
      car.host.take(.sent)
      car.host.take(.answer(.responseChecked(isValid: true, reason: nil)))
      car.host.take(.ended)
      headUnit.open()
      var generator = SeededGenerator(seed: 12)
      for _ in 0..<100 {
        car.host.take(.received((0..<1000).map { _ in UInt8.random(in: 0...255, using: &generator) }))
      }
      await car.wait(.seconds(3))
      #expect(car.host.isConnected)
      #expect(car.log.count { $0.object == "head unit" && $0.name == "violation" } <= 100)
    }

    @Test func whatNeedsTheHeadUnitInMemoryIsRefused() async {
      let (car, _) = await start()
      #expect(car.host.askPhone(.next)?.contains("on a transport") == true)
      #expect(car.host.seekFromHeadUnit(to: 1)?.contains("on a transport") == true)
      #expect(car.host.headUnit == nil)
    }
  }
}
