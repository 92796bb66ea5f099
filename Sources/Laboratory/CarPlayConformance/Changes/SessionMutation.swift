// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// A change of one message that a probe sends in a session.
package struct SessionMutation: Sendable, Hashable, Codable {
  /// The kind of a change.
  package enum Change: String, Sendable, Hashable, CaseIterable, Codable {
    /// A bit of the body is flipped, or of the whole message without a body.
    case flip
    /// The body ends early, with a length that fits.
    case cut
    /// The length is another one than that of the body.
    case length
    /// A piece of the body comes twice.
    case repetition
    /// Random bytes are inserted into the body.
    case insertion
    /// A key of the property list is removed, or an item of the pairing message.
    case removal
    /// A value of the property list has another type, or an item of the pairing message another value.
    case value
    /// A value of the property list is inside many lists.
    case depth
    /// The first line or a header is changed.
    case header
    /// The message is not sent.
    case loss
    /// The message is sent twice.
    case duplicate
  }

  /// The number of the message among those of the session, from 0.
  package var message: Int
  /// The kind.
  package var change: Change
  /// A number from which places and values follow.
  package var seed: UInt64

  /// Draws a change of one of the first messages.
  init(messageCount: Int, using generator: inout SeededGenerator) {
    message = Int(generator.next() % UInt64(messageCount))
    change = Change.allCases[Int(generator.next() % UInt64(Change.allCases.count))]
    seed = generator.next()
  }

  /// Returns the bytes that are sent in place of a request or an answer.
  func pieces(of message: RequestMessage) -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    var changed = message
    switch change {
    case .loss: return []
    case .duplicate: return [message.bytes, message.bytes]
    case .header: return [Self.header(of: message, &generator)]
    case .length:
      let lengths = ["0", "1", "65535", "99999999999", "-1", "x", "\(message.body.count + 1)"]
      let length = lengths[Int(generator.next() % UInt64(lengths.count))]
      let head = String(decoding: message.bytes.dropLast(message.body.count), as: UTF8.self)
      return [
        Array(head.replacing("Content-Length: \(message.body.count)", with: "Content-Length: \(length)").utf8)
          + message.body
      ]
    case .removal, .value, .depth: changed.body = Self.structured(message.body, change, &generator)
    case .flip, .cut, .repetition, .insertion: changed.body = bytes(message.body, &generator)
    }
    return [changed.body == message.body ? bytes(message.bytes, &generator) : changed.bytes]
  }

  /// Returns the bytes that are sent in place of a message of a stream, or of a datagram.
  func pieces(of content: [UInt8]) -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    switch change {
    case .loss: return []
    case .duplicate: return [content, content]
    default: return [bytes(content, &generator)]
    }
  }

  private func bytes(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    var bytes = bytes
    let place = Int(generator.next() % UInt64(bytes.count))
    switch change {
    case .cut: bytes.removeSubrange(place...)
    case .repetition: bytes += bytes[place...]
    case .insertion:
      let count = Int(generator.next() % 64)
      bytes.insert(contentsOf: (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }, at: place)
    default: bytes[place] ^= 1 << UInt8(generator.next() % 8)
    }
    return bytes
  }

  private static func header(of message: RequestMessage, _ generator: inout SeededGenerator) -> [UInt8] {
    var message = message
    switch generator.next() % 4 {
    case 0: message.headers.fields.removeAll { $0.name == "CSeq" }
    case 1: message.headers.fields += RequestHeaders([("CSeq", "x")]).fields
    case 2: message.headers.fields += RequestHeaders([("X", String(repeating: "y", count: 20_000))]).fields
    default:
      message.start =
        switch message.start {
        case .request(let method, let path, _): .request(method: method, path: path, protocolWord: "RTSP/9.9")
        case .answer(_, let reason, _): .answer(status: 999, reason: reason, protocolWord: "RTSP/1.0")
        }
    }
    return message.bytes
  }

  /// Changes the structure of a body: a property list, or a message of pairing. Another body stays as it is.
  private static func structured(
    _ body: [UInt8], _ change: Change, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    do {
      let values = try SessionInfo(bytes: body).values
      return changed(.dictionary(values), change, &generator).binary
    } catch {
      guard !body.starts(with: Array("bplist".utf8)) else { return body }
      do throws(TLV8.Problem) {
        var list = try TLV8(bytes: body)
        guard !list.items.isEmpty else { return body }
        let place = Int(generator.next() % UInt64(list.items.count))
        if change == .removal {
          list.items.remove(at: place)
        } else {
          list.items[place].value = (0..<Int(generator.next() % 400)).map { _ in
            UInt8(truncatingIfNeeded: generator.next())
          }
        }
        return list.bytes
      } catch { return body }
    }
  }

  /// Changes one value in a tree.
  private static func changed(
    _ value: PropertyValue, _ change: Change, _ generator: inout SeededGenerator
  ) -> PropertyValue {
    switch value {
    case .dictionary(var values) where !values.isEmpty:
      let keys = values.keys.sorted()
      let key = keys[Int(generator.next() % UInt64(keys.count))]
      guard let inner = values[key] else { return value }
      if isContainer(inner), generator.next() % 4 > 0 {
        values[key] = changed(inner, change, &generator)
      } else {
        values[key] = change == .removal ? nil : other(inner, change, &generator)
      }
      return .dictionary(values)
    case .array(var values) where !values.isEmpty:
      let place = Int(generator.next() % UInt64(values.count))
      values[place] = changed(values[place], change, &generator)
      return .array(values)
    default: return other(value, change, &generator)
    }
  }

  private static func isContainer(_ value: PropertyValue) -> Bool {
    switch value {
    case .dictionary, .array: true
    default: false
    }
  }

  /// Returns another value in place of one.
  private static func other(
    _ value: PropertyValue, _ change: Change, _ generator: inout SeededGenerator
  ) -> PropertyValue {
    if change == .depth {
      return (0..<Int(generator.next() % 200)).reduce(value) { inner, _ in .array([inner]) }
    }
    let others: [PropertyValue] = [
      .integer(0), .integer(-1), .integer(.max), .integer(.min), .real(1e300), .bool(true), .text(""),
      .text(String(repeating: "x", count: 5000)), .data([]), .data([UInt8](repeating: 0xFF, count: 5000)), .array([]),
      .dictionary([:]),
    ]
    return others[Int(generator.next() % UInt64(others.count))]
  }
}

/// The changes of one session, in the form of the file that repeats it.
package struct SessionFuzzPlan: Sendable, Hashable, Codable {
  /// The seed, and the round of the seed.
  package var seed: UInt64
  package var round: Int
  /// The changes.
  package var mutations: [SessionMutation]

  /// The number of the messages of an ordinary session among which changes are drawn.
  static let messageCount = 120
  /// The most changes of a round.
  private static let maximumCount: UInt64 = 4

  /// Draws the plan of a round.
  package init(seed: UInt64, round: Int) {
    (self.seed, self.round) = (seed, round)
    var generator = SeededGenerator(seed: seed &+ UInt64(round) &* 0x9E37_79B9_7F4A_7C15)
    // Half of the changes are among the first messages, without which nothing else comes.
    let count = 1 + generator.next() % Self.maximumCount
    mutations = (0..<count).map { _ in
      let isEarly = generator.next() % 2 == 0
      return SessionMutation(messageCount: isEarly ? 16 : Self.messageCount, using: &generator)
    }
  }
}

/// The messages of a session so far, of which some are changed.
final class SessionChanger {
  private let plan: SessionFuzzPlan
  /// The number of the messages so far.
  private(set) var count = 0
  /// The names of the changed messages, in their order.
  private(set) var changed: [String] = []

  init(_ plan: SessionFuzzPlan) { self.plan = plan }

  /// Returns what is sent in place of a request or an answer.
  func pieces(of message: RequestMessage, _ name: String) -> [[UInt8]] {
    take(name).map { $0.pieces(of: message) } ?? [message.bytes]
  }

  /// Returns what is sent in place of a message of a stream, or of a datagram.
  func pieces(of content: [UInt8], _ name: String) -> [[UInt8]] {
    take(name).map { $0.pieces(of: content) } ?? [content]
  }

  private func take(_ name: String) -> SessionMutation? {
    defer { count += 1 }
    guard let mutation = plan.mutations.first(where: { $0.message == count }) else { return nil }
    changed.append("\(mutation.change.rawValue) of message \(count), \(name)")
    return mutation
  }
}
