// swift-iap2 · Apache-2.0

import CarPlaySession

@testable import CarPlayConformance

extension FaultCase {
  /// Phones that decide or report modes otherwise.
  static let modes: [FaultCase] = [
    // It only lends the speakers.
    reporting("CMO-71") { if $0.mainAudio.user == .headUnit { $0.mainAudio.owner = .phone } },
    FaultCase("CMO-72") { $0.keepsSound = true },
    // It keeps the screen while it lends the speakers.
    reporting("CMO-73") { $0.screen.user = .phone },
    // It lends the speakers with the screen.
    reporting("CMO-74") { if $0.screen.user == .headUnit { $0.mainAudio.user = .headUnit } },
    FaultCase("CMO-75") { fault in
      fault.reaction = { message in
        guard message.values?["type"]?.text == "requestSiri" else { return nil }
        var modes = ModeSnapshot(ModeArbiter())
        modes.screen = ModeSnapshot.Holder(user: .phone, owner: .phone)
        return .modesChanged(modes)
      }
    },
    reporting("CMO-76") { $0.turnByTurn = .phone },
    reporting("CMO-77") { if $0.phoneCall == .headUnit { $0.phoneCall = .phone } },
    // It never takes the screen back.
    reporting("CMO-78") { if $0.reason == "CarPlay" { $0.screen.owner = .headUnit } },
    // It refuses a second transfer of the same resource.
    FaultCase("CMO-79") { fault in
      fault.change = { socket, message, _, _ in
        guard socket == .events, message.sequence == "2" else { return message }
        return message.replacing(body: (["status": 1] as PropertyValue).binary)
      }
    },
    // It applies the first transfer of a refused request.
    reporting("CMO-80") {
      if $0.reason == "route" { $0.mainAudio = ModeSnapshot.Holder(user: .headUnit, owner: .headUnit) }
      if $0.reason == "" { $0.mainAudio = ModeSnapshot.Holder(user: .phone, owner: .phone) }
    },
    reporting("CMO-81") { if $0.reason == "over" { $0.phoneCall = .headUnit } },
    FaultCase("CMO-82") { fault in
      fault.change = { socket, message, _, _ in
        socket == .events ? message.changing { $0["params"] = nil } : message
      }
    },
  ]

  /// Returns a phone that reports other modes.
  private static func reporting(_ id: String, _ change: @escaping @Sendable (inout ModeSnapshot) -> Void) -> FaultCase {
    FaultCase(id) { fault in
      fault.change = { _, message, _, _ in
        guard message.path == "/command", let values = message.values, values["type"]?.text == "modesChanged",
          var modes = values["params"].flatMap(ModeSnapshot.init)
        else { return message }
        change(&modes)
        return message.replacing(body: SessionCommand.modesChanged(modes).body.binary)
      }
    }
  }
}
