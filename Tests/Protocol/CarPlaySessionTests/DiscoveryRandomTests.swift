// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

/// Anything may come from a network, in any order.
@Suite struct DiscoveryRandomTests {
  private static func service(_ kind: CarPlayService, _ random: inout SeededGenerator) -> ServiceChange {
    let isIPv6 = Bool.random(using: &random)
    let id = FoundService.ID(
      kind, name: "Name \(Int.random(in: 0..<4, using: &random))",
      interface: "eth\(Int.random(in: 0..<2, using: &random))", isIPv6: isIPv6)
    guard Int.random(in: 0..<3, using: &random) > 0 else { return .lost(id) }
    let addresses: [String?] = ["192.0.2.1", "fe80::1%eth0", "2001:db8::1", "169.254.0.1", nil]
    let text = TextRecord([
      .init("deviceid", "02:00:00:00:00:0\(Int.random(in: 0..<4, using: &random))"),
      .init("features", Bool.random(using: &random) ? "0x0,0x1" : "?"), .init("id", "02:00:00:00:00:01"),
    ])
    return .found(
      FoundService(
        id, host: "host", address: addresses.randomElement(using: &random) ?? nil,
        port: [0, 1, 7000].randomElement(using: &random) ?? 1, text: text))
  }

  @Test(arguments: 0..<20) func aCallerHasOneRequestAndBecomesQuiet(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var caller = PhoneCaller(PhoneCaller.Settings(.any))
    var time = MonotonicTime(nanoseconds: 1 << 40)
    var (isCalling, isBusy, isHeld) = (false, false, false)
    for _ in 0..<2000 {
      time = time.adding(milliseconds: Int.random(in: 0...2000, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0: caller.answered(.status([200, 404].randomElement(using: &random) ?? 200), at: time)
      case 1: caller.answered(.none(reason: "no answer"), at: time)
      case 2:
        caller.sessionBegan(at: time)
        isBusy = true
      case 3:
        caller.sessionEnded(SessionEnd.allCases.randomElement(using: &random) ?? .teardown, at: time)
        isBusy = false
      case 4:
        isHeld.toggle()
        caller.hold(isHeld, at: time)
      case 5: caller.handleDeadline(at: time)
      default: caller.take(Self.service(.control, &random), at: time)
      }
      for action in caller.takeActions() {
        switch action {
        case .call(let phone):
          #expect(!isCalling && !isBusy && !isHeld && phone.preference != nil, "seed \(seed)")
          isCalling = true
        case .cancel: isCalling = false
        case .report(.answered), .report(.failed): isCalling = false
        case .report: break
        }
      }
      if isBusy { isCalling = false }
    }
    // Everybody leaves: nothing is planned any more.
    for name in 0..<4 {
      for interface in ["eth0", "eth1"] {
        for isIPv6 in [true, false] {
          let id = FoundService.ID(.control, name: "Name \(name)", interface: interface, isIPv6: isIPv6)
          caller.take(.lost(id), at: time)
        }
      }
    }
    caller.sessionEnded(.controlLost, at: time)
    caller.answered(.none(reason: "no answer"), at: time)
    for _ in 0..<4 {
      guard let deadline = caller.nextDeadline else { break }
      caller.handleDeadline(at: deadline)
    }
    #expect(caller.nextDeadline == nil, "seed \(seed)")
  }

  @Test(arguments: 0..<20) func aFinderHasOneConnection(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var finder = HeadUnitFinder(HeadUnitFinder.Settings([.any, .caller].randomElement(using: &random) ?? .any))
    var time = MonotonicTime(nanoseconds: 1 << 40)
    var isConnecting = false
    for _ in 0..<2000 {
      time = time.adding(milliseconds: Int.random(in: 0...2000, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where isConnecting:
        finder.failed(at: time)
        isConnecting = false
      case 1:
        finder.sessionBegan(at: time)
        if Bool.random(using: &random) { finder.sessionSetUp() }
      case 2:
        finder.sessionEnded(SessionEnd.allCases.randomElement(using: &random) ?? .teardown, at: time)
        isConnecting = false
      case 3:
        var reader = RequestReader()
        let id = DeviceID(number: 0x02_00_00_00_00_00 + UInt64.random(in: 0..<4, using: &random))
        reader.add(ControlCall.request(try #require(id), sourceVersion: "1", host: "host"))
        finder.called(try ControlCall(try #require(try reader.next())), at: time)
      case 4: finder.handleDeadline(at: time)
      default: finder.take(Self.service(.airPlay, &random), at: time)
      }
      for case .connect(let headUnit) in finder.takeActions() {
        #expect(!isConnecting && headUnit.preference != nil, "seed \(seed)")
        isConnecting = true
      }
    }
  }

  @Test func randomBytesAreNoRecordThatEndsAProgram() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3000 {
      let strings = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
        Array("deviceid=features=0x,pk".utf8.shuffled(using: &random).prefix(Int.random(in: 0..<24, using: &random)))
          + (0..<Int.random(in: 0..<9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      let record = TextRecord(strings: strings)
      #expect(TextRecord(strings: record.strings).entries.count <= record.entries.count)
      #expect(!HeadUnitRecord(record).problems.isEmpty && !PhoneRecord(record).problems.isEmpty)
    }
  }
}
