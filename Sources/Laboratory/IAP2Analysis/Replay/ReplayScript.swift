// swift-iap2 · Apache-2.0

package import IAP2

/// A recorded session as a play for one side: what it says, and what it hears from the other, in the order of the
/// capture.
///
/// Only the first link is played: what a connection has behind a reset is counted and left out.
package struct ReplayScript: Sendable {
  package struct Step: Sendable {
    package enum Content: Sendable, Equatable {
      case message([UInt8])
      /// Bytes of an EA session, by its index.
      case data(session: Int, [UInt8])
      /// The index of a file that is offered here.
      case file(Int)
      /// The side resets the link.
      case end
    }

    package let from: Side
    package let content: Content
    /// The record of the capture that completed it.
    package let record: Int
    /// Seconds since the link was up; that of the step before where the capture has no time.
    package let time: Double
    /// The index of the EA session that this message opens.
    package fileprivate(set) var opens: Int?
  }

  package struct File: Sendable {
    package let id: UInt8
    package let setup: FileTransferSetup?
    package fileprivate(set) var bytes: [UInt8] = []
    package let outcome: SessionRecord.File.Outcome

    /// The capture has all of it.
    package var isWhole: Bool { setup.map { $0.byteCount == 0 || $0.byteCount == UInt64(bytes.count) } ?? false }
  }

  /// Who is played.
  package let side: Side
  package private(set) var steps: [Step] = []
  package let sessions: [SessionRecord.ExternalAccessory]
  package private(set) var files: [File] = []
  /// Behind what a part of the recording is not played.
  package enum Cut: Sendable, Equatable {
    /// The end of the first link.
    case link
    /// More steps, messages or data than ``recordLimits`` lets a recorder keep.
    case limit
  }
  /// Nil when all of it is.
  package let cut: Cut?
  /// Steps of the recording that are not played; none where only data were cut.
  package let unplayedCount: Int

  /// The recording has the end of the link; else it stops at some time, and what the peer says later nobody knows.
  package var hasEnd: Bool { steps.last?.content == .end }

  /// What a recorder must keep for a script: data as it came, as much as one keeps in memory without a thought.
  package static let recordLimits: SessionRecordLimits = {
    var limits = SessionRecordLimits()
    limits.pieceByteCount = 128 << 20
    limits.messageByteCount = 128 << 20
    return limits
  }()

  package init(_ record: SessionRecord, as side: Side) {
    self.side = side
    sessions = record.externalAccessories
    files = record.files.map { File(id: $0.id, setup: $0.setup, outcome: $0.outcome) }
    let end = Self.end(of: record)
    unplayedCount =
      record.steps.count - end.stepCount - (end.reset == nil ? 0 : 1)
      + Side.allCases.reduce(0) { $0 + record.remainder($1).steps }
    cut =
      if end.isLink { unplayedCount > 0 ? .link : nil } else {
        unplayedCount > 0 || record.stepsBeforeLostPiece != nil ? .limit : nil
      }
    var pieces = record.pieces[...]
    var time = 0.0
    func at(_ recorded: Double?) -> Double {
      time = max(time, record.sinceStart(recorded) ?? time)
      return time
    }
    for (number, step) in record.steps.prefix(end.stepCount).enumerated() {
      takePieces(&pieces, upTo: number, at)
      add(step, at)
    }
    takePieces(&pieces, upTo: end.stepCount, at)
    if let reset = end.reset {
      steps.append(Step(from: reset.from, content: .end, record: reset.record, time: at(reset.time)))
    }
  }

  /// How many steps are played, what ends them, and whether that is the end of the first link.
  private static func end(of record: SessionRecord) -> (stepCount: Int, reset: SessionRecord.Step?, isLink: Bool) {
    var isStarted = false
    for (number, step) in record.steps.enumerated() {
      if let lost = record.stepsBeforeLostPiece, number >= lost { return (number, nil, false) }
      switch step.content {
      case .message, .externalAccessory, .file: isStarted = true
      case .detect: break
      case .reset: if isStarted { return (number, step, true) }
      case .synchronization: if isStarted { return (number, nil, true) }
      }
    }
    return (record.steps.count, nil, false)
  }

  private mutating func add(_ step: SessionRecord.Step, _ at: (Double?) -> Double) {
    switch step.content {
    case .detect, .synchronization, .reset: break
    case .message(let bytes):
      steps.append(Step(from: step.from, content: .message(bytes), record: step.record, time: at(step.time)))
    case .externalAccessory(let index):
      // It stands behind the message that opens it; one whose opening the capture does not have opens with its data.
      guard let last = steps.indices.last, case .message(let bytes) = steps[last].content,
        ControlHeader.id(of: bytes) == StartExternalAccessoryProtocolSession.info.id, steps[last].record == step.record
      else { return }
      steps[last].opens = index
    case .file(let index):
      steps.append(Step(from: step.from, content: .file(index), record: step.record, time: at(step.time)))
    }
  }

  /// Data that came before a step.
  private mutating func takePieces(
    _ pieces: inout ArraySlice<SessionRecord.Piece>, upTo stepCount: Int, _ at: (Double?) -> Double
  ) {
    while let piece = pieces.first, piece.stepCount <= stepCount {
      pieces.removeFirst()
      switch piece.stream {
      case .file(let index): files[index].bytes += piece.bytes
      case .externalAccessory(let index):
        steps.append(
          Step(
            from: piece.from, content: .data(session: index, piece.bytes), record: piece.record, time: at(piece.time)))
      }
    }
  }
}
