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
    case buffered(BufferedAudioOpener?)
    case data(phone: DataTrace?, headUnit: DataTrace?)
    /// A type that this reader does not know.
    case other
  }

  /// The name of the type, such as `screen`.
  var name: String
  var type: StreamType?
  /// The values of the request and of the answer.
  var body: StreamBody
  var content: Content
  /// The sound of each sender.
  var phoneSound: SoundTrace, headUnitSound: SoundTrace

  init(_ request: StreamBody, _ protection: StreamProtection?, number: Int?) {
    body = request
    type = request.type
    name = request.type?.name ?? number.map { "type \($0)" } ?? "unnamed stream"
    let id = request.connectionID ?? request.seed
    (phoneSound, headUnitSound) = (SoundTrace(), SoundTrace())
    switch request.type {
    case .screen, .alternateScreen:
      content = .screen(ScreenTrace(protection.flatMap { p in id.map { ScreenOpener(p, id: $0) } }))
    case .bufferedAudio: content = .buffered(request.sharedKey.map { BufferedAudioOpener(key: Secret($0)) })
    case .data:
      let keys = protection?.secret.flatMap { secret in id.map { ChannelKeys.stream(secret, id: $0) } }
      content = .data(phone: keys.map { DataTrace(key: $0.phone) }, headUnit: keys.map { DataTrace(key: $0.headUnit) })
    case nil: content = .other
    default:
      content = .sound
      if let protection, let id {
        phoneSound.opener = AudioOpener(protection, id: id, from: .phone)
        headUnitSound.opener = AudioOpener(protection, id: id, from: .headUnit)
      }
    }
  }

  /// Forgets all but the name.
  mutating func release() {
    (content, body) = (.other, StreamBody())
    (phoneSound, headUnitSound) = (SoundTrace(), SoundTrace())
  }
}

/// The packages of one direction of a data stream.
struct DataTrace: Sendable {
  private var opener: FrameOpener
  private var reader = DataPackageReader()

  init(key: Secret) { opener = FrameOpener(key: key) }

  /// Returns the packages that bytes complete, and the reason if nothing more can be read.
  mutating func take(_ bytes: [UInt8]) -> (packages: [DataPackage], problem: String?) {
    var packages: [DataPackage] = []
    do {
      reader.add(try opener.open(bytes))
      while let package = try reader.next() { packages.append(package) }
      return (packages, nil)
    } catch { return (packages, "\(error)") }
  }
}

/// The packets of sound of one sender, counted.
struct SoundTrace: Sendable {
  var opener: AudioOpener?
  /// The packets, their bytes and the missing ones since the last summary.
  private(set) var packets = 0, byteCount = 0, lost = 0, unread = 0
  private var first: UInt16 = 0
  private var next: UInt16?
  /// The time of the first packet of the present summary.
  private(set) var start: Int64?

  /// Counts a packet. Returns it opened, if its key is known and right.
  mutating func take(_ bytes: [UInt8], at nanoseconds: Int64?) -> AudioPacket? {
    // The sequence number is in the clear: the bytes 2 and 3 of the header.
    guard bytes.count >= 12 else { return nil }
    let sequence = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    if packets == 0 { (first, start) = (sequence, nanoseconds) }
    if let next, sequence &- next < 0x8000 { lost += Int(sequence &- next) }
    next = next.map { (sequence &- $0) < 0x8000 ? sequence &+ 1 : $0 } ?? sequence &+ 1
    packets += 1
    byteCount += bytes.count
    guard opener != nil else { return nil }
    let packet = opener?.open(bytes)
    if packet == nil { unread += 1 }
    return packet
  }

  /// Returns what was counted, and begins again; nil if nothing came.
  mutating func takeSummary(_ stream: String) -> SessionFinding? {
    guard packets > 0 else { return nil }
    defer { (packets, byteCount, lost, unread, start) = (0, 0, 0, 0, nil) }
    var fields: [SessionFinding.Field] = [
      .init(.stream, .text(stream)), .init(.packets, .integer(Int128(packets))),
      .init(.byteCount, .integer(Int128(byteCount))), .init(.lost, .integer(Int128(lost))),
      .init(.firstSequence, .integer(Int128(first))),
    ]
    var words = "\(packets) packet\(packets == 1 ? "" : "s") from \(first), \(byteCount) bytes"
    if lost > 0 { words += ", \(lost) missing" }
    if unread > 0 {
      words += ", \(unread) with a wrong tag"
      fields.append(.init(.reason, .text("\(unread) with a wrong tag")))
    }
    return SessionFinding(.sound, "\(stream): \(words)", fields)
  }
}

/// The messages of a screen. Without a key only their headers are read.
struct ScreenTrace: Sendable {
  private var opener: ScreenOpener?
  private var headers = ScreenHeaderReader()
  private var isDead = false

  init(_ opener: ScreenOpener?) { self.opener = opener }

  /// Whether frames can be opened.
  var hasKey: Bool { opener != nil }

  /// Returns the messages that bytes complete, with the sizes of their bodies, and the reason if nothing more can be
  /// read. Without a key the bodies of frames are empty.
  mutating func take(_ bytes: [UInt8], followsGap: Bool) -> (messages: [(ScreenMessage, Int)], problem: String?) {
    guard !isDead else { return ([], nil) }
    if followsGap {
      isDead = true
      return ([], "bytes before these were not captured, so the rest of the screen cannot be read")
    }
    var messages: [(ScreenMessage, Int)] = []
    do {
      if opener != nil {
        opener?.add(bytes)
        while let message = try opener?.next() { messages.append((message, message.body.count)) }
      } else {
        headers.add(bytes)
        while let message = try headers.next() { messages.append(message) }
      }
      return (messages, nil)
    } catch {
      isDead = true
      return (messages, "\(error)")
    }
  }
}
