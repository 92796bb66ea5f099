// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the lists of recent calls and of favorites: 0x4170
/// (Features.md#call-lists; medium).
public struct StartListUpdates: ControlMessage {
  /// The attributes of recent calls that the accessory asks for.
  public struct RecentsListProperties: ParameterGroup {
    /// Parameter 0: flag without a value. Confidence: medium.
    public var index: Presence = false
    /// Parameter 1: flag without a value. Confidence: medium.
    public var remoteID: Presence = false
    /// Parameter 2: flag without a value. Confidence: medium.
    public var displayName: Presence = false
    /// Parameter 3: flag without a value. Confidence: medium.
    public var label: Presence = false
    /// Parameter 4: flag without a value. Confidence: medium.
    public var addressBookID: Presence = false
    /// Parameter 5: flag without a value. Confidence: medium.
    public var service: Presence = false
    /// Parameter 6: flag without a value. Confidence: medium.
    public var type: Presence = false
    /// Parameter 7: flag without a value. Confidence: medium.
    public var unixTimestamp: Presence = false
    /// Parameter 8: flag without a value. Confidence: medium.
    public var duration: Presence = false
    /// Parameter 9: flag without a value. Confidence: medium.
    public var occurrences: Presence = false
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "Index", &index, ParameterNote(.medium))
      try pass(1, "RemoteID", &remoteID, ParameterNote(.medium))
      try pass(2, "DisplayName", &displayName, ParameterNote(.medium))
      try pass(3, "Label", &label, ParameterNote(.medium))
      try pass(4, "AddressBookID", &addressBookID, ParameterNote(.medium))
      try pass(5, "Service", &service, ParameterNote(.medium))
      try pass(6, "Type", &type, ParameterNote(.medium))
      try pass(7, "UnixTimestamp", &unixTimestamp, ParameterNote(.medium))
      try pass(8, "Duration", &duration, ParameterNote(.medium))
      try pass(9, "Occurrences", &occurrences, ParameterNote(.medium))
    }
  }

  /// The attributes of favorites that the accessory asks for.
  public struct FavoritesListProperties: ParameterGroup {
    /// Parameter 0: flag without a value. Confidence: medium.
    public var index: Presence = false
    /// Parameter 1: flag without a value. Confidence: medium.
    public var remoteID: Presence = false
    /// Parameter 2: flag without a value. Confidence: medium.
    public var displayName: Presence = false
    /// Parameter 3: flag without a value. Confidence: medium.
    public var label: Presence = false
    /// Parameter 4: flag without a value. Confidence: medium.
    public var addressBookID: Presence = false
    /// Parameter 5: flag without a value. Confidence: medium.
    public var service: Presence = false
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "Index", &index, ParameterNote(.medium))
      try pass(1, "RemoteID", &remoteID, ParameterNote(.medium))
      try pass(2, "DisplayName", &displayName, ParameterNote(.medium))
      try pass(3, "Label", &label, ParameterNote(.medium))
      try pass(4, "AddressBookID", &addressBookID, ParameterNote(.medium))
      try pass(5, "Service", &service, ParameterNote(.medium))
    }
  }

  /// Parameter 1: group ``RecentsListProperties``. Confidence: medium.
  public var recentsListProperties: RecentsListProperties?
  /// Parameter 3: unsigned 16-bit integer. Confidence: medium.
  /// The value 0 means no limit.
  public var recentsListMax: UInt16?
  /// Parameter 4: Boolean. Confidence: medium.
  public var recentsListCombine: Bool?
  /// Parameter 6: group ``FavoritesListProperties``. Confidence: medium.
  public var favoritesListProperties: FavoritesListProperties?
  /// Parameter 8: unsigned 16-bit integer. Confidence: medium.
  public var favoritesListMax: UInt16?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4170, "StartListUpdates", from: .accessory, "Communications", .medium,
    ["Features.md#call-lists", "CAT", "UNMARKED"],
    subscription: MessageSubscription(stop: StopListUpdates.id, updates: [ListUpdate.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(1, "RecentsListProperties", &recentsListProperties, ParameterNote(.medium))
    try pass(3, "RecentsListMax", &recentsListMax, ParameterNote(.medium))
    try pass(4, "RecentsListCombine", &recentsListCombine, ParameterNote(.medium))
    try pass(6, "FavoritesListProperties", &favoritesListProperties, ParameterNote(.medium))
    try pass(8, "FavoritesListMax", &favoritesListMax, ParameterNote(.medium))
  }
}

/// The kind of a recent call.
public struct RecentCallType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let unknown = Self(rawValue: 0)
  /// Value 1.
  public static let incoming = Self(rawValue: 1)
  /// Value 2.
  public static let outgoing = Self(rawValue: 2)
  /// Value 3.
  public static let missed = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Unknown"), (1, "Incoming"), (2, "Outgoing"), (3, "Missed")]
  }
}

/// A message of the device that reports the recent calls and the favorites: 0x4171 (Features.md#call-lists; medium).
public struct ListUpdate: ControlMessage {
  /// A recent call.
  public struct RecentsList: ParameterGroup {
    /// Parameter 0: unsigned 16-bit integer. Confidence: medium.
    public var index: UInt16?
    /// Parameter 1: UTF-8 text with a final NUL. Confidence: medium.
    public var remoteID: String?
    /// Parameter 2: UTF-8 text with a final NUL. Confidence: medium.
    public var displayName: String?
    /// Parameter 3: UTF-8 text with a final NUL. Confidence: medium.
    public var label: String?
    /// Parameter 4: UTF-8 text with a final NUL. Confidence: medium.
    public var addressBookID: String?
    /// Parameter 5: enumeration ``CallService``. Confidence: medium.
    public var service: CallService?
    /// Parameter 6: enumeration ``RecentCallType``. Confidence: medium.
    public var type: RecentCallType?
    /// Parameter 7: unsigned 64-bit integer. Confidence: medium.
    public var unixTimestamp: UInt64?
    /// Parameter 8: unsigned 32-bit integer, in seconds. Confidence: medium.
    public var duration: UInt32?
    /// Parameter 9: unsigned 8-bit integer. Confidence: medium.
    public var occurrences: UInt8?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "Index", &index, ParameterNote(.medium))
      try pass(1, "RemoteID", &remoteID, ParameterNote(.medium))
      try pass(2, "DisplayName", &displayName, ParameterNote(.medium))
      try pass(3, "Label", &label, ParameterNote(.medium))
      try pass(4, "AddressBookID", &addressBookID, ParameterNote(.medium))
      try pass(5, "Service", &service, ParameterNote(.medium))
      try pass(6, "Type", &type, ParameterNote(.medium))
      try pass(7, "UnixTimestamp", &unixTimestamp, ParameterNote(.medium))
      try pass(8, "Duration", &duration, ParameterNote(unit: "seconds", .medium))
      try pass(9, "Occurrences", &occurrences, ParameterNote(.medium))
    }
  }

  /// A favorite.
  public struct FavoritesList: ParameterGroup {
    /// Parameter 0: unsigned 16-bit integer. Confidence: medium.
    public var index: UInt16?
    /// Parameter 1: UTF-8 text with a final NUL. Confidence: medium.
    public var remoteID: String?
    /// Parameter 2: UTF-8 text with a final NUL. Confidence: medium.
    public var displayName: String?
    /// Parameter 3: UTF-8 text with a final NUL. Confidence: medium.
    public var label: String?
    /// Parameter 4: UTF-8 text with a final NUL. Confidence: medium.
    public var addressBookID: String?
    /// Parameter 5: enumeration ``CallService``. Confidence: medium.
    public var service: CallService?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "Index", &index, ParameterNote(.medium))
      try pass(1, "RemoteID", &remoteID, ParameterNote(.medium))
      try pass(2, "DisplayName", &displayName, ParameterNote(.medium))
      try pass(3, "Label", &label, ParameterNote(.medium))
      try pass(4, "AddressBookID", &addressBookID, ParameterNote(.medium))
      try pass(5, "Service", &service, ParameterNote(.medium))
    }
  }

  /// Parameter 0: Boolean. Confidence: medium.
  public var recentsListAvailable: Bool?
  /// Parameter 1: group ``RecentsList``, repeated. Confidence: medium.
  public var recentsList: [RecentsList] = []
  /// Parameter 2: unsigned 16-bit integer. Confidence: medium.
  public var recentsListCount: UInt16?
  /// Parameter 5: Boolean. Confidence: medium.
  public var favoritesListAvailable: Bool?
  /// Parameter 6: group ``FavoritesList``, repeated. Confidence: medium.
  public var favoritesList: [FavoritesList] = []
  /// Parameter 7: unsigned 16-bit integer. Confidence: medium.
  public var favoritesListCount: UInt16?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4171, "ListUpdate", from: .device, "Communications", .medium,
    ["Features.md#call-lists", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RecentsListAvailable", &recentsListAvailable, ParameterNote(.medium))
    try pass(1, "RecentsList", &recentsList, ParameterNote(.medium))
    try pass(2, "RecentsListCount", &recentsListCount, ParameterNote(.medium))
    try pass(5, "FavoritesListAvailable", &favoritesListAvailable, ParameterNote(.medium))
    try pass(6, "FavoritesList", &favoritesList, ParameterNote(.medium))
    try pass(7, "FavoritesListCount", &favoritesListCount, ParameterNote(.medium))
  }
}

/// A message of the accessory that ends the subscription to the lists of recent calls and of favorites: 0x4172
/// (Features.md#call-lists; medium).
public struct StopListUpdates: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4172, "StopListUpdates", from: .accessory, "Communications", .medium,
    ["Features.md#call-lists", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
