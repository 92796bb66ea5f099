// swift-iap2 · Apache-2.0

package import CarPlayCapture
import CarPlaySession
import CarPlaySound
import CommandSupport
import Foundation
import Synchronization

/// A folder with the content of a capture's streams: H.264 as a byte stream, and sound as WAV, AAC or OPUS.
package final class ExtractedStreams: Sendable {
  private struct File {
    var handle: FileHandle
    var name: String
    var byteCount = 0
    var form: SoundFileForm?
  }

  private struct State {
    var files: [Extraction.Source: File] = [:]
    /// The names of streams whose codec has no file.
    var unwritten: Set<String> = []
    var problem: String?
    /// The sessions by the state of their keys.
    var sessions: [Extraction.Keys: Int] = [:]
  }

  private let path: String
  private let state = Mutex(State())

  /// The most files, which are open together; a process may have 1024. A capture with more sessions has those of its
  /// first ones.
  private static let maximumFiles = 512

  /// Creates the folder, if it is not there.
  package init(_ path: String) throws {
    try OutputFile.requireName(path)
    self.path = path
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      throw CommandFailure(.failed, "cannot create the folder \(path): \(InputFile.reason(error))")
    }
  }

  /// The receiver of a reader.
  package var extraction: Extraction {
    Extraction(end: { keys in self.state.withLock { $0.sessions[keys, default: 0] += 1 } }, { self.take($1, of: $0) })
  }

  private func take(_ piece: Extraction.Piece, of source: Extraction.Source) {
    state.withLock { state in
      guard state.problem == nil else { return }
      do {
        switch piece {
        case .video(let bytes):
          if state.files[source] == nil { try open(source, nil, &state) }
          try write(bytes, of: source, &state)
        case .sound(let payload, let format):
          if state.files[source] == nil {
            guard let form = format.flatMap(SoundFileForm.init) else {
              state.unwritten.insert(source.name)
              return
            }
            try open(source, form, &state)
          }
          guard let bytes = state.files[source]?.form?.bytes(of: payload) else { return }
          try write(bytes, of: source, &state)
        }
      } catch { state.problem = InputFile.reason(error) }
    }
  }

  /// Opens the file of a stream, if there is room for one more.
  ///
  /// - Parameter form: The form of sound; nil for H.264.
  private func open(_ source: Extraction.Source, _ form: SoundFileForm?, _ state: inout State) throws {
    guard state.files.count < Self.maximumFiles else { return }
    let side = source.side == .phone ? "" : "-microphone"
    let name =
      "session\(source.session + 1)-\(source.stream + 1)-\(source.name)\(side).\(form?.ending ?? "h264")"
    let handle = try OutputFile.open(path + "/" + name)
    OutputFile.empty(handle)
    var file = File(handle: handle, name: name, form: form)
    try handle.write(contentsOf: Data(file.form?.start() ?? []))
    state.files[source] = file
  }

  private func write(_ bytes: [UInt8], of source: Extraction.Source, _ state: inout State) throws {
    state.files[source]?.byteCount += bytes.count
    try state.files[source]?.handle.write(contentsOf: Data(bytes))
  }

  /// Returns the reason why no file was written.
  ///
  /// - Parameter hasKeys: Whether key logs have secrets.
  private static func reason(_ sessions: [Extraction.Keys: Int], hasKeys: Bool) -> String {
    let (missing, wrong) = (sessions[.missing] ?? 0, sessions[.wrong] ?? 0)
    if sessions.isEmpty { return "the capture has no CarPlay session, so it has no stream" }
    if missing + wrong < sessions.values.reduce(0, +) {
      return sessions[.known(hasStream: true)] == nil
        ? "no stream of pictures or sound was set up in the sessions that can be read"
        : "no picture and no packet of sound of the streams could be opened: iap2 decode shows why"
    }
    if wrong > 0 { return "the secret in the key log opens nothing: it is damaged, or one of another session" }
    return hasKeys
      ? "the key logs have no secret of a session in this capture, so its streams are sealed"
      : "the streams are sealed: --key-log names the secrets of their session"
  }

  /// Completes the files, and says on stderr what was written.
  ///
  /// - Parameter hasKeys: Whether key logs have secrets.
  package func finish(hasKeys: Bool) throws {
    try state.withLock { state in
      for file in state.files.values {
        guard let start = file.form?.finalStart(byteCount: file.byteCount) else { continue }
        do {
          try file.handle.seek(toOffset: 0)
          try file.handle.write(contentsOf: Data(start))
        } catch { state.problem = state.problem ?? InputFile.reason(error) }
      }
      if let problem = state.problem { throw CommandFailure(.failed, "cannot write in \(path): \(problem)") }
      for file in state.files.values.sorted(by: { $0.name < $1.name }) {
        Output.note("\(path)/\(file.name): \(file.byteCount) bytes")
      }
      for name in state.unwritten.sorted() { Output.note("\(name): this codec has no file that players read") }
      if state.files.isEmpty, state.unwritten.isEmpty {
        Output.note(Self.reason(state.sessions, hasKeys: hasKeys))
      }
    }
  }
}
