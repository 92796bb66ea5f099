// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Testing

@testable import IAP2Runtime

/// Evidence about a connection from the phone's power supply.
@Suite struct PowerTests {
  /// An RST packet (Reliability.md#rst-form): a header of nine bytes with sequence number, acknowledgement and session
  /// 0.
  private static let reset: [UInt8] = [0xFF, 0x5A, 0x00, 0x09, 0x10, 0x00, 0x00, 0x00, 0x8E]

  /// The events of a phone that the car charges over some resets of the link, until charging stops. The cable stays.
  private static func story(resets: Int) throws -> [RoleEvent] {
    try VirtualTime.run { time in
      let (near, far) = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      var profile = PhoneProfile()
      profile.state.battery.wallCurrent = 2000
      let car = HeadUnit(profile: .standard(), options: options)
      let phone = Phone(profile: profile, options: options)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await car.run(on: near)
          car.finish()
        }
        group.addTask {
          _ = await phone.run(on: far)
          phone.finish()
        }
        group.addTask {
          let bench = FeatureBench(car: car, phone: phone, time: time)
          await bench.wait(2)
          for _ in 0..<resets {
            do {
              try await near.send(Self.reset)
              try await far.send(Self.reset)
            } catch { Issue.record("\(error)") }
            await bench.wait(5)
          }
          await phone.update { ($0.battery.wallCurrent, $0.battery.carCurrent) = (0, 0) }
          await bench.wait(1)
          await phone.disconnect()
        }
        for await _ in car.events {}
        var events: [RoleEvent] = []
        for await event in phone.events { events.append(event.event) }
        return events
      }
    }
  }

  @Test(arguments: [0, 1, 2]) func theEndOfASupplyThatOutlastedResetsIsDetected(resets: Int) throws {
    let events = try Self.story(resets: resets)
    #expect(events.count { $0 == .connected } == resets + 1)
    let kinds = events.compactMap { event -> [EvidenceKind]? in
      if case .suspected(let evidence) = event { evidence.map(\.kind) } else { nil }
    }
    #expect(kinds == [[.chargingStopped]])
  }

  @Test func theBatteryIsEvidenceAfterTheLinkHasEnded() throws {
    let causes = try VirtualTime.run { time in
      let ends = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      // This policy uses only the notification and the battery, and the notification is lost.
      options.lifecycle = Lifecycle(policy: .charging)
      options.losesNotice = { true }
      let car = HeadUnit(profile: .standard(), options: options)
      let phone = Phone(options: options)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          async let other = car.run(on: ends.accessory)
          _ = await phone.run(on: ends.device)
          _ = await other
          await phone.update { $0.battery.carCurrent = 0 }
          phone.finish()
        }
        group.addTask {
          await FeatureBench(car: car, phone: phone, time: time).wait(2)
          ends.accessory.cut()
        }
        var causes: [DisconnectCause] = []
        for await event in phone.events { if let cause = event.event.disconnectCause { causes.append(cause) } }
        return causes
      }
    }
    #expect(causes == [.chargingStopped])
  }
}
