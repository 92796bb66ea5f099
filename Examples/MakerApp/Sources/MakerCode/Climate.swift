// swift-iap2 · Apache-2.0

import ExternalAccessory
import Foundation

/// The car's climate over its EA protocol: one line asks, one line answers.
///
/// `TEMP?` is answered by `TEMP 21`, and `TEMP 23` sets a temperature.
@MainActor
public final class Climate: NSObject {
  /// The EA protocol of the maker's cars.
  public static let name = "com.example.car.climate"

  private var session: EASession?
  private var received = ""
  private var waiting: [UInt8] = []
  /// The temperature in degrees that the car told last; nil without a car that has the protocol.
  public private(set) var temperature: Int?

  /// Whether a car with the protocol is connected. Only then the app shows its climate.
  public static var isAvailable: Bool { accessory != nil }

  private static var accessory: EAAccessory? {
    EAAccessoryManager.shared().connectedAccessories.first { $0.protocolStrings.contains(name) }
  }

  /// Opens a session with the car and asks for the temperature.
  ///
  /// - Returns: Whether there is a car with the protocol.
  public func connect() -> Bool {
    guard session == nil, let accessory = Self.accessory,
      let session = EASession(accessory: accessory, forProtocol: Self.name)
    else { return session != nil }
    self.session = session
    for stream in [session.inputStream, session.outputStream] as [Stream?] {
      stream?.delegate = self
      stream?.schedule(in: .main, forMode: .default)
      stream?.open()
    }
    send("TEMP?\n")
    return true
  }

  /// Sets the temperature in degrees.
  public func set(_ degrees: Int) { send("TEMP \(degrees)\n") }

  private func send(_ line: String) {
    waiting += Array(line.utf8)
    write()
  }

  private func write() {
    guard let output = session?.outputStream, output.hasSpaceAvailable, !waiting.isEmpty else { return }
    let count = waiting.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
    }
    waiting.removeFirst(max(0, count))
  }

  private func read() {
    guard let input = session?.inputStream else { return }
    var buffer = [UInt8](repeating: 0, count: 64)
    while input.hasBytesAvailable {
      let count = input.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { break }
      received += String(decoding: buffer[..<count], as: UTF8.self)
    }
    while let end = received.firstIndex(of: "\n") {
      let words = received[..<end].split(separator: " ")
      received = String(received[received.index(after: end)...])
      if words.first == "TEMP", words.count == 2 { temperature = Int(words[1]) }
    }
  }

  private func end() {
    for stream in [session?.inputStream, session?.outputStream] as [Stream?] { stream?.close() }
    (session, temperature, received, waiting) = (nil, nil, "", [])
  }
}

extension Climate: StreamDelegate {
  nonisolated public func stream(_ stream: Stream, handle event: Stream.Event) {
    MainActor.assumeIsolated {
      switch event {
      case .hasSpaceAvailable: write()
      case .hasBytesAvailable: read()
      case .endEncountered, .errorOccurred: end()
      default: break
      }
    }
  }
}
