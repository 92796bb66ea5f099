// swift-iap2 · Apache-2.0

import CallKit
import CarSupport
import Foundation
import Synchronization
import Testing

/// An app with calls. It answers every action at once, unless it is told not to.
private final class Telephone: NSObject, CXProviderDelegate {
  var heard: [String] = []
  var answers = true

  func providerDidReset(_ provider: CXProvider) { heard.append("reset") }
  func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
    note("start \(action.handle.value)", action)
  }
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { note("answer", action) }
  func provider(_ provider: CXProvider, perform action: CXEndCallAction) { note("end", action) }
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { note("mute \(action.isMuted)", action) }
  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { note("tones \(action.digits)", action) }
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) { heard.append("timed out") }
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { heard.append("sound on") }
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { heard.append("sound off") }

  private func note(_ text: String, _ action: CXAction) {
    heard.append(text)
    if answers { action.fulfill() }
  }
}

/// The phone has one list of calls, which a car reads, too: these tests run one after another with those of a car.
@MainActor @Suite(.serialized, .onlyCar) struct CallTests {
  private let provider: CXProvider
  private let app = Telephone()
  private let controller = CXCallController()
  private let uuid = UUID()

  init() {
    CallSystem.shared.reset()
    provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Test"))
    provider.setDelegate(app, queue: nil)
  }

  /// Waits for what the main queue has to do now, and for what that adds.
  private func settle() async {
    for _ in 0..<3 { await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } } }
  }

  private func request(_ action: CXAction) async -> CXErrorCodeRequestTransactionError.Code? {
    await withCheckedContinuation { done in
      controller.request(CXTransaction(action: action)) {
        done.resume(returning: ($0 as? CXErrorCodeRequestTransactionError)?.code)
      }
    }
  }

  private func receive(_ uuid: UUID) async -> CXErrorCodeIncomingCallError.Code? {
    let update = CXCallUpdate()
    update.localizedCallerName = "Driver"
    return await withCheckedContinuation { done in
      provider.reportNewIncomingCall(with: uuid, update: update) {
        done.resume(returning: ($0 as? CXErrorCodeIncomingCallError)?.code)
      }
    }
  }

  @Test func `a call that comes in rings, and is answered and ended in the car`() async {
    #expect(await receive(uuid) == nil)
    #expect(CallSystem.shared.calls.map(\.phase) == [.ringing])
    #expect(CallSystem.shared.perform(CXAnswerCallAction(call: uuid)) == nil)
    await settle()
    #expect(CallSystem.shared.calls.map(\.phase) == [.connected])
    #expect(CallSystem.shared.perform(CXAnswerCallAction(call: uuid))?.code == .invalidAction)
    CallSystem.shared.perform(CXSetMutedCallAction(call: uuid, muted: true))
    await settle()
    #expect(CallSystem.shared.calls.map(\.isMuted) == [true])
    CallSystem.shared.perform(CXEndCallAction(call: uuid))
    await settle()
    #expect(CallSystem.shared.calls.isEmpty)
    #expect(app.heard == ["answer", "sound on", "mute true", "end", "sound off"])
  }

  @Test func `a call to the other side is asked for, begun and connected`() async {
    let events = Mutex<[String]>([])
    CallSystem.shared.setObserver { event in events.withLock { $0.append("\(event)".prefix { $0 != "(" }.description) }
    }
    #expect(await request(CXStartCallAction(call: uuid, handle: CXHandle(type: .phoneNumber, value: "110"))) == nil)
    await settle()
    provider.reportOutgoingCall(with: uuid, connectedAt: nil)
    #expect(CallSystem.shared.calls.map(\.phase) == [.connected])
    provider.reportCall(with: uuid, endedAt: nil, reason: .remoteEnded)
    await settle()
    #expect(app.heard == ["start 110", "sound on", "sound off"])
    #expect(events.withLock { $0 } == ["outgoing", "changed", "ended"])
  }

  @Test func `a transaction that the phone cannot do has its reason`() async {
    #expect(await request(CXEndCallAction(call: uuid)) == .unknownCallUUID)
    #expect(await receive(uuid) == nil)
    #expect(await receive(uuid) == .callUUIDAlreadyExists)
    let handle = CXHandle(type: .generic, value: "x")
    #expect(await request(CXStartCallAction(call: uuid, handle: handle)) == .callUUIDAlreadyExists)
    #expect(await request(CXStartCallAction(call: UUID(), handle: handle)) == nil)
    #expect(await request(CXStartCallAction(call: UUID(), handle: handle)) == .maximumCallGroupsReached)
    #expect(await request(CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: uuid)) == .invalidAction)
    let empty = await withCheckedContinuation { done in
      controller.request(CXTransaction(actions: [])) {
        done.resume(returning: $0 as? CXErrorCodeRequestTransactionError)
      }
    }
    #expect(empty?.code == .emptyTransaction)
    CallSystem.shared.setRefusal(.filteredByDoNotDisturb)
    #expect(await receive(UUID()) == .filteredByDoNotDisturb)
  }

  @Test func `an action that the app does not implement fails`() async {
    _ = await receive(uuid)
    let hold = CXSetHeldCallAction(call: uuid, onHold: true)
    CallSystem.shared.perform(hold)
    await settle()
    #expect(hold.state == .failed)
    #expect(CallSystem.shared.calls.map(\.isOnHold) == [false])
  }

  @Test func `an action without an answer stays pending and times out once`() async {
    app.answers = false
    _ = await receive(uuid)
    let answer = CXAnswerCallAction(call: uuid)
    CallSystem.shared.perform(answer)
    await settle()
    #expect(provider.pendingTransactions.count == 1)
    CallSystem.shared.timeOutPendingActions()
    CallSystem.shared.timeOutPendingActions()
    await settle()
    #expect(app.heard == ["answer", "timed out"])
    answer.fulfill()
    #expect(answer.state == .failed)
    #expect(CallSystem.shared.calls.isEmpty)
  }

  @Test func `an update keeps what it does not set`() async {
    _ = await receive(uuid)
    let update = CXCallUpdate()
    update.supportsDTMF = false
    provider.reportCall(with: uuid, updated: update)
    #expect(CallSystem.shared.calls.map(\.values.callerName) == ["Driver"])
    let tones = CXPlayDTMFCallAction(call: uuid, digits: "1#", type: .singleTone)
    #expect(CallSystem.shared.perform(tones)?.code == .invalidAction)
  }

  @Test func `an invalid provider has no calls`() async {
    _ = await receive(uuid)
    provider.invalidate()
    await settle()
    #expect(CallSystem.shared.calls.isEmpty)
    #expect(app.heard == ["reset"])
    #expect(await request(CXEndCallAction(call: uuid)) == .unknownCallProvider)
  }
}
