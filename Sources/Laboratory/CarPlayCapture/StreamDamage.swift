// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2Capture

/// The damaged bytes of a session's streams. Whether a side or the capture is at fault follows from what comes behind
/// them. Its size does not grow with the session.
struct StreamDamage: Sendable {
  /// A stream by its name, and the side that sends.
  struct Source: Sendable, Hashable {
    var name: String
    var side: SessionSide
  }

  /// A damage of a stream.
  struct Place: Sendable {
    var kind: SessionJudge.Damage
    var problem: ValueProblem
    var moment: CaptureMoment
  }

  /// The first and the last damage of a stream.
  struct Entry: Sendable {
    var first, last: Place
    /// Whether something behind it was read, and whether something was not.
    var isReadOn = false, hasUnreadRest = false
  }

  /// The packets of sound of a sender.
  struct Sound: Sendable {
    var packets = 0, wrong = 0
    /// The place of the first summary with a wrong packet.
    var moment: CaptureMoment?
  }

  private(set) var entries: [Source: Entry] = [:]
  private(set) var sound: [Source: Sound] = [:]
  private var read: Set<Source> = []

  /// The most streams that are kept. Sessions have fewer.
  private static let maximumCount = 64
  /// The share of wrong packets, one of as many, and their number, from which the sender is at fault. Ours: a capture
  /// damages single packets.
  private static let packetsPerWrongOne = 10, minimumWrong = 2

  mutating func add(
    _ kind: SessionJudge.Damage, _ problem: ValueProblem, of source: Source, at moment: CaptureMoment
  ) {
    guard entries[source] != nil || entries.count < Self.maximumCount else { return }
    let place = Place(kind: kind, problem: problem, moment: moment)
    entries[source, default: Entry(first: place, last: place)].last = place
    entries[source]?.isReadOn = false
  }

  /// Notes that a unit of a stream was read.
  mutating func noteRead(_ source: Source) {
    if entries[source]?.isReadOn == false { entries[source]?.isReadOn = true }
    if read.count < Self.maximumCount { read.insert(source) }
  }

  /// Notes that bytes behind the damage of a stream were not read.
  mutating func noteUnreadRest(_ source: Source) { entries[source]?.hasUnreadRest = true }

  mutating func add(packets: Int, wrong: Int, of source: Source, at moment: CaptureMoment) {
    guard sound[source] != nil || sound.count < Self.maximumCount else { return }
    var sum = sound[source] ?? Sound()
    (sum.packets, sum.wrong) = (sum.packets + packets, sum.wrong + wrong)
    if wrong > 0, sum.moment == nil { sum.moment = moment }
    sound[source] = sum
  }

  /// Returns whether nothing of a stream opened although more than one unit came: its key or its form is wrong.
  func isWhollyWrong(_ source: Source) -> Bool {
    !read.contains(source) && entries[source]?.hasUnreadRest == true
  }

  /// Returns whether a sender seals a part of its packets wrongly.
  static func isAtFault(_ sound: Sound) -> Bool {
    sound.wrong >= minimumWrong && sound.wrong * packetsPerWrongOne >= sound.packets
  }
}

// The damage of streams in the course of a session.
extension SessionStory {
  mutating func noteDamage(
    _ kind: SessionJudge.Damage, _ problem: ValueProblem, of name: String, _ side: SessionSide, at moment: CaptureMoment
  ) {
    damage.add(kind, problem, of: .init(name: name, side: side), at: moment)
  }

  mutating func noteRead(_ name: String, _ side: SessionSide) { damage.noteRead(.init(name: name, side: side)) }

  /// The seconds from damage that is read on to the leaving of the receiver for which the damage is taken as the cause.
  /// Ours: what is behind the damage was on its way before the receiver left.
  private static let leavingSeconds = 1.0

  /// Returns whether a side closed a connection of a stream, or the session without an end in order, behind damage.
  private func leaves(_ side: SessionSide, _ name: String, behind damage: CaptureMoment, isReadOn: Bool) -> Bool {
    func isCause(_ mark: Mark) -> Bool {
      guard isReadOn else { return true }
      guard let start = damage.time, let end = mark.moment.time else { return false }
      return end - start <= Self.leavingSeconds
    }
    return closings.contains {
      $0.name == name && $0.mark.side == side && $0.mark.moment.record >= damage.record && isCause($0.mark)
    } || endsAbruptly(by: side) && end.map(isCause) == true
  }

  /// Returns whether a side closed the control connection without an end in order, as far as all its messages show.
  func endsAbruptly(by side: SessionSide) -> Bool {
    end?.side == side && !isTornDown && unreadSides[side] == nil && !lacking.contains(side)
      && !waiting.elements.contains { $0.text.hasPrefix("TEARDOWN") }
  }

  /// Judges the damage of streams for which a side is at fault, and returns the others in words.
  mutating func judgeDamage() -> [String] {
    var lines: [String] = []
    for (source, entry) in damage.entries.sorted(by: { $0.value.first.moment.record < $1.value.first.moment.record }) {
      let isLeft = leaves(
        source.side.other, source.name, behind: entry.last.moment, isReadOn: entry.isReadOn)
      if isLeft || damage.isWhollyWrong(source) {
        let place = isLeft ? entry.last : entry.first
        judge(at: place.moment) { $0.note(place.kind, by: source.side, place.problem) }
      } else {
        let rest = entry.isReadOn ? "the stream goes on, so the capture is damaged" : "nothing shows who is at fault"
        lines.append("record \(entry.first.moment.record): \(entry.first.problem.reason): \(rest)")
      }
    }
    let sound = damage.sound.sorted { ($0.value.moment?.record ?? 0) < ($1.value.moment?.record ?? 0) }
    for (source, sum) in sound {
      guard let moment = sum.moment else { continue }
      let words = "\(sum.wrong) of \(sum.packets) packets with a wrong tag"
      if StreamDamage.isAtFault(sum) {
        judge(at: moment) {
          $0.note(
            .sound, by: source.side, ValueProblem(source.name, is: words, expected: "the key of streamConnectionID"))
        }
      } else {
        lines.append("record \(moment.record): \(source.name) has \(words): so few are damage of the capture")
      }
    }
    return lines
  }
}
