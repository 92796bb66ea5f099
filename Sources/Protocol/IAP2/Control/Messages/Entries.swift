// swift-iap2 · Apache-2.0

extension MessageCatalog {
  /// One entry per message. ``all`` sorts them, so their order here does not matter.
  static let entries: [CatalogEntry] = [
    CatalogEntry(StartCallStateUpdates.self),
    CatalogEntry(CallStateUpdate.self),
    CatalogEntry(StopCallStateUpdates.self),
    CatalogEntry(StartCommunicationsUpdates.self),
    CatalogEntry(CommunicationsUpdate.self),
    CatalogEntry(StopCommunicationsUpdates.self),
    CatalogEntry(InitiateCall.self),
    CatalogEntry(AcceptCall.self),
    CatalogEntry(EndCall.self),
    CatalogEntry(SwapCalls.self),
    CatalogEntry(MergeCalls.self),
    CatalogEntry(HoldStatusUpdate.self),
    CatalogEntry(MuteStatusUpdate.self),
    CatalogEntry(SendDTMF.self),
    CatalogEntry(StartListUpdates.self),
    CatalogEntry(ListUpdate.self),
    CatalogEntry(StopListUpdates.self),
    CatalogEntry(StartMediaLibraryInformation.self),
    CatalogEntry(MediaLibraryInformation.self),
    CatalogEntry(StopMediaLibraryInformation.self),
    CatalogEntry(StartMediaLibraryUpdates.self),
    CatalogEntry(MediaLibraryUpdate.self),
    CatalogEntry(StartNowPlayingUpdates.self),
    CatalogEntry(NowPlayingUpdate.self),
    CatalogEntry(StopNowPlayingUpdates.self),
    CatalogEntry(SetNowPlayingInformation.self),
    CatalogEntry(StartRouteGuidanceUpdates.self),
    CatalogEntry(RouteGuidanceUpdate.self),
    CatalogEntry(RouteGuidanceManeuverUpdate.self),
    CatalogEntry(StopRouteGuidanceUpdates.self),
    CatalogEntry(LaneGuidanceInformation.self),
    CatalogEntry(StartAssistiveTouch.self),
    CatalogEntry(StopAssistiveTouch.self),
    CatalogEntry(StartAssistiveTouchInformation.self),
    CatalogEntry(AssistiveTouchInformation.self),
    CatalogEntry(StopAssistiveTouchInformation.self),
    CatalogEntry(RequestWiFiInformation.self),
    CatalogEntry(WiFiInformation.self),
    CatalogEntry(RequestAccessoryWiFiConfigurationInformation.self),
    CatalogEntry(AccessoryWiFiConfigurationInformation.self),
    CatalogEntry(StartHID.self),
    CatalogEntry(DeviceHIDReport.self),
    CatalogEntry(AccessoryHIDReport.self),
    CatalogEntry(StopHID.self),
    CatalogEntry(StartNativeHID.self),
    CatalogEntry(HIDComponentUpdate.self),
    CatalogEntry(StartVehicleStatusUpdates.self),
    CatalogEntry(VehicleStatusUpdate.self),
    CatalogEntry(StopVehicleStatusUpdates.self),
    CatalogEntry(StartUSBDeviceModeAudio.self),
    CatalogEntry(USBDeviceModeAudioInformation.self),
    CatalogEntry(StopUSBDeviceModeAudio.self),
    CatalogEntry(StartBluetoothPairing.self),
    CatalogEntry(StopBluetoothPairing.self),
    CatalogEntry(StartBluetoothConnectionUpdates.self),
    CatalogEntry(BluetoothConnectionUpdate.self),
    CatalogEntry(StopBluetoothConnectionUpdates.self),
    CatalogEntry(GPRMCDataStatusValuesNotification.self),
    CatalogEntry(StartLocationInformation.self),
    CatalogEntry(LocationInformation.self),
    CatalogEntry(StopLocationInformation.self),
    CatalogEntry(
      unknown: MessageInfo(
        0x0000, "Ping", from: .accessory, "Test", .low, ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0001, "UserNotification", from: .accessory, "Test", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0004, "SendPingAccessory", from: .accessory, "Test", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0005, "PingAccessory", from: .accessory, "Test", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x00B0, "StartOOBBTPairing", from: .device, "Out-of-band Bluetooth Pairing", .medium,
        ["Features.md#out-of-band-pairing", "NOTES", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x00B1, "OOBBTPairingAccessoryInformation", from: .accessory, "Out-of-band Bluetooth Pairing", .medium,
        ["Features.md#out-of-band-pairing", "NOTES", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x00B2, "OOBBTPairingLinkKeyInformation", from: .device, "Out-of-band Bluetooth Pairing", .medium,
        ["Features.md#out-of-band-pairing", "NOTES", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x00B3, "OOBBTPairingCompletionInformation", from: .accessory, "Out-of-band Bluetooth Pairing", .medium,
        ["Features.md#out-of-band-pairing", "NOTES", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x00B4, "StopOOBBTPairing", from: .device, "Out-of-band Bluetooth Pairing", .medium,
        ["Features.md#out-of-band-pairing", "NOTES", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0B01, "BluetoothPairingAccessoryInformation", from: .accessory, "Bluetooth Pairing", .low,
        ["Features.md#bluetooth-pairing", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0B02, "BluetoothPairingStatus", from: .accessory, "Bluetooth Pairing", .low,
        ["Features.md#bluetooth-pairing", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0D00, "StartRoadObjectDetection", from: .device, "Road Object Detection", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0D01, "RoadObjectDetectionUpdate", from: .accessory, "Road Object Detection", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x0D02, "StopRoadObjectDetection", from: .device, "Road Object Detection", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x10DA, "StartDestinationInformation", from: .accessory, "Destination Sharing", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x10DB, "DestinationInformation", from: .device, "Destination Sharing", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x10DC, "StopDestinationInformation", from: .accessory, "Destination Sharing", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x10DD, "DestinationInformationStatus", from: .accessory, "Destination Sharing", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x4302, "AvailableDigitalCarKeys", from: .accessory, "Digital Car Key", .medium,
        ["Features.md#car-keys", "CAT", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x4303, "MatchedDigitalCarKeys", from: .device, "Digital Car Key", .medium,
        ["Features.md#car-keys", "CAT", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        UntypedMessage.stopMediaLibraryUpdates, "StopMediaLibraryUpdates", from: .accessory, "Media Library", .low,
        ["Features.md#media-library-order", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        UntypedMessage.playMediaLibraryCurrentSelection, "PlayMediaLibraryCurrentSelection", from: .accessory,
        "Media Library", .low,
        ["Features.md#media-library-play", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        UntypedMessage.playMediaLibraryItems, "PlayMediaLibraryItems", from: .accessory, "Media Library", .low,
        ["Features.md#media-library-play", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        UntypedMessage.playMediaLibraryCollection, "PlayMediaLibraryCollection", from: .accessory, "Media Library",
        .low,
        ["Features.md#media-library-play", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        UntypedMessage.playMediaLibrarySpecial, "PlayMediaLibrarySpecial", from: .accessory, "Media Library", .low,
        ["Features.md#media-library-play", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x4E01, "BluetoothComponentInformation", from: .accessory, "Bluetooth Connection", .medium,
        ["Features.md#bluetooth-connection", "NOTES", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5601, "VoiceOverMoveCursor", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5602, "VoiceOverSelectCursor", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5603, "VoiceOverScrollPage", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5606, "VoiceOverSpeakText", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5608, "VoiceOverPauseSpeaking", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5609, "VoiceOverResumeSpeaking", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x560B, "StartVoiceOverInformation", from: .accessory, "VoiceOver", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x560C, "VoiceOverInformation", from: .device, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x560D, "StopVoiceOverInformation", from: .accessory, "VoiceOver", .low,
        ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x560E, "VoiceOverUpdateInformation", from: .accessory, "VoiceOver", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x560F, "StartVoiceOverCursorInformation", from: .accessory, "VoiceOver", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5610, "VoiceOverCursorInformation", from: .device, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5611, "StopVoiceOverCursorInformation", from: .accessory, "VoiceOver", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5612, "StartVoiceOver", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x5613, "StopVoiceOver", from: .accessory, "VoiceOver", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x6804, "GetHIDReport", from: .device, "HID", .low, ["Features.md#hid-0x6804", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x6805, "GetHIDReportResponse", from: .accessory, "HID", .low, ["Features.md#hid-0x6804", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x7E00, "StartUSBHostMode", from: .accessory, "USB Host Mode", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0x7E02, "StopUSBHostMode", from: .accessory, "USB Host Mode", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAA10, "RequestDeviceCertificate", from: .accessory, "Device authentication", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAA11, "DeviceAuthenticationCertificate", from: .device, "Device authentication", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAA12, "RequestDeviceAuthenticationChallengeResponse", from: .accessory, "Device authentication", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAA13, "DeviceAuthenticationResponse", from: .device, "Device authentication", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAA14, "DeviceAuthenticationFailed", from: .accessory, "Device authentication", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAA15, "DeviceAuthenticationSucceeded", from: .accessory, "Device authentication", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAD00, "StartAppLinksUpdates", from: .accessory, "App Links / Discovery", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAD01, "AppLinksUpdate", from: .device, "App Links / Discovery", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAD02, "StopAppLinksUpdates", from: .accessory, "App Links / Discovery", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAD03, "RequestAppLinksIcons", from: .accessory, "App Links / Discovery", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAD04, "AppLinksIcon", from: .device, "App Links / Discovery", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xB102, "BLEPairingAccessoryStateUpdate", from: .accessory, "BLE Pairing", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xB103, "BLEPairingAccessoryInformation", from: .accessory, "BLE Pairing", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xB105, "BLEPairingAccessoryData", from: .accessory, "BLE Pairing", .low,
        ["Features.md#names-only", "UNMARKED"], parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xB107, "StopBLEPairingUpdates", from: .device, "BLE Pairing", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
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
        0xAE05, "AccessoryPowerUpdate", from: .accessory, "Power", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
    CatalogEntry(
      unknown: MessageInfo(
        0xAE06, "AccessoryResetBaseCurrent", from: .accessory, "Power", .low, ["Features.md#names-only", "UNMARKED"],
        parametersKnown: false)),
  ]
}
