// swift-iap2 · Apache-2.0

import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Synchronization
import Testing

/// The careful app of these tests: it talks to an accessory through the streams of a session on the main run loop.
///
/// The naive apps are subclasses with one mistake each, as apps in the field had it. Timers of the app are calls of the
/// test.
@MainActor class Talker: StreamDelegate {
  private(set) var session: EASession?
  /// The bytes that the stream has not taken.
  var pending: [UInt8] = []
  var received: [UInt8] = []
  private(set) var hasEnded = false
  private(set) var openedCount = 0

  private var streams: [Stream] { [session?.outputStream, session?.inputStream].compactMap { $0 } }
  var connectionID: Int? { session?.accessory?.connectionID }

  /// The first accessory in the list that has the protocol.
  func listed(_ name: String = echoName) -> EAAccessory? {
    EAAccessoryManager.shared().connectedAccessories.first { $0.protocolStrings.contains(name) }
  }

  @discardableResult func open(_ accessory: EAAccessory?, _ name: String = echoName) -> Bool {
    guard let accessory, let session = EASession(accessory: accessory, forProtocol: name) else { return false }
    self.session = session
    hasEnded = false
    for stream in streams {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
    return true
  }

  /// Forgets a session without closing its streams, a mistake of naive apps. The streams stay open.
  func forget() -> [Stream] {
    defer { session = nil }
    return streams
  }

  func close() {
    for stream in streams {
      stream.close()
      stream.remove(from: .main, forMode: .default)
      stream.delegate = nil
    }
    session = nil
  }

  func send(_ bytes: some Collection<UInt8>) {
    pending += bytes
    write()
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  var text: String { String(decoding: received, as: UTF8.self) }

  func write() {
    while !pending.isEmpty, let output = session?.outputStream, output.hasSpaceAvailable {
      let count = output.put(pending)
      guard count > 0 else { return }
      pending.removeFirst(count)
    }
  }

  func read() {
    while let input = session?.inputStream, input.hasBytesAvailable, let bytes = input.bytes(4096) { received += bytes }
  }

  /// The end of the session, or an error of a stream.
  func end(isError: Bool) {
    hasEnded = true
    close()
  }

  /// A timer of the app: it looks at the streams without an event.
  func look() {
    write()
    read()
  }

  nonisolated func stream(_ stream: Stream, handle event: Stream.Event) {
    MainActor.assumeIsolated { handle(event) }
  }

  private func handle(_ event: Stream.Event) {
    switch event {
    case .openCompleted: openedCount += 1
    case .hasSpaceAvailable: write()
    case .hasBytesAvailable: read()
    case .endEncountered, .errorOccurred: end(isError: event == .errorOccurred)
    default: break
    }
  }
}

/// The notifications of accessories and of the app's life, as closures on the main actor.
@MainActor final class Notices {
  private struct Handed: @unchecked Sendable { let accessory: EAAccessory }

  private var tokens: [any NSObjectProtocol] = []

  init(
    connected: @escaping @MainActor (EAAccessory) -> Void = { _ in },
    disconnected: @escaping @MainActor (EAAccessory) -> Void = { _ in }
  ) {
    EAAccessoryManager.shared().registerForLocalNotifications()
    for (name, body) in [
      (Notification.Name.EAAccessoryDidConnect, connected), (.EAAccessoryDidDisconnect, disconnected),
    ] {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
          guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
          let handed = Handed(accessory: accessory)
          MainActor.assumeIsolated { body(handed.accessory) }
        })
    }
  }

  /// Observes a notification of UIKit, which the bench posts by its name.
  func observe(_ name: String, _ body: @escaping @MainActor () -> Void) {
    tokens.append(
      NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
        MainActor.assumeIsolated { body() }
      })
  }

  isolated deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}

/// The refusals since the last reset.
var refusals: [SessionRefusal] {
  AccessoryBench.log.compactMap { if case .sessionRefused(_, let reason) = $0.event { reason } else { nil } }
}

/// The picture of an app, which a block of the main queue draws.
final class Picture: Sendable {
  private let isDrawn = Mutex(false)

  /// Requests a drawing.
  func draw() {
    isDrawn.withLock { $0 = false }
    DispatchQueue.main.async { self.isDrawn.withLock { $0 = true } }
  }

  var isShown: Bool { isDrawn.withLock { $0 } }
}
