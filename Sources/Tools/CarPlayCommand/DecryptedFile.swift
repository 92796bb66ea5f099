// swift-iap2 · Apache-2.0

package import CarPlayCapture
import CommandSupport
import Foundation
import Synchronization

/// The file of `--decrypted`: a copy of a capture with its CarPlay sessions in the clear.
///
/// A file that exists stays as it is until bytes of a session are opened. A new one is removed if none are.
package final class DecryptedFile: Sendable {
  /// The bytes of a connection or a stream that stay sealed, and why.
  private struct Sealed {
    var byteCount = 0
    var reason = DecryptedOutput.Reason.noKey

    mutating func add(_ count: Int, _ next: DecryptedOutput.Reason) {
      byteCount += count
      // Bytes behind those that could not be opened have no key, either: the first reason is that of all.
      if reason == .noKey || reason == .incomplete, next != .noKey { reason = next }
    }
  }

  private struct State {
    /// The bytes before the first opened ones.
    var waiting: [UInt8] = []
    var hasBegun = false
    var hasOpened = false
    var isDecrypted = false
    var sealed: [DecryptedOutput.Source: Sealed] = [:]
    var problem: String?
  }

  private let path: String
  private let file: FileHandle
  private let isNew: Bool
  private let state = Mutex(State())

  /// The most bytes that wait. Of a longer capture they are written before it is known whether a session can be opened.
  private static let maximumWaitingByteCount = 64 << 20

  /// Opens or creates the file.
  ///
  /// - Parameter inputs: The files that the command reads.
  package init(_ path: String, inputs: [String]) throws {
    for input in inputs where OutputFile.isSame(input, path) {
      throw CommandFailure(.usage, "\(path) is an input of this command and cannot be its output; name another file")
    }
    self.path = path
    isNew = !FileManager.default.fileExists(atPath: path)
    file = try OutputFile.open(path, isSole: true, isPrivate: true)
  }

  /// The receiver of a reader.
  package var output: DecryptedOutput { DecryptedOutput { self.take($0) } }

  private func take(_ piece: DecryptedOutput.Piece) {
    state.withLock { state in
      switch piece {
      case .bytes(let bytes):
        state.waiting += bytes
        if state.hasOpened || state.waiting.count > Self.maximumWaitingByteCount { write(&state) }
      case .opened: state.hasOpened = !state.isDecrypted
      case .sealed(let source, let byteCount, let reason):
        state.sealed[source, default: Sealed()].add(byteCount, reason)
      case .isDecrypted: state.isDecrypted = true
      }
    }
  }

  private func write(_ state: inout State) {
    guard state.problem == nil else { return }
    do {
      if !state.hasBegun {
        state.hasBegun = true
        try OutputFile.hide(file, path)
        OutputFile.empty(file)
      }
      try file.write(contentsOf: Data(state.waiting))
    } catch { state.problem = (error as? CommandFailure)?.text ?? "cannot write \(path): \(InputFile.reason(error))" }
    state.waiting.removeAll(keepingCapacity: true)
  }

  /// Removes a new file without an opened session.
  package func discard() { state.withLock { if isNew, !$0.hasOpened { _ = unsafe unlink(path) } } }

  /// Completes the file, and says on stderr what it has.
  package func finish() throws {
    try state.withLock { state in
      guard !state.isDecrypted else {
        throw CommandFailure(
          .badInput,
          "the CarPlay sessions of this capture are in the clear already: copy it, or to open what is still sealed in it,"
            + " give all key logs with the capture that it was made from")
      }
      guard state.hasOpened else {
        throw CommandFailure(
          .badInput,
          "no CarPlay session could be opened, so \(path) is not written: "
            + (state.sealed.isEmpty ? "the capture has none that is encrypted" : Self.text(state.sealed)))
      }
      write(&state)
      if let problem = state.problem { throw CommandFailure(.failed, problem) }
      Output.note("\(path) has the sessions in the clear and the secrets of their pairing: its content is private")
      if !state.sealed.isEmpty { Output.note("still sealed: \(Self.text(state.sealed))") }
    }
  }

  /// The most connections and streams that are named.
  private static let namedCount = 8

  private static func text(_ sealed: [DecryptedOutput.Source: Sealed]) -> String {
    let order = { (a: DecryptedOutput.Source, b: DecryptedOutput.Source) in (a.session, a.name) < (b.session, b.name) }
    let names = sealed.sorted { order($0.key, $1.key) }.map { source, sealed in
      "\(source.name) of session \(source.session + 1) (\(sealed.byteCount) bytes: \(text(sealed.reason)))"
    }
    let more = names.count - namedCount
    return names.prefix(namedCount).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private static func text(_ reason: DecryptedOutput.Reason) -> String {
    switch reason {
    case .noKey: "neither --key-log nor the capture has its secret"
    case .notOpened(let reason): reason
    case .gap: "bytes before these were not captured"
    case .incomplete: "the capture ends within it"
    }
  }
}
