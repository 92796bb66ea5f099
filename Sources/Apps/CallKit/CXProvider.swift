// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// A provider of calls. It reports the app's calls to the phone, and passes the user's actions to its delegate. Any
/// thread may use it.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock. Delegates are called on their queue.
open class CXProvider: NSObject, @unchecked Sendable {
  private struct State: @unchecked Sendable {
    weak var delegate: (any CXProviderDelegate)?
    var queue = DispatchQueue.main
    var configuration: CXProviderConfiguration
    var transactions: [CXTransaction] = []
  }

  private let state: Mutex<State>

  /// Creates a provider.
  public init(configuration: CXProviderConfiguration) {
    state = Mutex(State(configuration: configuration))
    super.init()
    CallSystem.shared.add(self)
  }

  /// The name and the limits of the app's calls.
  open var configuration: CXProviderConfiguration {
    get { state.withLock { $0 }.configuration }
    set { state.withLock { $0.configuration = newValue } }
  }

  /// Sets the delegate, which is not retained, and the queue of its calls; nil for the main queue.
  open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
    // Unsafe: the reference is stored only.
    nonisolated(unsafe) let delegate = delegate
    state.withLock { state in
      unsafe state.delegate = delegate
      state.queue = queue ?? .main
    }
    call { provider, delegate in delegate.providerDidBegin(provider) }
  }

  // MARK: Reports of the app

  /// Reports a call that comes in. The phone rings, unless the closure gets an error.
  @preconcurrency
  open func reportNewIncomingCall(
    with uuid: UUID, update: CXCallUpdate, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    var values = CallValues()
    update.apply(to: &values)
    let error = CallSystem.shared.addIncoming(uuid, values, of: self)
    queue.async { completion(error) }
  }

  /// Reports other values of a call.
  open func reportCall(with uuid: UUID, updated update: CXCallUpdate) {
    CallSystem.shared.change(uuid) { update.apply(to: &$0.values) }
  }

  /// Reports that a call ended without the user.
  open func reportCall(with uuid: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
    CallSystem.shared.end(uuid, endedReason)
  }

  /// Reports that a call to the other side is being connected.
  open func reportOutgoingCall(with uuid: UUID, startedConnectingAt dateStartedConnecting: Date?) {
    CallSystem.shared.change(uuid) { $0.phase = .connecting }
  }

  /// Reports that a call to the other side is connected.
  open func reportOutgoingCall(with uuid: UUID, connectedAt dateConnected: Date?) {
    CallSystem.shared.change(uuid) { $0.phase = .connected }
  }

  /// Ends the provider and its calls.
  open func invalidate() {
    CallSystem.shared.remove(self)
    call { provider, delegate in delegate.providerDidReset(provider) }
  }

  /// The transactions that the app has not answered.
  open var pendingTransactions: [CXTransaction] {
    state.withLock { state in
      state.transactions.removeAll(where: \.isComplete)
      return state.transactions
    }
  }

  // MARK: Calls of the delegate

  private var queue: DispatchQueue { state.withLock { $0.queue } }

  /// Calls the delegate on its queue.
  private func call(_ body: @escaping @Sendable (CXProvider, any CXProviderDelegate) -> Void) {
    queue.async { [self] in
      guard let delegate = state.withLock({ $0 }).delegate else { return }
      body(self, delegate)
    }
  }

  /// Passes a transaction to the delegate.
  func execute(_ transaction: CXTransaction) {
    state.withLock { $0.transactions.append(transaction) }
    queue.async { [self] in
      guard let delegate = state.withLock({ $0 }).delegate else {
        // Without a delegate the app cannot do anything.
        for action in transaction.actions { action.fail() }
        return
      }
      guard !delegate.provider(self, execute: transaction) else { return }
      for action in transaction.actions { perform(action, delegate) }
    }
  }

  private func perform(_ action: CXAction, _ delegate: any CXProviderDelegate) {
    switch action {
    case let action as CXStartCallAction: delegate.provider(self, perform: action)
    case let action as CXAnswerCallAction: delegate.provider(self, perform: action)
    case let action as CXEndCallAction: delegate.provider(self, perform: action)
    case let action as CXSetHeldCallAction: delegate.provider(self, perform: action)
    case let action as CXSetMutedCallAction: delegate.provider(self, perform: action)
    case let action as CXSetGroupCallAction: delegate.provider(self, perform: action)
    case let action as CXPlayDTMFCallAction: delegate.provider(self, perform: action)
    default: action.fail()
    }
  }

  /// Fails the pending actions, and reports to the app that it did not answer in time.
  package func timeOutPendingActions() {
    for action in pendingTransactions.flatMap(\.actions) where !action.isComplete {
      action.fail()
      call { provider, delegate in delegate.provider(provider, timedOutPerforming: action) }
    }
  }

  /// Reports to the app whether it may use the sound of the phone.
  func activateAudio(_ isActive: Bool) {
    call { provider, delegate in
      let session = AVAudioSession.sharedInstance()
      if isActive {
        delegate.provider(provider, didActivate: session)
      } else {
        delegate.provider(provider, didDeactivate: session)
      }
    }
  }
}

/// A controller that requests changes of the app's calls. Any thread may use it.
///
/// Invariant for `@unchecked Sendable`: all properties are constant.
open class CXCallController: NSObject, @unchecked Sendable {
  private let queue: DispatchQueue

  /// Creates a controller whose closures are called on the main queue.
  public convenience override init() { self.init(queue: .main) }

  /// Creates a controller whose closures are called on a queue.
  public init(queue: DispatchQueue) {
    self.queue = queue
    super.init()
  }

  /// Asks for a transaction. The closure gets an error if the phone refuses it; else the provider's delegate gets it.
  @preconcurrency
  open func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void) {
    let error = CallSystem.shared.request(transaction)
    queue.async { completion(error) }
  }

  /// Asks for a transaction of one action.
  @preconcurrency
  open func requestTransaction(with action: CXAction, completion: @escaping @Sendable ((any Error)?) -> Void) {
    request(CXTransaction(action: action), completion: completion)
  }
}
