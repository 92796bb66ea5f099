// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2Capture

/// The packets of a stream of buffered sound in a capture. Behind bytes that are missing or damaged, it goes on at the
/// next packet whose tag fits.
struct BufferedTrace: Sendable {
  /// A part of what the bytes gave.
  enum Event: Sendable {
    case packet(AudioPacket)
    /// The phone broke a rule, in words. The stream is read on.
    case broken(String)
    /// The next bytes cannot be read, for a reason.
    case lost(String)
    /// The next packet can be read behind bytes that cannot, in words if they say something new.
    case resumed(String?)
  }

  /// An opener that has opened nothing, and the present one. A nonce must be above those before it.
  private let unused: BufferedAudioOpener
  private var opener: BufferedAudioOpener
  private var buffer = StreamBuffer()
  private var loss: StreamLoss?
  /// The bytes of headers that do not change: the version, the type and the source.
  private var form: [UInt8]?
  /// The sequence number of the next packet.
  private var next: UInt16 = 0
  private var count: UInt64 = 0
  private var events: [Event] = []

  /// The bytes before a packet: its length, which counts itself.
  private static let lengthByteCount = 2

  init(_ opener: BufferedAudioOpener) { (unused, self.opener) = (opener, opener) }

  /// Notes that the capture lacks the beginning of the stream.
  mutating func noteLateBeginning() { loss = StreamLoss(.gap(isLate: true), first: 0) }

  /// Takes bytes. What they give follows from ``next(isClear:_:_:)``.
  mutating func add(_ bytes: [UInt8], followsGap: Bool, mark: DecryptedMark?, _ plain: inout PlainBytes?) {
    if followsGap {
      plain?.flush()
      plain?.followsGap()
      let rest = buffer.removeAll()
      let before = loss.map { $0.byteCount + rest } ?? 0
      loss = StreamLoss(.gap(isLate: false), first: loss?.first ?? UInt64(next), byteCount: before)
    }
    switch mark {
    case .damaged(let reason)?:
      // A long unit has several packets in a copy.
      guard loss == nil else { return }
      loss = StreamLoss(.damage, first: UInt64(next))
      events.append(.lost(reason))
      return
    case .incomplete?:
      loss?.byteCount += bytes.count
      return
    case .behindLoss(let text)?:
      events.append(loss == nil ? .broken(text) : .resumed(text))
      loss = nil
    case .sealed?, .lastClear?, nil: break
    }
    plain?.capture(bytes)
    buffer.add(bytes)
  }

  /// Returns the next event; nil until more bytes come.
  ///
  /// - Parameter isClear: Whether the capture has packets in the clear.
  mutating func next(isClear: Bool, _ plain: inout PlainBytes?, _ budget: inout SearchBudget) -> Event? {
    if !events.isEmpty { return events.removeFirst() }
    if loss != nil, !isClear { return search(&plain, &budget) }
    guard let length = length(at: 0) else { return nil }
    // A length that is too short is wrong whatever follows.
    guard buffer.count >= length || length <= Self.lengthByteCount + AudioPacket.headerByteCount else { return nil }
    // In a copy, a packet shows the end of a loss.
    if loss != nil {
      loss = nil
      return .resumed(nil)
    }
    let frame = buffer[0..<min(length, buffer.count)]
    opener.add(frame)
    do throws(BufferedAudioProblem) {
      guard let packet = try opener.next() else { return nil }
      return take(packet, length, &plain)
    } catch {
      return handle(error.atPacket(count), frame: Array(frame), &plain)
    }
  }

  /// Returns the words of a loss at the end of the stream; nil for none.
  mutating func takeEnd() -> String? {
    defer { loss = nil }
    return loss?.end(rest: buffer.removeAll())
  }

  private func length(at place: Int) -> Int? {
    guard buffer.count >= place + Self.lengthByteCount else { return nil }
    return Int(UInt16(bigEndianBytes: buffer[place..<place + Self.lengthByteCount]))
  }

  private mutating func take(_ packet: AudioPacket, _ length: Int, _ plain: inout PlainBytes?) -> Event {
    form = Self.form(of: buffer[Self.lengthByteCount..<Self.lengthByteCount + AudioPacket.headerByteCount])
    buffer.skip(length)
    (next, count) = (packet.sequence &+ 1, count + 1)
    plain?.append(packet)
    return .packet(packet)
  }

  private static func form(of header: ArraySlice<UInt8>) -> [UInt8] { header.prefix(2) + header.suffix(4) }

  // MARK: Losses

  private mutating func handle(_ problem: BufferedAudioProblem, frame: [UInt8], _ plain: inout PlainBytes?) -> Event {
    opener = unused
    let reason = problem.valueProblem(of: .bufferedAudio).reason
    guard case .wrongPacket = problem else {
      // The place of the next packet is not known.
      return lose(reason, byteCount: Self.lengthByteCount, isAligned: false, &plain)
    }
    if packet(in: frame) != nil {
      // The tag is right, so the nonce is not above the one before.
      plain?.resume(reason)
      return .broken(reason)
    }
    return lose(reason, byteCount: frame.count, isAligned: true, &plain)
  }

  private mutating func lose(
    _ reason: String, byteCount: Int, isAligned: Bool, _ plain: inout PlainBytes?
  ) -> Event {
    loss = StreamLoss(.damage, first: UInt64(next))
    loss?.isAligned = isAligned
    plain?.fail(.damaged(reason), count: byteCount)
    buffer.skip(byteCount)
    return .lost(reason)
  }

  /// Leaves bytes out.
  private mutating func drop(_ count: Int, _ plain: inout PlainBytes?) {
    guard count > 0 else { return }
    loss?.byteCount += count
    loss?.isAligned = false
    plain?.fail(.incomplete, count: count)
    buffer.skip(count)
  }

  /// Returns the packet of a frame that opens.
  private func packet(in frame: [UInt8]) -> AudioPacket? {
    var opener = unused
    opener.add(frame)
    do { return try opener.next() } catch { return nil }
  }

  /// Searches the next packet.
  private mutating func search(_ plain: inout PlainBytes?, _ budget: inout SearchBudget) -> Event? {
    guard loss?.isOver == false else {
      drop(buffer.count, &plain)
      return nil
    }
    while let place = firstFrame {
      drop(place, &plain)
      guard let length = length(at: 0), buffer.count >= length else { return nil }
      guard loss?.spend(length, &budget) == true else { continue }
      if let packet = packet(in: Array(buffer[0..<length])) {
        // The sequence number wraps.
        let first = loss?.first ?? 0
        let distance = UInt64(packet.sequence &- UInt16(truncatingIfNeeded: first))
        let text = loss?.resumption(at: first + distance, "packet")
        if let text { plain?.resume(text) }
        (loss, opener) = (nil, unused)
        return .resumed(text)
      }
      let isAligned = loss?.isAligned == true
      drop(isAligned ? length : 1, &plain)
      loss?.isAligned = isAligned
    }
    drop(buffer.count - Self.lengthByteCount - AudioPacket.headerByteCount + 1, &plain)
    return nil
  }

  /// The offset of the first bytes that have the form of a packet; nil for none.
  private var firstFrame: Int? {
    let last = buffer.count - Self.lengthByteCount - AudioPacket.headerByteCount
    guard last >= 0, loss?.isOver == false else { return nil }
    return (0...last).first { place in
      let start = place + Self.lengthByteCount
      // The version of RTP.
      guard buffer[start] == 0x80, let length = length(at: place),
        length > Self.lengthByteCount + AudioPacket.headerByteCount
      else { return false }
      return form == nil || form == Self.form(of: buffer[start..<start + AudioPacket.headerByteCount])
    }
  }
}

extension BufferedAudioProblem {
  /// Returns the problem with the place of a packet in the stream: an opener behind a loss counts from there.
  fileprivate func atPacket(_ count: UInt64) -> BufferedAudioProblem {
    if case .wrongPacket = self { .wrongPacket(count) } else { self }
  }
}
