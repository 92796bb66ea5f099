// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import Synchronization

/// The transfer of `phone --open`: sends the input to each peer that is ready, and stores the received bytes.
final class Transfer: Sendable {
  private struct State {
    var accessory = AccessoryReadiness()
    var task: Task<Void, Never>?
    /// Whether a transfer has succeeded.
    var isComplete = false
    /// Whether an echo was different from what was sent.
    var hasDifference = false
  }

  private let state = Mutex(State())
  private let phone: Phone
  private let protocolName: String
  /// The input file, read from its beginning for each peer; nil for standard input, which is read on.
  private let inputPath: String?
  private let output: FileHandle
  private let rules: ExternalAccessoryTransfer
  private let endsConnection: Bool

  /// - Parameters:
  ///   - rules: the rules that end the transfer.
  ///   - endsConnection: whether the connection ends with the transfer.
  init(
    phone: Phone, protocolName: String, inputPath: String?, output: FileHandle, rules: ExternalAccessoryTransfer,
    endsConnection: Bool
  ) {
    self.phone = phone
    self.protocolName = protocolName
    self.inputPath = inputPath
    self.output = output
    self.rules = rules
    self.endsConnection = endsConnection
  }

  func handle(_ event: RoleEvent) {
    guard state.withLock({ $0.accessory.handle(event) }) else { return }
    let earlier = state.withLock { $0.task }
    let task = Task {
      await earlier?.value
      await self.run()
    }
    state.withLock { $0.task = task }
  }

  /// Waits for the last transfer.
  ///
  /// - Returns: whether the command succeeded: no echo was different, and with `--once` a transfer was complete.
  func finished() async -> Bool {
    await state.withLock { $0.task }?.value
    return state.withLock { !$0.hasDifference && ($0.isComplete || !endsConnection) }
  }

  private func run() async {
    do {
      let input = try inputPath.map { FileChunks(try InputFile.open($0)) } ?? .standardInput
      let stream = try await phone.open(protocolName)
      OutputFile.empty(output)
      let report = try await rules.run(
        on: stream, input: { await input.next() }, output: { try output.write(contentsOf: Data($0)) })
      let words = TransferWords(report, rules)
      state.withLock { state in
        state.isComplete = state.isComplete || words.isSuccess
        state.hasDifference = state.hasDifference || report.difference != nil
      }
      if let text = words.text { note(text) }
    } catch ExternalAccessoryError.notPossible(_, .unknownProtocol) {
      note(TransferWords.unsupported(state.withLock { $0.accessory.protocols }))
    } catch ExternalAccessoryError.refused {
      // The session's advice has named the reason.
    } catch let error as ExternalAccessoryError {
      note(error.text)
    } catch { note(InputFile.reason(error)) }
    if endsConnection { await phone.disconnect() }
  }

  private func note(_ text: String) { Output.note("\(protocolName): \(text)") }
}
