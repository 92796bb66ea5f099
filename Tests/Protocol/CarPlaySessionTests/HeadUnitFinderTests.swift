// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

/// Which head unit a phone connects to, by which address, and when.
@Suite struct HeadUnitFinderTests {
  /// A finder with its clock.
  private struct Driver {
    var finder: HeadUnitFinder
    var now = MonotonicTime(nanoseconds: 1 << 40)
    var connections: [String] = []
    var events: [DiscoveryEvent] = []

    init(_ target: HeadUnitFinder.Target, known: Set<String> = []) {
      var settings = HeadUnitFinder.Settings(target)
      settings.known = known
      finder = HeadUnitFinder(settings)
    }

    mutating func act(_ body: (inout HeadUnitFinder, MonotonicTime) -> Void) {
      body(&finder, now)
      collect()
    }

    mutating func collect() {
      for action in finder.takeActions() {
        switch action {
        case .connect(let headUnit): connections.append(headUnit.endpoint ?? "")
        case .report(let event): events.append(event)
        }
      }
    }

    mutating func pass(_ duration: Duration) {
      let end = now.advanced(by: duration)
      while let deadline = finder.nextDeadline, deadline <= end {
        now = max(now, deadline)
        finder.handleDeadline(at: now)
        collect()
      }
      now = end
    }
  }

  private static func car(
    _ name: String = "Car", address: String = "192.0.2.1", port: UInt16 = 7000, id: String = "02:00:00:00:00:01",
    features: String = "0x44540380,0x61", interface: String = "wlan0", pairingID: String = "a stranger"
  ) -> ServiceChange {
    .found(
      FoundService(
        FoundService.ID(.airPlay, name: name, interface: interface, isIPv6: address.contains(":")), host: "car.local",
        address: address, port: port,
        text: TextRecord([.init("deviceid", id), .init("features", features), .init("pi", pairingID)])))
  }

  private static func call(_ id: String) throws -> ControlCall {
    var reader = RequestReader()
    reader.add(Array("GET \(ControlCall.path) HTTP/1.1\r\nAirPlay-Receiver-Device-ID: \(id)\r\n\r\n".utf8))
    return try ControlCall(try #require(try reader.next()))
  }

  @Test func theLinkLocalAddressIsTakenThoughTheOtherIsFoundFirst() {
    var driver = Driver(.any)
    driver.act { $0.take(Self.car(), at: $1) }
    driver.act { $0.take(Self.car(address: "fe80::1%wlan0"), at: $1) }
    #expect(driver.connections.isEmpty)
    driver.pass(.milliseconds(200))
    #expect(driver.connections == ["[fe80::1%wlan0]:7000"])
  }

  @Test func ofTwoWithOneAddressTheOtherIsTriedNext() throws {
    var driver = Driver(.named("02:00:00:00:00:01"))
    driver.act { $0.take(Self.car("Imposter", address: "192.0.2.9"), at: $1) }
    driver.act { $0.take(Self.car("Car"), at: $1) }
    driver.pass(.milliseconds(200))
    driver.act { $0.failed(at: $1) }
    driver.pass(.seconds(2))
    #expect(driver.connections == ["192.0.2.9:7000", "192.0.2.1:7000"])
    // The same for a call.
    var called = Driver(.caller)
    called.act { $0.take(Self.car("Imposter", address: "192.0.2.9"), at: $1) }
    called.act { $0.take(Self.car("Car"), at: $1) }
    let call = try Self.call("2199023255553")
    called.act { $0.called(call, at: $1) }
    called.pass(.milliseconds(200))
    called.act { $0.failed(at: $1) }
    called.pass(.seconds(2))
    #expect(called.connections == ["192.0.2.9:7000", "192.0.2.1:7000"])
  }

  @Test func aKnownHeadUnitIsTriedBeforeStrangers() {
    var driver = Driver(.any, known: ["the car"])
    for number in 1...50 {
      driver.act { $0.take(Self.car("A\(number)", address: "192.0.2.\(number + 100)"), at: $1) }
    }
    driver.act { $0.take(Self.car("Car", pairingID: "the car"), at: $1) }
    driver.pass(.milliseconds(200))
    #expect(driver.connections == ["192.0.2.1:7000"])
    driver.act { $0.failed(at: $1) }
    // The dead records of strangers cost little time, and then each head unit waits for its turn.
    for number in 1...50 {
      driver.pass(.milliseconds(200))
      #expect(driver.connections.last == "192.0.2.\(number + 100):7000")
      driver.act { $0.failed(at: $1) }
    }
    let count = driver.connections.count
    driver.pass(.milliseconds(900))
    #expect(driver.connections.count == count)
    driver.pass(.milliseconds(300))
    #expect(driver.connections.count == count + 1 && driver.connections.last == "192.0.2.1:7000")
  }

  @Test func everyAddressIsTriedAndThenAllAgain() {
    var driver = Driver(.any)
    driver.act { $0.take(Self.car(), at: $1) }
    driver.act { $0.take(Self.car(address: "fe80::1%wlan0"), at: $1) }
    for _ in 0..<3 {
      driver.pass(.seconds(2))
      driver.act { $0.failed(at: $1) }
    }
    driver.pass(.seconds(2))
    #expect(
      driver.connections == [
        "[fe80::1%wlan0]:7000", "192.0.2.1:7000", "[fe80::1%wlan0]:7000", "192.0.2.1:7000",
      ])
  }

  @Test func aCallDuringASessionThatALinkBeganIsNotFollowed() throws {
    var driver = Driver(.caller)
    driver.act { $0.take(Self.car(), at: $1) }
    var begins: [Bool] = []
    driver.act { finder, _ in begins = [finder.begins(with: "the link"), finder.begins(with: "the link")] }
    #expect(begins == [true, false])
    let call = try Self.call("2199023255553")
    driver.act { $0.called(call, at: $1) }
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { finder, _ in finder.sessionSetUp() }
    driver.pass(.seconds(60))
    driver.act { $0.called(call, at: $1) }
    driver.pass(.seconds(60))
    #expect(driver.connections.isEmpty)
    // After the loss of that session the head unit calls, and is found on the network.
    driver.act { $0.sessionEnded(.clockSilent, at: $1) }
    driver.act { $0.called(call, at: $1) }
    driver.pass(.seconds(1))
    #expect(driver.connections == ["192.0.2.1:7000"])
  }

  @Test func aSpeakerIsNoCarUnlessTheUserNamesIt() {
    var driver = Driver(.any)
    driver.act { $0.take(Self.car("Speaker", features: "0x44540380,0x0"), at: $1) }
    driver.pass(.seconds(60))
    #expect(driver.connections.isEmpty)
    var named = Driver(.named("Speaker"))
    named.act { $0.take(Self.car("Speaker", features: "0x44540380,0x0"), at: $1) }
    named.pass(.seconds(60))
    #expect(named.connections == ["192.0.2.1:7000"])
  }

  @Test func twoHeadUnitsWithOneNameAreToldByTheirAddress() {
    var driver = Driver(.named("02:00:00:00:00:02"))
    driver.act { $0.take(Self.car(), at: $1) }
    driver.act { $0.take(Self.car("Car #2", address: "192.0.2.9", id: "02:00:00:00:00:02"), at: $1) }
    driver.pass(.seconds(1))
    #expect(driver.connections == ["192.0.2.9:7000"])
  }

  @Test(arguments: ["2199023255553", "02:00:00:00:00:01", "020000000001"])
  func theHeadUnitThatCalledIsTheOneToConnectTo(_ id: String) throws {
    var driver = Driver(.caller)
    driver.act { $0.take(Self.car("Other", address: "192.0.2.9", id: "02:00:00:00:00:02"), at: $1) }
    driver.act { $0.take(Self.car(), at: $1) }
    driver.pass(.seconds(60))
    #expect(driver.connections.isEmpty, "nobody called")
    let call = try Self.call(id)
    driver.act { $0.called(call, at: $1) }
    driver.pass(.seconds(1))
    #expect(driver.connections == ["192.0.2.1:7000"])
  }

  @Test func aCallWaitsForTheRecordOfItsHeadUnit() throws {
    let call = try Self.call("2199023255553")
    var driver = Driver(.caller)
    driver.act { $0.called(call, at: $1) }
    driver.pass(.seconds(9))
    driver.act { $0.take(Self.car(), at: $1) }
    driver.pass(.milliseconds(200))
    #expect(driver.connections == ["192.0.2.1:7000"])
    var late = Driver(.caller)
    late.act { $0.called(call, at: $1) }
    late.pass(.seconds(11))
    late.act { $0.take(Self.car(), at: $1) }
    late.pass(.seconds(60))
    #expect(late.connections.isEmpty && late.finder.nextDeadline == nil)
    #expect(late.events.contains { if case .failed = $0 { true } else { false } })
  }

  /// The records of a head unit that is gone, or of a program that is none, do not keep the phone from another one.
  @Test func anotherHeadUnitIsTriedWhenTheFirstDoesNotAnswer() {
    var driver = Driver(.any)
    driver.act { $0.take(Self.car("Ghost", address: "192.0.2.8"), at: $1) }
    driver.act { $0.take(Self.car(id: "02:00:00:00:00:02"), at: $1) }
    driver.pass(.seconds(1))
    driver.act { $0.failed(at: $1) }
    driver.pass(.seconds(2))
    #expect(driver.connections == ["192.0.2.8:7000", "192.0.2.1:7000"])
    // One that takes the connection and is silent has failed, too; one that was lost in a session has not.
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { finder, _ in finder.sessionSetUp() }
    driver.act { $0.sessionEnded(.controlLost, at: $1) }
    driver.pass(.seconds(2))
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { $0.sessionEnded(.requestTimeout, at: $1) }
    driver.pass(.seconds(2))
    #expect(driver.connections.suffix(2) == ["192.0.2.1:7000", "192.0.2.8:7000"])
  }

  @Test func aBusyHeadUnitIsTriedAgain() {
    var driver = Driver(.any)
    driver.act { $0.take(Self.car(), at: $1) }
    driver.pass(.seconds(1))
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { $0.sessionEnded(.busy, at: $1) }
    driver.pass(.seconds(4))
    #expect(driver.connections.count == 1)
    driver.pass(.seconds(2))
    #expect(driver.connections.count == 2)
  }

  @Test func oneThatRefusesThePhoneIsTriedMoreAndMoreRarely() {
    var driver = Driver(.any)
    driver.act { $0.take(Self.car(), at: $1) }
    for pause in [5, 10, 15] {
      driver.pass(.seconds(1))
      driver.act { $0.sessionBegan(at: $1) }
      driver.act { $0.sessionEnded(.badSignature, at: $1) }
      let count = driver.connections.count
      driver.pass(.seconds(pause - 1))
      #expect(driver.connections.count == count)
      driver.pass(.seconds(2))
      #expect(driver.connections.count == count + 1)
    }
    // Another one comes before it.
    driver.act { $0.take(Self.car("Other", address: "192.0.2.9"), at: $1) }
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { $0.sessionEnded(.badSignature, at: $1) }
    driver.pass(.seconds(60))
    #expect(driver.connections.last == "192.0.2.9:7000")
  }

  @Test func aFalseCallHindersNothing() throws {
    let foreign = try Self.call("77")
    var driver = Driver(.any)
    driver.act { $0.called(foreign, at: $1) }
    driver.act { $0.take(Self.car(), at: $1) }
    driver.act { $0.called(foreign, at: $1) }
    driver.pass(.seconds(1))
    #expect(driver.connections == ["192.0.2.1:7000"])
    // The call of a head unit that is there is not displaced.
    var called = Driver(.caller)
    called.act { $0.take(Self.car(), at: $1) }
    let own = try Self.call("2199023255553")
    called.act { $0.called(own, at: $1) }
    called.act { $0.called(foreign, at: $1) }
    called.pass(.seconds(1))
    #expect(called.connections == ["192.0.2.1:7000"])
  }

  @Test func aRecordNamesNoAddressOfThisMachine() {
    for address in ["127.0.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "169.254.1.1", "::", "::1", "ff02::1"] {
      var driver = Driver(.any)
      driver.act { $0.take(Self.car(address: address), at: $1) }
      driver.pass(.seconds(60))
      #expect(driver.connections.isEmpty, "\(address)")
    }
    var local = Driver(.any)
    local.act { $0.take(Self.car(address: "127.0.0.1", interface: "lo"), at: $1) }
    local.pass(.seconds(1))
    #expect(local.connections == ["127.0.0.1:7000"])
  }

  @Test func aCallDuringASessionChangesNothing() throws {
    var driver = Driver(.any)
    driver.act { $0.take(Self.car(), at: $1) }
    driver.act { $0.take(Self.car("Other", address: "192.0.2.9", id: "02:00:00:00:00:02"), at: $1) }
    driver.pass(.seconds(1))
    driver.act { $0.sessionBegan(at: $1) }
    let call = try Self.call("2199023255554")
    driver.act { $0.called(call, at: $1) }
    driver.pass(.seconds(60))
    #expect(driver.connections == ["192.0.2.1:7000"])
  }

  @Test func afterALossThePhoneConnectsAgainAndAfterATeardownItRests() throws {
    for end in [SessionEnd.controlLost, .teardown] {
      var driver = Driver(.any)
      driver.act { $0.take(Self.car(), at: $1) }
      driver.pass(.seconds(1))
      driver.act { $0.sessionBegan(at: $1) }
      driver.act { finder, _ in finder.sessionSetUp() }
      driver.act { $0.sessionEnded(end, at: $1) }
      driver.pass(.seconds(60))
      #expect(driver.connections.count == (end.isLoss ? 2 : 1))
      guard !end.isLoss else { continue }
      // The head unit may call, or come anew.
      let call = try Self.call("2199023255553")
      driver.act { $0.called(call, at: $1) }
      driver.pass(.seconds(1))
      #expect(driver.connections.count == 2)
    }
  }
}
