import ExternalAccessory
import Foundation

/// Prints a document with three mistakes. The tests show what each of them does.
///
/// - It writes once, and a stream takes only what fits into its buffer.
/// - It is done when the stream has taken the bytes, not when the printer has.
/// - It does not look at the end of a stream.
public final class NaivePrintJob: NSObject, StreamDelegate {
  private let session: EASession
  private let message: [UInt8]
  public private(set) var isDone = false

  public init?(_ document: [UInt8]) {
    guard let session = PrinterProtocol.openSession() else { return nil }
    self.session = session
    message = PrinterProtocol.message(document)
    super.init()
    session.outputStream?.delegate = self
    session.outputStream?.schedule(in: .main, forMode: .default)
    session.outputStream?.open()
  }

  public func stream(_ stream: Stream, handle event: Stream.Event) {
    guard event == .hasSpaceAvailable, !isDone else { return }
    _ = session.outputStream?.write(message, maxLength: message.count)
    isDone = true
  }
}
