// swift-iap2 · Apache-2.0

import AccessoryPlatform
import Foundation
import PortingSupport

/// The link from the shared part of a stream to the app's stream.
///
/// Invariant for `@unchecked Sendable`: the stream is set once, before the link is shared.
private final class StreamLink: @unchecked Sendable {
  private weak var stream: Stream?

  init(_ stream: Stream) { self.stream = stream }

  /// Reports an event to the stream's delegate.
  func deliver(_ event: StreamEvent) {
    guard let stream else { return }
    stream.delegate?.stream(stream, handle: Stream.Event(event))
  }
}

extension Stream.Event {
  fileprivate init(_ event: StreamEvent) {
    switch event {
    case .openCompleted: self = .openCompleted
    case .errorOccurred: self = .errorOccurred
    case .hasBytesAvailable: self = .hasBytesAvailable
    case .hasSpaceAvailable: self = .hasSpaceAvailable
    case .endEncountered: self = .endEncountered
    }
  }
}

extension StreamCore {
  fileprivate var foundationStatus: Stream.Status {
    switch status {
    case .notOpen: .notOpen
    case .open: .open
    case .atEnd: .atEnd
    case .closed: .closed
    case .error: .error
    }
  }

  /// *Unverified*: the error of a phone's stream. Its code is an option.
  fileprivate var foundationError: (any Error)? {
    failure.map { NSError(domain: NSPOSIXErrorDomain, code: Platform.shared.options.streamErrorCode ?? Int($0)) }
  }
}

// Foundation's streams on Linux never call their delegate, and have no initializer for a stream of bytes from
// elsewhere. So the subclasses override everything. The base class keeps an empty stream that is never opened.

/// The input stream of a session.
final class AccessoryInputStream: InputStream {
  private let session: SessionCore
  private let delegation = WeakReference()
  private var core: StreamCore { session.input }

  init(_ session: SessionCore) {
    self.session = session
    super.init(data: Data())
    let link = StreamLink(self)
    session.input.attach { link.deliver($0) }
  }

  deinit { session.input.close() }

  override var delegate: (any StreamDelegate)? {
    get { delegation.value as? any StreamDelegate }
    set {
      delegation.value = newValue
      core.setDelegate(isPresent: newValue != nil)
    }
  }

  override func open() { core.open() }
  override func close() { core.close() }
  override var streamStatus: Stream.Status { core.foundationStatus }
  override var streamError: (any Error)? { core.foundationError }
  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { core.schedule(aRunLoop, mode) }
  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { core.remove(aRunLoop, mode) }

  override var hasBytesAvailable: Bool { core.hasBytes }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    unsafe core.read(UnsafeMutableBufferPointer(start: buffer, count: max(0, len)))
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}

/// The output stream of a session.
final class AccessoryOutputStream: OutputStream {
  private let session: SessionCore?
  private let delegation = WeakReference()
  private var core: StreamCore? { session?.output }

  init(_ session: SessionCore) {
    self.session = session
    super.init(toMemory: ())
    let link = StreamLink(self)
    session.output.attach { link.deliver($0) }
  }

  /// The base class requires this initializer. A stream without a session is never open.
  required init(toMemory: ()) {
    session = nil
    super.init(toMemory: ())
  }

  deinit { core?.close() }

  override var delegate: (any StreamDelegate)? {
    get { delegation.value as? any StreamDelegate }
    set {
      delegation.value = newValue
      core?.setDelegate(isPresent: newValue != nil)
    }
  }

  override func open() { core?.open() }
  override func close() { core?.close() }
  override var streamStatus: Stream.Status { core?.foundationStatus ?? .notOpen }
  override var streamError: (any Error)? { core?.foundationError }
  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { core?.schedule(aRunLoop, mode) }
  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { core?.remove(aRunLoop, mode) }

  override var hasSpaceAvailable: Bool { core?.hasSpace ?? false }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    unsafe core?.write(UnsafeBufferPointer(start: buffer, count: max(0, len))) ?? -1
  }
}
