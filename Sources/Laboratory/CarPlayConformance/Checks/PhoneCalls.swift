// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Control requests, with which a head unit asks a phone to connect.
  static let callsOfPhones: [SessionCheck] = [
    call(
      "CDI-71", "a control request",
      "A control request with the head unit's address in decimal digits is answered with 200.", "ctrl-request", .medium
    ) { headUnit throws(Stop) in
      let status = try await headUnit.callAndServe(try headUnit.request())
      guard status == 200 else { throw .failed("the control request got status \(status)") }
    },
    call(
      "CDI-72", "a connection after a control request",
      "A phone connects to the head unit that asked it, if it finds its announcement.",
      "ctrl-request: the phone must find _airplay._tcp", .medium, .observed
    ) { headUnit throws(Stop) in
      try await headUnit.demandIdle()
      let status = try await headUnit.call(try headUnit.request())
      guard status == 200 else { throw .inconclusive("the control request got status \(status)") }
      let limit = headUnit.peer.answer * 3
      guard await headUnit.wait(limit, for: { headUnit.control != nil }) else {
        throw .failed("no connection within \(limit.seconds); is _airplay._tcp with this address and port announced?")
      }
    },
    call(
      "CDI-73", "an unknown path", "A request with another path is refused, and brings no connection.",
      "ctrl-request: that others are refused is ours", .low, .recommended
    ) { headUnit throws(Stop) in
      let request = String(decoding: try headUnit.request(), as: UTF8.self)
      try await headUnit.demandRefusal(
        of: request.replacing(ControlCall.path, with: "/ctrl-int/1/unknown"), "another path")
    },
    call(
      "CDI-74", "a missing address",
      "A control request without AirPlay-Receiver-Device-ID is refused, and brings no connection.",
      "ctrl-device-id: that others are refused is ours", .low, .recommended
    ) { headUnit throws(Stop) in
      let request = String(decoding: try headUnit.request(), as: UTF8.self)
      try await headUnit.demandRefusal(
        of: request.replacing(ControlCall.deviceHeader, with: "X-Conformance"), "no address")
    },
    call(
      "CDI-75", "an address that is none",
      "A control request whose AirPlay-Receiver-Device-ID is no number is refused, and brings no connection.",
      "ctrl-device-id: that others are refused is ours", .low, .recommended
    ) { headUnit throws(Stop) in
      let request = String(decoding: try headUnit.request(), as: UTF8.self)
      try await headUnit.demandRefusal(
        of: request.replacing("\(try headUnit.deviceID().number)", with: "conformance"), "an address that is no number")
    },
    call(
      "CDI-76", "a request that stops",
      "A control request of which only a part came does not keep the next one out.", "ctrl-request", .low, .recommended
    ) { headUnit throws(Stop) in
      let request = try headUnit.request()
      guard try await headUnit.callAndServe(request) == 200 else {
        throw .inconclusive("a control request is refused anyway")
      }
      try await headUnit.hold(Array(request.prefix(request.count / 2)))
      await headUnit.pass(.milliseconds(300))
      let status = try await headUnit.callAndServe(request)
      guard status == 200 else { throw .failed("beside a request that stops another one got status \(status)") }
    },
    call(
      "CDI-77", "an address in hexadecimal digits", "A control request with an address in hexadecimal digits is taken.",
      "ctrl-forms", .low, .observed
    ) { headUnit throws(Stop) in
      let status = try await headUnit.callAndServe(try headUnit.request(.hexadecimal))
      guard status == 200 else { throw .failed("hexadecimal digits got status \(status)") }
    },
  ]
}

extension ScriptedHeadUnit {
  /// Asks a phone to connect that does not connect by itself, if its control port is known.
  func callIfIdle() async {
    guard let calls = peer.calls, await !wait(Self.idleTime, for: { control != nil }) else { return }
    do throws(Stop) { _ = await calls.send(try request()) } catch {}
  }

  fileprivate func deviceID() throws(Stop) -> DeviceID {
    guard let id = info.deviceID.flatMap({ DeviceID($0) }) else { throw .inconclusive("the probe has no address") }
    return id
  }

  fileprivate func request(_ form: ControlCall.Form = .decimal) throws(Stop) -> [UInt8] {
    ControlCall.request(
      try deviceID(), form: form, sourceVersion: Generation.current.sourceVersion, host: "phone.local")
  }

  /// Sends a request to the phone's control port and returns the status of the answer.
  fileprivate func call(_ request: [UInt8]) async throws(Stop) -> Int {
    guard let calls = peer.calls else { throw .notApplicable("no control port of the phone is known (--control)") }
    switch await calls.send(request) {
    case .status(let status)?: return status
    case .none(let reason)?: throw .failed("the control request got no answer: \(reason)")
    case nil: throw .inconclusive("the control port accepts no connection")
    }
  }

  /// Sends a request, and takes the connection that it brings, so that no later check meets it.
  fileprivate func callAndServe(_ request: [UInt8]) async throws(Stop) -> Int {
    let status = try await call(request)
    if status == 200 { _ = await wait(Self.idleTime) { control != nil } }
    return status
  }

  /// Sends a part of a request, whose connection stays open.
  fileprivate func hold(_ part: [UInt8]) async throws(Stop) {
    guard let calls = peer.calls else { throw .notApplicable("no control port of the phone is known (--control)") }
    await calls.hold(part)
  }

  /// The time in which a phone that was not asked does not connect.
  private static let idleTime = Duration.seconds(3)

  /// Demands that the phone does not connect by itself, because then nothing shows what a request brings.
  fileprivate func demandIdle() async throws(Stop) {
    guard peer.calls != nil else { throw .notApplicable("no control port of the phone is known (--control)") }
    guard await !wait(Self.idleTime, for: { control != nil }) else {
      throw .inconclusive("the phone connects without a control request")
    }
  }

  /// Demands that a request is refused and brings no connection.
  fileprivate func demandRefusal(of request: String, _ what: String) async throws(Stop) {
    try await demandIdle()
    let status = try await call(Array(request.utf8))
    guard status >= 400 else { throw .failed("a control request with \(what) got status \(status)") }
    guard await !wait(Self.idleTime, for: { control != nil }) else {
      throw .failed("the phone connected after a control request with \(what)")
    }
  }
}
