import Dispatch
import ExternalAccessory
import Foundation

/// A session whose bytes come from calls and go to a closure.
///
/// Invariant for `@unchecked Sendable`: it is used on the main queue only.
final class TerminalSession: NSObject, StreamDelegate, @unchecked Sendable {
  enum End {
    /// The input has ended, and the accessory has sent nothing for a second.
    case quiet
    /// The accessory has ended the session, or it was unplugged.
    case accessory
  }

  private let session: EASession
  private let onBytes: ([UInt8]) -> Void
  private let onEnd: (End) -> Void
  /// The bytes that the stream has not taken.
  private var pending: [UInt8] = []
  private var hasInputEnded = false
  private var hasEnded = false
  /// Streams do not keep their delegate. The session keeps itself from its opening to its end.
  private var kept: TerminalSession?
  /// The number of times that bytes have moved.
  private var moveCount = 0
  private var streams: [Stream] { [session.inputStream, session.outputStream].compactMap { $0 } }

  init(_ session: EASession, onBytes: @escaping ([UInt8]) -> Void, onEnd: @escaping (End) -> Void) {
    self.session = session
    self.onBytes = onBytes
    self.onEnd = onEnd
  }

  func open() {
    kept = self
    for stream in streams {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func send(_ bytes: [UInt8]) {
    pending += bytes
    write()
  }

  func endInput() {
    hasInputEnded = true
    waitForQuiet()
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasBytesAvailable: read()
    case .hasSpaceAvailable: write()
    case .endEncountered, .errorOccurred: finish(.accessory)
    default: break
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    guard let input = session.inputStream, input.hasBytesAvailable else { return }
    let count = input.read(&buffer, maxLength: buffer.count)
    guard count > 0 else { return }
    onBytes(Array(buffer[..<count]))
    moved()
  }

  private func write() {
    guard !pending.isEmpty, let output = session.outputStream, output.hasSpaceAvailable else { return }
    let count = output.write(pending, maxLength: pending.count)
    guard count > 0 else { return }
    pending.removeFirst(count)
    moved()
  }

  private func moved() {
    moveCount += 1
    if hasInputEnded { waitForQuiet() }
  }

  private func waitForQuiet() {
    let count = moveCount
    DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) {
      guard self.moveCount == count, self.pending.isEmpty else { return }
      self.finish(.quiet)
    }
  }

  private func finish(_ end: End) {
    guard !hasEnded else { return }
    hasEnded = true
    for stream in streams { stream.close() }
    onEnd(end)
    kept = nil
  }
}
