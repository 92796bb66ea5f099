// swift-iap2 · Apache-2.0

package import IAP2

/// A connection of a capture, reduced to the steps by which two sessions are compared.
package struct SessionRecord: Sendable {
  /// A step of one side. Acknowledgements, retransmitted packets and pieces of data are not steps.
  package struct Step: Sendable {
    /// The content of a step.
    package enum Content: Sendable {
      /// A detect sequence.
      case detect
      /// A SYN, or a SYN+ACK if `isAnswer`.
      case synchronization(LinkSynchronization, isAnswer: Bool)
      /// An RST.
      case reset
      /// A whole control message.
      case message([UInt8])
      /// The index of the EA session that begins here.
      case externalAccessory(Int)
      /// The index of the file that begins here.
      case file(Int)
    }

    /// The side that took the step.
    package let from: Side
    /// The content.
    package let content: Content
    /// The number of the record that completed the step.
    package let record: Int
    /// The time in seconds, as the capture has it.
    package let time: Double?
  }

  /// A piece of data as it was received, for a replay.
  package struct Piece: Sendable {
    /// The stream that a piece belongs to.
    package enum Stream: Sendable, Equatable {
      /// The index of an EA session.
      case externalAccessory(Int)
      /// The index of a file.
      case file(Int)
    }

    /// The side that sent the piece.
    package let from: Side
    /// The stream.
    package let stream: Stream
    /// The number of steps before the piece.
    package let stepCount: Int
    /// The data.
    package let bytes: [UInt8]
    /// The number of the record that completed the piece.
    package let record: Int
    /// The time in seconds, as the capture has it.
    package let time: Double?
  }

  /// An EA session.
  package struct ExternalAccessory: Sendable {
    /// The id of the session.
    package let id: UInt16
    /// The name of the protocol; nil if the capture lacks the opening of the session or the identification.
    package let protocolName: String?
    /// The data that the accessory sent.
    package internal(set) var accessory = DataStream()
    /// The data that the device sent.
    package internal(set) var device = DataStream()

    /// Whether the accessory returned exactly the data of the device.
    package var isEcho: Bool { device.byteCount > 0 && accessory.digests == device.digests }

    /// The data that a side sent.
    package subscript(_ side: Side) -> DataStream {
      switch side {
      case .accessory: accessory
      case .device: device
      }
    }
  }

  /// A file transfer.
  package struct File: Sendable {
    /// The outcome of a file transfer.
    package enum Outcome: String, Sendable {
      /// The capture does not show the end of the transfer.
      case open
      /// The final operation: success, failure, or cancel.
      case success, failure, cancelled
    }

    /// The id of the transfer.
    package let id: UInt8
    /// The announced size and type; nil if the capture lacks the beginning.
    package let setup: FileTransferSetup?
    /// The data.
    package internal(set) var data = DataStream()
    /// The outcome.
    package internal(set) var outcome = Outcome.open
  }

  /// Numbers that are shown but do not count as differences.
  package struct Counts: Sendable, Equatable {
    /// The number of valid packets.
    package internal(set) var packets = 0
    /// The number of packets whose sequence number was received before.
    package internal(set) var repeatedPackets = 0
    /// The number of errors.
    package internal(set) var errors = 0
  }

  /// The steps and data beyond a limit of the recorder.
  package struct Remainder: Sendable, Equatable {
    /// The number of steps.
    package internal(set) var steps = 0
    /// The bytes of data of EA sessions and files that began there.
    package internal(set) var byteCount = 0
    var digest = UInt64(0)
  }

  /// The steps in the order of the capture.
  package internal(set) var steps: [Step] = []
  /// The EA sessions in the order of their opening.
  package internal(set) var externalAccessories: [ExternalAccessory] = []
  /// The files in the order of their beginning.
  package internal(set) var files: [File] = []
  /// The pieces of data; empty unless ``SessionRecordLimits/pieceByteCount`` is positive.
  package internal(set) var pieces: [Piece] = []
  /// The number of steps before the first piece that was not kept; nil if all were kept.
  package internal(set) var stepsBeforeLostPiece: Int?
  /// The packet and error counts of the accessory.
  package internal(set) var accessoryCounts = Counts()
  /// The packet and error counts of the device.
  package internal(set) var deviceCounts = Counts()
  /// The remainder of the accessory.
  package internal(set) var accessoryRemainder = Remainder()
  /// The remainder of the device.
  package internal(set) var deviceRemainder = Remainder()
  /// The time of the last SYN+ACK before the first message; without one, of the first step that has a time. In seconds.
  package internal(set) var startTime: Double?
  /// The first damage of the file itself, or an end of the file within a packet or a message; nil without one.
  package internal(set) var damage: String?
  /// The index of the connection in the capture, from 0.
  package internal(set) var flow = 0

  /// Returns the packet and error counts of a side.
  package func counts(_ side: Side) -> Counts {
    switch side {
    case .accessory: accessoryCounts
    case .device: deviceCounts
    }
  }

  /// Returns the remainder of a side.
  package func remainder(_ side: Side) -> Remainder {
    switch side {
    case .accessory: accessoryRemainder
    case .device: deviceRemainder
    }
  }

  /// Returns the time of a step in seconds since ``startTime``.
  package func time(of step: Step) -> Double? { sinceStart(step.time) }

  /// Returns a time of the capture in seconds since ``startTime``.
  package func sinceStart(_ time: Double?) -> Double? {
    guard let time, let startTime else { return nil }
    // Rounds to nanoseconds, because the difference of two decimal fractions has more digits than any capture.
    return ((time - startTime) * 1e9).rounded() / 1e9
  }
}

/// The limits of a recorder.
package struct SessionRecordLimits: Sendable {
  /// The maximum number of steps, about a day of a busy phone. Further steps are compared as a whole.
  package var steps = 1 << 20
  /// The maximum of bytes of control messages. Further ones are compared as a whole.
  package var messageByteCount = 256 << 20
  /// The maximum of data bytes that are kept unchanged, of all EA sessions and files.
  package var headByteCount = 32 << 20
  /// The maximum of data bytes that are kept as pieces, with an overhead for each piece. A comparison needs none.
  package var pieceByteCount = 0

  /// Creates the default limits.
  package init() {}
}
