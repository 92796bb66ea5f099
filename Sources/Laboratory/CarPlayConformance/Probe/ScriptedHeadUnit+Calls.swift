// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Conformance

// Control requests.
extension ScriptedHeadUnit {
  /// Asks a phone to connect that does not connect by itself, if its control port is known.
  func callIfIdle() async {
    guard let calls = peer.calls, await !wait(Self.idleTime, for: { control != nil }) else { return }
    do throws(Stop) { _ = await calls.send(try request()) } catch {}
  }

  func deviceID() throws(Stop) -> DeviceID {
    guard let id = info.deviceID.flatMap({ DeviceID($0) }) else { throw .inconclusive("the probe has no address") }
    return id
  }

  func request(_ form: ControlCall.Form = .decimal) throws(Stop) -> [UInt8] {
    ControlCall.request(
      try deviceID(), form: form, sourceVersion: Generation.current.sourceVersion, host: "phone.local")
  }

  /// Sends a request to the phone's control port and returns the status of the answer.
  func call(_ request: [UInt8]) async throws(Stop) -> Int {
    guard let calls = peer.calls else { throw .notApplicable("no control port of the phone is known (--control)") }
    switch await calls.send(request) {
    case .status(let status)?: return status
    case .none(let reason)?: throw .failed("the control request got no answer: \(reason)")
    case nil: throw .inconclusive("the control port accepts no connection")
    }
  }

  /// Sends a request, and takes the connection that it brings, so that no later check meets it.
  func callAndServe(_ request: [UInt8]) async throws(Stop) -> Int {
    let status = try await call(request)
    if status == 200 { _ = await wait(Self.idleTime) { control != nil } }
    return status
  }

  /// Sends a part of a request, whose connection stays open.
  func hold(_ part: [UInt8]) async throws(Stop) {
    guard let calls = peer.calls else { throw .notApplicable("no control port of the phone is known (--control)") }
    await calls.hold(part)
  }

  /// The time in which a phone that was not asked does not connect.
  private static let idleTime = Duration.seconds(3)

  /// Demands that the phone does not connect by itself, because then nothing shows what a request brings.
  func demandIdle() async throws(Stop) {
    guard peer.calls != nil else { throw .notApplicable("no control port of the phone is known (--control)") }
    guard await !wait(Self.idleTime, for: { control != nil }) else {
      throw .inconclusive("the phone connects without a control request")
    }
  }

  /// Demands that a request is refused and brings no connection.
  func demandRefusal(of request: String, _ what: String) async throws(Stop) {
    try await demandIdle()
    let status = try await call(Array(request.utf8))
    guard status >= 400 else { throw .failed("a control request with \(what) got status \(status)") }
    guard await !wait(Self.idleTime, for: { control != nil }) else {
      throw .failed("the phone connected after a control request with \(what)")
    }
  }
}
