// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Faults
package import IAP2Recordings
package import IAP2Roles
package import IAP2Runtime
package import IAP2Scenario

/// An accessory as data, and the services of its EA protocols.
package struct EmulatedDescription: Sendable {
  /// The service of a protocol.
  package enum Service: Sendable {
    /// A service of a profile.
    case scenario(Scenario.Service)
    /// The recorded sessions of a capture.
    case recorded(RecordedService)
    /// A closure. The session ends when it returns.
    case body(@Sendable (ExternalAccessoryStream) async -> Void)
  }

  package var headUnit: HeadUnitProfile
  /// The services by protocol. The bytes of a protocol without a service are read and kept.
  package var services: [String: Service]
  package var behavior = Behavior()
  package var faults: FaultPlan?
  /// The scenario whose steps play against the app; nil without one.
  package var story: AppScenario?
  /// The accessory as the user named it, for messages.
  package var place: String
  /// The time from the start until the first plug, in milliseconds.
  package var plugMilliseconds = 0

  package init(headUnit: HeadUnitProfile, services: [String: Service], place: String? = nil) {
    self.headUnit = headUnit
    self.services = services
    self.place = place ?? headUnit.identification.name
  }

  var protocols: [String] {
    headUnit.identification.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
  }
}
