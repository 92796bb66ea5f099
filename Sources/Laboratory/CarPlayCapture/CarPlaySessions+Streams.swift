// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2Capture

// The sockets of a session other than the control connection.
extension CarPlaySessions {
  /// Takes bytes of a TCP socket.
  mutating func take(
    _ bytes: [UInt8], _ session: Int, _ socket: Session.Socket, from side: SessionSide, followsGap: Bool,
    at moment: CaptureMoment
  ) {
    switch socket {
    case .events:
      guard
        let result = sessions[session].events?.directions[side]
          .take(bytes, followsGap: followsGap, mark: mark, &budget)
      else { return }
      read(result, of: session, isControl: false, from: side, at: moment)
    case .stream(let stream): take(bytes, session, stream: stream, from: side, followsGap: followsGap, at: moment)
    case .clock, .keepAlive, .sound, .soundControl: break
    }
  }

  private mutating func take(
    _ bytes: [UInt8], _ session: Int, stream: Int, from side: SessionSide, followsGap: Bool, at moment: CaptureMoment
  ) {
    if mark == .incomplete, !followsGap { return }
    if followsGap {
      sessions[session].streams[stream].plain[side]?.flush()
      sessions[session].streams[stream].plain[side]?.append(bytes, .sealed, followsGap: true)
    }
    let reason: String?
    switch sessions[session].streams[stream].content {
    case .screen where !needsContent, .buffered where !needsContent: return
    // The content has large buffers, so it is taken out before it changes, and put back if it can be read on.
    case .screen(var opener) where side == .phone:
      sessions[session].streams[stream].content = .other
      reason = followsGap ? Self.gap : takeScreen(bytes, &opener, session, stream, moment)
      if reason == nil { sessions[session].streams[stream].content = .screen(opener) }
    case .buffered(nil) where side == .phone:
      return addSealed(bytes, session, stream, side, isCopied: followsGap, moment)
    case .buffered where side == .phone && mark == .sealed:
      return addSealed(bytes, session, stream, side, isCopied: followsGap, moment)
    case .buffered(var opener?) where side == .phone:
      sessions[session].streams[stream].content = .other
      reason = followsGap ? Self.gap : takeBuffered(bytes, &opener, session, stream, moment)
      if reason == nil { sessions[session].streams[stream].content = .buffered(opener) }
    case .data(var traces):
      sessions[session].streams[stream].content = .other
      if followsGap, traces[side].isOpen {
        (reason, traces[side]) = (Self.gap, .ended)
      } else if let damage, traces[side].isOpen {
        traces[side] = .ended
        reason = note(.data, .damaged("data", damage), session, stream, side, moment)
      } else {
        reason = takeData(bytes, &traces[side], session, stream, side, moment)
      }
      sessions[session].streams[stream].content = .data(traces)
    case .screen, .buffered, .sound, .other:
      if !followsGap { sessions[session].streams[stream].plain[side]?.append(bytes, .sealed) }
      return
    }
    guard let reason else { return }
    let name = sessions[session].streams[stream].name
    add(
      .problem, "\(name): \(reason)", [.init(.stream, .text(name)), .init(.reason, .text(reason))], session, side,
      moment)
  }

  /// The reason why the present bytes of a stream could not be opened, in a capture whose sessions are in the clear.
  private var damage: String? { if case .damaged(let reason) = mark { reason } else { nil } }

  private static let gap = "bytes before these were not captured, so the rest cannot be read"

  /// Takes bytes of a screen. Returns the reason if nothing more can be read.
  private mutating func takeScreen(
    _ bytes: [UInt8], _ opener: inout ScreenOpener, _ session: Int, _ stream: Int, _ moment: CaptureMoment
  ) -> String? {
    let type = sessions[session].streams[stream].body.type ?? .screen
    if let damage {
      let problem = ScreenOpener.Problem(reason: damage, of: type, opener.frameCount, bytes)
      return note(
        .screen(problem ?? .wrongFrame(opener.frameCount)), .damaged(type.name, damage), session, stream, .phone,
        moment)
    }
    let name = sessions[session].streams[stream].name
    let isOpened = opener.hasKey || isDecrypted && mark != .sealed
    opener.add(bytes)
    sessions[session].streams[stream].plain.device?.capture(bytes)
    do throws(ScreenOpener.Problem) {
      while let message = try opener.next() {
        sessions[session].streams[stream].plain.device?.append(message, opener.header, isOpened: isOpened)
        sessions[session].story?.add(name, byteCount: message.body.count, at: moment)
        if wantsFinding { add(Self.picture(message, name, isOpened: isOpened), session, .phone, moment) }
        if let type = sessions[session].streams[stream].body.type {
          let isJudged = isOpened && !hasDoubtedKey(session)
          sessions[session].story?.judge(at: moment) { $0.take(message, of: type, isOpened: isJudged) }
          // A sealed picture is none that can be sent again.
          if isOpened || message.kind != .frame { recorder?.take(message, of: type, session, at: moment) }
        }
        extract?.picture(message, of: name, stream: stream, session: session, isOpened: isOpened)
      }
      return nil
    } catch {
      let problem = error.valueProblem(of: type)
      sessions[session].streams[stream].plain.device?.fail(.damaged(problem.reason))
      return note(.screen(error), problem, session, stream, .phone, moment)
    }
  }

  /// Returns whether the key of a session's streams came with a secret of auth-setup that does not fit.
  private func hasDoubtedKey(_ session: Int) -> Bool {
    guard case .unverified? = sessions[session].protection else { return false }
    return sessions[session].story?.wrongSignature != nil
  }

  /// Takes bytes of buffered sound. Returns the reason if nothing more can be read.
  private mutating func takeBuffered(
    _ bytes: [UInt8], _ opener: inout BufferedAudioOpener, _ session: Int, _ stream: Int, _ moment: CaptureMoment
  ) -> String? {
    if let damage {
      return note(.buffered, .damaged(StreamType.bufferedAudio.name, damage), session, stream, .phone, moment)
    }
    opener.add(bytes)
    sessions[session].streams[stream].plain.device?.capture(bytes)
    do throws(BufferedAudioProblem) {
      while let packet = try opener.next() {
        sessions[session].streams[stream].plain.device?.append(packet)
        note(packet, session, stream, at: moment)
      }
      return nil
    } catch {
      let problem = error.valueProblem(of: .bufferedAudio)
      sessions[session].streams[stream].plain.device?.fail(.damaged(problem.reason))
      return note(.buffered, problem, session, stream, .phone, moment)
    }
  }

  /// Takes bytes of a direction of a data stream. Returns the reason if nothing more can be read.
  private mutating func takeData(
    _ bytes: [UInt8], _ trace: inout DataTrace, _ session: Int, _ stream: Int, _ side: SessionSide,
    _ moment: CaptureMoment
  ) -> String? {
    if trace.isSealed || trace.isOpen && mark == .sealed {
      addSealed(bytes, session, stream, side, isCopied: true, moment)
      if !trace.isSealed { return nil }
    }
    let (name, isForIAP) = (sessions[session].streams[stream].name, sessions[session].streams[stream].body.isForIAP)
    let (packages, problem) = trace.take(bytes, &sessions[session].streams[stream].plain[side])
    for package in packages { add(package, isForIAP: isForIAP, name, session, side, moment) }
    return problem.map { note(.data, $0, session, stream, side, moment) }
  }

  /// Notes that bytes of a side cannot be read. Returns the reason.
  ///
  /// - Parameter stream: The stream over TCP that has them; nil for sound over UDP.
  @discardableResult
  private mutating func note(
    _ damage: SessionJudge.Damage, _ problem: ValueProblem, _ session: Int, _ stream: Int?, _ side: SessionSide,
    _ moment: CaptureMoment
  ) -> String {
    if let stream, !sessions[session].streams[stream].isWhole { return Self.gap }
    sessions[session].story?.judge(at: moment) { $0.note(damage, by: side, problem) }
    return problem.reason
  }

  private mutating func addSealed(
    _ bytes: [UInt8], _ session: Int, _ stream: Int, _ side: SessionSide, isCopied: Bool, _ moment: CaptureMoment
  ) {
    if !isCopied { sessions[session].streams[stream].plain[side]?.append(bytes, .sealed) }
    let name = sessions[session].streams[stream].name
    sessions[session].story?.add(name, count: 0, byteCount: bytes.count, at: moment)
    add(
      .sealed, "\(name): \(bytes.count) bytes",
      [.init(.stream, .text(name)), .init(.byteCount, .integer(Int128(bytes.count)))], session, side, moment)
  }

  private mutating func add(
    _ finding: SessionFinding, _ session: Int, _ side: SessionSide, _ moment: CaptureMoment
  ) {
    add(finding.layer, finding.text, finding.fields, body: finding.body, session, side, moment)
  }

  /// Returns the finding of a message of a screen.
  private static func picture(_ message: ScreenMessage, _ name: String, isOpened: Bool) -> SessionFinding {
    let count = message.body.count
    let kind = message.kind.map(\.name) ?? "type \(message.type)"
    var fields: [SessionFinding.Field] = [
      .init(.stream, .text(name)), .init(.kind, .text(kind)), .init(.byteCount, .integer(Int128(count))),
    ]
    var words = "\(name): \(kind)"
    var body: FindingTree?
    switch message.kind {
    case .frame:
      fields.append(.init(.isKeyFrame, .flag(message.isKeyFrame)))
      if message.isKeyFrame { words += ", key frame" }
    case .configuration:
      let (width, height) = (Int(clampingFinite: message.width), Int(clampingFinite: message.height))
      words += ", \(width) × \(height), flags 0x\(String(message.flags, radix: 16))"
      body = .value(.bytes(message.body))
    case .statistics:
      do { body = FindingTree(try PropertyValue(binary: message.body)) } catch { body = .value(.bytes(message.body)) }
    default: break
    }
    words += ", \(count) bytes"
    if message.kind == .frame, !isOpened { words += ", sealed" }
    return SessionFinding(.picture, words, fields, body: body)
  }

  private mutating func add(
    _ package: DataPackage, isForIAP: Bool, _ name: String, _ session: Int, _ side: SessionSide, _ moment: CaptureMoment
  ) {
    let kind = "\(package.kind)"
    sessions[session].story?.add(name, byteCount: package.body.count, at: moment)
    let fields: [SessionFinding.Field] = [
      .init(.stream, .text(name)), .init(.kind, .text(kind)), .init(.byteCount, .integer(Int128(package.body.count))),
    ]
    guard let data = package.data else {
      return add(.data, "\(name): \(kind) \(package.sequence)", fields, session, side, moment)
    }
    var body = FindingTree.value(.bytes(data))
    var link: [UInt8]?
    do {
      let value = try PropertyValue(binary: data)
      body = FindingTree(value)
      if isForIAP, case .dictionary(let values) = value, case .iAP(let bytes)? = CommandBody(values: values).command {
        link = bytes
      }
    } catch { if isForIAP { link = data } }
    add(.data, "\(name): \(kind) \(package.sequence), \(data.count) bytes", fields, body: body, session, side, moment)
    if let link { addLink(link, session, side, moment) }
  }

  // MARK: Datagrams

  /// Takes a datagram by the socket that receives it.
  ///
  /// - Parameter isCut: Whether the capture lacks the end of the datagram, so that it is neither opened nor judged.
  /// - Returns: The bytes of sound in the clear, or the mark of a packet that is not opened; nil for another datagram.
  mutating func take(
    _ bytes: [UInt8], _ session: Int, _ socket: Session.Socket, isCut: Bool, at moment: CaptureMoment
  ) -> (bytes: [UInt8], mark: DecryptedMark?)? {
    let mark = isCut ? .sealed : mark
    switch socket {
    case .clock(let receiver):
      if !isCut { takeClock(bytes, session, from: receiver.other, moment) }
    case .keepAlive:
      add(
        .clock, "keep-alive, \(bytes.count) byte\(bytes.count == 1 ? "" : "s")", [.init(.socket, .text("keep-alive"))],
        session, .phone, moment)
    case .sound(let stream, let receiver):
      guard needsContent else { return nil }
      let sender = receiver.other
      let name = sessions[session].streams[stream].name + (sender == .phone ? "" : ", microphone")
      let hasKey = sessions[session].streams[stream].sound[sender].opener != nil && mark != .sealed
      let content = sessions[session].streams[stream].sound[sender].take(bytes, at: moment.nanoseconds, mark: mark)
      sessions[session].story?.add(name, byteCount: content.packet?.clearByteCount ?? bytes.count, at: moment)
      if case .packet(let packet) = content { take(packet, session, stream, from: sender, at: moment) }
      summarizeSound(of: session, at: moment, isEnd: false)
      guard let packet = content.packet else {
        return (bytes, hasKey ? .damaged("the tag is wrong, or the packet is repeated") : .sealed)
      }
      return (bytes.prefix(AudioPacket.headerByteCount) + packet.payload, nil)
    case .soundControl(let stream, let receiver):
      guard wantsFinding, !isCut else { return nil }
      let name = sessions[session].streams[stream].name
      let text: String
      switch AudioControlPacket(bytes: bytes) {
      case .sync(let sync)?:
        text = "synchronization, sample \(sync.heard) is heard now\(sync.isFirst ? ", the first one" : "")"
      case .retransmitRequest(let request)?: text = "asks for \(request.count) packets again, from \(request.first)"
      case .retransmitted(let sequence, _)?: text = "packet \(sequence) again"
      case nil: text = "a control packet of \(bytes.count) bytes that is not known"
      }
      add(.sound, "\(name): \(text)", [.init(.stream, .text(name))], session, receiver.other, moment)
      if case .retransmitted(_, let packet)? = AudioControlPacket(bytes: bytes) {
        return plain(ofRepeated: packet, in: bytes, session, stream, from: receiver.other)
      }
    case .events, .stream: break
    }
    return nil
  }

  /// Returns a control packet with a packet of sound again, in the clear.
  private func plain(
    ofRepeated packet: [UInt8], in bytes: [UInt8], _ session: Int, _ stream: Int, from sender: SessionSide
  ) -> (bytes: [UInt8], mark: DecryptedMark?) {
    // The reader has opened the packet before, if the capture has it, so a new opener opens it.
    var opener = sessions[session].streams[stream].repeatedSound[sender]
    guard let opened = opener?.open(packet), mark != .sealed else { return (bytes, .sealed) }
    let start = bytes.count - packet.count + AudioPacket.headerByteCount
    return (bytes.prefix(start) + opened.payload, nil)
  }

  private mutating func takeClock(_ bytes: [UInt8], _ session: Int, from side: SessionSide, _ moment: CaptureMoment) {
    let packet = ClockPacket(bytes: bytes)
    sessions[session].story?.judge(at: moment) { $0.take(clock: packet, byteCount: bytes.count, from: side) }
    guard wantsFinding else { return }
    guard let packet else {
      let reason = "\(bytes.count) bytes that are no clock packet"
      return add(.problem, "clock: \(reason)", [.init(.reason, .text(reason))], session, side, moment)
    }
    var fields: [SessionFinding.Field] = [
      .init(.socket, .text("clock")), .init(.kind, .text(packet.isRequest ? "question" : "answer")),
    ]
    guard !packet.isRequest else {
      sessions[session].questions[side] = moment.nanoseconds
      return add(.clock, "clock: question", fields, session, side, moment)
    }
    var words = "clock: answer"
    // The capture has both packets, so the time between them is known without the clocks of the sides.
    if let asked = sessions[session].questions[side.other], let now = moment.nanoseconds {
      let delay = Double(now - asked) / 1e9
      fields.append(.init(.clockDelay, .seconds(delay)))
      words += " after \(DecodedText.seconds(delay))"
    }
    let difference = Double(ClockPacket.difference(packet.received, packet.reference)) / Double(1 << 32)
    fields.append(.init(.clockDifference, .seconds(difference)))
    words += ", the question came \(DecodedText.seconds(difference)) after it was sent, by the clocks of both"
    add(.clock, words, fields, session, side, moment)
  }

  // MARK: Sound

  private mutating func note(_ packet: AudioPacket, _ session: Int, _ stream: Int, at moment: CaptureMoment) {
    take(packet, session, stream, from: .phone, at: moment)
    let name = sessions[session].streams[stream].name
    sessions[session].story?.add(name, byteCount: packet.payload.count, at: moment)
    add(
      .sound, "\(name): packet \(packet.sequence), sample \(packet.timestamp), \(packet.payload.count) bytes",
      [
        .init(.stream, .text(name)), .init(.firstSequence, .integer(Int128(packet.sequence))),
        .init(.packets, .integer(1)), .init(.byteCount, .integer(Int128(packet.payload.count))),
      ], session, .phone, moment)
  }

  private func take(
    _ packet: AudioPacket, _ session: Int, _ stream: Int, from side: SessionSide, at moment: CaptureMoment
  ) {
    let present = sessions[session].streams[stream]
    if let type = present.body.type { recorder?.take(packet, of: type, from: side, session, at: moment) }
    extract?.sound(
      packet.payload, of: present.name, stream: stream, session: session, from: side, format: present.body.audioFormat)
  }

  /// Reports the packets of sound of each second, and of all at the end.
  mutating func summarizeSound(of session: Int, at moment: CaptureMoment, isEnd: Bool) {
    for stream in sessions[session].streams.indices {
      for side in SessionSide.allCases
      where isEnd || sessions[session].streams[stream].sound[side].isDue(at: moment.nanoseconds) {
        let name = sessions[session].streams[stream].name + (side == .phone ? "" : ", microphone")
        guard let finding = sessions[session].streams[stream].sound[side].takeSummary(name) else { continue }
        if case .text(let reason)? = finding.values(.reason).first {
          note(
            .sound, ValueProblem(name, is: reason, expected: "the key of streamConnectionID"), session, nil, side,
            moment)
        }
        add(finding, session, side, moment)
      }
    }
  }
}

extension ScreenMessage.Kind {
  /// The names of all kinds. To make the name of a value costs more than the rest of its finding.
  private static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0, "\($0)") })

  fileprivate var name: String { Self.names[self] ?? "\(self)" }
}

extension ScreenOpener.Problem {
  /// Returns the problem that gave a reason; nil for a reason of no problem.
  ///
  /// - Parameters:
  ///   - count: The number of frames before it.
  ///   - bytes: The bytes that could not be read, from their header on.
  fileprivate init?(reason: String, of type: StreamType, _ count: UInt64, _ bytes: [UInt8]) {
    let size = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let problem = [Self.wrongFrame(count), .noConfiguration, .bodyTooLong(size)].first {
      $0.valueProblem(of: type).reason == reason
    }
    guard let problem else { return nil }
    self = problem
  }
}

extension ValueProblem {
  /// Returns the problem of a reason in a capture whose sessions are in the clear.
  fileprivate static func damaged(_ message: String, _ reason: String) -> ValueProblem {
    let parts = reason.split(separator: ", expected ", maxSplits: 1)
    return ValueProblem(
      message, is: parts.first.map(String.init) ?? reason,
      expected: parts.count > 1 ? String(parts[1]) : "bytes that the key opens")
  }
}

extension ScreenMessage {
  /// Returns whether bytes begin with the configuration of a screen.
  static func configurationBegins(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= ScreenMessage.headerByteCount else { return false }
    let message = ScreenMessage(header: bytes.prefix(ScreenMessage.headerByteCount))
    let sizes = 16.0...8192.0
    return message.kind == .configuration && sizes.contains(Double(message.width))
      && sizes.contains(Double(message.height))
      && bytes[64..<ScreenMessage.headerByteCount].allSatisfy { $0 == 0 }
  }
}
