// swift-iap2 · Apache-2.0

import Basics

/// The position of buffered sound on the clock of the session: a sample and the time at which it is heard.
///
/// The form is that of one program and of receivers of AirPlay (CarPlaySession.md#buffered-control).
struct SoundAnchor: Sendable {
  /// The sample.
  var sample: UInt32
  /// The time of this side's clock at which the sample is heard.
  var time: MonotonicTime
  /// 1 while sound plays, 0 in a pause.
  var rate: Int
}

/// The requests that start, pause and empty buffered sound.
extension HeadUnitSession {
  static let bufferedMethods: Set<String> = ["SETRATE", "GETANCHOR", "SETRATEANCHORTIME", "FLUSHBUFFERED"]

  mutating func control(_ id: Int, _ request: RequestMessage, _ method: String, at time: MonotonicTime) {
    guard session?.streams[.bufferedAudio] != nil else {
      return refuse(
        id, request, 455, nil, ValueProblem(method, is: "there is no stream of type 103", expected: "its SETUP first"))
    }
    var values = SessionValues(values: [:])
    if !request.body.isEmpty {
      do throws(BodyProblem) { values = try SessionValues(bytes: request.body) } catch {
        return refuse(id, request, 400, .badPlist, ValueProblem(method, body: request.body, error))
      }
    }
    let rate: Double? = values["rate"]
    switch method {
    case "SETRATE", "SETRATEANCHORTIME":
      guard let rate else {
        return refuse(
          id, request, 400, .badValue, ValueProblem(method, "rate", values.values["rate"], expected: "0 or 1"))
      }
      let sample: UInt64? = values["rtpTime"]
      let present = session?.anchor?.sample ?? 0
      session?.anchor = SoundAnchor(
        sample: sample.map { UInt32(truncatingIfNeeded: $0) } ?? present, time: time, rate: rate == 0 ? 0 : 1)
      answer(id, request, 200)
    case "GETANCHOR":
      answer(id, request, 200, type: MessageTypes.propertyList, body: anchor.bytes)
    default: answer(id, request, 200)
    }
  }

  /// The anchor in the phone's time; only a rate of 0 before the first start.
  private var anchor: SessionValues {
    guard let session, let anchor = session.anchor else { return SessionValues(values: ["rate": 0]) }
    let time = sharedTime(at: anchor.time)
    return SessionValues(values: [
      "rate": .integer(Int64(anchor.rate)), "rtpTime": .integer(Int64(anchor.sample)),
      "networkTimeSecs": .integer(Int64(time >> 32)),
      "networkTimeFrac": (time << 32).propertyValue,
    ])
  }
}
