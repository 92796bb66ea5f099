// swift-iap2 · Apache-2.0

extension MessageCatalog {
  /// One line a message; the order does not matter.
  static let entries: [CatalogEntry] = [
    CatalogEntry(AccessoryAuthenticationSerialNumber.self),
    CatalogEntry(AuthenticationCertificate.self),
    CatalogEntry(AuthenticationFailed.self),
    CatalogEntry(AuthenticationResponse.self),
    CatalogEntry(AuthenticationSucceeded.self),
    CatalogEntry(CancelIdentification.self),
    CatalogEntry(CarPlayAvailability.self),
    CatalogEntry(CarPlayStartSession.self),
    CatalogEntry(DeviceInformationUpdate.self),
    CatalogEntry(DeviceLanguageUpdate.self),
    CatalogEntry(DeviceTimeUpdate.self),
    CatalogEntry(DeviceTransportIdentifierNotification.self),
    CatalogEntry(DeviceUUIDUpdate.self),
    CatalogEntry(IdentificationAccepted.self),
    CatalogEntry(IdentificationInformation.self),
    CatalogEntry(IdentificationInformationUpdate.self),
    CatalogEntry(IdentificationRejected.self),
    CatalogEntry(PowerSourceUpdate.self),
    CatalogEntry(PowerUpdate.self),
    CatalogEntry(RequestAppLaunch.self),
    CatalogEntry(RequestAuthenticationCertificate.self),
    CatalogEntry(RequestAuthenticationChallengeResponse.self),
    CatalogEntry(StartExternalAccessoryProtocolSession.self),
    CatalogEntry(StartIdentification.self),
    CatalogEntry(StartPowerUpdates.self),
    CatalogEntry(StatusExternalAccessoryProtocolSession.self),
    CatalogEntry(StopExternalAccessoryProtocolSession.self),
    CatalogEntry(StopPowerUpdates.self),
    CatalogEntry(WirelessCarPlayUpdate.self),
    CatalogEntry(
      unknown: MessageInfo(
        0xAE05, "AccessoryPowerUpdate", from: .accessory, "Power", .low, ["unmarked endpoint catalogue (weak)"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAE06, "AccessoryResetBaseCurrent", from: .accessory, "Power", .low, ["unmarked endpoint catalogue (weak)"],
        parametersKnown: false)),
  ]
}
