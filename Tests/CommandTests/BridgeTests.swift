// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// An accessory's protocol joined to another program.
@Suite struct BridgeTests {
  /// A plain client of a socket on loopback.
  final class Client: Sendable {
    let descriptor: Int32

    init(port: UInt16) throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      address.sin_port = port.bigEndian
      let status = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(status == 0)
    }

    /// Writes on a thread of its own, as often as said.
    func write(_ bytes: [UInt8], times: Int) {
      Thread.detachNewThread { [descriptor] in
        for _ in 0..<times {
          var rest = bytes[...]
          while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
          }
        }
      }
    }

    func read() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 1 << 18)
      let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
      return Array(bytes.prefix(max(0, count)))
    }

    deinit { close(descriptor) }
  }

  static func bridge(_ arguments: [String], input: Command.Input = "") async throws -> (Command, Command) {
    let (headUnit, address) = try await TwoProcessTests.headUnit(
      "tcp", ["--external-accessory", "com.example.echo=echo", "--link", "max-outstanding=127,max-length=65535"])
    let bridge = try Command(
      [
        "bridge", "--transport", address, "--protocol", "com.example.echo", "--link",
        "max-outstanding=127,max-length=65535",
      ] + arguments, input: input)
    return (headUnit, bridge)
  }

  @Test func aHundredMegabytesComeBackThroughAReaderThatStalls() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--tcp-listen", "127.0.0.1:0"])
    let address = try await bridge.address(after: "bridge at tcp-listen:127.0.0.1:")
    let client = try Client(port: try #require(UInt16(address)))
    let piece = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }
    client.write(piece, times: 100)
    // Everything on the way is full long before.
    try await Task.sleep(for: .milliseconds(500))
    var received = 0
    var isSame = true
    while received < 100 << 20 {
      let bytes = client.read()
      guard !bytes.isEmpty else { break }
      let start = received % piece.count
      let first = min(bytes.count, piece.count - start)
      isSame =
        isSame && bytes[..<first] == piece[start..<(start + first)]
        && bytes[first...] == piece[..<(bytes.count - first)]
      received += bytes.count
    }
    #expect(received == 100 << 20 && isSame)
    bridge.process.interrupt()
    #expect(try await bridge.finish().status == 0)
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func oneClientAfterAnotherAndAClientThatLeaves() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--tcp-listen", "127.0.0.1:0"])
    let address = try await bridge.address(after: "bridge at tcp-listen:127.0.0.1:")
    let port = try #require(UInt16(address))
    for word in ["first", "second", "third"] {
      let client = try Client(port: port)
      client.write(Array(word.utf8), times: 1)
      #expect(client.read() == Array(word.utf8))
    }
    headUnit.process.interrupt()
    let other = try await headUnit.finish()
    #expect(other.status == 0)
    // The accessory is gone: so is the bridge.
    #expect(try await bridge.finish().status == 0)
    #expect(other.output.components(separatedBy: "closed: 5 bytes sent, 5 received").count == 3)
  }

  @Test func aPtyIsAnEndToo() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--pty"])
    let path = try await bridge.address(after: "bridge at ")
    let terminal = unsafe open(path, O_RDWR | O_NOCTTY)
    #expect(terminal >= 0)
    let sent = Array("over the pty".utf8)
    #expect(unsafe write(terminal, sent, sent.count) == sent.count)
    var received = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(terminal, &received, received.count)
    #expect(Array(received.prefix(max(0, count))) == sent)
    close(terminal)
    bridge.process.interrupt()
    #expect(try await bridge.finish().status == 0)
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func standardInputGoesOverAndTheAnswerComesBack() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--stdio", "--once", "--linger", "0.3"], input: "question")
    let outcome = try await bridge.finish()
    #expect(outcome.status == 0 && outcome.output == "question", "\(outcome.errors)")
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func aProtocolTheAccessoryHasNotIsSaid() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("tcp", ["--once"])
    let outcome = try await Command.run(
      "bridge", "--transport", address, "--protocol", "com.example.none", "--stdio", "--once")
    #expect(outcome.status == 1 && outcome.errors.contains("no such protocol"))
    #expect(try await headUnit.finish().status == 0)
  }
}
