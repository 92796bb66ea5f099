// swift-iap2 · Apache-2.0

/// The phone's arbiter of modes. It decides which side has the screen and the speakers, and which side has speech, the
/// call and guidance.
///
/// Apple has published that one manager on the phone decides by owners, borrowers and constraints. The exact order of
/// the rules is ours. Source: CarPlaySession.md#modes-rule.
public struct ModeArbiter: Sendable, Hashable {
  /// A side that has a resource for a while.
  fileprivate struct Borrower: Sendable, Hashable {
    var side: SessionSide
    var unborrow: ModeConstraint
  }

  fileprivate struct Resource: Sendable, Hashable {
    var owner = SessionSide.headUnit
    var take = ModeConstraint.anytime
    var borrow = ModeConstraint.anytime
    var borrowers: [Borrower] = []

    var user: SessionSide { borrowers.last?.side ?? owner }

    /// Returns whether a side may have the resource: it is the user already, or the user's constraint admits the
    /// priority.
    func admits(_ side: SessionSide, _ priority: ModePriority, _ owners: ModeConstraint) -> Bool {
      side == user || (borrowers.last?.unborrow ?? owners).admits(priority)
    }
  }

  /// The side that speaks or listens.
  public struct Speech: Sendable, Hashable {
    /// The side.
    public let side: SessionSide
    /// Whether it speaks or listens.
    public let mode: SpeechMode
  }

  /// The largest number of borrows of a resource. A side that never gives the resource back is then refused.
  public static let maximumBorrowers = 64

  private var resources = Dictionary(uniqueKeysWithValues: ModeResource.allCases.map { ($0, Resource()) })
  /// The side that speaks or listens, and how; nil for silence.
  public private(set) var speech: Speech?
  /// The side with a call; nil without one.
  public private(set) var phoneCall: SessionSide?
  /// The side that guides; nil for none.
  public private(set) var turnByTurn: SessionSide?

  /// Creates the state before the head unit's `/info`: the head unit owns both resources, and any request may have
  /// them.
  public init() {}

  /// Returns the side that uses a resource now.
  public func user(of resource: ModeResource) -> SessionSide { self[resource].user }

  /// Returns the owner of a resource, which has it while no side borrows it.
  public func owner(of resource: ModeResource) -> SessionSide { self[resource].owner }

  private subscript(resource: ModeResource) -> Resource {
    get { resources[resource] ?? Resource() }
    set { resources[resource] = newValue }
  }

  /// Returns the state after a request of a side. The request is granted as a whole or refused.
  ///
  /// - Returns: The new state; nil for a refused request, whose answer has a status other than 0.
  public func applying(_ request: ModeRequest, of side: SessionSide) -> ModeArbiter? {
    var next = self
    for item in request.items {
      guard next[item.resource].apply(item.transfer, of: side) else { return nil }
    }
    let isByUser = request.items.contains { $0.transfer.priority == .userInitiated }
    for state in request.appStates {
      guard next.apply(state, of: side, isByUser: isByUser) else { return nil }
    }
    return next
  }

  private mutating func apply(_ state: ModeAppState, of side: SessionSide, isByUser: Bool) -> Bool {
    switch state {
    case .turnByTurn(true): turnByTurn = side
    case .turnByTurn(false): if turnByTurn == side { turnByTurn = nil }
    case .phoneCall(true):
      // Only one side has a call. The refused side signals its own call without this state.
      guard phoneCall != side.other else { return false }
      phoneCall = side
    case .phoneCall(false): if phoneCall == side { phoneCall = nil }
    case .speech(.none): if speech?.side == side { speech = nil }
    case .speech(let mode):
      guard phoneCall != side.other || isByUser else { return false }
      speech = Speech(side: side, mode: mode)
    }
    return true
  }
}

extension ModeArbiter.Resource {
  fileprivate mutating func apply(_ transfer: ModeTransfer, of side: SessionSide) -> Bool {
    switch transfer {
    case .take(let priority, let take, let borrow):
      guard admits(side, priority, self.take) else { return false }
      (owner, self.take, self.borrow) = (side, take, borrow)
      borrowers.removeAll { $0.side != side }
    case .untake:
      guard owner == side else { return false }
      (owner, take, borrow) = (side.other, .anytime, .anytime)
    case .borrow(let priority, let unborrow):
      guard admits(side, priority, borrow), borrowers.count < ModeArbiter.maximumBorrowers else { return false }
      borrowers.append(ModeArbiter.Borrower(side: side, unborrow: unborrow))
    case .unborrow:
      guard let index = borrowers.lastIndex(where: { $0.side == side }) else { return false }
      borrowers.remove(at: index)
    }
    return true
  }
}

extension ModeTransfer {
  fileprivate var priority: ModePriority? {
    switch self {
    case .take(let priority, _, _), .borrow(let priority, _): priority
    case .untake, .unborrow: nil
    }
  }
}
