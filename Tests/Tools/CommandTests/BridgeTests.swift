// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests of the bridge between an accessory's protocol and another program.
@Suite(.ownTurn) struct BridgeTests {
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
      // A read without an answer must not block forever.
      var limit = timeval(tv_sec: Int(Command.limitSeconds), tv_usec: 0)
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Writes bytes repeatedly on a thread of its own.
    ///
    /// - Parameter thenEnds: ends the output and continues to read.
    func write(_ bytes: [UInt8], times: Int, thenEnds: Bool = false) {
      Thread.detachNewThread { [descriptor] in
        for _ in 0..<times {
          var rest = bytes[...]
          while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
          }
        }
        if thenEnds { shutdown(descriptor, Int32(SHUT_WR)) }
      }
    }

    /// Runs a blocking body on a thread of its own, because tests share a few threads.
    func waiting<Result: Sendable>(_ body: @escaping @Sendable (Client) -> Result) async -> Result {
      await withCheckedContinuation { done in Thread.detachNewThread { done.resume(returning: body(self)) } }
    }

    func read() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 1 << 18)
      let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
      return Array(bytes.prefix(max(0, count)))
    }

    /// Reads this number of bytes, or until the other side ends.
    func read(count: Int) -> [UInt8] {
      var all: [UInt8] = []
      while all.count < count {
        let bytes = read()
        guard !bytes.isEmpty else { return all }
        all += bytes
      }
      return all
    }

    /// Whether unread bytes wait while the bridge takes no more.
    var isStalled: Bool {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
      return unsafe poll(&state, 1, 0) > 0 && Int32(state.revents) == POLLIN
    }

    deinit { close(descriptor) }
  }

  /// With this window a reader may stall for a minute before it loses its session, with the largest one for two seconds
  /// (`Limits.externalAccessoryUnreadByteCount`). On a loaded machine processes stall for seconds.
  private static let window = "max-outstanding=4,max-length=65535"

  /// The silence for bridges whose accessory answers after the end of the input, late on a busy machine. The accessory
  /// ends these sessions, so no test waits for it.
  private static let longLinger = ["--linger", "600"]
  /// The silence for bridges without an outstanding answer. It ends their sessions.
  private static let shortLinger = ["--linger", "0.1"]

  static func bridge(_ arguments: [String], input: Command.Input = "") async throws -> (Command, Command) {
    let (headUnit, address) = try await TwoProcessTests.headUnit(
      "tcp", ["--external-accessory", "com.example.echo=echo", "--link", window])
    let bridge = try Command(
      [
        "bridge", "--transport", address, "--protocol", "com.example.echo", "--link", window,
      ] + arguments, input: input)
    return (headUnit, bridge)
  }

  @Test func aHundredMegabytesAreEchoedThroughAStallingReader() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--tcp-listen", "127.0.0.1:0"])
    let address = try await bridge.address(after: "bridge at tcp-listen:127.0.0.1:")
    let client = try Client(port: try #require(UInt16(address)))
    let piece = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }
    client.write(piece, times: 100)
    // The client reads nothing until its own output stalls: then the buffers between the sides are full.
    #expect(try await Command.wait { client.isStalled })
    let (received, isSame) = await client.waiting { client in
      // Data compares whole memory, arrays compare byte by byte.
      let expected = Data(piece + piece)
      var received = 0
      var isSame = true
      while received < 100 << 20 {
        let bytes = Data(client.read())
        guard !bytes.isEmpty else { break }
        let start = received % piece.count
        isSame = isSame && bytes == expected[start..<(start + bytes.count)]
        received += bytes.count
      }
      return (received, isSame)
    }
    #expect(received == 100 << 20 && isSame)
    bridge.process.interrupt()
    #expect(try await bridge.finish().status == 0)
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func theBridgeServesOneClientAfterAnother() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--tcp-listen", "127.0.0.1:0"] + Self.shortLinger)
    let address = try await bridge.address(after: "bridge at tcp-listen:127.0.0.1:")
    let port = try #require(UInt16(address))
    for word in ["first", "second", "third"] {
      let client = try Client(port: port)
      client.write(Array(word.utf8), times: 1)
      #expect(await client.waiting { $0.read() } == Array(word.utf8))
    }
    headUnit.process.interrupt()
    let other = try await headUnit.finish()
    #expect(other.status == 0)
    // The bridge ends with the accessory.
    #expect(try await bridge.finish().status == 0)
    #expect(other.output.components(separatedBy: "closed: 5 bytes sent, 5 received").count == 3)
  }

  @Test func aClientThatEndedItsInputStillReceivesTheAnswer() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--tcp-listen", "127.0.0.1:0", "--once"] + Self.longLinger)
    let address = try await bridge.address(after: "bridge at tcp-listen:127.0.0.1:")
    let client = try Client(port: try #require(UInt16(address)))
    let said = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }
    client.write(said, times: 1, thenEnds: true)
    #expect(await client.waiting { $0.read(count: said.count) } == said)
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
    #expect(await client.waiting { $0.read(count: .max) }.isEmpty)
    let outcome = try await bridge.finish()
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func aClientThatConnectsBeforeTheAccessoryIsServedLater() async throws {
    let bridge = try Command(
      [
        "bridge", "--transport", "tcp-listen:127.0.0.1:0", "--protocol", "com.example.echo", "--tcp-listen",
        "127.0.0.1:0",
      ] + Self.longLinger)
    #expect(try await Command.wait { try bridge.errorText.contains("waiting at") })
    let address = try await bridge.address(after: "waiting at tcp-listen:")
    let port = try #require(UInt16(try await bridge.address(after: "bridge at tcp-listen:127.0.0.1:")))
    // The second client waits for the second accessory.
    for word in ["first", "second"] {
      let client = try Client(port: port)
      client.write(Array(word.utf8), times: 1, thenEnds: true)
      let headUnit = try Command([
        "headunit", "--transport", "tcp:\(address)", "--external-accessory", "com.example.echo=echo",
      ])
      #expect(await client.waiting { $0.read(count: word.utf8.count) } == Array(word.utf8))
      headUnit.process.interrupt()
      #expect(try await headUnit.finish().status == 0)
      #expect(await client.waiting { $0.read(count: .max) }.isEmpty)
    }
    bridge.process.interrupt()
    #expect(try await bridge.finish().status == 0)
  }

  @Test func aPseudoTerminalCanBeAnEnd() async throws {
    let (headUnit, bridge) = try await Self.bridge(["--pty"] + Self.shortLinger)
    let path = try await bridge.address(after: "bridge at ")
    let terminal = unsafe open(path, O_RDWR | O_NOCTTY)
    #expect(terminal >= 0)
    let sent = Array("over the pty".utf8)
    #expect(unsafe write(terminal, sent, sent.count) == sent.count)
    var received = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(terminal, &received, received.count)
    #expect(Array(received.prefix(max(0, count))) == sent)
    close(terminal)
    // A pty serves one client only.
    #expect(try await bridge.finish().status == 0)
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
  }

  @Test(arguments: [[], ["--once"]])
  func standardInputIsSentAndTheAnswerIsPrinted(more: [String]) async throws {
    let (headUnit, bridge) = try await Self.bridge(["--stdio"] + Self.longLinger + more, input: "question")
    _ = try await Command.wait { try bridge.outputText == "question" || !bridge.process.isRunning }
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
    let outcome = try await bridge.finish()
    #expect(outcome.status == 0 && outcome.output == "question", "\(outcome.errors)")
  }

  @Test func aSessionWithoutAnAnswerEndsAfterASilence() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit(
      "tcp", ["--external-accessory", "com.example.null=discard"])
    let bridge = try await Command(
      ["bridge", "--transport", address, "--protocol", "com.example.null", "--stdio"] + Self.shortLinger,
      input: "question"
    ).finish()
    #expect(bridge.status == 1 && bridge.output.isEmpty, "\(bridge.errors)")
    #expect(bridge.errors.contains("com.example.null: no answer to 8 bytes within"), "\(bridge.errors)")
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().output.contains("closed: 0 bytes sent, 8 received"))
  }

  @Test func aSessionThatEndsWithoutAnAnswerIsNoSilence() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit(
      "tcp", ["--external-accessory", "com.example.null=discard"])
    let bridge = try Command(
      ["bridge", "--transport", address, "--protocol", "com.example.null", "--stdio", "--linger", "600"],
      input: "question")
    _ = try await Command.wait { try headUnit.outputText.contains("open as session") }
    // The head unit leaves after the bytes.
    headUnit.process.interrupt()
    _ = try await headUnit.finish()
    let outcome = try await bridge.finish()
    // The link may end before the bytes are sent.
    let isUnanswered = outcome.errors.contains("com.example.null: the session ended without an answer to 8 bytes")
    #expect(outcome.status == (isUnanswered ? 1 : 0) && !outcome.errors.contains("--linger"), "\(outcome.errors)")
  }

  /// Runs a bridge of standard input and output to its end, and returns its stderr.
  ///
  /// - Parameter during: a body that runs meanwhile.
  static func standardBridge(
    output: Any?, input: Pipe, during: () throws -> Void
  ) async throws -> (status: Int32, errors: String) {
    let (headUnit, address) = try await TwoProcessTests.headUnit(
      "tcp", ["--external-accessory", "com.example.echo=echo"])
    let process = Process()
    process.executableURL = Command.program
    process.arguments = ["bridge", "--transport", address, "--protocol", "com.example.echo", "--stdio"]
    process.standardInput = input
    process.standardOutput = output
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    try during()
    let isOver = try await Command.wait { !process.isRunning }
    #expect(isOver)
    if !isOver { process.terminate() }
    process.waitUntilExit()
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == 0)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (process.terminationStatus, said)
  }

  @Test func aReaderThatClosesTheOutputEndsTheBridge() async throws {
    let (input, output) = (Pipe(), Pipe())
    let outcome = try await Self.standardBridge(output: output, input: input) {
      try input.fileHandleForWriting.write(contentsOf: Data("some words".utf8))
      #expect(try output.fileHandleForReading.read(upToCount: 4) == Data("some".utf8))
      // Neither side sends more, so only the end of the pipe is detectable.
      try output.fileHandleForReading.close()
    }
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func outputThatCannotBeWrittenIsAFailure() async throws {
    let input = Pipe()
    let outcome = try await Self.standardBridge(output: FileHandle(forWritingAtPath: "/dev/full"), input: input) {
      try input.fileHandleForWriting.write(contentsOf: Data("words".utf8))
    }
    #expect(outcome.status == 1 && outcome.errors.contains("No space left"), "\(outcome.errors)")
  }

  @Test(arguments: [["--stdio"], ["--pty"], ["--tcp-listen", "127.0.0.1:0"]])
  func aProtocolThatTheAccessoryLacksIsReported(end: [String]) async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.echo=echo"])
    let keyboard = Pipe()
    let outcome = try await Command(
      ["bridge", "--transport", address, "--protocol", "com.example.none"] + end, input: .silent(keyboard)
    ).finish()
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("com.example.none: the accessory has no such protocol; it has com.example.echo"))
    #expect(try await headUnit.finish().status == 0)
  }
}
