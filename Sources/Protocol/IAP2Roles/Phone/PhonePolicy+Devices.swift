// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Formats

/// The values of the device notifications that were sent last.
struct NotifiedState: Sendable, Equatable {
  var uuid: DeviceUUIDUpdate?
  var language: DeviceLanguageUpdate?
  var information: DeviceInformationUpdate?
  var transports: DeviceTransportIdentifierNotification?
  var timeZone: Int16?
}

/// The progress of the CarPlay offers.
struct CarPlayOffer: Sendable, Equatable {
  /// Whether CarPlay may be offered over the cable: the accessory has sent PowerSourceUpdate or StartHID, or lists
  /// neither.
  var mayOfferWired = false
  /// Whether wireless CarPlay may be offered: the accessory has sent its access point.
  var mayOfferWireless = false
  var isWirelessBegun = false
  // The availability that was sent last.
  var isWiredOffered = false
  var isWirelessOffered = false
}

struct AssistiveTouchState: Sendable, Equatable {
  var isWanted = false
  var reported: Bool?
}

extension PhonePolicy {
  // MARK: Notifications without a request

  /// Sends the notifications that have changed, in the order of an emulator that works with cars
  /// (Sessions.md#typical-phone).
  mutating func notify() -> [RoleAction] {
    var now = NotifiedState()
    now.uuid = DeviceUUIDUpdate()
    now.uuid?.uuid = state.uuid
    now.language = DeviceLanguageUpdate()
    now.language?.language = state.language
    now.information = DeviceInformationUpdate()
    now.information?.deviceName = state.name
    now.transports = DeviceTransportIdentifierNotification()
    now.transports?.bluetoothTransportID = state.bluetoothAddress
    now.transports?.usbTransportID = state.usbSerialNumber
    now.timeZone = state.timeZoneOffsetMinutes
    defer { notified = now }
    var actions: [RoleAction] = []
    if now.uuid != notified.uuid, let uuid = now.uuid { actions += sendIfListed(uuid) }
    if now.language != notified.language, let language = now.language { actions += sendIfListed(language) }
    if now.information != notified.information, let information = now.information {
      actions += sendIfListed(information)
    }
    if now.transports != notified.transports, let transports = now.transports { actions += sendIfListed(transports) }
    if now.timeZone != notified.timeZone {
      var time = DeviceTimeUpdate()
      time.secondsSinceReferenceDate = state.time
      time.timeZoneOffsetMinutes = state.timeZoneOffsetMinutes
      actions += sendIfListed(time)
    }
    return actions
  }

  // MARK: Requests to the accessory

  /// Requests location, if the phone wants it, and vehicle status, as far as the accessory's components provide them.
  mutating func askAccessory() -> [RoleAction] {
    guard let identification else { return [] }
    var actions = requestLocation()
    if let component = identification.vehicleStatusComponent {
      var start = StartVehicleStatusUpdates()
      start.range = component.range
      start.outsideTemperature = component.outsideTemperature
      start.rangeWarning = Presence(component.rangeWarning.isSet || component.rangeWarningForm5.isSet)
      actions += sendIfListed(start)
    }
    return actions
  }

  /// Requests location when the phone begins to want it, and ends the request when it does so no more.
  mutating func requestLocation() -> [RoleAction] {
    guard let component = identification?.locationInformationComponent, hasRequestedLocation != state.wantsLocation
    else { return [] }
    hasRequestedLocation = state.wantsLocation
    guard state.wantsLocation else { return sendIfListed(StopLocationInformation()) }
    var start = StartLocationInformation()
    start.globalPositioningSystemFixData = component.globalPositioningSystemFixData
    start.recommendedMinimumSpecificGPSTransitData = component.recommendedMinimumSpecificGPSTransitData
    start.gpsSatellitesInView = component.gpsSatellitesInView
    start.vehicleSpeedData = component.vehicleSpeedData
    start.vehicleGyroData = component.vehicleGyroData
    start.vehicleAccelerometerData = component.vehicleAccelerometerData
    start.vehicleHeadingData = component.vehicleHeadingData
    return sendIfListed(start)
  }

  mutating func handleAccessory(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case LocationInformation.id:
      return [.event(.feature(.location(try LocationInformation(decoding: bytes.rawBytes))))]
    case VehicleStatusUpdate.id:
      try vehicleStatus.receive(bytes.rawBytes)
      return [.event(.feature(.vehicleStatus(vehicleStatus.value)))]
    case RequestWiFiInformation.id: return answerWiFi()
    case AccessoryWiFiConfigurationInformation.id:
      let network = try AccessoryWiFiConfigurationInformation(decoding: bytes.rawBytes)
      carPlay.mayOfferWireless = true
      return [.event(.feature(.accessoryWiFi(network)))] + offerCarPlay()
    case StartBluetoothConnectionUpdates.id:
      let start = try StartBluetoothConnectionUpdates(decoding: bytes.rawBytes)
      bluetooth = (start.bluetoothTransportComponentIdentifier, nil)
      return reportDevices()
    case StopBluetoothConnectionUpdates.id:
      guard bluetooth != nil else { return notStarted(id) }
      bluetooth = nil
    case StartUSBDeviceModeAudio.id:
      audio = (true, nil)
      return reportDevices()
    case StopUSBDeviceModeAudio.id:
      guard audio.isWanted else { return notStarted(id) }
      audio = (false, nil)
    default: break
    }
    return []
  }

  /// Answers with the network, with the refusal of the user, or with the reason that there is no network.
  private func answerWiFi() -> [RoleAction] {
    var answer = WiFiInformation()
    switch (state.network, state.sharesNetwork) {
    case (_, false): answer.requestStatus = .userDeclined
    case (nil, _): answer.requestStatus = .networkInformationUnavailable
    case (let network?, true):
      answer.requestStatus = .success
      answer.securityType = network.securityType.map { .securityType($0) }
      answer.wiFiSSID = network.name
      answer.wiFiPassphrase = network.passphrase
    }
    return sendIfListed(answer)
  }

  /// Sends the changes of Bluetooth, audio and AssistiveTouch.
  mutating func reportDevices() -> [RoleAction] {
    var actions: [RoleAction] = []
    if let known = bluetooth, known.reported != state.isBluetoothConnected {
      bluetooth?.reported = state.isBluetoothConnected
      var update = BluetoothConnectionUpdate()
      update.bluetoothTransportComponentIdentifier = known.component
      // Empty, because the ids of the profiles are not publicly known.
      update.connectedBluetoothProfiles = .init()
      actions += sendIfListed(update)
    }
    if audio.isWanted, audio.reported != state.audioSampleRate {
      audio.reported = state.audioSampleRate
      var update = USBDeviceModeAudioInformation()
      update.sampleRate = state.audioSampleRate
      actions += sendIfListed(update)
    }
    if assistiveTouch.isWanted, assistiveTouch.reported != state.isAssistiveTouchEnabled {
      assistiveTouch.reported = state.isAssistiveTouchEnabled
      var update = AssistiveTouchInformation()
      update.isEnabled = state.isAssistiveTouchEnabled
      actions += sendIfListed(update)
    }
    return actions
  }

  // MARK: CarPlay

  /// Sends the availability of each kind of CarPlay that has changed. A kind that was never available is not sent.
  mutating func offerCarPlay() -> [RoleAction] {
    guard isListed(CarPlayAvailability.id) else { return [] }
    let isWired = carPlay.mayOfferWired && state.offersCarPlay
    let isWireless = carPlay.mayOfferWireless && state.offersWirelessCarPlay
    guard isWired != carPlay.isWiredOffered || isWireless != carPlay.isWirelessOffered else { return [] }
    var availability = CarPlayAvailability()
    if isWired != carPlay.isWiredOffered {
      var wired = CarPlayAvailability.WiredAttributes()
      wired.wiredCarPlayAvailable = isWired
      wired.usbTransportIdentifier = state.usbSerialNumber
      availability.wiredAttributes = wired
    }
    if isWireless != carPlay.isWirelessOffered {
      var wireless = CarPlayAvailability.WirelessAttributes()
      wireless.wirelessCarPlayAvailable = isWireless
      wireless.bluetoothTransportIdentifier = state.bluetoothAddress
      availability.wirelessAttributes = wireless
    }
    carPlay.isWiredOffered = isWired
    carPlay.isWirelessOffered = isWireless
    return RoleMessage.send(availability) + [.event(.carPlayAvailable(availability))]
  }

  /// Permits the offer of CarPlay over the cable and sends the offer.
  mutating func allowWiredCarPlay() -> [RoleAction] {
    carPlay.mayOfferWired = true
    return offerCarPlay()
  }

  /// Sends 0x4E0D, then 0x5702. The accessory answers with its access point, and then CarPlay is offered
  /// (CarPlayStart.md#wireless-order; high).
  mutating func beginWirelessCarPlay() -> [RoleAction] {
    guard state.offersWirelessCarPlay, identification?.wirelessCarPlayTransportComponent != nil,
      !carPlay.isWirelessBegun
    else { return [] }
    carPlay.isWirelessBegun = true
    var status = WirelessCarPlayUpdate()
    status.status = .available
    return sendIfListed(status) + sendIfListed(RequestAccessoryWiFiConfigurationInformation())
  }

  // MARK: Input devices

  mutating func handleHID(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case StartHID.id:
      let start = try StartHID(decoding: bytes.rawBytes)
      let component = start.hidComponentIdentifier
      let descriptor: HIDReportDescriptor
      do { descriptor = try HIDReportDescriptor(start.hidReportDescriptor.bytes) } catch {
        return [.event(.violation(.badReportDescriptor(component: component)))]
      }
      let others = devices.filter { $0.key != component }
      guard others.count < Self.maximumDevices else {
        return [.event(.violation(.limit(StaticName("maximumDevices"), Self.maximumDevices)))]
      }
      let held = others.values.reduce(0) { $0 + $1.byteCount }
      guard held + descriptor.byteCount <= Self.maximumDescriptorByteCount else {
        let limit = Self.maximumDescriptorByteCount
        return [.event(.violation(.limit(StaticName("maximumDescriptorByteCount"), limit)))]
      }
      devices[component] = descriptor
      return [.event(.feature(.hidStarted(start)))] + allowWiredCarPlay()
    case StopHID.id:
      let stop = try StopHID(decoding: bytes.rawBytes)
      guard devices.removeValue(forKey: stop.hidComponentIdentifier) != nil else {
        return [.event(.violation(.unknownDevice(component: stop.hidComponentIdentifier)))]
      }
      return [.event(.feature(.hidStopped(stop)))]
    case AccessoryHIDReport.id: return report(try AccessoryHIDReport(decoding: bytes.rawBytes))
    case StartAssistiveTouchInformation.id: assistiveTouch = AssistiveTouchState(isWanted: true)
    case StopAssistiveTouchInformation.id:
      guard assistiveTouch.isWanted else { return notStarted(id) }
      assistiveTouch = AssistiveTouchState()
    case StartAssistiveTouch.id: state.isAssistiveTouchEnabled = true
    case StopAssistiveTouch.id:
      guard state.isAssistiveTouchEnabled else { return notStarted(id) }
      state.isAssistiveTouchEnabled = false
    default: return []
    }
    return reportDevices()
  }

  /// The input devices that an accessory may start. The accessory identifies each as a component.
  private static var maximumDevices: Int { 64 }

  /// The memory of the report descriptors of all started devices, in bytes. A keyboard's takes 1 KiB; the largest
  /// descriptor that can be read has 4,096 fields, which take 320 KiB.
  private static var maximumDescriptorByteCount: Int { 1 << 20 }

  private mutating func report(_ message: AccessoryHIDReport) -> [RoleAction] {
    let component = message.hidComponentIdentifier
    guard let device = devices[component] else {
      return [.event(.violation(.unknownDevice(component: component)))]
    }
    let values = device.values(in: message.hidReport.bytes)
    for button in MediaButton.allCases where values[button.usage] != nil { state.obey(.button(button)) }
    let event = FeatureEvent.hidReport(component: component, report: message.hidReport.bytes, values: values)
    return [.event(.feature(event))] + announce()
  }

  /// Sends an output report to an input device of the accessory, such as the lights of a keyboard. Returns no action if
  /// the accessory has not started the device.
  package func output(_ values: [HIDUsage: Int], to component: UInt16) -> [RoleAction] {
    guard let device = devices[component] else { return [] }
    return device.reports(values, .output).flatMap { report in
      var message = DeviceHIDReport()
      message.hidComponentIdentifier = component
      message.hidReport = Blob(report)
      return sendIfListed(message)
    }
  }
}
