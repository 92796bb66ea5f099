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
    sessions[session].story?.hear(side, at: moment)
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

  // MARK: Datagrams

  /// Takes a datagram by the socket that receives it.
  ///
  /// - Parameter isCut: Whether the capture lacks the end of the datagram, so that it is neither opened nor judged.
  /// - Returns: The bytes of sound in the clear, or the mark of a packet that is not opened; nil for another datagram.
  mutating func take(
    _ bytes: [UInt8], _ session: Int, _ socket: Session.Socket, isCut: Bool, at moment: CaptureMoment
  ) -> (bytes: [UInt8], mark: DecryptedMark?)? {
    let mark = isCut ? .sealed : mark
    if let sender = socket.sender { sessions[session].story?.hear(sender, at: moment) }
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

  mutating func takeClock(_ bytes: [UInt8], _ session: Int, from side: SessionSide, _ moment: CaptureMoment) {
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

  func take(
    _ packet: AudioPacket, _ session: Int, _ stream: Int, from side: SessionSide, at moment: CaptureMoment
  ) {
    let present = sessions[session].streams[stream]
    if let type = present.body.type { recorder?.take(packet, of: type, from: side, session, at: moment) }
    extract?.sound(
      packet.payload, of: present.name, stream: stream, session: session, from: side, format: present.body.audioFormat)
  }

  /// Reports the packets of sound of each second, and of all at the end.
  mutating func summarizeSound(of session: Int, at moment: CaptureMoment, isEnd: Bool) {
    if isEnd { summarizeSealed(of: session, at: moment) }
    for stream in sessions[session].streams.indices {
      for side in SessionSide.allCases
      where isEnd || sessions[session].streams[stream].sound[side].isDue(at: moment.nanoseconds) {
        let name = sessions[session].streams[stream].name + (side == .phone ? "" : ", microphone")
        guard let summary = sessions[session].streams[stream].sound[side].takeSummary(name) else { continue }
        sessions[session].story?.damage.add(
          packets: summary.packets, wrong: summary.wrong, of: .init(name: name, side: side), at: moment)
        let finding = summary.finding
        add(finding.layer, finding.text, finding.fields, session, side, moment)
      }
    }
  }
}
