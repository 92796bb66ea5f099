// swift-iap2 · Apache-2.0

package import CarPlayCapture
import CommandSupport
import Foundation
import Synchronization

/// The file of `--decrypted`: a copy of a capture with its CarPlay sessions in the clear.
///
/// A file that exists stays as it is until bytes of a session are opened. A new one is removed if none are.
package final class DecryptedFile: Sendable {
  private struct State {
    /// The bytes before the first opened ones.
    var waiting: [UInt8] = []
    var hasBegun = false
    var hasOpened = false
    var isDecrypted = false
    var sealed: [DecryptedOutput.Source: Int] = [:]
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
      case .sealed(let source, let byteCount): state.sealed[source, default: 0] += byteCount
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
        throw CommandFailure(.badInput, "the CarPlay sessions of this capture are in the clear already: copy it")
      }
      guard state.hasOpened else {
        return Output.note("no CarPlay session could be opened: --key-log names its secrets; \(path) is not written")
      }
      write(&state)
      if let problem = state.problem { throw CommandFailure(.failed, problem) }
      Output.note("\(path) has the sessions in the clear and the secrets of their pairing: its content is private")
      guard !state.sealed.isEmpty else { return }
      let order = { (a: DecryptedOutput.Source, b: DecryptedOutput.Source) in (a.session, a.name) < (b.session, b.name)
      }
      let names = state.sealed.keys.sorted(by: order).map { source in
        "\(source.name) of session \(source.session + 1) (\(state.sealed[source] ?? 0) bytes)"
      }
      Output.note("still sealed: \(names.joined(separator: ", "))")
    }
  }
}
