// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Control requests of a head unit: when it asks the phone to connect, and how. The probe is announced as a phone.
  static let callsOfHeadUnits: [SessionCheck] = [
    calling(
      "CDI-51", "a control request after a loss",
      "A head unit that lost the phone asks it to connect within 60 s, by a control request.",
      "reconnect: the limit is ours", .medium, .recommended
    ) { phone throws(Stop) in
      let control = try phone.control()
      try await phone.goLive()
      let count = await control.requests().count
      await phone.leave()
      guard await !phone.isAsked(control.requests, after: count, within: .seconds(60)) else { return }
      try phone.demandCaller(count)
      throw .failed("no control request came within 60 s after the connections ended without TEARDOWN")
    },
    calling(
      "CDI-52", "no control request after an end in order",
      "After TEARDOWN a head unit does not ask the phone to connect, here for 30 s.", "reconnect: the limit is ours",
      .medium, .recommended
    ) { phone throws(Stop) in
      let control = try phone.control()
      try await phone.goLive()
      let count = await control.requests().count
      try await phone.tearDown()
      await phone.leave()
      guard await !phone.isAsked(control.requests, after: count, within: .seconds(30)) else {
        throw .failed("a control request came within 30 s after TEARDOWN")
      }
      try phone.demandCaller(count)
    },
    calling(
      "CDI-53", "the address in a control request",
      "A control request has the deviceID of /info in decimal digits.", "ctrl-device-id", .high
    ) { phone throws(Stop) in
      let control = try phone.control()
      try await phone.prepare()
      let requests = await control.requests()
      try phone.demandCaller(requests.count)
      for request in requests {
        switch request {
        case .failure(let refusal): throw .failed("a control request cannot be read: \(refusal)")
        case .success(let call):
          let own = phone.info?.deviceID.flatMap { DeviceID($0) }
          guard let reading = call.readings.first(where: { $0.form == .decimal }) else {
            throw .failed("a control request has \(call.readings[0].deviceID) in hexadecimal digits")
          }
          guard let own else { throw .inconclusive("/info has no deviceID that can be read") }
          guard reading.deviceID == own else {
            throw .failed("a control request has \(reading.deviceID), and /info has \(own)")
          }
        }
      }
    },
    calling(
      "CDI-54", "no control request to a second phone",
      "While a session is active, the head unit asks no other phone to connect, here for 30 s, and the session continues.",
      "one-session: inferred, because no other phone may interrupt the session; the time is ours", .medium, .recommended
    ) { phone throws(Stop) in
      let control = try phone.control()
      try await phone.goLive()
      let second = try await control.announceSecond().get()
      let isAsked = await phone.isAsked(second.requests, after: 0, within: .seconds(30))
      await second.withdraw()
      guard !isAsked else {
        throw .failed("a second phone that was announced during the session got a control request")
      }
      try await phone.demandLife(after: "the announcement of a second phone")
      try phone.demandCaller(await control.requests().count)
    },
  ]
}

extension ScriptedPhone {
  fileprivate func control() throws(Stop) -> ProbeControl {
    guard let control = peer.control else { throw .notApplicable("the probe is not announced as a phone (--announce)") }
    return control
  }

  /// Demands that the head unit sends control requests at all, because the user may have turned them off.
  fileprivate func demandCaller(_ count: Int) throws(Stop) {
    guard count > 0 else { throw .inconclusive("the head unit sent no control request in this run") }
  }

  /// Returns whether a control request comes in a time.
  fileprivate func isAsked(
    _ requests: @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>], after count: Int,
    within limit: Duration
  ) async -> Bool {
    let end = await line.now.advanced(by: limit)
    while await requests().count <= count {
      guard await line.now < end, !Task.isCancelled else { return false }
      await pass(.seconds(1))
    }
    return true
  }
}
