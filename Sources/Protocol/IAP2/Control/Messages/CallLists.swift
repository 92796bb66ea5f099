// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the lists of recent calls and of favorites: 0x4170
/// (Features.md#call-lists; high).
public struct StartListUpdates: ControlMessage {
  /// The attributes of recent calls that the accessory asks for.
  public struct RecentsListProperties: ParameterGroup {
    public var index: Presence = false
    public var remoteID: Presence = false
    public var displayName: Presence = false
    public var label: Presence = false
    public var addressBookID: Presence = false
    public var service: Presence = false
    public var type: Presence = false
    public var unixTimestamp: Presence = false
    public var duration: Presence = false
    public var occurrences: Presence = false
    public var residue = Residue()

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
    public var index: Presence = false
    public var remoteID: Presence = false
    public var displayName: Presence = false
    public var label: Presence = false
    public var addressBookID: Presence = false
    public var service: Presence = false
    public var residue = Residue()

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

  public var recentsListProperties: RecentsListProperties?
  /// 0 = no limit.
  public var recentsListMax: UInt16?
  public var recentsListCombine: Bool?
  public var favoritesListProperties: FavoritesListProperties?
  public var favoritesListMax: UInt16?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4170, "StartListUpdates", from: .accessory, "Communications", .high,
    ["catplay", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

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

  public static let unknown = Self(rawValue: 0)
  public static let incoming = Self(rawValue: 1)
  public static let outgoing = Self(rawValue: 2)
  public static let missed = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Unknown"), (1, "Incoming"), (2, "Outgoing"), (3, "Missed")]
  }
}

/// A message of the device that reports the recent calls and the favorites: 0x4171 (Features.md#call-lists; high).
public struct ListUpdate: ControlMessage {
  /// A recent call.
  public struct RecentsList: ParameterGroup {
    public var index: UInt16?
    public var remoteID: String?
    public var displayName: String?
    public var label: String?
    public var addressBookID: String?
    public var service: CallService?
    public var type: RecentCallType?
    public var unixTimestamp: UInt64?
    public var duration: UInt32?
    public var occurrences: UInt8?
    public var residue = Residue()

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
    public var index: UInt16?
    public var remoteID: String?
    public var displayName: String?
    public var label: String?
    public var addressBookID: String?
    public var service: CallService?
    public var residue = Residue()

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

  public var recentsListAvailable: Bool?
  public var recentsList: [RecentsList] = []
  public var recentsListCount: UInt16?
  public var favoritesListAvailable: Bool?
  public var favoritesList: [FavoritesList] = []
  public var favoritesListCount: UInt16?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4171, "ListUpdate", from: .device, "Communications", .high,
    ["catplay", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

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
/// (Features.md#call-lists; high).
public struct StopListUpdates: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4172, "StopListUpdates", from: .accessory, "Communications", .high,
    ["catplay", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
