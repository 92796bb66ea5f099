// swift-iap2 · Apache-2.0

/// The kind of call to initiate: to a destination, to voicemail or a redial.
public struct InitiateCallType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let destination = Self(rawValue: 0)
  /// Value 1.
  public static let voicemail = Self(rawValue: 1)
  /// Value 2.
  public static let redial = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Destination"), (1, "Voicemail"), (2, "Redial")]
  }
}

/// A message of the accessory that initiates a call: 0x415A (Features.md#call-actions; high).
public struct InitiateCall: ControlMessage {
  /// Parameter 0: enumeration ``InitiateCallType``. Required.
  public var type: InitiateCallType = InitiateCallType(rawValue: 0)
  /// Parameter 1: UTF-8 text with a final NUL.
  public var destinationID: String?
  /// Parameter 2: enumeration ``CallService``.
  public var service: CallService?
  /// Parameter 3: UTF-8 text with a final NUL.
  public var addressBookID: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x415A, "InitiateCall", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Type", &type)
    try pass(1, "DestinationID", &destinationID)
    try pass(2, "Service", &service)
    try pass(3, "AddressBookID", &addressBookID)
  }
}

/// The effect of accepting a call on the active call: hold it or end it.
public struct AcceptAction: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let acceptOrHoldAndAccept = Self(rawValue: 0)
  /// Value 1.
  public static let endAndAccept = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "AcceptOrHoldAndAccept"), (1, "EndAndAccept")]
  }
}

/// A message of the accessory that accepts an incoming call: 0x415B (Features.md#call-actions; high).
public struct AcceptCall: ControlMessage {
  /// Parameter 0: enumeration ``AcceptAction``. Required.
  public var acceptAction: AcceptAction = AcceptAction(rawValue: 0)
  /// Parameter 1: UTF-8 text with a final NUL.
  public var callUUID: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x415B, "AcceptCall", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AcceptAction", &acceptAction)
    try pass(1, "CallUUID", &callUUID)
  }
}

/// The calls to end: one or all.
public struct EndAction: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let endOrDecline = Self(rawValue: 0)
  /// Value 1.
  public static let endAll = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "EndOrDecline"), (1, "EndAll")]
  }
}

/// A message of the accessory that ends or declines a call: 0x415C (Features.md#call-actions; high).
public struct EndCall: ControlMessage {
  /// Parameter 0: enumeration ``EndAction``. Required.
  public var endAction: EndAction = EndAction(rawValue: 0)
  /// Parameter 1: UTF-8 text with a final NUL.
  public var callUUID: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x415C, "EndCall", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "EndAction", &endAction)
    try pass(1, "CallUUID", &callUUID)
  }
}

/// A message of the accessory that swaps the active call and the held one: 0x415D (Features.md#call-actions; high).
public struct SwapCalls: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x415D, "SwapCalls", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that merges calls into a conference: 0x415E (Features.md#call-actions; high).
public struct MergeCalls: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x415E, "MergeCalls", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that holds or resumes a call: 0x415F (Features.md#call-actions; high).
public struct HoldStatusUpdate: ControlMessage {
  /// Parameter 0: Boolean. Required.
  public var holdStatus: Bool = false
  /// Parameter 1: UTF-8 text with a final NUL.
  public var callUUID: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x415F, "HoldStatusUpdate", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HoldStatus", &holdStatus)
    try pass(1, "CallUUID", &callUUID)
  }
}

/// A message of the accessory that mutes or unmutes the microphone in calls: 0x4160 (Features.md#call-actions; high).
public struct MuteStatusUpdate: ControlMessage {
  /// Parameter 0: Boolean. Required.
  public var muteStatus: Bool = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4160, "MuteStatusUpdate", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MuteStatus", &muteStatus)
  }
}

/// A DTMF tone.
public struct DTMFTone: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let digit0 = Self(rawValue: 0)
  /// Value 1.
  public static let digit1 = Self(rawValue: 1)
  /// Value 2.
  public static let digit2 = Self(rawValue: 2)
  /// Value 3.
  public static let digit3 = Self(rawValue: 3)
  /// Value 4.
  public static let digit4 = Self(rawValue: 4)
  /// Value 5.
  public static let digit5 = Self(rawValue: 5)
  /// Value 6.
  public static let digit6 = Self(rawValue: 6)
  /// Value 7.
  public static let digit7 = Self(rawValue: 7)
  /// Value 8.
  public static let digit8 = Self(rawValue: 8)
  /// Value 9.
  public static let digit9 = Self(rawValue: 9)
  /// Value 10.
  public static let star = Self(rawValue: 10)
  /// Value 11.
  public static let pound = Self(rawValue: 11)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "0"), (1, "1"), (2, "2"), (3, "3"), (4, "4"), (5, "5"), (6, "6"), (7, "7"), (8, "8"), (9, "9"), (10, "*"),
      (11, "#"),
    ]
  }
}

/// A message of the accessory that sends a DTMF tone in a call: 0x4161 (Features.md#call-actions; high).
public struct SendDTMF: ControlMessage {
  /// Parameter 0: enumeration ``DTMFTone``. Required.
  public var tone: DTMFTone = DTMFTone(rawValue: 0)
  /// Parameter 1: UTF-8 text with a final NUL.
  public var callUUID: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4161, "SendDTMF", from: .accessory, "Communications", .high,
    ["Features.md#call-actions", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Tone", &tone)
    try pass(1, "CallUUID", &callUUID)
  }
}
