// swift-iap2 · Apache-2.0

import Dispatch
import ExternalAccessory
import Foundation
import Synchronization

/// A small app that tests start as a process of its own, on Linux as it is and in the virtual lab:
///
///     accessory-probe                         # prints the accessories that are there at the start
///     accessory-probe PROTOCOL FILE SECONDS   # waits for an accessory, sends the file, and expects the same bytes back
@main struct AccessoryProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seconds = Int(arguments[3]) else {
      let accessories = EAAccessoryManager.shared().connectedAccessories
      say("\(accessories.count) accessories")
      for accessory in accessories { say("\(accessory.name): \(accessory.protocolStrings.joined(separator: ", "))") }
      guard arguments.count == 2, let accessory = accessories.first else { return }
      say(EASession(accessory: accessory, forProtocol: arguments[1]) == nil ? "no session" : "session")
      return
    }
    let bytes = Array(try Data(contentsOf: URL(filePath: arguments[2])))
    DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(seconds)) { fail("no end after \(seconds) s") }
    whenConnected { accessory in
      say("connected \(accessory.name) \(accessory.manufacturer) \(accessory.serialNumber)")
      guard let session = EASession(accessory: accessory, forProtocol: arguments[1]) else { fail("no session") }
      echo.withLock { $0 = Echo(session, bytes) }
    }
    RunLoop.main.run()
  }

  private static let echo = Mutex<Echo?>(nil)

  /// Calls the body once, on the main queue.
  private static func whenConnected(_ body: @escaping @Sendable (EAAccessory) -> Void) {
    let manager = EAAccessoryManager.shared()
    if let first = manager.connectedAccessories.first { return body(first) }
    manager.registerForLocalNotifications()
    _ = NotificationCenter.default.addObserver(forName: .EAAccessoryDidConnect, object: nil, queue: nil) { note in
      guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory, echo.withLock({ $0 == nil }) else { return }
      body(accessory)
    }
  }
}

/// Writes a line at once, so that it is complete when another program looks at it.
private func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

private func fail(_ text: String) -> Never {
  say(text)
  exit(1)
}

/// Sends bytes as space permits, and compares what comes back.
///
/// Invariant for `@unchecked Sendable`: it is used on the main queue only.
private final class Echo: NSObject, StreamDelegate, @unchecked Sendable {
  private let session: EASession
  private let bytes: [UInt8]
  private var sentCount = 0
  private var received: [UInt8] = []

  init(_ session: EASession, _ bytes: [UInt8]) {
    self.session = session
    self.bytes = bytes
    super.init()
    for stream in [session.inputStream, session.outputStream] as [Stream?] {
      stream?.delegate = self
      stream?.schedule(in: .main, forMode: .default)
      stream?.open()
    }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasSpaceAvailable: send()
    case .hasBytesAvailable: receive()
    case .endEncountered, .errorOccurred: fail("the session ended after \(received.count) bytes")
    default: break
    }
  }

  private func send() {
    guard sentCount < bytes.count, let output = session.outputStream else { return }
    let rest = Array(bytes[sentCount..<min(sentCount + 65_536, bytes.count)])
    sentCount += max(0, unsafe output.write(rest, maxLength: rest.count))
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    guard let count = unsafe session.inputStream?.read(&buffer, maxLength: buffer.count), count > 0 else { return }
    received += buffer[..<count]
    guard received.count >= bytes.count else { return }
    session.inputStream?.close()
    session.outputStream?.close()
    guard received == bytes else { fail("other bytes came back") }
    say("\(received.count) bytes came back")
    exit(0)
  }
}
