// Sends standard input to an accessory on USB and prints what it answers:
//
//     swift run accessory-terminal                        # lists the accessories and their protocols
//     swift run accessory-terminal com.example.protocol   # opens a session
//
// The program waits ten seconds for an accessory. After the end of standard input it waits until the accessory has sent
// nothing for a second. USB accessories need the rules of tools/data/70-iap2.rules. Without hardware, an accessory of
// the same process or one over TCP takes the place:
//
//     echo hello | EXTERNAL_ACCESSORY=profile:printer swift run accessory-terminal com.example.print
//     EXTERNAL_ACCESSORY=tcp:127.0.0.1:7000 swift run accessory-terminal com.example.echo   # Examples/HeadUnitOverTCP

import Dispatch
import ExternalAccessory
import Foundation

@main
struct AccessoryTerminal {
  static let waitSeconds = 10

  static func main() {
    let name = CommandLine.arguments.dropFirst().first
    // The settings of the environment win. A real accessory has a certificate of its maker, so any is accepted.
    setenv("EXTERNAL_ACCESSORY", "usb", 0)
    setenv("EXTERNAL_ACCESSORY_AUTHENTICATION", "any", 0)
    if let name { setenv("EXTERNAL_ACCESSORY_PROTOCOLS", name, 0) }

    whenConnected { accessory in
      print("\(accessory.name): \(accessory.protocolStrings.joined(separator: ", "))", to: .standardError)
      guard let name else { exit(0) }
      talk(to: accessory, name)
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(waitSeconds)) {
      guard EAAccessoryManager.shared().connectedAccessories.isEmpty else { return }
      let place = ProcessInfo.processInfo.environment["EXTERNAL_ACCESSORY"] ?? ""
      print(
        "no accessory at \(place) within \(waitSeconds) s; plug one in, or set EXTERNAL_ACCESSORY=profile:printer "
          + "to try without hardware", to: .standardError)
      exit(EX_UNAVAILABLE)
    }
    RunLoop.main.run()
  }

  /// Calls the body with the first accessory, once.
  private static func whenConnected(_ body: @escaping @Sendable (EAAccessory) -> Void) {
    let manager = EAAccessoryManager.shared()
    if let first = manager.connectedAccessories.first { return body(first) }
    manager.registerForLocalNotifications()
    _ = NotificationCenter.default.addObserver(forName: .EAAccessoryDidConnect, object: nil, queue: nil) { note in
      guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
      EAAccessoryManager.shared().unregisterForLocalNotifications()
      body(accessory)
    }
  }

  private static func talk(to accessory: EAAccessory, _ name: String) {
    // A line on standard error names the reason if there is no session.
    guard let session = EASession(accessory: accessory, forProtocol: name) else { exit(EX_UNAVAILABLE) }
    let terminal = TerminalSession(session) {
      FileHandle.standardOutput.write(Data($0))
    } onEnd: { end in
      if end == .accessory { print("the accessory has ended the session", to: .standardError) }
      exit(end == .quiet ? 0 : EX_PROTOCOL)
    }
    terminal.open()
    Thread.detachNewThread {
      while true {
        let bytes = FileHandle.standardInput.availableData
        DispatchQueue.main.async { bytes.isEmpty ? terminal.endInput() : terminal.send([UInt8](bytes)) }
        if bytes.isEmpty { return }
      }
    }
  }

  private static func print(_ line: String, to file: FileHandle) { file.write(Data((line + "\n").utf8)) }
}
