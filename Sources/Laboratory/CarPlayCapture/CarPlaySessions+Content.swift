// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2Capture

// The streams over TCP: screens, buffered sound and data.
extension CarPlaySessions {
  /// A stream over TCP, and a side that sends on it.
  private struct Source {
    let session, stream: Int
    let side: SessionSide
  }

  /// Takes bytes of a stream.
  mutating func take(
    _ bytes: [UInt8], _ session: Int, stream: Int, from side: SessionSide, followsGap: Bool, at moment: CaptureMoment
  ) {
    let source = Source(session: session, stream: stream, side: side)
    if followsGap { recorder?.noteLack(session) }
    // The content has large buffers, so it is taken out before it changes.
    let content = sessions[session].streams[stream].content
    switch content {
    case .screen where !needsContent, .buffered where !needsContent: return
    case .screen(var trace) where side == .phone:
      sessions[session].streams[stream].content = .other
      takeScreen(bytes, &trace, followsGap: followsGap, source, moment)
      sessions[session].streams[stream].content = .screen(trace)
    case .buffered(var trace?) where side == .phone && !(isDecrypted && mark == .sealed):
      sessions[session].streams[stream].content = .other
      takeBuffered(bytes, &trace, followsGap: followsGap, source, moment)
      sessions[session].streams[stream].content = .buffered(trace)
    case .buffered where side == .phone: addSealed(bytes, followsGap: followsGap, source, moment)
    case .data(var traces):
      guard !traces[side].isSealed, !(isDecrypted && mark == .sealed) else {
        return addSealed(bytes, followsGap: followsGap, source, moment)
      }
      sessions[session].streams[stream].content = .other
      takeData(bytes, &traces[side], followsGap: followsGap, source, moment)
      sessions[session].streams[stream].content = .data(traces)
    case .screen, .buffered, .sound, .other:
      sessions[session].streams[stream].plain[side]?.append(bytes, .sealed, followsGap: followsGap)
    }
  }

  /// Notes that the capture lacks the beginning of a stream's connection.
  mutating func noteLateBeginning(of stream: Int, _ session: Int) {
    sessions[session].streams[stream].isWhole = false
    switch sessions[session].streams[stream].content {
    case .screen(var trace):
      trace.noteLateBeginning()
      sessions[session].streams[stream].content = .screen(trace)
    case .buffered(var trace?):
      trace.noteLateBeginning()
      sessions[session].streams[stream].content = .buffered(trace)
    case .data(var traces):
      for side in SessionSide.allCases { traces[side].noteLateBeginning() }
      sessions[session].streams[stream].content = .data(traces)
    case .buffered(nil), .sound, .other: break
    }
  }

  /// Reports the bytes at the ends of a session's streams that were not read.
  mutating func reportLosses(of session: Int, at moment: CaptureMoment) {
    for stream in sessions[session].streams.indices { reportLoss(of: stream, session, at: moment) }
  }

  /// Reports the bytes at the end of a stream that were not read.
  mutating func reportLoss(of stream: Int, _ session: Int, at moment: CaptureMoment) {
    var words = BothSides<String?>(nil)
    switch sessions[session].streams[stream].content {
    case .screen(var trace):
      words[.phone] = trace.takeEnd()
      sessions[session].streams[stream].content = .screen(trace)
    case .buffered(var trace?):
      words[.phone] = trace.takeEnd()
      sessions[session].streams[stream].content = .buffered(trace)
    case .data(var traces):
      for side in SessionSide.allCases { words[side] = traces[side].takeEnd() }
      sessions[session].streams[stream].content = .data(traces)
    case .buffered(nil), .sound, .other: break
    }
    for side in SessionSide.allCases {
      guard let text = words[side] else { continue }
      let name = sessions[session].streams[stream].name
      sessions[session].story?.damage.noteUnreadRest(.init(name: name, side: side))
      addProblem(text, Source(session: session, stream: stream, side: side), moment)
    }
  }

  /// Gives the receiver of content the state of the keys at the end of a session.
  func extractEnd(of session: Int) {
    guard let extract else { return }
    let control = sessions[session].control
    let sides = SessionSide.allCases.map { control.directions[$0] }
    if sides.contains(where: \.isOpaque) {
      extract.end(.missing)
    } else if !isDecrypted, sessions[session].pairing.secret != nil, !sides.contains(where: \.hasOpenedFrame) {
      extract.end(.wrong)
    } else {
      extract.end(.known(hasStream: sessions[session].streams.contains { $0.body.type != .data }))
    }
  }

  // MARK: Screens

  private mutating func takeScreen(
    _ bytes: [UInt8], _ trace: inout ScreenTrace, followsGap: Bool, _ source: Source, _ moment: CaptureMoment
  ) {
    let (session, stream) = (source.session, source.stream)
    let isClear = isDecrypted && mark != .sealed
    let type = sessions[session].streams[stream].body.type ?? .screen
    let name = sessions[session].streams[stream].name
    trace.add(bytes, followsGap: followsGap, mark: mark, &sessions[session].streams[stream].plain[.phone])
    if followsGap { sessions[session].story?.noteGap(ofScreen: type) }
    while let event = trace.next(
      isClear: isClear, &sessions[session].streams[stream].plain[.phone], &budget)
    {
      switch event {
      case .message(let message, let isOpened): take(message, isOpened: isOpened, source, name, moment)
      case .broken(let problem, let text):
        addProblem(text, source, moment)
        breakRule(.screen(problem), problem.valueProblem(of: type), source, moment)
      case .lost(let reason):
        addProblem(reason, source, moment)
        sessions[session].story?.noteGap(ofScreen: type)
        noteDamage(.screen(.wrongFrame(0)), .damaged(type.name, reason), source, moment)
      case .resumed(let text): noteResumption(text, source, moment)
      }
    }
  }

  private mutating func take(
    _ message: ScreenMessage, isOpened: Bool, _ source: Source, _ name: String, _ moment: CaptureMoment
  ) {
    let (session, stream) = (source.session, source.stream)
    sessions[session].story?.add(name, byteCount: message.body.count, at: moment)
    if isOpened, message.kind == .frame { sessions[session].story?.noteRead(name, source.side) }
    if wantsFinding { add(Self.picture(message, name, isOpened: isOpened), source, moment) }
    if let type = sessions[session].streams[stream].body.type {
      let isJudged = isOpened && !hasDoubtedKey(session)
      sessions[session].story?.judge(at: moment) { $0.take(message, of: type, isOpened: isJudged) }
      // A sealed picture is none that can be sent again.
      if isOpened || message.kind != .frame { recorder?.take(message, of: type, session, at: moment) }
    }
    extract?.picture(message, of: name, stream: stream, session: session, isOpened: isOpened)
  }

  /// Returns whether the key of a session's streams came with a secret of auth-setup that does not fit.
  private func hasDoubtedKey(_ session: Int) -> Bool {
    guard case .unverified? = sessions[session].protection else { return false }
    return sessions[session].story?.wrongSignature != nil
  }

  // MARK: Buffered sound

  private mutating func takeBuffered(
    _ bytes: [UInt8], _ trace: inout BufferedTrace, followsGap: Bool, _ source: Source, _ moment: CaptureMoment
  ) {
    let (session, stream) = (source.session, source.stream)
    trace.add(bytes, followsGap: followsGap, mark: mark, &sessions[session].streams[stream].plain[.phone])
    let name = StreamType.bufferedAudio.name
    while let event = trace.next(
      isClear: isDecrypted, &sessions[session].streams[stream].plain[.phone], &budget)
    {
      switch event {
      case .packet(let packet): note(packet, source, moment)
      case .broken(let reason):
        addProblem(reason, source, moment)
        breakRule(.buffered, .damaged(name, reason), source, moment)
      case .lost(let reason):
        addProblem(reason, source, moment)
        noteDamage(.buffered, .damaged(name, reason), source, moment)
      case .resumed(let text): noteResumption(text, source, moment)
      }
    }
  }

  private mutating func note(_ packet: AudioPacket, _ source: Source, _ moment: CaptureMoment) {
    take(packet, source.session, source.stream, from: .phone, at: moment)
    let name = sessions[source.session].streams[source.stream].name
    sessions[source.session].story?.add(name, byteCount: packet.payload.count, at: moment)
    sessions[source.session].story?.noteRead(name, source.side)
    add(
      SessionFinding(
        .sound, "\(name): packet \(packet.sequence), sample \(packet.timestamp), \(packet.payload.count) bytes",
        [
          .init(.stream, .text(name)), .init(.firstSequence, .integer(Int128(packet.sequence))),
          .init(.packets, .integer(1)), .init(.byteCount, .integer(Int128(packet.payload.count))),
        ]), source, moment)
  }

  // MARK: Data

  private mutating func takeData(
    _ bytes: [UInt8], _ trace: inout DataTrace, followsGap: Bool, _ source: Source, _ moment: CaptureMoment
  ) {
    let (session, stream, side) = (source.session, source.stream, source.side)
    let (name, isForIAP) = (sessions[session].streams[stream].name, sessions[session].streams[stream].body.isForIAP)
    let events = trace.take(
      bytes, followsGap: followsGap, mark: mark, &sessions[session].streams[stream].plain[side], &budget)
    for event in events {
      switch event {
      case .package(let package):
        sessions[session].story?.noteRead(name, side)
        add(package, isForIAP: isForIAP, name, source, moment)
      case .lost(let problem):
        addProblem(problem.reason, source, moment)
        noteDamage(.data, problem, source, moment)
      case .resumed(let text): noteResumption(text, source, moment)
      }
    }
  }

  private mutating func add(
    _ package: DataPackage, isForIAP: Bool, _ name: String, _ source: Source, _ moment: CaptureMoment
  ) {
    let kind = "\(package.kind)"
    sessions[source.session].story?.add(name, byteCount: package.body.count, at: moment)
    let fields: [SessionFinding.Field] = [
      .init(.stream, .text(name)), .init(.kind, .text(kind)), .init(.byteCount, .integer(Int128(package.body.count))),
    ]
    guard let data = package.data else {
      return add(SessionFinding(.data, "\(name): \(kind) \(package.sequence)", fields), source, moment)
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
    let words = "\(name): \(kind) \(package.sequence), \(data.count) bytes"
    add(SessionFinding(.data, words, fields, body: body), source, moment)
    if let link { addLink(link, source.session, source.side, moment) }
  }

  // MARK: Bytes that cannot be read

  /// Notes that a side broke a rule, and reads on.
  private mutating func breakRule(
    _ damage: SessionJudge.Damage, _ problem: ValueProblem, _ source: Source, _ moment: CaptureMoment
  ) {
    guard sessions[source.session].streams[source.stream].isWhole else { return }
    sessions[source.session].story?.judge(at: moment) { $0.note(damage, by: source.side, problem) }
  }

  private mutating func noteDamage(
    _ damage: SessionJudge.Damage, _ problem: ValueProblem, _ source: Source, _ moment: CaptureMoment
  ) {
    recorder?.noteLack(source.session)
    guard sessions[source.session].streams[source.stream].isWhole else { return }
    let name = sessions[source.session].streams[source.stream].name
    sessions[source.session].story?.noteDamage(damage, problem, of: name, source.side, at: moment)
  }

  private mutating func noteResumption(_ text: String?, _ source: Source, _ moment: CaptureMoment) {
    let name = sessions[source.session].streams[source.stream].name
    sessions[source.session].story?.noteRead(name, source.side)
    if let text { addProblem(text, source, moment) }
  }

  private mutating func addProblem(_ reason: String, _ source: Source, _ moment: CaptureMoment) {
    let name = sessions[source.session].streams[source.stream].name
    let fields: [SessionFinding.Field] = [.init(.stream, .text(name)), .init(.reason, .text(reason))]
    add(.problem, "\(name): \(reason)", fields, source.session, source.side, moment)
  }

  private mutating func addSealed(
    _ bytes: [UInt8], followsGap: Bool, _ source: Source, _ moment: CaptureMoment
  ) {
    sessions[source.session].streams[source.stream].plain[source.side]?.append(bytes, .sealed, followsGap: followsGap)
    let name = sessions[source.session].streams[source.stream].name
    sessions[source.session].story?.add(name, count: 0, byteCount: bytes.count, at: moment)
    let fields: [SessionFinding.Field] = [
      .init(.stream, .text(name)), .init(.byteCount, .integer(Int128(bytes.count))),
    ]
    add(.sealed, "\(name): \(bytes.count) bytes", fields, source.session, source.side, moment)
  }

  private mutating func add(_ finding: SessionFinding, _ source: Source, _ moment: CaptureMoment) {
    add(finding.layer, finding.text, finding.fields, body: finding.body, source.session, source.side, moment)
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
}

extension ScreenMessage.Kind {
  /// The names of all kinds. To make the name of a value costs more than the rest of its finding.
  private static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0, "\($0)") })

  fileprivate var name: String { Self.names[self] ?? "\(self)" }
}

extension ValueProblem {
  /// Returns the problem of a reason in a capture whose sessions are in the clear.
  static func damaged(_ message: String, _ reason: String) -> ValueProblem {
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
