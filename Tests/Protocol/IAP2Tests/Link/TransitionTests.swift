// swift-iap2 · Apache-2.0

import Foundation
import Testing
import WireSupport

@testable import IAP2

/// The effect of every input in every state, compared with a reviewed file, `Golden/link-transitions.txt`.
@Suite struct TransitionTests {
  static let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../Golden/link-transitions.txt")

  typealias Input = (name: String, apply: (inout Link, MonotonicTime) -> [LinkEvent])

  static func receive(_ bytes: [UInt8]) -> (inout Link, MonotonicTime) -> [LinkEvent] {
    { link, now in
      var events: [LinkEvent] = []
      var offset = 0
      while let event = link.receive(bytes.rawBytes, offset: &offset, at: now) { events.append(event) }
      return events
    }
  }

  static func reported(_ link: inout Link, _ now: MonotonicTime) -> [LinkEvent] { receive([])(&link, now) }

  static func inputs(_ side: Side) -> [Input] {
    [
      (
        "start",
        {
          $0.start(at: $1)
          return reported(&$0, $1)
        }
      ),
      ("detect", receive(LinkScanner.detect)),
      ("iAP1 frame", receive(hex("ff5504000204ee08"))),
      ("garbage", receive([1, 2, 3])),
      ("SYN", receive(packet(0x80, 0x40, 0, synchronization()))),
      ("SYN+ACK", receive(packet(0xC0, 0x40, 0x10, synchronization()))),
      ("SYN+ACK that counters", receive(packet(0xC0, 0x41, 0x10, synchronization(32, 4096, 1000)))),
      ("SYN with a bad payload", receive(packet(0x80, 0x40, 0, [1, 2, 3]))),
      ("ACK", receive(packet(0x40, 0x40, 0x10))),
      ("ACK of nothing sent", receive(packet(0x40, 0x40, 0x30))),
      ("data in order", receive(packet(0x40, 0x41, 0x10, session: 1, [7]))),
      ("data ahead", receive(packet(0x40, 0x43, 0x10, session: 1, [7]))),
      ("data again", receive(packet(0x40, 0x40, 0x10, session: 1, [7]))),
      ("data with a bad checksum", receive(Array(packet(0x40, 0x41, 0x10, session: 1, [7]).dropLast()) + [0])),
      ("EAK", receive(packet(0x60, 0x40, 0x10, [0x11]))),
      ("SLP", receive(packet(0x08, 0x40, 0))),
      ("RST", receive(packet(0x10, 0x40, 0))),
      (
        "deadline",
        { link, now in
          guard let deadline = link.nextDeadline else { return [] }
          link.handleDeadline(at: deadline)
          return reported(&link, deadline)
        }
      ),
      (
        "close",
        {
          $0.close(at: $1)
          return reported(&$0, $1)
        }
      ),
      (
        "reset",
        {
          $0.reset()
          return reported(&$0, $1)
        }
      ),
    ]
  }

  /// Returns every state, reached by a sequence of inputs.
  static func states(_ side: Side) -> [(name: String, link: Link)] {
    func link(_ steps: [String]) -> Link {
      var preferences = LinkPreferences()
      preferences.retransmissionTimeouts = 1500...2000
      var link = Link(side: side, preferences: preferences, limits: Limits(), firstSequence: SequenceNumber(0x10))
      let inputs = inputs(side)
      for step in steps {
        if step == "send" {
          let bytes: [UInt8] = [1]
          link.send(session: 1, payload: bytes.rawBytes)
        } else {
          for input in inputs where input.name == step { _ = input.apply(&link, .zero) }
        }
        _ = sent(&link)
      }
      return link
    }
    let common: [(String, [String])] =
      switch side {
      case .accessory:
        [
          ("detecting", ["start"]), ("negotiating", ["start", "detect"]),
          ("negotiating, countered", ["start", "detect", "SYN+ACK that counters"]),
          ("up", ["start", "detect", "SYN+ACK"]), ("up, unacknowledged", ["start", "detect", "SYN+ACK", "send"]),
          ("closing", ["start", "detect", "SYN+ACK", "send", "close"]),
          ("resting", ["start", "detect", "SYN+ACK", "RST"]), ("ended", ["start", "detect", "SYN+ACK", "reset"]),
        ]
      case .device:
        [
          ("awaiting detect", ["start"]), ("negotiating", ["start", "detect", "SYN"]),
          ("up", ["start", "detect", "SYN", "ACK"]), ("up, unacknowledged", ["start", "detect", "SYN", "ACK", "send"]),
          ("up, DETECT", ["start", "detect", "SYN", "ACK", "send", "detect"]),
          ("up, DETECT and an answer", ["start", "detect", "SYN", "ACK", "detect", "ACK"]),
          ("closing", ["start", "detect", "SYN", "ACK", "send", "close"]),
          ("ended", ["start", "detect", "SYN", "ACK", "reset"]),
        ]
      }
    return [("idle", link([]))] + common.map { ($0.0, link($0.1)) }
  }

  static func sent(_ link: inout Link) -> [String] {
    var names: [String] = []
    while let bytes = link.nextTransmit(at: .zero, { [UInt8](copying: $0) }) {
      if bytes == LinkScanner.detect {
        names.append("detect")
      } else {
        let control = LinkControl(rawValue: bytes[4]).names.joined(separator: "+")
        names.append(bytes.count > 9 && bytes[4] & 0xB0 == 0 ? "data" : control)
      }
    }
    return names
  }

  static func text(_ state: Link.State) -> String {
    switch state {
    case .idle: "idle"
    case .detecting(let attempt, _, let sawLegacy): "detecting \(attempt)\(sawLegacy ? " iAP1" : "")"
    case .awaitingDetect: "awaiting detect"
    case .negotiating(let negotiation):
      "negotiating \(negotiation.proposal.retransmissionTimeout) ms round \(negotiation.rounds) attempt \(negotiation.attempt)"
    case .up: "up"
    case .closing: "closing"
    case .resting: "resting"
    case .ended(let end): "ended \(end)"
    }
  }

  static func text(_ event: LinkEvent) -> String {
    switch event {
    case .detected: "detected"
    case .legacyPeer: "legacyPeer"
    case .proposal: "proposal"
    case .up(let local, _): "up(\(local.retransmissionTimeout) ms)"
    case .data(_, let payload): "data(\(payload.byteCount))"
    case .down(let end): "down(\(end))"
    case .violation(let violation): "\(violation)"
    }
  }

  static func dump() -> String {
    var lines = ["# side state + input -> state | events | packets"]
    for side in Side.allCases {
      for (name, link) in states(side) {
        for input in inputs(side) {
          var link = link
          let events = input.apply(&link, .zero).map(text)
          let packets = sent(&link)
          lines.append(
            "\(side.rawValue) \(name) + \(input.name) -> \(text(link.state)) | \(events.joined(separator: ", ")) | \(packets.joined(separator: ", "))"
          )
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func everyInputInEveryStateMatchesTheFile() throws {
    let dump = Self.dump()
    if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
      try dump.write(to: Self.golden, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: Self.golden, encoding: .utf8).split(separator: "\n")
    let found = dump.split(separator: "\n")
    for (line, wanted) in zip(found, expected) where line != wanted { Issue.record("\(line)\nexpected \(wanted)") }
    #expect(found.count == expected.count)
  }
}
