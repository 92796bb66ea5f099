// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// The time axis of the drawing.
package enum DiagramTime: Equatable {
  /// One row per step; silence of at least this many seconds is a break.
  case folded(pause: Double)
  /// Distances longer than a row are to scale.
  case scaled
}

/// The positions of a connection's steps, in pixels from the top of its drawing.
struct DiagramLayout {
  enum Kind: Equatable {
    /// - Parameter elapsed: seconds since the previous step; nil if one of them has no time.
    case step(Int, elapsed: Double?, startsPhase: Bool)
    /// A break in seconds; below 0 if the capture's clock goes back.
    case pause(Double)
    /// A time between steps, on the scale.
    case tick(Double)
    case leftOut
  }

  struct Row: Equatable {
    var kind: Kind
    var top: Int
    /// The length of a run below its arrow.
    var extent = 0
    /// The number of alike steps that the row stands for.
    var count = 1
  }

  static let rowHeight = 28
  static let pauseHeight = 34
  /// The height of a step with two lines beside its arrow.
  private static let tallHeight = 38
  private static let phaseSpace = 10
  private static let margin = 10
  private static let tickDistance = 50

  private(set) var rows: [Row] = []
  private(set) var height = Self.margin
  /// The pixels per second; nil if time is not to scale.
  private(set) var scale: Double?

  init(_ connection: SequenceDiagram.Connection, _ time: DiagramTime) {
    if time == .scaled { scale = Self.scale(connection.steps) }
    rows.reserveCapacity(connection.steps.count)
    var phase: SequenceDiagram.Phase?
    var last: SequenceDiagram.Step?
    var end = 0
    for (number, step) in connection.steps.enumerated() where number >= end {
      end = number + Self.runLength(connection.steps[number...])
      let final = connection.steps[end - 1]
      let elapsed = Self.seconds(from: last?.lastTime, to: step.time)
      let startsPhase = step.phase.map { $0 != phase } ?? false
      add(space: elapsed, after: last, time, least: startsPhase && last != nil ? Self.phaseSpace : 0)
      rows.append(
        Row(
          kind: .step(number, elapsed: elapsed, startsPhase: startsPhase && last != nil), top: height,
          extent: extent(from: step, to: final), count: end - number))
      height += Self.rowHeight(step) + (rows.last?.extent ?? 0)
      if let next = step.phase { phase = next }
      last = final
    }
    if connection.leftOut > 0 {
      rows.append(Row(kind: .leftOut, top: height))
      height += Self.pauseHeight
    }
    height += Self.margin
  }

  /// The number of alike steps that are one row.
  static let shortestRun = 4
  /// The silence in a run, as a multiple of its first one, that ends the run.
  private static let longestSilence = 4.0

  /// Returns the number of steps, from the first one on, that are one row: alike steps at about the same distance.
  private static func runLength(_ steps: ArraySlice<SequenceDiagram.Step>) -> Int {
    guard let first = steps.first else { return 0 }
    var count = 1
    var before = first
    var limit: Double?
    for step in steps.dropFirst() {
      guard first.isAlike(step) else { break }
      if let elapsed = seconds(from: before.lastTime, to: step.time) {
        let longest = limit ?? max(elapsed * longestSilence, 1)
        guard elapsed >= 0, elapsed <= longest else { break }
        limit = longest
      }
      count += 1
      before = step
    }
    return count < shortestRun ? 1 : count
  }

  static func rowHeight(_ step: SequenceDiagram.Step) -> Int {
    if case .synchronization = step.content { tallHeight } else { rowHeight }
  }

  /// Adds the elements between a step and the previous one.
  private mutating func add(
    space elapsed: Double?, after last: SequenceDiagram.Step?, _ time: DiagramTime, least: Int
  ) {
    guard let elapsed, let last else {
      height += least
      return
    }
    switch time {
    case .folded(let pause):
      guard abs(elapsed) >= pause else {
        height += least
        return
      }
      rows.append(Row(kind: .pause(elapsed), top: height))
      height += Self.pauseHeight
    case .scaled:
      let used = Self.rowHeight(last)
      let distance = Int((max(elapsed, 0) * (scale ?? 0)).rounded())
      guard let scale, distance > used + least else {
        height += least
        return
      }
      addTicks(from: last.lastTime ?? 0, elapsed, from: height - used, scale)
      height += distance - used
    }
  }

  private mutating func addTicks(from start: Double, _ elapsed: Double, from top: Int, _ scale: Double) {
    let unit = Self.step(atLeast: Double(Self.tickDistance) / scale)
    let first = (start / unit).rounded(.up)
    // The scale bounds the number of ticks.
    for number in 0... {
      let time = (first + Double(number)) * unit
      let place = (time - start) * scale
      guard place < elapsed * scale - Double(Self.rowHeight) else { return }
      if place > Double(Self.rowHeight) { rows.append(Row(kind: .tick(time), top: top + Int(place.rounded()))) }
    }
  }

  private func extent(from step: SequenceDiagram.Step, to last: SequenceDiagram.Step) -> Int {
    guard let scale, let duration = Self.seconds(from: step.time, to: last.lastTime), duration > 0 else { return 0 }
    return Int((duration * scale).rounded())
  }

  // MARK: Scale

  /// Returns the scale by which silence and runs take about as much room as the steps, and at least two screens.
  private static func scale(_ steps: [SequenceDiagram.Step]) -> Double? {
    var spans = zip(steps, steps.dropFirst()).compactMap { seconds(from: $0.lastTime, to: $1.time) }
    spans += steps.compactMap { seconds(from: $0.time, to: $0.lastTime) }
    let total = spans.filter { $0 > 0 }.reduce(0, +)
    guard total > 0, total.isFinite else { return nil }
    let room = Double(max(2000, steps.count * rowHeight))
    // The scale has 100 pixels for a round time.
    return 100 / step(atLeast: total / room * 100)
  }

  /// Returns the next of 1, 2, 5 times a power of ten.
  private static func step(atLeast seconds: Double) -> Double {
    var unit = 1e-6
    while unit < 1e12 {
      for factor in [1.0, 2, 5] where unit * factor >= seconds { return unit * factor }
      unit *= 10
    }
    return unit
  }

  private static func seconds(from start: Double?, to end: Double?) -> Double? {
    guard let start, let end else { return nil }
    return end - start
  }
}
