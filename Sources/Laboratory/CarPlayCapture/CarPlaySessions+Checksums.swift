// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Capture

/// The packets that the capture has damaged, by their checksums. Its size does not grow with the capture.
struct DamagedPackets: Sendable {
  /// A damaged packet, by its record and the addresses of its sender and receiver, if they are right.
  struct Packet: Sendable {
    let record: Int
    let source, destination: [UInt8]
  }

  /// The checksums of a sender.
  private struct Counts: Sendable {
    var right = 0, wrong = 0
  }

  private var senders: [TransportChecksum.Sender: Counts] = [:]
  private(set) var packets: [Packet] = []

  /// The most senders and packets that are kept. Sessions have two senders.
  private static let maximumSenders = 256, maximumPackets = 1024
  /// The right checksums of a sender from which a wrong one shows damage, if no more are wrong. Ours: a connection begins
  /// with two packets of the client, and a checksum is right by chance in one of 65,536 cases.
  private static let minimumRight = 2

  /// Counts a packet, and returns whether it is damaged: its checksum is wrong, and those of its sender are right. A
  /// capture on the sender itself has wrong ones, because the network card computes them later.
  mutating func isDamaged(_ checksum: TransportChecksum) -> Bool {
    if checksum.isRight {
      if senders[checksum.sender] != nil || senders.count < Self.maximumSenders {
        senders[checksum.sender, default: Counts()].right += 1
      }
      return false
    }
    guard let known = senders[checksum.sender] else {
      if senders.count < Self.maximumSenders { senders[checksum.sender] = Counts(wrong: 1) }
      return false
    }
    senders[checksum.sender]?.wrong += 1
    return known.right >= max(Self.minimumRight, known.wrong)
  }

  mutating func add(_ packet: Packet) { if packets.count < Self.maximumPackets { packets.append(packet) } }

  /// Returns the records of the damaged packets between two addresses from a record on.
  func records(between one: [UInt8], _ other: [UInt8], from first: Int) -> [Int] {
    packets.filter {
      $0.record >= first && (($0.source, $0.destination) == (one, other) || ($0.source, $0.destination) == (other, one))
    }.map(\.record)
  }
}

// Packets with a wrong checksum.
extension CarPlaySessions {
  /// The reason of a damaged packet.
  private static let damage = "its checksum is wrong, and those of its sender are right: the capture has damaged it"

  /// The longest datagram whose checksum is computed, with its headers. Longer ones are packets of sound, whose tags show
  /// damage, and a checksum takes as long as the rest of their reading.
  private static let maximumDatagram = 256

  /// Returns whether a packet is damaged, so that it counts as one that the capture lacks.
  ///
  /// - Parameter number: The number of its connection; nil for a datagram and for an unknown connection.
  mutating func leavesOut(
    _ segment: TCPSegment?, _ number: Int?, _ bytes: RawSpan, from start: Int, at moment: CaptureMoment
  ) -> Bool {
    if let number, case .ignored = connections[number].role { return false }
    guard segment != nil || bytes.byteCount - start <= Self.maximumDatagram else { return false }
    guard let checksum = TransportChecksum(bytes, from: start), damaged.isDamaged(checksum) else { return false }
    // A copy has all packets that belong to no session.
    guard copy == nil || number != nil || segment == nil else { return false }
    let (source, destination): ([UInt8], [UInt8])
    var session: Int?
    if let segment {
      (source, destination) = (segment.source, segment.destination)
      switch number.map({ connections[$0].role }) {
      case .control(let place)?, .socket(let place, _)?: session = place
      case .undecided?, .ignored?, .late?, .call?, .unknown?, nil: break
      }
    } else {
      guard let datagram = UDPDatagram(bytes, from: start) else { return false }
      (source, destination) = (Array(datagram.source(in: bytes)), datagram.destination)
      session = receivers[destination]?.session
      guard copy == nil || session != nil else { return false }
    }
    damaged.add(.init(record: moment.record, source: source.dropLast(2), destination: destination.dropLast(2)))
    if let session, wantsFinding {
      recorder?.noteLack(session)
      let side: SessionSide =
        sessions[session].server == destination
        ? .phone
        : sessions[session].server == source
          ? .headUnit : sessions[session].phone == source.dropLast(2) ? .phone : .headUnit
      add(.problem, "packet: \(Self.damage)", [.init(.reason, .text(Self.damage))], session, side, moment)
    }
    return true
  }

  /// Returns the line of an explanation about damaged packets; nil for none.
  func damagedPackets(of session: Int) -> String? {
    let present = sessions[session]
    let records = damaged.records(between: present.phone, present.headUnit, from: present.firstRecord)
    guard let first = records.first else { return nil }
    guard records.count > 1 else { return "record \(first) was not read: \(Self.damage)" }
    let names = records.prefix(4).map { "\($0)" }.joined(separator: ", ")
    let more = records.count > 4 ? " and \(records.count - 4) more" : ""
    return
      "records \(names)\(more) were not read: their checksums are wrong, and the others of their senders are right:"
      + " the capture has damaged them"
  }
}
