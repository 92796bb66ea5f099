// swift-iap2 · Apache-2.0

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

/// The words about the result of a transfer.
struct TransferWords {
  let isSuccess: Bool
  /// The notice for the user; nil without one.
  let text: String?

  init(_ report: ExternalAccessoryTransfer.Report, _ rules: ExternalAccessoryTransfer) {
    let sent = Self.bytes(report.sentByteCount)
    if let difference = report.difference {
      isSuccess = false
      text = Self.text(difference)
    } else if !report.isSent {
      isSuccess = false
      text = "the session ended before the whole input was sent, after \(sent)"
    } else if rules.expectsEcho, report.receivedByteCount < report.sentByteCount {
      isSuccess = false
      text = "the session ended after \(report.receivedByteCount) of \(sent) had come back"
    } else if !report.isOver, report.receivedByteCount == 0, report.sentByteCount > 0 {
      isSuccess = false
      text = "the session ended without an answer to \(sent)"
    } else {
      isSuccess = true
      let isSilent = report.receivedByteCount == 0 && report.sentByteCount > 0
      text = isSilent ? "no answer to \(sent) within \(Self.seconds(rules)) s; --linger SECONDS waits longer" : nil
    }
  }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  private static func seconds(_ rules: ExternalAccessoryTransfer) -> String {
    let seconds = Double(rules.lingerMilliseconds ?? 0) / 1000
    return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }

  private static func text(_ difference: EchoDifference) -> String {
    func hex(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
    guard let sent = difference.sent else {
      return "more bytes came back than were sent: byte \(difference.offset + 1) is \(hex(difference.received))"
    }
    return "the echo differs: byte \(difference.offset + 1) was sent as \(hex(sent)) and came back as"
      + " \(hex(difference.received))"
  }

  /// Returns that the accessory lacks the wanted EA protocol, with those that it has.
  static func unsupported(_ protocols: [String]) -> String {
    let names = protocols.isEmpty ? "none" : protocols.map(\.printable).joined(separator: ", ")
    return "the accessory has no such protocol; it has \(names)"
  }
}
