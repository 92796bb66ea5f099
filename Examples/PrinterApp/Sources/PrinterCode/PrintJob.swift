import ExternalAccessory
import Foundation

/// Prints a document: it carries partial writes over, waits for the printer's answer, and ends when a stream ends.
///
/// The job lives on the main thread.
public final class PrintJob: NSObject, StreamDelegate {
  public enum Outcome: Equatable {
    case printed
    /// The session ended before the printer's answer.
    case failed
  }

  private let session: EASession
  /// The bytes that the stream has not taken.
  private var rest: ArraySlice<UInt8>
  private var streams: [Stream] { [session.inputStream, session.outputStream].compactMap { $0 } }
  public private(set) var outcome: Outcome?

  public init?(_ document: [UInt8]) {
    guard let session = PrinterProtocol.openSession() else { return nil }
    self.session = session
    rest = PrinterProtocol.message(document)[...]
    super.init()
    for stream in streams {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  public func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasSpaceAvailable: write()
    case .hasBytesAvailable: read()
    case .endEncountered, .errorOccurred: finish(.failed)
    default: break
    }
  }

  private func write() {
    guard !rest.isEmpty, let output = session.outputStream else { return }
    let count = rest.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
    }
    if count < 0 { finish(.failed) } else { rest = rest.dropFirst(count) }
  }

  private func read() {
    var answer: UInt8 = 0
    guard session.inputStream?.read(&answer, maxLength: 1) == 1 else { return }
    finish(answer == PrinterProtocol.printed ? .printed : .failed)
  }

  private func finish(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    // Another job can open a session now.
    for stream in streams { stream.close() }
  }
}
