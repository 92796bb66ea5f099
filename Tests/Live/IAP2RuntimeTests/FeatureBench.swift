// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Testing

@testable import IAP2Runtime

/// A car and a phone in virtual time that are ready for the script of a test.
struct FeatureBench: Sendable {
  let car: HeadUnit
  let phone: Phone
  let time: VirtualTime

  func wait(_ seconds: Double) async {
    do { try await time.sleep(until: time.now.adding(milliseconds: Int(seconds * 1000))) } catch {}
  }

  struct Story: Sendable {
    var car: [RoleEvent] = []
    var phone: [RoleEvent] = []

    static func features(_ events: [RoleEvent]) -> [FeatureEvent] {
      events.compactMap { if case .feature(let event) = $0 { event } else { nil } }
    }
    /// The ids of the messages that one side received.
    static func received(_ events: [RoleEvent]) -> [UInt16] {
      events.compactMap { if case .message(.received, let id, _) = $0 { id } else { nil } }
    }
    static func violations(_ events: [RoleEvent]) -> [ProtocolViolation] {
      events.compactMap { if case .violation(let violation) = $0 { violation } else { nil } }
    }
  }

  static func play(
    _ features: HeadUnitFeatures = .all, protocols: [String] = [],
    _ prepare: @escaping @Sendable (inout HeadUnitProfile, inout PhoneState) -> Void = { _, _ in },
    _ script: @escaping @Sendable (FeatureBench) async throws -> Void
  ) throws -> Story {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      var profile = HeadUnitProfile.standard(protocols: protocols, features: features)
      var phoneProfile = PhoneProfile()
      prepare(&profile, &phoneProfile.state)
      let car = HeadUnit(profile: profile, options: options)
      let phone = Phone(profile: phoneProfile, options: options)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await car.run(on: transports.accessory)
          car.finish()
        }
        group.addTask {
          _ = await phone.run(on: transports.device)
          phone.finish()
        }
        group.addTask {
          let bench = FeatureBench(car: car, phone: phone, time: time)
          await bench.wait(1)
          do { try await script(bench) } catch { Issue.record("\(error)") }
          await bench.wait(1)
          await phone.disconnect()
        }
        var story = Story()
        for await event in car.events { story.car.append(event.event) }
        for await event in phone.events { story.phone.append(event.event) }
        return story
      }
    }
  }
}
