// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2Capture

/// A stream of a session, by its set-up.
struct Stream: Sendable {
  /// The content, by the kind of the stream.
  enum Content: Sendable {
    case screen(ScreenTrace)
    case sound
    /// Buffered sound; nil without a key.
    case buffered(BufferedTrace?)
    case data(BothSides<DataTrace>)
    /// A type that this reader does not know, or a stream of which nothing more can be read.
    case other
  }

  /// The name of the type, such as `screen`.
  var name: String
  /// The values of the request.
  var body: StreamBody
  var content: Content
  /// Whether the capture has the beginning of its connection. Otherwise what comes first is not judged.
  var isWhole = true
  /// The sound of each sender.
  var sound = BothSides(SoundTrace())
  /// The openers for packets of sound that are sent again. They are copied for each packet.
  var repeatedSound = BothSides<AudioOpener?>(nil)
  /// The bytes of each side in the clear; nil if no copy of the capture is written.
  var plain = BothSides<PlainBytes?>(nil)

  /// - Parameter isDecrypted: Whether the capture has the stream in the clear.
  init(_ request: StreamBody, _ protection: StreamProtection?, number: Int?, isDecrypted: Bool = false) {
    body = request
    name = request.type?.name ?? number.map { "type \($0)" } ?? "unnamed stream"
    let id = request.connectionID ?? request.seed
    guard !isDecrypted else {
      content = Self.decrypted(request.type)
      for side in SessionSide.allCases { (sound[side].opener, repeatedSound[side]) = (AudioOpener(), AudioOpener()) }
      return
    }
    switch request.type {
    case .screen?, .alternateScreen?: content = .screen(ScreenTrace(request.type ?? .screen, protection, id: id))
    case .bufferedAudio?:
      content = .buffered(request.sharedKey.map { BufferedTrace(BufferedAudioOpener(key: Secret($0))) })
    case .data:
      let keys = protection?.secret.flatMap { secret in id.map { ChannelKeys.stream(secret, id: $0) } }
      var traces = BothSides(DataTrace(key: keys?.phone))
      traces[.headUnit] = DataTrace(key: keys?.headUnit)
      content = .data(traces)
    case nil: content = .other
    default:
      content = .sound
      if let protection, let id {
        for side in SessionSide.allCases {
          sound[side].opener = AudioOpener(protection, id: id, from: side)
          repeatedSound[side] = sound[side].opener
        }
      }
    }
  }

  /// Returns the content of a stream that is in the clear.
  private static func decrypted(_ type: StreamType?) -> Content {
    switch type {
    case .screen?, .alternateScreen?: .screen(ScreenTrace(type ?? .screen))
    case .bufferedAudio: .buffered(BufferedTrace(BufferedAudioOpener()))
    case .data: .data(BothSides(.clear))
    case nil: .other
    default: .sound
    }
  }

  /// Keeps the bytes in the clear for a copy of the capture.
  mutating func keepPlain() { plain = BothSides(PlainBytes()) }

  /// Forgets all but the name.
  mutating func release() {
    (content, body, sound) = (.other, StreamBody(), BothSides(SoundTrace()))
  }
}

extension FrameOpener.WrongFrame {
  /// Returns the problem in words.
  ///
  /// - Parameter offset: The number of sealed bytes before the frame.
  func reason(at offset: Int) -> String {
    guard number > 0 else {
      return "the tag of frame 0 is wrong: another key, or bytes that are missing or damaged"
    }
    return "frame \(number), at byte \(offset) of the sealed ones, is damaged: the key opens all frames before it"
  }
}

/// The packets of sound of one sender, counted.
struct SoundTrace: Sendable {
  var opener: AudioOpener?
  /// The packets, their bytes and the missing ones since the last summary.
  private var packets = 0, byteCount = 0, lost = 0, unread = 0, repeated = 0
  private var first: UInt16 = 0
  private var next: UInt16?
  /// The time of the first packet of the present summary.
  private var start: Int64?
  /// The last datagrams, each at the place of its sequence number.
  private var recent: [Datagram?] = []

  /// A datagram, and its packet if it was opened.
  private struct Datagram: Sendable {
    var bytes: [UInt8]
    var packet: AudioPacket?
  }

  /// What a datagram has.
  enum Content: Sendable {
    case packet(AudioPacket)
    /// The datagram came before, and had this packet if it was opened.
    case repeated(AudioPacket?)
    case unread

    /// The packet.
    var packet: AudioPacket? {
      switch self {
      case .packet(let packet): packet
      case .repeated(let packet): packet
      case .unread: nil
      }
    }
  }

  /// The number of datagrams in which a repeated one is found. A capture of several interfaces has it directly behind
  /// the first one.
  private static let recentCount = 64

  /// The time after which packets are summarized, in nanoseconds.
  private static let summaryTime: Int64 = 1_000_000_000

  /// Counts a packet. Returns it opened, if its key is known and right.
  ///
  /// - Parameter mark: The mark of the packet in a capture whose sessions are in the clear; nil without one.
  mutating func take(_ bytes: [UInt8], at nanoseconds: Int64?, mark: DecryptedMark?) -> Content {
    // The sequence number is in the clear: the bytes 2 and 3 of the header.
    guard bytes.count >= AudioPacket.headerByteCount else { return .unread }
    let sequence = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    if packets == 0, repeated == 0 { (first, start) = (sequence, nanoseconds) }
    if recent.isEmpty { recent = Array(repeating: nil, count: Self.recentCount) }
    let place = Int(sequence) % Self.recentCount
    if let before = recent[place], before.bytes == bytes {
      repeated += 1
      return .repeated(before.packet)
    }
    let packet = count(bytes, sequence, mark)
    recent[place] = Datagram(bytes: bytes, packet: packet)
    return packet.map { .packet($0) } ?? .unread
  }

  private mutating func count(_ bytes: [UInt8], _ sequence: UInt16, _ mark: DecryptedMark?) -> AudioPacket? {
    if let next, sequence &- next < 0x8000 { lost += Int(sequence &- next) }
    next = next.map { (sequence &- $0) < 0x8000 ? sequence &+ 1 : $0 } ?? sequence &+ 1
    packets += 1
    guard opener != nil, mark != .sealed else {
      byteCount += bytes.count
      return nil
    }
    let packet = mark == nil ? opener?.open(bytes) : nil
    // A copy in the clear has neither tags nor nonces.
    byteCount += packet?.clearByteCount ?? bytes.count
    if packet == nil { unread += 1 }
    return packet
  }

  /// Returns whether the first packet of the present summary is old enough.
  func isDue(at nanoseconds: Int64?) -> Bool {
    guard let nanoseconds, let start else { return false }
    return nanoseconds - start >= Self.summaryTime
  }

  /// Returns the counted packets, and begins again; nil if nothing came.
  mutating func takeSummary(_ stream: String) -> (finding: SessionFinding, packets: Int, wrong: Int)? {
    guard packets > 0 || repeated > 0 else { return nil }
    defer { (packets, byteCount, lost, unread, repeated, start) = (0, 0, 0, 0, 0, nil) }
    var fields: [SessionFinding.Field] = [
      .init(.stream, .text(stream)), .init(.packets, .integer(Int128(packets))),
      .init(.byteCount, .integer(Int128(byteCount))), .init(.lost, .integer(Int128(lost))),
      .init(.firstSequence, .integer(Int128(first))),
    ]
    var words = "\(packets) packet\(packets == 1 ? "" : "s") from \(first), \(byteCount) bytes"
    if lost > 0 { words += ", \(lost) missing" }
    if repeated > 0 { words += ", \(repeated) repeated" }
    if unread > 0 {
      words += ", \(unread) with a wrong tag"
      fields.append(.init(.reason, .text("\(unread) with a wrong tag")))
    }
    return (SessionFinding(.sound, "\(stream): \(words)", fields), packets, unread)
  }
}

extension AudioPacket {
  /// The size of the packet in the clear.
  var clearByteCount: Int { Self.headerByteCount + payload.count }
}
