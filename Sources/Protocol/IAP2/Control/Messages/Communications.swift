// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the state of calls: 0x4154 (Features.md#call-state; high).
public struct StartCallStateUpdates: ControlMessage {
  /// Parameter 0: flag without a value.
  public var remoteID: Presence = false
  /// Parameter 1: flag without a value.
  public var displayName: Presence = false
  /// Parameter 2: flag without a value.
  public var status: Presence = false
  /// Parameter 3: flag without a value.
  public var direction: Presence = false
  /// Parameter 4: flag without a value.
  public var callUUID: Presence = false
  /// Parameter 6: flag without a value.
  public var addressBookID: Presence = false
  /// Parameter 7: flag without a value.
  public var label: Presence = false
  /// Parameter 8: flag without a value.
  public var service: Presence = false
  /// Parameter 9: flag without a value.
  public var isConferenced: Presence = false
  /// Parameter 10: flag without a value.
  public var conferenceGroup: Presence = false
  /// Parameter 11: flag without a value.
  public var disconnectReason: Presence = false
  /// Parameter 12: flag without a value.
  public var startTimestamp: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4154, "StartCallStateUpdates", from: .accessory, "Communications", .high,
    ["Features.md#call-state", "LIVI", "BRIDGE", "CAT", "UNMARKED"],
    subscription: MessageSubscription(stop: StopCallStateUpdates.id, updates: [CallStateUpdate.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RemoteID", &remoteID)
    try pass(1, "DisplayName", &displayName)
    try pass(2, "Status", &status)
    try pass(3, "Direction", &direction)
    try pass(4, "CallUUID", &callUUID)
    try pass(6, "AddressBookID", &addressBookID)
    try pass(7, "Label", &label)
    try pass(8, "Service", &service)
    try pass(9, "IsConferenced", &isConferenced)
    try pass(10, "ConferenceGroup", &conferenceGroup)
    try pass(11, "DisconnectReason", &disconnectReason)
    try pass(12, "StartTimestamp", &startTimestamp)
  }
}

/// The state of a call (Features.md#call-status; high).
public struct CallStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let disconnected = Self(rawValue: 0)
  /// Value 1.
  public static let sending = Self(rawValue: 1)
  /// Value 2.
  public static let ringing = Self(rawValue: 2)
  /// Value 3.
  public static let connecting = Self(rawValue: 3)
  /// Value 4.
  public static let active = Self(rawValue: 4)
  /// Value 5.
  public static let held = Self(rawValue: 5)
  /// Value 6.
  public static let disconnecting = Self(rawValue: 6)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "Disconnected"), (1, "Sending"), (2, "Ringing"), (3, "Connecting"), (4, "Active"), (5, "Held"),
      (6, "Disconnecting"),
    ]
  }
}

/// The direction of a call: incoming or outgoing.
public struct CallDirection: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let unknown = Self(rawValue: 0)
  /// Value 1.
  public static let incoming = Self(rawValue: 1)
  /// Value 2.
  public static let outgoing = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Unknown"), (1, "Incoming"), (2, "Outgoing")]
  }
}

/// The service that carries a call.
public struct CallService: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let unknown = Self(rawValue: 0)
  /// Value 1.
  public static let telephony = Self(rawValue: 1)
  /// Value 2.
  public static let faceTimeAudio = Self(rawValue: 2)
  /// Value 3.
  public static let faceTimeVideo = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Unknown"), (1, "Telephony"), (2, "FaceTimeAudio"), (3, "FaceTimeVideo")]
  }
}

/// The reason why a call ended.
public struct CallDisconnectReason: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let noReason = Self(rawValue: 0)
  /// Value 1.
  public static let declined = Self(rawValue: 1)
  /// Value 2.
  public static let failed = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "NoReason"), (1, "Declined"), (2, "Failed")]
  }
}

/// A message of the device that reports the state of one call: 0x4155 (Features.md#call-state; high).
public struct CallStateUpdate: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL.
  public var remoteID: String?
  /// Parameter 1: UTF-8 text with a final NUL.
  public var displayName: String?
  /// Parameter 2: enumeration ``CallStatus``.
  public var status: CallStatus?
  /// Parameter 3: enumeration ``CallDirection``.
  public var direction: CallDirection?
  /// Parameter 4: UTF-8 text with a final NUL.
  public var callUUID: String?
  /// Parameter 6: UTF-8 text with a final NUL.
  public var addressBookID: String?
  /// Parameter 7: UTF-8 text with a final NUL.
  public var label: String?
  /// Parameter 8: enumeration ``CallService``.
  public var service: CallService?
  /// Parameter 9: Boolean.
  public var isConferenced: Bool?
  /// Parameter 10: unsigned 8-bit integer.
  public var conferenceGroup: UInt8?
  /// Parameter 11: enumeration ``CallDisconnectReason``.
  public var disconnectReason: CallDisconnectReason?
  /// Parameter 12: unsigned 64-bit integer, in seconds.
  /// One implementation reads a signed number.
  public var startTimestamp: UInt64?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4155, "CallStateUpdate", from: .device, "Communications", .high,
    ["Features.md#call-state", "LIVI", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RemoteID", &remoteID)
    try pass(1, "DisplayName", &displayName)
    try pass(2, "Status", &status)
    try pass(3, "Direction", &direction)
    try pass(4, "CallUUID", &callUUID)
    try pass(6, "AddressBookID", &addressBookID)
    try pass(7, "Label", &label)
    try pass(8, "Service", &service)
    try pass(9, "IsConferenced", &isConferenced)
    try pass(10, "ConferenceGroup", &conferenceGroup)
    try pass(11, "DisconnectReason", &disconnectReason)
    try pass(12, "StartTimestamp", &startTimestamp, ParameterNote(unit: "seconds"))
  }
}

/// A message of the accessory that ends the subscription to the state of calls: 0x4156 (Features.md#call-state; high).
public struct StopCallStateUpdates: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4156, "StopCallStateUpdates", from: .accessory, "Communications", .high,
    ["Features.md#call-state", "LIVI", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that subscribes to the state of the telephone: 0x4157
/// (Features.md#communications-updates; high).
public struct StartCommunicationsUpdates: ControlMessage {
  /// Parameter 0: flag without a value.
  public var signalStrength: Presence = false
  /// Parameter 1: flag without a value.
  public var registrationStatus: Presence = false
  /// Parameter 2: flag without a value.
  public var airplaneModeStatus: Presence = false
  /// Parameter 4: flag without a value.
  public var carrierName: Presence = false
  /// Parameter 5: flag without a value.
  public var cellularSupported: Presence = false
  /// Parameter 6: flag without a value.
  public var telephonyEnabled: Presence = false
  /// Parameter 7: flag without a value.
  public var faceTimeAudioEnabled: Presence = false
  /// Parameter 8: flag without a value.
  public var faceTimeVideoEnabled: Presence = false
  /// Parameter 9: flag without a value.
  public var muteStatus: Presence = false
  /// Parameter 10: flag without a value.
  public var currentCallCount: Presence = false
  /// Parameter 11: flag without a value.
  public var newVoicemailCount: Presence = false
  /// Parameter 12: flag without a value.
  public var initiateCallAvailable: Presence = false
  /// Parameter 13: flag without a value.
  public var endAndAcceptAvailable: Presence = false
  /// Parameter 14: flag without a value.
  public var holdAndAcceptAvailable: Presence = false
  /// Parameter 15: flag without a value.
  public var swapAvailable: Presence = false
  /// Parameter 16: flag without a value.
  public var mergeAvailable: Presence = false
  /// Parameter 17: flag without a value.
  public var holdAvailable: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4157, "StartCommunicationsUpdates", from: .accessory, "Communications", .high,
    ["Features.md#communications-updates", "LIVI", "BRIDGE", "CAT", "MIB2Q"],
    subscription: MessageSubscription(stop: StopCommunicationsUpdates.id, updates: [CommunicationsUpdate.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "SignalStrength", &signalStrength)
    try pass(1, "RegistrationStatus", &registrationStatus)
    try pass(2, "AirplaneModeStatus", &airplaneModeStatus)
    try pass(4, "CarrierName", &carrierName)
    try pass(5, "CellularSupported", &cellularSupported)
    try pass(6, "TelephonyEnabled", &telephonyEnabled)
    try pass(7, "FaceTimeAudioEnabled", &faceTimeAudioEnabled)
    try pass(8, "FaceTimeVideoEnabled", &faceTimeVideoEnabled)
    try pass(9, "MuteStatus", &muteStatus)
    try pass(10, "CurrentCallCount", &currentCallCount)
    try pass(11, "NewVoicemailCount", &newVoicemailCount)
    try pass(12, "InitiateCallAvailable", &initiateCallAvailable)
    try pass(13, "EndAndAcceptAvailable", &endAndAcceptAvailable)
    try pass(14, "HoldAndAcceptAvailable", &holdAndAcceptAvailable)
    try pass(15, "SwapAvailable", &swapAvailable)
    try pass(16, "MergeAvailable", &mergeAvailable)
    try pass(17, "HoldAvailable", &holdAvailable)
  }
}

/// The strength of the cellular signal in bars, 0 to 5.
public struct SignalStrength: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let bars0 = Self(rawValue: 0)
  /// Value 1.
  public static let bars1 = Self(rawValue: 1)
  /// Value 2.
  public static let bars2 = Self(rawValue: 2)
  /// Value 3.
  public static let bars3 = Self(rawValue: 3)
  /// Value 4.
  public static let bars4 = Self(rawValue: 4)
  /// Value 5.
  public static let bars5 = Self(rawValue: 5)

  public static var names: [(UInt8, StaticString)] {
    [(0, "0 bars"), (1, "1 bar"), (2, "2 bars"), (3, "3 bars"), (4, "4 bars"), (5, "5 bars")]
  }
}

/// The registration of the telephone in the cellular network.
public struct RegistrationStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let unknown = Self(rawValue: 0)
  /// Value 1.
  public static let notRegistered = Self(rawValue: 1)
  /// Value 2.
  public static let searching = Self(rawValue: 2)
  /// Value 3.
  public static let denied = Self(rawValue: 3)
  /// Value 4.
  public static let registeredHome = Self(rawValue: 4)
  /// Value 5.
  public static let registeredRoaming = Self(rawValue: 5)
  /// Value 6.
  public static let emergencyCallsOnly = Self(rawValue: 6)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "Unknown"), (1, "NotRegistered"), (2, "Searching"), (3, "Denied"), (4, "RegisteredHome"),
      (5, "RegisteredRoaming"), (6, "EmergencyCallsOnly"),
    ]
  }
}

/// A message of the device that reports the state of the telephone and the call actions that are possible: 0x4158
/// (Features.md#communications-updates; high).
public struct CommunicationsUpdate: ControlMessage {
  /// Parameter 0: enumeration ``SignalStrength``.
  public var signalStrength: SignalStrength?
  /// Parameter 1: enumeration ``RegistrationStatus``.
  public var registrationStatus: RegistrationStatus?
  /// Parameter 2: Boolean.
  public var airplaneModeStatus: Bool?
  /// Parameter 4: UTF-8 text with a final NUL.
  public var carrierName: String?
  /// Parameter 5: Boolean.
  public var cellularSupported: Bool?
  /// Parameter 6: Boolean.
  public var telephonyEnabled: Bool?
  /// Parameter 7: Boolean.
  public var faceTimeAudioEnabled: Bool?
  /// Parameter 8: Boolean.
  public var faceTimeVideoEnabled: Bool?
  /// Parameter 9: Boolean.
  public var muteStatus: Bool?
  /// Parameter 10: unsigned 8-bit integer.
  public var currentCallCount: UInt8?
  /// Parameter 11: unsigned 8-bit integer.
  public var newVoicemailCount: UInt8?
  /// Parameter 12: Boolean.
  public var initiateCallAvailable: Bool?
  /// Parameter 13: Boolean.
  public var endAndAcceptAvailable: Bool?
  /// Parameter 14: Boolean.
  public var holdAndAcceptAvailable: Bool?
  /// Parameter 15: Boolean.
  public var swapAvailable: Bool?
  /// Parameter 16: Boolean.
  public var mergeAvailable: Bool?
  /// Parameter 17: Boolean.
  public var holdAvailable: Bool?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4158, "CommunicationsUpdate", from: .device, "Communications", .high,
    ["Features.md#communications-updates", "LIVI", "BRIDGE", "CAT", "MIB2Q"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "SignalStrength", &signalStrength)
    try pass(1, "RegistrationStatus", &registrationStatus)
    try pass(2, "AirplaneModeStatus", &airplaneModeStatus)
    try pass(4, "CarrierName", &carrierName)
    try pass(5, "CellularSupported", &cellularSupported)
    try pass(6, "TelephonyEnabled", &telephonyEnabled)
    try pass(7, "FaceTimeAudioEnabled", &faceTimeAudioEnabled)
    try pass(8, "FaceTimeVideoEnabled", &faceTimeVideoEnabled)
    try pass(9, "MuteStatus", &muteStatus)
    try pass(10, "CurrentCallCount", &currentCallCount)
    try pass(11, "NewVoicemailCount", &newVoicemailCount)
    try pass(12, "InitiateCallAvailable", &initiateCallAvailable)
    try pass(13, "EndAndAcceptAvailable", &endAndAcceptAvailable)
    try pass(14, "HoldAndAcceptAvailable", &holdAndAcceptAvailable)
    try pass(15, "SwapAvailable", &swapAvailable)
    try pass(16, "MergeAvailable", &mergeAvailable)
    try pass(17, "HoldAvailable", &holdAvailable)
  }
}

/// A message of the accessory that ends the subscription to the state of the telephone: 0x4159
/// (Features.md#communications-updates; high).
public struct StopCommunicationsUpdates: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4159, "StopCommunicationsUpdates", from: .accessory, "Communications", .high,
    ["Features.md#communications-updates", "LIVI", "BRIDGE", "CAT", "MIB2Q"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
