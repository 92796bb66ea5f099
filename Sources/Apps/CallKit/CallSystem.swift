// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// A call of the app, as the phone has it.
package struct Call: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    /// The call comes in, and nobody has answered it.
    case ringing
    /// The app begins the call to the other side.
    case starting
    case connecting, connected
  }

  package let uuid: UUID
  package let isOutgoing: Bool
  package var phase: Phase
  package var values: CallValues
  package var isOnHold = false
  package var isMuted = false
  /// The other calls of the group have the same one.
  package var group: UUID
}

/// A change of the calls of the app.
package enum CallEvent: Hashable, Sendable {
  case incoming(Call)
  case outgoing(Call)
  case changed(Call)
  /// The end of a call, with the reason if the app gave one.
  case ended(UUID, CXCallEndedReason?)
  /// The tones that the app has sent.
  case tones(UUID, String)
  /// The app could not do what was asked of a call.
  case failed(UUID)
}

/// The phone's side of CallKit: it keeps the calls, asks the app through its provider, and reports changes to the host.
///
/// The host uses ``setObserver(_:)``, ``calls``, ``perform(_:)`` and ``setRefusal(_:)``. Apps use ``CXProvider`` and
/// ``CXCallController``.
package final class CallSystem: Sendable {
  private struct Entry {
    var call: Call
    weak var provider: CXProvider?
  }

  private struct WeakProvider {
    weak var provider: CXProvider?
  }

  private struct State {
    var entries: [Entry] = []
    var providers: [WeakProvider] = []
    var refusal: CXErrorCodeIncomingCallError.Code?
    var observer: (@Sendable (CallEvent) -> Void)?
  }

  package static let shared = CallSystem()

  private let state = Mutex(State())

  private init() {}

  /// The calls, the oldest one first.
  package var calls: [Call] { state.withLock { $0.entries.map(\.call) } }

  /// Sets the observer of changes. It is called on the thread of the change.
  package func setObserver(_ observer: (@Sendable (CallEvent) -> Void)?) { state.withLock { $0.observer = observer } }

  /// Sets the reason for which incoming calls are refused; nil to accept them.
  package func setRefusal(_ refusal: CXErrorCodeIncomingCallError.Code?) { state.withLock { $0.refusal = refusal } }

  /// Performs an action of the user in the car or on the phone: answer, end, mute, hold, join or tones.
  ///
  /// - Returns: The reason of a refusal; nil if the app gets the action.
  @discardableResult
  package func perform(_ action: CXCallAction) -> CXErrorCodeRequestTransactionError? {
    request(CXTransaction(action: action))
  }

  /// Fails the pending actions of every provider.
  package func timeOutPendingActions() {
    for provider in providers { provider.timeOutPendingActions() }
  }

  /// Forgets the calls of a former app. Providers stay: an app may have made its own before it is launched.
  package func reset() { state.withLock { $0 = State(providers: $0.providers) } }

  private var providers: [CXProvider] { state.withLock { $0.providers }.compactMap(\.provider) }

  private func notify(_ event: CallEvent) { state.withLock { $0.observer }?(event) }

  // MARK: The app's side

  func add(_ provider: CXProvider) {
    state.withLock { state in
      state.providers.removeAll { $0.provider == nil }
      state.providers.append(WeakProvider(provider: provider))
    }
  }

  func remove(_ provider: CXProvider) {
    let ended = state.withLock { state in
      state.providers.removeAll { $0.provider === provider }
      let ended = state.entries.filter { $0.provider === provider }.map(\.call.uuid)
      state.entries.removeAll { ended.contains($0.call.uuid) }
      return ended
    }
    for uuid in ended { notify(.ended(uuid, nil)) }
  }

  func addIncoming(_ uuid: UUID, _ values: CallValues, of provider: CXProvider) -> CXErrorCodeIncomingCallError? {
    let call = Call(uuid: uuid, isOutgoing: false, phase: .ringing, values: values, group: uuid)
    let refusal: CXErrorCodeIncomingCallError.Code? = state.withLock { state in
      if let refusal = state.refusal { return refusal }
      guard !state.entries.contains(where: { $0.call.uuid == uuid }) else { return .callUUIDAlreadyExists }
      state.entries.append(Entry(call: call, provider: provider))
      return nil
    }
    guard let refusal else {
      notify(.incoming(call))
      return nil
    }
    return CXErrorCodeIncomingCallError(refusal)
  }

  func change(_ uuid: UUID, _ change: (inout Call) -> Void) {
    let call: Call? = state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.call.uuid == uuid }) else { return nil }
      change(&state.entries[index].call)
      return state.entries[index].call
    }
    if let call { notify(.changed(call)) }
  }

  func end(_ uuid: UUID, _ reason: CXCallEndedReason?) {
    let entry: Entry? = state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.call.uuid == uuid }) else { return nil }
      return state.entries.remove(at: index)
    }
    guard let entry else { return }
    if entry.call.phase != .ringing { entry.provider?.activateAudio(false) }
    notify(.ended(uuid, reason))
  }

  /// Checks a transaction and passes it to the app. Returns the reason of a refusal; nil without one.
  func request(_ transaction: CXTransaction) -> CXErrorCodeRequestTransactionError? {
    let actions = transaction.actions
    guard !actions.isEmpty else { return CXErrorCodeRequestTransactionError(.emptyTransaction) }
    guard let newest = providers.last else { return CXErrorCodeRequestTransactionError(.unknownCallProvider) }
    let groups = newest.configuration.maximumCallGroups
    let result: (provider: CXProvider?, refusal: CXErrorCodeRequestTransactionError.Code?) = state.withLock { state in
      for action in actions {
        if let refusal = Self.refusal(of: action, state.entries.map(\.call), groups: groups) { return (nil, refusal) }
      }
      let first = (actions[0] as? CXCallAction)?.callUUID
      return (state.entries.first { $0.call.uuid == first }?.provider, nil)
    }
    if let refusal = result.refusal { return CXErrorCodeRequestTransactionError(refusal) }
    let provider = result.provider ?? newest
    for action in actions {
      if let start = action as? CXStartCallAction { addOutgoing(start, of: provider) }
      action.begin { [self] in finish($0, provider) }
    }
    provider.execute(transaction)
    return nil
  }

  private static func refusal(
    of action: CXAction, _ calls: [Call], groups: Int
  ) -> CXErrorCodeRequestTransactionError.Code? {
    guard let action = action as? CXCallAction, !action.isComplete else { return .invalidAction }
    let call = calls.first { $0.uuid == action.callUUID }
    if action is CXStartCallAction {
      if call != nil { return .callUUIDAlreadyExists }
      return Set(calls.map(\.group)).count < groups ? nil : .maximumCallGroupsReached
    }
    guard let call else { return .unknownCallUUID }
    switch action {
    case is CXAnswerCallAction: return call.phase == .ringing ? nil : .invalidAction
    case is CXSetHeldCallAction: return call.values.supportsHolding ? nil : .invalidAction
    case is CXPlayDTMFCallAction: return call.values.supportsDTMF ? nil : .invalidAction
    case let action as CXSetGroupCallAction:
      guard let other = action.callUUIDToGroupWith else { return call.values.supportsUngrouping ? nil : .invalidAction }
      guard calls.contains(where: { $0.uuid == other }) else { return .unknownCallUUID }
      return call.values.supportsGrouping && other != call.uuid ? nil : .invalidAction
    default: return nil
    }
  }

  private func addOutgoing(_ action: CXStartCallAction, of provider: CXProvider) {
    let call = Call(
      uuid: action.callUUID, isOutgoing: true, phase: .starting, values: CallValues(handle: action.handle),
      group: action.callUUID)
    state.withLock { $0.entries.append(Entry(call: call, provider: provider)) }
    notify(.outgoing(call))
  }

  /// Changes a call by an action that the app has answered.
  private func finish(_ action: CXAction, _ provider: CXProvider) {
    guard let action = action as? CXCallAction else { return }
    guard action.state == .fulfilled else {
      notify(.failed(action.callUUID))
      // A call that could not begin or be answered is none.
      if action is CXStartCallAction || action is CXAnswerCallAction { end(action.callUUID, .failed) }
      return
    }
    switch action {
    case is CXStartCallAction: provider.activateAudio(true)
    case is CXAnswerCallAction:
      change(action.callUUID) { $0.phase = .connected }
      provider.activateAudio(true)
    case is CXEndCallAction: end(action.callUUID, nil)
    case let action as CXSetHeldCallAction: change(action.callUUID) { $0.isOnHold = action.isOnHold }
    case let action as CXSetMutedCallAction: change(action.callUUID) { $0.isMuted = action.isMuted }
    case let action as CXSetGroupCallAction: join(action)
    case let action as CXPlayDTMFCallAction: notify(.tones(action.callUUID, action.digits))
    default: break
    }
  }

  private func join(_ action: CXSetGroupCallAction) {
    let group = action.callUUIDToGroupWith.flatMap { other in calls.first { $0.uuid == other }?.group }
    change(action.callUUID) { $0.group = group ?? action.callUUID }
  }
}
