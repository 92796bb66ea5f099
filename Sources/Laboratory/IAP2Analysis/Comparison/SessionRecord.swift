// swift-iap2 · Apache-2.0

package import IAP2

/// One connection of a capture, reduced to what two sessions are compared by.
package struct SessionRecord: Sendable {
  /// Something a side did. Acknowledgements, repeated packets and pieces of data are none.
  package struct Step: Sendable {
    package enum Content: Sendable {
      case detect
      /// - Parameter isAnswer: SYN+ACK.
      case synchronization(LinkSynchronization, isAnswer: Bool)
      case reset
      /// A whole control message.
      case message([UInt8])
      /// The index of an EA session that begins here.
      case externalAccessory(Int)
      /// The index of a file that begins here.
      case file(Int)
    }

    package let from: Side
    package let content: Content
    /// The record of the capture that completed it.
    package let record: Int
    /// Seconds, as the capture has them.
    package let time: Double?
  }

  /// Data as it came, for whoever wants to send it again.
  package struct Piece: Sendable {
    package enum Stream: Sendable, Equatable {
      /// Of an EA session, by its index.
      case externalAccessory(Int)
      /// Of a file, by its index.
      case file(Int)
    }

    package let from: Side
    package let stream: Stream
    /// How many steps were before.
    package let stepCount: Int
    package let bytes: [UInt8]
    package let record: Int
    package let time: Double?
  }

  package struct ExternalAccessory: Sendable {
    package let id: UInt16
    /// Nil when the capture does not have its opening or the identification.
    package let protocolName: String?
    package internal(set) var accessory = DataStream()
    package internal(set) var device = DataStream()

    /// The accessory sent what the device did.
    package var isEcho: Bool { device.byteCount > 0 && accessory.digests == device.digests }

    package subscript(_ side: Side) -> DataStream {
      switch side {
      case .accessory: accessory
      case .device: device
      }
    }
  }

  package struct File: Sendable {
    package enum Outcome: String, Sendable {
      /// The capture has no end of it.
      case open
      case success, failure, cancelled
    }

    package let id: UInt8
    /// Nil when the capture does not have its beginning.
    package let setup: FileTransferSetup?
    package internal(set) var data = DataStream()
    package internal(set) var outcome = Outcome.open
  }

  /// What is counted and not compared.
  package struct Counts: Sendable, Equatable {
    package internal(set) var packets = 0
    package internal(set) var repeatedPackets = 0
    package internal(set) var errors = 0
  }

  /// What came when a limit was reached.
  package struct Remainder: Sendable, Equatable {
    package internal(set) var steps = 0
    /// Data of EA sessions and files that began there.
    package internal(set) var byteCount = 0
    var digest = UInt64(0)
  }

  package internal(set) var steps: [Step] = []
  package internal(set) var externalAccessories: [ExternalAccessory] = []
  package internal(set) var files: [File] = []
  /// None unless ``SessionRecordLimits/pieceByteCount`` asks for them.
  package internal(set) var pieces: [Piece] = []
  /// How many steps were before the first piece that was not kept.
  package internal(set) var stepsBeforeLostPiece: Int?
  package internal(set) var accessoryCounts = Counts()
  package internal(set) var deviceCounts = Counts()
  package internal(set) var accessoryRemainder = Remainder()
  package internal(set) var deviceRemainder = Remainder()
  /// When the last SYN+ACK before the first message came; without one, the first step that has a time.
  package internal(set) var startTime: Double?
  /// Which of the capture's connections, to be looked up among the analyzer's.
  package internal(set) var flow = 0

  package func counts(_ side: Side) -> Counts {
    switch side {
    case .accessory: accessoryCounts
    case .device: deviceCounts
    }
  }

  package func remainder(_ side: Side) -> Remainder {
    switch side {
    case .accessory: accessoryRemainder
    case .device: deviceRemainder
    }
  }

  /// Seconds from ``startTime`` on.
  package func time(of step: Step) -> Double? { sinceStart(step.time) }

  func sinceStart(_ time: Double?) -> Double? {
    guard let time, let startTime else { return nil }
    // Differences of decimal fractions: no more digits than any capture has.
    return ((time - startTime) * 1e9).rounded() / 1e9
  }
}

/// How much of a session is kept.
package struct SessionRecordLimits: Sendable {
  /// A day of a talkative phone; what comes behind is compared as a whole.
  package var steps = 1 << 20
  /// Bytes of control messages; the same.
  package var messageByteCount = 256 << 20
  /// Bytes of data kept as they are, of all EA sessions and files.
  package var headByteCount = 32 << 20
  /// Bytes of data kept in pieces, each with its own cost; a comparison needs none.
  package var pieceByteCount = 0

  package init() {}
}
