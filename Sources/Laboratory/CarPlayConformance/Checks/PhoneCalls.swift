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
