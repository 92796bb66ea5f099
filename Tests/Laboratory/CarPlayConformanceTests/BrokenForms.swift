// swift-iap2 · Apache-2.0

import CarPlaySession

@testable import CarPlayConformance

// Head units with a value of a wrong form, and head units that refuse a request of the ordinary session.
extension BrokenHeadUnits {
  static let forms: [Broken] =
    [
      form("names itself in words", "CIN-01", key: "deviceID", "hello"),
      form("names itself with an empty text", "CIN-01", key: "deviceID", ""),
      form("has an address that is none", "CIN-13", key: "bluetoothIDs", ["hello"]),
      form("has features with a fraction", "CIN-02", key: "features", 1.5),
      form("drives on the right in words", "CIN-13", key: "rightHandDrive", "yes"),
    ] + [
      display("names its display with an empty text", key: "uuid", ""),
      display("has a display with a fraction of a pixel", key: "widthPixels", 3.7),
      display("has a display without height", key: "heightPixels", 0),
      display("has a display of type 0", key: "type", 0),
    ] + [
      ("listens for events at port 0", .setUp { $0["eventPort"] = 0 }, ["CSU-06", "CSU-51"]),
      ("has a clock at port 0", .setUp { $0["timingPort"] = 0 }, ["CSU-07"]),
      ("has a keep-alive at port 0", .setUp { $0["keepAlivePort"] = 0 }, ["CSU-08"]),
      ("enables a text", .setUp { $0["enabledFeatures"] = "viewAreas" }, ["CSU-10"]),
      ("has streams at port 0", .streamAnswers { $0["dataPort"] = 0 }, ["CST-09"]),
      ("has controls of sound at port 0", .streamAnswers { $0["controlPort"] = 0 }, ["CST-10"]),
    ]

  private static func form(_ name: String, _ rule: String, key: String, _ value: PropertyValue) -> Broken {
    (name, .information { $0[key] = value }, [rule])
  }

  /// Changes all displays.
  private static func display(_ name: String, key: String, _ value: PropertyValue) -> Broken {
    let tamper = Tamper.information { values in
      let displays = (values["displays"]?.array ?? []).map { display -> PropertyValue in
        guard case .dictionary(var values) = display else { return display }
        values[key] = value
        return .dictionary(values)
      }
      values["displays"] = .array(displays)
    }
    return (name, tamper, ["CIN-03"])
  }

  static let refusals: [Broken] =
    [
      refusing("pair-setup", 500) { $0.path == "/pair-setup" },
      refusing("pair-verify", 470) { $0.path == "/pair-verify" },
      refusing("auth-setup", 404) { $0.path == "/auth-setup" },
      refusing("SETUP", 400) { $0.method == "SETUP" && $0.entries["streams"] == nil },
      refusing("/info", 404) { $0.path == "/info" }, refusing("RECORD", 500) { $0.method == "RECORD" },
      refusing("the screen", 400) { $0.method == "SETUP" && $0.entries["streams"] != nil },
      refusing("/feedback", 500) { $0.path == "/feedback" }, refusing("modesChanged", 400) { $0.path == "/command" },
      refusing("TEARDOWN", 500) { $0.method == "TEARDOWN" },
      refusing("TEARDOWN of streams", 500) { $0.method == "TEARDOWN" && $0.entries["streams"] != nil },
    ] + [
      proof("CPA-04", "/pair-setup", of: 3), proof("CPA-05", "/pair-setup", of: 5),
      proof("CPA-08", "/pair-verify", of: 3),
    ]

  private static func refusing(
    _ name: String, _ status: Int, _ isRefused: @escaping @Sendable (RequestMessage) -> Bool
  ) -> Broken {
    ("refuses \(name)", .responding { isRefused($0) ? $0.answer(status) : nil }, ["CRQ-06"])
  }

  /// Refuses a right proof of the phone.
  private static func proof(_ rule: String, _ path: String, of state: UInt8) -> Broken {
    let refusal = TLV8([(.state, [state + 1]), (.error, [PairingError.authentication.rawValue])])
    let tamper = Tamper.responding { request in
      guard request.path == path, request.list?.byte(.state) == state else { return nil }
      return request.answer(200, headers: [("Content-Type", "application/pairing+tlv8")], body: refusal.bytes)
    }
    return ("refuses the right proof of \(path) M\(state)", tamper, [rule])
  }
}
