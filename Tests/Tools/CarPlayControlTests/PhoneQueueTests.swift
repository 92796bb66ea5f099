// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing

@testable import CarPlayPhone

/// The reports of a session that wait for the phone's thread.
struct PhoneQueueTests {
  private static func touch(_ slot: Int, _ isTouching: Bool, _ x: Int) -> PhoneReport {
    .input(.touch(slot: slot, isTouching: isTouching, x: x, y: 0), .now)
  }

  /// Returns the touches that are left of some reports.
  private static func left(of reports: [PhoneReport]) throws -> [String] {
    let queue = try PhoneQueue()
    for report in reports { queue.add(report) }
    let left = queue.take()
    #expect(queue.take().isEmpty)
    return left.map { report in
      switch report {
      case .input(.touch(let slot, let isTouching, let x, _), _): "\(slot) \(isTouching ? "down" : "up") \(x)"
      case .command(let command): command.name
      default: "other"
      }
    }
  }

  @Test func `of a finger's moves the last one is left, and its first and last touch always`() throws {
    let reports =
      [
        PhoneReport.taken(.screen, isSent: true), Self.touch(0, true, 1), Self.touch(0, true, 2),
        Self.touch(0, true, 3),
      ]
      + [Self.touch(0, false, 3), Self.touch(0, true, 9), Self.touch(1, true, 5), Self.touch(0, true, 8)]
    #expect(
      try Self.left(of: reports) == ["other", "0 down 1", "0 down 3", "0 up 3", "0 down 9", "1 down 5", "0 down 8"])
  }

  @Test func `a head unit cannot fill the memory, and the end always arrives`() throws {
    let keyFrames = [PhoneReport](repeating: .command(.forceKeyFrame(uuid: nil)), count: 1000)
    #expect(try Self.left(of: keyFrames) == ["forceKeyFrame"])
    let screens = ["main", "cluster"].map { PhoneReport.command(.forceKeyFrame(uuid: $0)) }
    #expect(try Self.left(of: screens + screens).count == 2)
    let areas = (0..<1000).map {
      PhoneReport.command(.requestViewArea(uuid: "main", index: $0, milliseconds: 0))
    }
    #expect(try Self.left(of: areas) == ["requestViewArea"])
    let modes = (0..<1000).map { PhoneReport.modes(isShown: $0 % 2 == 0, hasSpeakers: true) }
    #expect(try Self.left(of: modes) == ["other"])
    let knob = (0..<10_000).map { _ in PhoneReport.input(.knobWheel(steps: 1), .now) }
    #expect(try Self.left(of: knob + [.end]).count == 2001)
  }
}
