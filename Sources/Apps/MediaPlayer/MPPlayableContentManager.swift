// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// The content tree of an audio app before iOS 14.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class MPPlayableContentManager: NSObject, @unchecked Sendable {
  private struct State {
    weak var dataSource: (any MPPlayableContentDataSource)?
    weak var delegate: (any MPPlayableContentDelegate)?
    var context = MPPlayableContentManagerContext(PlayableContentLimits())
    var identifiers: [String] = []
    var updates = 0

    /// An app that ends more groups than it began has none.
    mutating func addUpdates(_ count: Int) -> Int {
      updates = max(0, updates + count)
      return updates
    }
  }

  /// A change that the app made.
  package enum Change: Sendable {
    /// The app set another data source.
    case dataSource
    /// The app set another delegate.
    case delegate
    /// The app asked to read everything again.
    case reload
    /// The app began or ended a group of updates. The number is that of open groups.
    case updates(Int)
    /// The app said what plays.
    case nowPlaying
  }

  private static let manager = MPPlayableContentManager()
  private let state = Guarded(State())
  /// The observer of changes.
  package let changes = ChangeObserver<Change>()

  /// Creates a manager of its own, for tests. Apps have one.
  package override init() { super.init() }

  /// Returns the manager.
  open class func shared() -> MPPlayableContentManager { manager }

  /// The source of the items. It is not retained.
  open var dataSource: (any MPPlayableContentDataSource)? {
    get { state.value.dataSource }
    set {
      state.with { $0.dataSource = newValue }
      changes(.dataSource)
    }
  }

  /// The player of the items. It is not retained.
  open var delegate: (any MPPlayableContentDelegate)? {
    get { state.value.delegate }
    set {
      state.with { $0.delegate = newValue }
      changes(.delegate)
    }
  }

  /// The limits of the car.
  open var context: MPPlayableContentManagerContext { state.value.context }

  /// The identifiers of the items that play.
  open var nowPlayingIdentifiers: [String] {
    get { state.value.identifiers }
    set {
      state.with { $0.identifiers = newValue }
      changes(.nowPlaying)
    }
  }

  /// Throws all items away and asks for them again, which takes long.
  open func reloadData() { changes(.reload) }

  /// Begins a group of updates.
  open func beginUpdates() { changes(.updates(state.with { $0.addUpdates(1) })) }

  /// Ends a group of updates.
  open func endUpdates() { changes(.updates(state.with { $0.addUpdates(-1) })) }

  /// Sets other limits. The host then tells the app's delegate.
  package func setLimits(_ limits: PlayableContentLimits) {
    let context = MPPlayableContentManagerContext(limits)
    state.with { $0.context = context }
  }

  /// Removes the settings of a former app, and the observer of its car.
  package func reset() {
    state.value = State()
    changes.set(nil)
  }
}

/// The limits of a car for a content tree.
package struct PlayableContentLimits: Hashable, Sendable {
  /// The items of a list; `Int.max` for a car that never limits them.
  package var itemCount = Int.max
  /// The levels. An app that goes deeper is terminated.
  package var treeDepth = 5
  /// Whether the car limits items now.
  package var areEnforced = false
  /// Whether a car is connected.
  package var isEndpointAvailable = false

  package init(
    itemCount: Int = .max, treeDepth: Int = 5, areEnforced: Bool = false, isEndpointAvailable: Bool = false
  ) {
    self.itemCount = itemCount
    self.treeDepth = treeDepth
    self.areEnforced = areEnforced
    self.isEndpointAvailable = isEndpointAvailable
  }
}

/// The limits of the car, for the app.
///
/// Invariant for `@unchecked Sendable`: the limits are constant.
open class MPPlayableContentManagerContext: NSObject, @unchecked Sendable {
  /// The limits.
  package let limits: PlayableContentLimits

  init(_ limits: PlayableContentLimits) {
    self.limits = limits
    super.init()
  }

  /// The items of a list that are shown while limits are enforced; `Int.max` for a car that never limits them.
  open var enforcedContentItemsCount: Int { limits.itemCount }
  /// The levels that the app may have. An app that goes deeper is terminated.
  open var enforcedContentTreeDepth: Int { limits.treeDepth }
  /// Whether the car limits items now.
  open var contentLimitsEnforced: Bool { limits.areEnforced }
  /// Whether the car limits items now.
  @available(*, deprecated, renamed: "contentLimitsEnforced")
  open var contentLimitsEnabled: Bool { limits.areEnforced }
  /// Whether a car is connected.
  open var endpointAvailable: Bool { limits.isEndpointAvailable }
}

/// A source of the items of a content tree. The empty index path is the root. Each element is a position in one level.
public protocol MPPlayableContentDataSource: NSObjectProtocol {
  /// Returns the number of items below an item.
  func numberOfChildItems(at indexPath: IndexPath) -> Int
  /// Returns an item.
  func contentItem(at indexPath: IndexPath) -> MPContentItem?
  /// Loads the items below an item, and then calls the closure. The car shows a spinner until then. Optional.
  func beginLoadingChildItems(at indexPath: IndexPath, completionHandler: @escaping ((any Error)?) -> Void)
  /// Returns whether the items below an item show their progress. Optional.
  func childItemsDisplayPlaybackProgress(at indexPath: IndexPath) -> Bool
  /// Finds an item by its identifier, and gives it to the closure. Optional.
  func contentItem(
    forIdentifier identifier: String, completionHandler: @escaping (MPContentItem?, (any Error)?) -> Void)
}

extension MPPlayableContentDataSource {
  /// Calls the closure.
  public func beginLoadingChildItems(at indexPath: IndexPath, completionHandler: @escaping ((any Error)?) -> Void) {
    OptionalMethod.isMissing(in: self)
    completionHandler(nil)
  }

  /// Returns false.
  public func childItemsDisplayPlaybackProgress(at indexPath: IndexPath) -> Bool {
    OptionalMethod.isMissing(in: self)
    return false
  }

  /// Calls the closure without an item.
  public func contentItem(
    forIdentifier identifier: String, completionHandler: @escaping (MPContentItem?, (any Error)?) -> Void
  ) {
    OptionalMethod.isMissing(in: self)
    completionHandler(nil, nil)
  }
}

/// A player of the items of a content tree. All methods are optional.
public protocol MPPlayableContentDelegate: NSObjectProtocol {
  /// Plays an item, and then calls the closure. The car waits until then, and opens Now Playing.
  func playableContentManager(
    _ contentManager: MPPlayableContentManager, initiatePlaybackOfContentItemAt indexPath: IndexPath,
    completionHandler: @escaping ((any Error)?) -> Void)
  /// Makes a queue to play, and then calls the closure.
  func playableContentManager(
    _ contentManager: MPPlayableContentManager, initializePlaybackQueueWithContentItems contentItems: [Any]?,
    completionHandler: @escaping ((any Error)?) -> Void)
  /// Tells the delegate that the car has other limits.
  func playableContentManager(
    _ contentManager: MPPlayableContentManager, didUpdate context: MPPlayableContentManagerContext)
}

extension MPPlayableContentDelegate {
  /// Calls the closure.
  public func playableContentManager(
    _ contentManager: MPPlayableContentManager, initiatePlaybackOfContentItemAt indexPath: IndexPath,
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    OptionalMethod.isMissing(in: self)
    completionHandler(nil)
  }

  /// Calls the closure.
  public func playableContentManager(
    _ contentManager: MPPlayableContentManager, initializePlaybackQueueWithContentItems contentItems: [Any]?,
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    OptionalMethod.isMissing(in: self)
    completionHandler(nil)
  }

  /// Does nothing.
  public func playableContentManager(
    _ contentManager: MPPlayableContentManager, didUpdate context: MPPlayableContentManagerContext
  ) {
    OptionalMethod.isMissing(in: self)
  }
}
