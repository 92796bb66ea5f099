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
  }

  private let path: String
  private let state = Mutex(State())

  /// The most files; a capture with more sessions has those of its first ones.
  private static let maximumFiles = 1000

  /// Creates the folder, if it is not there.
  package init(_ path: String) throws {
    self.path = path
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      throw CommandFailure(.failed, "cannot create the folder \(path): \(InputFile.reason(error))")
    }
  }

  /// The receiver of a reader.
  package var extraction: Extraction { Extraction { self.take($1, of: $0) } }

  private func take(_ piece: Extraction.Piece, of source: Extraction.Source) {
    state.withLock { state in
      guard state.problem == nil else { return }
      do {
        switch piece {
        case .video(let bytes): try write(bytes, of: source, form: nil, ending: "h264", &state)
        case .sound(let payload, let format):
          guard let form = format.flatMap(SoundFileForm.init) else {
            state.unwritten.insert(source.name)
            return
          }
          try write(payload, of: source, form: form, ending: form.ending, &state)
        }
      } catch { state.problem = InputFile.reason(error) }
    }
  }

  private func write(
    _ bytes: [UInt8], of source: Extraction.Source, form: SoundFileForm?, ending: String, _ state: inout State
  ) throws {
    if state.files[source] == nil {
      guard state.files.count < Self.maximumFiles else { return }
      let side = source.side == .phone ? "" : "-microphone"
      let name = "session\(source.session + 1)-\(source.stream + 1)-\(source.name)\(side).\(ending)"
      let handle = try OutputFile.open(path + "/" + name)
      OutputFile.empty(handle)
      var file = File(handle: handle, name: name, form: form)
      try handle.write(contentsOf: Data(file.form?.start() ?? []))
      state.files[source] = file
    }
    guard let written = state.files[source]?.form == nil ? bytes : state.files[source]?.form?.bytes(of: bytes) else {
      return
    }
    state.files[source]?.byteCount += written.count
    try state.files[source]?.handle.write(contentsOf: Data(written))
  }

  /// Completes the files, and says on stderr what was written.
  package func finish() throws {
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
        Output.note("no stream could be opened: --key-log names the secrets of its session")
      }
    }
  }
}
