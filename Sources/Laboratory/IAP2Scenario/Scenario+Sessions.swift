// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Runtime

extension Scenario {
  /// The first protocol that a program on a socket serves; nil if none does.
  public var servedByProgram: String? {
    services.filter { if case .program = $0.value { true } else { false } }.keys.min()
  }

  /// Makes the sessions that running apps open available to the steps of the phone.
  ///
  /// Only the protocols that steps use are served. The sessions of the others are read by the phone itself.
  func hold(_ sessions: OpenSessions, on phone: Phone) async {
    let discards = !steps.contains { if case .expectData = $0.action { true } else { false } }
    for name in usedProtocols.sorted() {
      await phone.serve(name) { await sessions.hold($0, discards: discards) }
    }
  }

  /// The EA protocols whose sessions the steps of the phone may use.
  private var usedProtocols: Set<String> {
    var names: Set<String> = []
    for step in steps {
      let name: String?
      switch step.action {
      case .write(let protocolName, _), .close(let protocolName): name = protocolName
      case .writeData(_, let protocolName): name = protocolName
      case .expectData(let expectation): name = expectation.protocolName
      default: continue
      }
      if let name { names.insert(name) } else { names.formUnion(knownProtocols) }
    }
    return names
  }

  /// The EA protocols of the head unit and of the phone's apps.
  private var knownProtocols: [String] {
    headUnit.identification.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
      + phone.state.apps.flatMap { $0.protocols + $0.carPlayProtocols }
  }
}
