// swift-iap2 · Apache-2.0

package import CarPlaySession

// Pictures and the clock.
extension SessionJudge {
  /// The pictures after forceKeyFrame in which a key frame may still come. Ours: two seconds of 60 pictures.
  private static let maximumPicturesUntilKeyFrame = 120

  /// Judges a message of a screen.
  ///
  /// - Parameter isOpened: Whether the body of a frame is decrypted.
  package mutating func take(_ message: ScreenMessage, of type: StreamType, isOpened: Bool) {
    switch message.kind {
    case .configuration: takeConfiguration(message, type)
    case .frame: takeFrame(message, type, isOpened: isOpened)
    default: break
    }
  }

  private mutating func takeConfiguration(_ message: ScreenMessage, _ type: StreamType) {
    var stream = streams[type] ?? JudgedStream()
    defer { streams[type] = stream }
    stream.hasPicture = false
    // The record of HEVC has another form.
    guard message.flags != 0x011E else { return }
    do throws(VideoProblem) {
      let record = try AVCConfiguration(body: message.body)
      stream.lengthSize = record.lengthSize
      guard !record.sequenceParameterSets.isEmpty else { return }
      let parameters = try record.sequenceParameters()
      let (width, height) = (Int(clampingFinite: message.width), Int(clampingFinite: message.height))
      guard (parameters.width, parameters.height) != (width, height) else { return }
      add(
        .screenSize, by: .phone,
        ValueProblem(
          type.name, is: "the header has \(width) × \(height)",
          expected: "\(parameters.width) × \(parameters.height), as in the parameter set"))
    } catch {
      add(
        .configurationForm, by: .phone,
        ValueProblem(type.name, is: "the configuration cannot be read: \(error.words)", expected: "an avcC record"))
    }
  }

  private mutating func takeFrame(_ message: ScreenMessage, _ type: StreamType, isOpened: Bool) {
    var stream = streams[type] ?? JudgedStream()
    if !stream.hasPicture, stream.lengthSize != nil, !message.isKeyFrame {
      add(
        .keyFrameFirst, by: .phone,
        ValueProblem(type.name, is: "the first picture is no key frame", expected: "an IDR picture"))
    }
    stream.hasPicture = true
    // Key frames show the form; to read every picture costs its copy.
    if isOpened, message.isKeyFrame, let lengthSize = stream.lengthSize {
      do throws(VideoProblem) { _ = try FrameBody.units(of: message.body, lengthSize: lengthSize) } catch {
        add(
          .frameForm, by: .phone,
          ValueProblem(
            type.name, is: "a picture cannot be read: \(error.words)",
            expected: "NAL units after lengths of \(lengthSize) bytes"
          ))
      }
    }
    streams[type] = stream
    guard let count = picturesSinceAsked, type == .screen else { return }
    picturesSinceAsked = message.isKeyFrame ? nil : count + 1
    guard !message.isKeyFrame, count + 1 == Self.maximumPicturesUntilKeyFrame else { return }
    add(
      .keyFrameAsked, by: .phone,
      ValueProblem(
        type.name, is: "\(count + 1) pictures followed forceKeyFrame, and no key frame", expected: "a key frame"))
  }

  /// Notes that the head unit does not read a screen, although pictures wait.
  package mutating func takeUnread(_ type: StreamType, seconds: Double) {
    let duration = (seconds * 10).rounded() / 10
    add(
      .screenRead, by: .headUnit,
      ValueProblem(type.name, is: "its TCP window is 0 for \(duration) s", expected: "a window that opens again"))
  }

  /// The answers in a row that repeat no time of a question before they break the rule. Ours: a capture may lack a
  /// question.
  private static let strayAnswerCount = 2

  /// The datagrams of a side that are none of the clock before they break the rule. Ours: a capture may damage one.
  private static let wrongClockCount = 2

  /// Judges a datagram of the clock.
  ///
  /// - Parameter packet: The packet; nil for bytes that are none.
  package mutating func take(clock packet: ClockPacket?, byteCount: Int, from side: SessionSide) {
    guard let packet else {
      wrongClocks[side, default: 0] += 1
      guard wrongClocks[side] == Self.wrongClockCount else { return }
      return add(
        .clockForm, by: side,
        ValueProblem(
          "clock", is: "a datagram of \(byteCount) bytes is neither a request nor an answer",
          expected: "32 bytes that begin with 80 D2 or 80 D3"))
    }
    if packet.isRequest {
      var times = questions[side] ?? []
      times.append(packet.sent)
      questions[side] = times.suffix(8)
      return
    }
    let asked = questions[side.other] ?? []
    let count = asked.contains(packet.reference) ? 0 : (strayAnswers[side] ?? 0) + 1
    strayAnswers[side] = count
    guard !asked.isEmpty, count == Self.strayAnswerCount else { return }
    add(
      .clockAnswer, by: side,
      ValueProblem("clock", is: "\(count) answers with other times than the last questions", expected: "their times"))
  }
}

extension Int {
  /// The nearest whole number of a finite one, as a size of at most 65536 either way; 0 for others.
  package init(clampingFinite value: Float) {
    self = value.isFinite ? Int(Swift.max(-65_536, Swift.min(65_536, value))) : 0
  }
}
