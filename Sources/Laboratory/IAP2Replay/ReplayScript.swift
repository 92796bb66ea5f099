// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Analysis

/// A recorded session as the steps of the played side and of its peer, in the order of the capture.
///
/// Only the first link is played: steps after a reset are counted and left out.
package struct ReplayScript: Sendable {
  /// A step of either side.
  package struct Step: Sendable {
    /// The content of a step.
    package enum Content: Sendable, Equatable {
      /// A control message.
      case message([UInt8])
      /// Bytes of an EA session, with the index of the session.
      case data(session: Int, [UInt8])
      /// The index of the file that is offered here.
      case file(Int)
      /// The side resets the link.
      case end
    }

    /// The side that takes the step.
    package let from: Side
    /// The content.
    package let content: Content
    /// The number of the record that completed the step.
    package let record: Int
    /// The time in seconds since the link was up; that of the step before if the capture has no time.
    package let time: Double
    /// The index of the EA session that this message opens.
    package fileprivate(set) var opens: Int?
  }

  /// A file of the recording.
  package struct File: Sendable {
    /// The id of the transfer.
    package let id: UInt8
    /// The announced size and type; nil if the recording lacks the beginning.
    package let setup: FileTransferSetup?
    /// The recorded bytes.
    package fileprivate(set) var bytes: [UInt8] = []
    /// The outcome in the recording.
    package let outcome: SessionRecord.File.Outcome

    /// Whether the recording has all bytes of the file.
    package var isWhole: Bool { setup.map { $0.byteCount == 0 || $0.byteCount == UInt64(bytes.count) } ?? false }
  }

  /// The side that is played.
  package let side: Side
  /// The steps of both sides.
  package private(set) var steps: [Step] = []
  /// The EA sessions, in the order of their indices.
  package let sessions: [SessionRecord.ExternalAccessory]
  /// The files, in the order of their indices.
  package private(set) var files: [File] = []
  /// The reason why a part of the recording is not played.
  package enum Cut: Sendable, Equatable {
    /// The first link ends before it.
    case link
    /// The recording exceeds the steps, messages or data that ``recordLimits`` allows.
    case limit
  }
  /// The reason why a part is not played; nil if all of the recording is played.
  package let cut: Cut?
  /// The number of steps of the recording that are not played; 0 if only data was cut.
  package let unplayedCount: Int

  /// Whether the recording has the end of the link. Without it, the recording does not show what the peer sends later.
  package var hasEnd: Bool { steps.last?.content == .end }

  /// The limits for recording a script: 128 MiB of messages and 128 MiB of data, which is kept as pieces.
  package static let recordLimits: SessionRecordLimits = {
    var limits = SessionRecordLimits()
    limits.pieceByteCount = 128 << 20
    limits.messageByteCount = 128 << 20
    return limits
  }()

  /// Creates the script of one side of a recorded session.
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

  /// Returns the number of played steps, the RST that ends them, and whether they end with the first link.
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
      // The session follows the message that opens it. A session without an opening in the capture opens with its data.
      guard let last = steps.indices.last, case .message(let bytes) = steps[last].content,
        ControlHeader.id(of: bytes) == StartExternalAccessoryProtocolSession.id, steps[last].record == step.record
      else { return }
      steps[last].opens = index
    case .file(let index):
      steps.append(Step(from: step.from, content: .file(index), record: step.record, time: at(step.time)))
    }
  }

  /// Appends the data that precedes a step.
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
