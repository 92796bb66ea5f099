// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import HIDReports
import Testing

/// Descriptors and reports of any bytes. The cases are the same in every run.
@Suite struct InputRandomTests {
  private static let devices = [
    InputDevice.touchScreen(width: 1280, height: 720), .knob(), .mediaKeys(), .telephonyKeys(),
  ].map(\.descriptor)

  /// Reads a descriptor, and reports of its lengths and of others. Returns whether the bytes are a descriptor.
  private func isRead(_ bytes: [UInt8], _ random: inout SeededGenerator) -> Bool {
    guard let descriptor = try? HIDReportDescriptor(bytes) else { return false }
    var reader = InputReader(descriptor: descriptor, width: .max, height: 1)
    for (kind, bits) in descriptor.bitCounts where kind.kind == .input {
      let head = descriptor.hasReportIDs ? [kind.id] : []
      for extra in [0, 0, 0, -1, 1] {
        let count = max(0, (bits + 7) / 8 + extra)
        let report = head + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let events = try? reader.take(report)
        #expect((events != nil) == (report.count == head.count + (bits + 7) / 8))
      }
    }
    return true
  }

  @Test func randomBytesAreReadOrRefused() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<3000 {
      let count = Int.random(in: 0...60, using: &random)
      _ = isRead((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, &random)
    }
  }

  /// Items of the known tags with small numbers, so that many descriptors are valid.
  @Test func randomItemsAreReadOrRefused() {
    let tags: [UInt8] = [
      0x81, 0x81, 0x91, 0xA1, 0xC0, 0x05, 0x15, 0x25, 0x27, 0x75, 0x85, 0x95, 0xA4, 0xB4, 0x09, 0x0B, 0x19, 0x29, 0xA9,
    ]
    var random = SeededGenerator(seed: 2)
    var readCount = 0
    for _ in 0..<4000 {
      var bytes: [UInt8] = [0x75, 8, 0x95, 1, 0x25, 1]
      for _ in 0..<Int.random(in: 0...25, using: &random) {
        let tag = tags.randomElement(using: &random) ?? 0
        bytes.append(tag)
        for _ in 0..<[0, 1, 2, 4][Int(tag & 3)] { bytes.append(UInt8.random(in: 0...33, using: &random)) }
      }
      if isRead(bytes, &random) { readCount += 1 }
    }
    #expect(readCount > 200)
  }

  @Test func cutAndChangedDescriptorsAreReadOrRefused() {
    var random = SeededGenerator(seed: 3)
    for device in Self.devices {
      for end in 0..<device.count {
        #expect(!isRead(Array(device[..<end]), &random) || end < 5, "its collections have no end")
      }
      for _ in 0..<1000 {
        var bytes = device
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        _ = isRead(bytes, &random)
      }
    }
  }
}
