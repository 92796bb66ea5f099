// swift-iap2 · Apache-2.0

// The dictionaries of `changeModes`, `modesChanged` and `/info`. Source: CarPlaySession.md#modes-fields.

extension ModeRequest: PropertyConvertible {
  /// Reads the parameters of a `changeModes`; nil for a value without this form.
  public init?(propertyValue: PropertyValue) {
    guard case .dictionary = propertyValue else { return nil }
    self.init(reason: propertyValue["reasonStr"]?.text ?? "")
    for entry in propertyValue["resources"]?.array ?? [] {
      guard let item = Item(entry) else { return nil }
      items.append(item)
    }
    for entry in propertyValue["appStates"]?.array ?? [] {
      guard let state = ModeAppState(entry) else { return nil }
      appStates.append(state)
    }
  }

  /// The parameters of a `changeModes`.
  public var propertyValue: PropertyValue {
    var values: [String: PropertyValue] = [
      "resources": .array(items.map(\.propertyValue)), "appStates": .array(appStates.map(\.propertyValue)),
    ]
    if !reason.isEmpty { values["reasonStr"] = .text(reason) }
    return .dictionary(values)
  }
}

extension ModeRequest.Item {
  fileprivate init?(_ entry: PropertyValue) {
    guard let resource: ModeResource = entry.mode("resourceID"), let type = entry["transferType"]?.integer else {
      return nil
    }
    let priority: ModePriority = entry.mode("transferPriority") ?? .niceToHave
    func constraint(_ key: String) -> ModeConstraint { entry.mode(key) ?? .anytime }
    switch type {
    case 1:
      let (take, borrow) = (constraint("takeConstraint"), constraint("borrowConstraint"))
      self.init(resource: resource, transfer: .take(priority, take: take, borrow: borrow))
    case 2: self.init(resource: resource, transfer: .untake)
    case 3: self.init(resource: resource, transfer: .borrow(priority, unborrow: constraint("unborrowConstraint")))
    case 4: self.init(resource: resource, transfer: .unborrow)
    default: return nil
    }
  }

  fileprivate var propertyValue: PropertyValue {
    var values: [String: PropertyValue] = ["resourceID": .number(resource)]
    switch transfer {
    case .take(let priority, let take, let borrow):
      values["transferType"] = 1
      values["transferPriority"] = .number(priority)
      values["takeConstraint"] = .number(take)
      values["borrowConstraint"] = .number(borrow)
    case .untake: values["transferType"] = 2
    case .borrow(let priority, let unborrow):
      values["transferType"] = 3
      values["transferPriority"] = .number(priority)
      values["unborrowConstraint"] = .number(unborrow)
    case .unborrow: values["transferType"] = 4
    }
    return .dictionary(values)
  }
}

/// The numbers of the app states.
private enum AppStateID {
  static let speech: Int64 = 1
  static let phoneCall: Int64 = 2
  static let turnByTurn: Int64 = 3
}

extension ModeAppState {
  fileprivate init?(_ entry: PropertyValue) {
    switch (entry["appStateID"]?.integer, entry["state"]?.bool) {
    case (AppStateID.speech, _):
      guard let mode: SpeechMode = entry.mode("speechMode") else { return nil }
      self = .speech(mode)
    case (AppStateID.phoneCall, let state?): self = .phoneCall(state)
    case (AppStateID.turnByTurn, let state?): self = .turnByTurn(state)
    default: return nil
    }
  }

  fileprivate var propertyValue: PropertyValue {
    switch self {
    case .speech(let mode): ["appStateID": .integer(AppStateID.speech), "speechMode": .number(mode)]
    case .phoneCall(let state): ["appStateID": .integer(AppStateID.phoneCall), "state": .bool(state)]
    case .turnByTurn(let state): ["appStateID": .integer(AppStateID.turnByTurn), "state": .bool(state)]
    }
  }
}

extension PropertyValue {
  fileprivate func mode<Value: RawRepresentable<Int>>(_ key: String) -> Value? {
    self[key]?.integer.flatMap { Int(exactly: $0) }.flatMap(Value.init(rawValue:))
  }

  fileprivate static func number(_ value: some RawRepresentable<Int>) -> PropertyValue {
    .integer(Int64(value.rawValue))
  }
}

/// The sides that have the screen, the speakers and the app states, as the phone reports them.
public struct ModeSnapshot: Sendable, Hashable, PropertyConvertible {
  /// The user of a resource, and its owner when no side borrows it.
  public struct Holder: Sendable, Hashable {
    /// The present user; nil for none.
    public var user: SessionSide?
    /// The owner; nil for none.
    public var owner: SessionSide?

    /// Creates a holder.
    public init(user: SessionSide? = nil, owner: SessionSide? = nil) { (self.user, self.owner) = (user, owner) }
  }

  /// The holder of the screen.
  public var screen = Holder()
  /// The holder of the speakers.
  public var mainAudio = Holder()
  /// The side that speaks or listens.
  public var speech: SessionSide?
  /// Whether it speaks or listens.
  public var speechMode = SpeechMode.none
  /// The side with a call.
  public var phoneCall: SessionSide?
  /// The side that guides.
  public var turnByTurn: SessionSide?
  /// The reason as free text.
  public var reason = ""

  /// Creates the state of an arbiter.
  public init(_ arbiter: ModeArbiter, reason: String = "") {
    func holder(_ resource: ModeResource) -> Holder {
      Holder(user: arbiter.user(of: resource), owner: arbiter.owner(of: resource))
    }
    (screen, mainAudio) = (holder(.screen), holder(.mainAudio))
    (speech, speechMode) = (arbiter.speech?.side, arbiter.speech?.mode ?? .none)
    (phoneCall, turnByTurn) = (arbiter.phoneCall, arbiter.turnByTurn)
    self.reason = reason
  }

  /// Reads the parameters of a `modesChanged`. A resource or state that is not named has no side. The result is nil for
  /// a value without this form.
  public init?(propertyValue: PropertyValue) {
    guard case .dictionary = propertyValue else { return nil }
    reason = propertyValue["reasonStr"]?.text ?? ""
    for entry in propertyValue["resources"]?.array ?? [] {
      let holder = Holder(user: entry.side("entity"), owner: entry.side("permanentEntity"))
      switch entry.mode("resourceID") as ModeResource? {
      case .screen: screen = holder
      case .mainAudio: mainAudio = holder
      case nil: break
      }
    }
    for entry in propertyValue["appStates"]?.array ?? [] {
      let side = entry.side("entity")
      switch entry["appStateID"]?.integer {
      case AppStateID.speech: (speech, speechMode) = (side, entry.mode("speechMode") ?? .none)
      case AppStateID.phoneCall: phoneCall = side
      case AppStateID.turnByTurn: turnByTurn = side
      default: break
      }
    }
  }

  /// The parameters of a `modesChanged`.
  public var propertyValue: PropertyValue {
    func resource(_ id: ModeResource, _ holder: Holder) -> PropertyValue {
      ["resourceID": .number(id), "entity": .side(holder.user), "permanentEntity": .side(holder.owner)]
    }
    var values: [String: PropertyValue] = [
      "resources": .array([resource(.screen, screen), resource(.mainAudio, mainAudio)]),
      "appStates": [
        ["appStateID": .integer(AppStateID.speech), "entity": .side(speech), "speechMode": .number(speechMode)],
        ["appStateID": .integer(AppStateID.phoneCall), "entity": .side(phoneCall)],
        ["appStateID": .integer(AppStateID.turnByTurn), "entity": .side(turnByTurn)],
      ],
    ]
    if !reason.isEmpty { values["reasonStr"] = .text(reason) }
    return .dictionary(values)
  }
}

extension PropertyValue {
  fileprivate func side(_ key: String) -> SessionSide? {
    switch self[key]?.integer {
    case 1: .phone
    case 2: .headUnit
    default: nil
    }
  }

  fileprivate static func side(_ side: SessionSide?) -> PropertyValue {
    switch side {
    case .phone: 1
    case .headUnit: 2
    case nil: 0
    }
  }
}

extension SessionInfo {
  /// Asks for the modes of the last session: each side begins with what it owned (CarPlaySession.md#last-user-mode).
  mutating func begin(with last: ModeSnapshot) {
    var request = modes ?? ModeRequest()
    var owners: [PropertyValue] = []
    for (resource, holder) in [(ModeResource.screen, last.screen), (.mainAudio, last.mainAudio)] {
      guard let owner = holder.owner else { continue }
      let isTaken = request.items.contains { item in
        if case .take = item.transfer { item.resource == resource } else { false }
      }
      if owner == .phone || !isTaken {
        request.items.removeAll { $0.resource == resource }
        let take = ModeTransfer.take(.niceToHave, take: .anytime, borrow: .anytime)
        request.items.append(.init(resource: resource, transfer: owner == .phone ? .untake : take))
      }
      owners.append(["resourceID": .number(resource), "permanentEntity": .side(owner)])
    }
    guard case .dictionary(var values) = request.propertyValue else { return }
    values["initialPermanentEntity"] = .array(owners)
    self.values["modes"] = .dictionary(values)
  }
}
